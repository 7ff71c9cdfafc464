#!/usr/bin/env bash
# Recordings one after the other, and their way into a comparison. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording
rm -f "$dir"/*

# A command that takes a turn each time: it counts its runs.
cat > "$dir/count" << 'END'
#!/bin/sh
echo run >> "$1/runs"
END
chmod +x "$dir/count"

## A command, with names that collide.
check "a command: it ends with status 0" "$profrec" -q -o "$dir/a%%.prof" --repeat 3 -- "$dir/count" "$dir"
check "a command: it runs anew for each recording" same "$(wc -l < "$dir/runs")" 3
check "a command: names as with --rotate" same "$(cd "$dir" && echo a*.prof)" "a%.prof a%_1.prof a%_2.prof"
check "a command: the recordings are whole" is_complete "$dir"/a*.prof

# A command that counts its runs and fails with the number of each but the first.
cat > "$dir/fail" << 'END'
#!/bin/sh
echo run >> "$1/fails"
exit $(($(wc -l < "$1/fails") - 1))
END
chmod +x "$dir/fail"
check "a command that fails: the first status that is not 0" fails 1 \
	"$profrec" -q -o "$dir/f%%.prof" --repeat 3 -- "$dir/fail" "$dir"
check "a command that fails: it runs as often as was asked" same "$(wc -l < "$dir/fails")" 3
check "a command that cannot run: status 127, once" says 127 "failed to run '/no/such'" \
	"$profrec" -q -o "$dir/g%%.prof" --repeat 3 -- /no/such

## A duration, and a signal in the second of many. The first is ended by itself: each has a process of its own.
"$workloads/func_ab" &
busy=$!
begun $busy func_ab
check "a duration: status 0" "$profrec" -q -p $busy -o "$dir/d%%.prof" --repeat 2 --pause 0.1 0.5
check "a duration: it ends each" same "$(for file in "$dir"/d*.prof; do info "$file" end; done)" \
	$'the duration was over\nthe duration was over'
begin_recording -p $busy -o "$dir/b%%.prof" --repeat 1000 --pause 0.1 600
kill -INT "$(child_of $recorder profrec)"
second_began() { [ "$(grep -c Sampling "$dir/err")" -ge 2 ]; }
wait_for second_began
kill -INT $recorder
wait $recorder
check "a signal: status 0" same $? 0
check "a signal: the recording at hand is the last" same "$(cd "$dir" && echo b*.prof)" "b%.prof b%_1.prof"
check "a signal: it is whole" is_complete "$dir"/b*.prof
check "a signal: it ended the last" contains "$(info "$dir/b%_1.prof" end)" signal

## Failure.
check "a failure ends the run" says 1 "profrec: failed to create '$dir/none/" \
	"$profrec" -q -p $busy -o "$dir/none/%s.prof" --repeat 1000 1
kill $busy
check "a failure is said once" same "$(wc -l < "$dir/err")" 1

## The comparison. A spinning program is all of the samples of its recordings, and ends by itself.
for side in before after; do
	"$profrec" -q -F 999 -o "$dir/$side%%.prof" --repeat 3 -- "${cpu_second[@]}" "$workloads/func_ab"
done
check "compared: the recordings are enough for a verdict" contains \
	"$("$profrep" diff -A --before "$dir"/before*.prof --after "$dir"/after*.prof)" "not distinguishable"
check "compared: a plan is made of the recordings" contains "$("$profrep" plan 5 "$dir"/before*.prof)" func_a
plan_end
