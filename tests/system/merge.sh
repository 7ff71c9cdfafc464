#!/usr/bin/env bash
# profrep merge: a merged recording reports as its parts do at once, and one alone as before. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

for text in tests/golden/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done
cd "$dir" || exit 1

# report FILE... OPTION...: all that is printed of the stacks, whatever the order of equal counts.
report() { "$profrep" "$@" 2>&1 | LC_ALL=C sort; }

# merges_into NAME FILE...: every report of the merged file is that of the files at once.
merges_into()
{
	local name=$1 options
	shift
	"$profrep" merge -o "$name.merged" "$@" 2> "$name.err" || [ $? -eq 3 ] || { cat "$name.err"; return 1; }
	while read -r options; do
		# shellcheck disable=SC2086 # words are meant
		diff <(report $options "$@" | grep -v "is incomplete:") <(report $options "$name.merged") ||
			{ echo "profrep $options"; return 1; }
	done <<- 'END'
		--event 1
		--event 1 -f -a -m
		--event 1 -v -s
		--event 1 --unnamed module -U
		--event 1 -i --lines -f
		files --event 1
		top --event 1 -n 10000
		tree --event 1 --min-percent 0.001
		export folded --event 1
	END
}
check "two hosts" merges_into hosts host-a.prof host-b.prof
check "one recording twice" merges_into twice host-a.prof host-a.prof
check "hits" merges_into hits calls.prof calls.prof
check "languages" merges_into languages languages.prof languages.prof
check "processes, compiled code and objects without a build-id" merges_into processes processes.prof processes.prof
# Another writer's recording: a process has code of its own twice.
"$BUILD/tests/prof_make" > made.prof <<- 'END'
	object a jit /tmp/perf-7.map - instance=3
	object b jit /tmp/perf-7.map - instance=4
	sym a 0x1000 0x100 first_meaning
	sym b 0x1000 0x100 second_meaning
	process p 7 3
	map p a 0x1000 0x1000 0x1000
	map p b 0x3000 0x1000 0x1000
	count p made 2 user a:0x1010
	count p made 1 user b:0x1010
END
check "two objects of one process's code" merges_into made made.prof made.prof
check "layouts of kernels and missed stacks" merges_into kernels basic.prof basic.prof missed.prof
check "recordings of several versions" merges_into versions ends.prof ends.prof
check "wakers and weights" merges_into weights calls-bytes.prof calls-bytes.prof
check "a merged recording and another" merges_into again hosts.merged host-a.prof
check "a merged recording and another: all three are counted" \
	contains "$("$profrep" again.merged 2> /dev/null)" "Sampling at 49 Hertz of 3 recordings"
"$profrep" merge -o flat.merged host-a.prof host-b.prof host-a.prof
check "merging in steps" same "$(report -f again.merged)" "$(report -f flat.merged)"

check "processes of a merged recording and another stay apart" same "$("$profrep" top --by pid host-a.prof twice.merged 2> /dev/null |
	awk 'NR > 3 {print $1, $NF}' | sort | uniq -c | xargs)" "3 6 100"

# Times: the second recording begins when the first ends.
sed '/^count p a 2 /d; /^epoch 5/d; s/7500000000/5000000000/' "$OLDPWD/tests/golden/slices.txt" |
	"$BUILD/tests/prof_make" > five.prof
"$profrep" merge -o ten.merged five.prof five.prof
for from in 0 1 2 3 4; do
	check "second $from of the second recording" diff <(report -f --from $from --to $((from + 1)) five.prof) \
		<(report -f --from $((5 + from)) --to $((6 + from)) ten.merged)
done

# A time of day is one moment in all recordings, or none.
started()
{
	sed "/^count p a 2 /d; /^epoch 5/d; s/7500000000/5000000000/; /^meta freq/a meta start_realtime_ns ${1}000000000\nmeta zone $2" \
		"$OLDPWD/tests/golden/slices.txt" | "$BUILD/tests/prof_make"
}
started 1000000000 1440 > first.prof
started 1000003600 1440 > hour.prof
started 1000086400 1440 > day.prof
started 1000000000 1500 > east.prof
"$profrep" merge -o days.merged first.prof day.prof
part() { "$profrep" -f "$@" 2> /dev/null; }
check "a time of one day" same "$(part --from 02:46:42 --to 02:46:43 first.prof hour.prof)" "a;a 4"
check "from a time of one day on" same "$(part --from 01:46:44 first.prof hour.prof | xargs)" "a;a;b 4 a;a 15"
check "a time of another day" says 1 "failed to select from 'day.prof': it began on another day than 'first.prof'" \
	"$profrep" -f --from 01:46:41 first.prof hour.prof day.prof
check "a time of another zone" says 1 "failed to select from 'east.prof': its host has another time zone than that of 'first.prof'" \
	"$profrep" -f --to 2001-09-09T01:46:50 first.prof east.prof
check "a date" same "$(part --from 2001-09-10T01:46:44 first.prof hour.prof day.prof)" "a;a 2"
check "a date of UTC" same "$(part --to 2001-09-09T01:46:41Z first.prof east.prof)" "a;a 2"
check "a date of the host" same "$(part --to 2001-09-09T02:46:41 east.prof)" "a;a 1"
check "seconds are those of each recording" same "$(part --from 4 first.prof day.prof)" "a;a 4"
check "a part of a slice of the second" says 0 "of 'hour.prof' 2.000 s to 3.000 s is shown" \
	"$profrep" -f --from 2001-09-09T02:46:42.25 --to 2001-09-09T02:46:42.75 first.prof hour.prof
check "whole slices: nothing is said of what is shown" same "$("$profrep" -f --from 02:46:42 first.prof hour.prof 2>&1 > /dev/null)" ""
check "a date without samples" says 1 "failed to select from 'first.prof': no samples after 166400.000 s" \
	"$profrep" -f --from 2001-09-11T00:00:00 first.prof
check "a date before all" says 1 "it does not begin before the time of --to" "$profrep" -f --to 2001-09-09T00:00:00 first.prof
check "each side of a difference has its day" same \
	"$("$profrep" diff -f --from 01:46:44 first.prof day.prof 2> /dev/null)" "a;a 2 2"
for option in --from=01:46:41 --to=2001-09-10T00:00:00Z; do
	check "a merged recording and $option" says 1 "it is merged from recordings of several times, so it has no time of day" \
		"$profrep" -f "$option" days.merged
	check "a merged recording and another, with $option" says 1 "failed to select from 'days.merged': it is merged" \
		"$profrep" -f "$option" first.prof days.merged
done

# More than a batch.
for ((i = 0; i < 130; i++)); do cat <<< "host-a.prof"; done > many
"$profrep" merge -o many.prof @many
check "more recordings than a batch" diff <("$profrep" -f @many 2> /dev/null) <("$profrep" -f many.prof 2> /dev/null)
check "more recordings than a batch: their processes stay apart" \
	same "$("$profrep" top --by pid -n 1000 many.prof 2> /dev/null | tail -n +4 | wc -l)" 130
check "losses add up" same "$(info many.prof 'samples lost')" \
	"$(info host-a.prof 'samples lost' | awk '{$1 *= 130; $4 = 130 * $4; $9 *= 130; print}')"
"$profrep" merge -o missed.merged missed.prof missed.prof
check "what the recorder left out adds up" same "$(info missed.merged 'left out')" \
	"$(info missed.prof 'left out' | awk '{for (i = 1; i <= NF; i++) if ($i ~ /^[0-9]+$/) $i *= 2; print}')"
check "samples add up" same "$(info many.prof 'samples taken')" "$((130 * $(info host-a.prof 'samples taken')))"
check "durations add up" same "$(info many.prof duration | cut -d . -f 1)" \
	"$((130 * $(info host-a.prof duration | cut -d . -f 1)))"
check "a count of the recordings" same "$(info many.prof 'merged from')" "130 recordings"
check "names of the hosts" same "$(info hosts.merged host)" "a, b"

# One recording is copied as it is.
for recording in basic epochs events hostile intervals languages rotated sources times; do
	one()
	{
		"$profrep" merge -o one.prof $recording.prof 2> /dev/null
		for options in "" -T files info; do
			# Sizes and offsets depend on the compressor's version.
			# shellcheck disable=SC2086 # no word is meant, too
			diff <("$profrep" $options $recording.prof 2>&1 | sed "s/'$recording.prof'/'one.prof'/; /^file/d; /^size/d; s/offset [0-9]*/offset/") \
				<("$profrep" $options one.prof 2>&1 | sed "/^file/d; /^size/d; s/offset [0-9]*/offset/") || return 1
		done
	}
	check "one recording: $recording" one
done
check "standard input and output" diff <("$profrep" merge -o - - < basic.prof | "$profrep" -v -) <("$profrep" -v basic.prof)

# Broken recordings.
check "broken recordings are named" says 3 "the recording 'many' is left out" \
	"$profrep" merge -o rest.prof host-a.prof many nonexistent.prof host-b.prof
check "broken recordings: the rest is merged" same "$(report -f rest.prof)" "$(report -f hosts.merged)"
head -c 700 host-b.prof > half.prof
check "a recording that was cut" says 3 "the recording 'half.prof' is" "$profrep" merge -o cut.merged host-a.prof half.prof
check "a recording that was cut, alone" says 3 "is incomplete" "$profrep" merge -o cut.merged cut.prof
check "a recording that was cut is cut still when merged again" says 3 "is incomplete" "$profrep" -f cut.merged
check "no recording can be read" \
	says 1 "none of the 2 recordings can be read" "$profrep" merge -o none.prof many nonexistent.prof
check "no recording can be read: nothing is left" same "$(ls none.prof 2> /dev/null)" ""
# Filters of recordings that differ are those of none.
for uid in 33 44; do { echo "meta filters uid $uid"; cat "$OLDPWD/tests/golden/host-a.txt"; } | "$BUILD/tests/prof_make" > uid$uid.prof; done
filters_of() { "$profrep" merge -o filters.merged "$@" && "$profrep" filters.merged | sed -n '1s/.*recordings \(.*\) by .*/\1/p'; }
check "filters of all" same "$(filters_of uid33.prof uid33.prof)" "(uid 33)"
check "filters that differ" same "$(filters_of uid33.prof uid44.prof)" "(different filters)"
check "filters of several recordings" contains "$("$profrep" uid33.prof uid44.prof)" "2 recordings (different filters) by"
check "recordings of other rates" says 1 "their events or rates differ" "$profrep" merge -o none.prof host-a.prof order.prof
check "no output" says 2 "command merge: needs -o" "$profrep" merge host-a.prof
check "a full disk" says 1 "No space left on device" "$profrep" merge -o /dev/full host-a.prof host-b.prof
check "no intervals" says 1 "it is merged from several recordings" "$profrep" -T hosts.merged
plan_end
