#!/usr/bin/env bash
# Intervals: profrec records them; profrep follows, prints and selects them.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

times() { grep -cE '^[0-9]{2}:[0-9]{2}:[0-9]{2}$' "$1"; }

"$workloads/func_ab" &
busy=$!

## A stream is printed while it is recorded.
mkfifo "$dir/pipe"
"$profrec" -q -F 99 -p $busy -i 1 -o - > "$dir/pipe" &
recorder=$!
"$profrep" -T -f - < "$dir/pipe" > "$dir/live" &
reporter=$!
printed() { [ "$(times "$dir/live")" -ge "$1" ]; }
check "a stream: the first interval is printed while the second is recorded" wait_for printed 1
check "a stream: the recorder still runs then" kill -0 $recorder
check "a stream: its stacks are there" wait_for grep -q ';func_[ab] [0-9]*$' "$dir/live"
check "a stream: the second interval follows" wait_for printed 2
kill -INT $recorder
wait $recorder
check "a stream: the recorder's status is 0" same $? 0
wait $reporter
check "a stream: the reporter's status is 0" same $? 0

## A file.
"$profrec" -q -F 99 -p $busy -i 1 -o "$dir/i.prof" 4
check "intervals and a duration of less than a second" "$profrec" -q -p $$ -i 250ms -o "$dir/short.prof" 0.6
check "a short interval: its length is said" same "$(info "$dir/short.prof" interval)" "0.250 s"
check "a short duration: it is said" contains "$(info "$dir/short.prof" duration)" "(requested: 0.600 s)"
check "a short duration: the headline has it" contains "$("$profrep" "$dir/short.prof")" " for 0.6 secs."
check "a file: its length is said" same "$(info "$dir/i.prof" interval)" "1.000 s"
check "a file: the host's local time is known" same "$(info "$dir/i.prof" "local time")" "$(date +UTC%:z)"
"$profrep" -Tf "$dir/i.prof" > "$dir/timed" 2> "$dir/timed.err"
# unless_held_up COMMAND...: a recorder that does not run for a while prints one interval for several, and profrep says so.
unless_held_up() { has_text "held up" "$dir/timed.err" || "$@"; }
"$profrep" -f "$dir/i.prof" > "$dir/whole"
# A recorder that does not run for a second writes one epoch of two intervals, or ends in a fifth.
epochs=$(info "$dir/i.prof" epochs)
check "a file: an epoch for each interval" [ "$epochs" -ge 2 ]
check "a file: no more epochs than intervals" [ "$epochs" -le $(($(duration_ms "$dir/i.prof") / 1000)) ]
check "a file: each interval is printed" unless_held_up [ "$(times "$dir/timed")" -ge 4 ]
check "a file: the intervals together are the whole" same "$(grep -v : "$dir/timed" | sum_samples)" \
	"$(sum_samples < "$dir/whole")"
check "a file: times are a second apart" unless_held_up same "$(grep : "$dir/timed" | while read -r t; do date -d "$t" +%s; done |
	awk 'NR > 1 && ($1 - last) % 86400 != 1 && ($1 - last) % 86400 != -86399 {print "not"} {last = $1}')" ""
end=$(date -d "$(info "$dir/i.prof" start)" +%s)
check "a file: the fourth is that of the end, by the clock of this host" unless_held_up same \
	"$(grep : "$dir/timed" | sed -n 4p)" "$(date -d "@$((end + 4))" +%H:%M:%S)"
check "a file: not folded, the headline is first and once" same \
	"$("$profrep" -T "$dir/i.prof" | grep -n Sampling | cut -d: -f1)" 1
for n in 0 1 2 3; do "$profrep" -f --from $n --to $((n + 1)) "$dir/i.prof"; done > "$dir/parts" 2> "$dir/warnings"
"$profrep" -f --from 4 "$dir/i.prof" >> "$dir/parts" 2>> "$dir/warnings"
compare=same
! grep -q 'is shown' "$dir/warnings" || compare=at_least
check "selected one by one, the intervals are the whole, or profrep says that it is more" \
	$compare "$(sum_samples < "$dir/parts")" "$(sum_samples < "$dir/whole")"
check "selected by the time of day" \
	same "$("$profrep" -f --from "$(date -d "@$((end - 5))" +%H:%M:%S)" "$dir/i.prof" | sort)" \
	"$(sort "$dir/whole")"

## Processes that sleep: intervals without samples.
sleep 100 &
sleeper=$!
"$profrec" -q -F 99 -p $sleeper -i 1 -o "$dir/none.prof" 2
kill $busy $sleeper
"$profrep" -T -f "$dir/none.prof" > "$dir/none"
check "no samples: the intervals are printed" [ "$(times "$dir/none")" -ge 2 ]
check "no samples: a selection is an error" fails 1 "$profrep" --from 1 "$dir/none.prof"
plan_end
