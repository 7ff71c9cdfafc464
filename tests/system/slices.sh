#!/usr/bin/env bash
# Slices of time: profrec keeps counts by seconds, and profrep divides recordings there. A recorder that got no CPU has longer
# slices; profrep shows the slice that a time divides in both parts, and says so. unit/test_sampler, unit/test_epoch_slices
# and unit/test_timespan have slices whose times are known to the nanosecond. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

cat > "$dir/phases.c" << 'END'
#include <stdlib.h>
#include <time.h>

static volatile unsigned long sum;

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}

__attribute__((noinline)) void spin_first(double end)
{
	while (now() < end)
		for (int i = 0; i < 10000; i++)
			sum += i;
}

__attribute__((noinline)) void spin_second(double end)
{
	while (now() < end)
		for (int i = 0; i < 10000; i++)
			sum ^= i;
}

int main(void)
{
	double start = now();

	spin_first(start + 2);
	spin_second(start + 5);
	return 0;
}
END
"$cc" -O1 -o "$dir/phases" "$dir/phases.c" || exit 1

# total OPTION... FILE: the sum of the counts. Warnings are in the file warnings.
total() { "$profrep" -f "$@" 2> "$dir/warnings" | sum_samples; }

# parts_add_up FILE [SECOND...]: before and after each second, there is as much as in the whole file, or more if profrep says
# so.
parts_add_up()
{
	local whole second before after compare=same
	whole=$(total "$1")
	for second in "${@:2}"; do
		before=$(total --to "$second" "$1")
		! grep -q 'is shown' "$dir/warnings" || compare=at_least
		after=$(total --from "$second" "$1")
		$compare "$((before + after))" "$whole" || { echo "at $second s"; return 1; }
	done
}
# seconds FILE: each of them.
seconds() { seq $(($(duration_ms "$1") / 1000)); }
# has_none FUNCTION OPTION...: the part that the options select has nothing of the function, or is more than was asked for.
has_none()
{
	"$profrep" -f "${@:2}" "$dir/phases.prof" > "$dir/part" 2> "$dir/asked"
	test -s "$dir/part" && { grep -q 'is shown' "$dir/asked" || same "$(grep "$1" "$dir/part")" ""; }
}

"$profrec" -q -F 199 -o "$dir/phases.prof" -- "$dir/phases"
check "the length of slices is said" same "$(info "$dir/phases.prof" slices)" "1.000 s"
# shellcheck disable=SC2046 # numbers
check "slices: the parts add up" parts_add_up "$dir/phases.prof" $(seconds "$dir/phases.prof")
# On a busy machine the program begins later than the recording, and the recording ends later than the program.
check "the first two seconds have nothing that came later" has_none spin_second --to 2
check "the last second has nothing that was before" has_none spin_first --from $(($(duration_ms "$dir/phases.prof") / 1000 - 1))

"$workloads/func_ab" &
busy=$!
"$profrec" -q -F 99 --no-slices -p $busy -o "$dir/none.prof" 3
check "--no-slices: no slices" same "$(info "$dir/none.prof" slices)" none
check "--no-slices: the epoch is not divided" same "$(total --to 1 "$dir/none.prof")" "$(total "$dir/none.prof")"

"$profrec" -q -F 199 --slices 20ms -p $busy -o "$dir/short.prof" 2
check "--slices: the length of slices" same "$(info "$dir/short.prof" slices)" "0.020 s"
check "--slices: the parts add up" parts_add_up "$dir/short.prof" 0.1 0.5
# stamps: the times of samples, and how many of them are earlier than the one before.
stamps() { "$profrep" export perf-script "$1" | awk '/^[^\t]/ {t = $3 + 0; n++; late += t < last; last = t} END {print n, late + 0}'; }
check "perf-script: samples are in the order of time" same "$(stamps "$dir/short.prof")" "$(total "$dir/short.prof") 0"

mkdir "$dir/rotated"
"$profrec" -q -F 199 --rotate 2 -p $busy -o "$dir/rotated/%H%M%S.prof" 5
kill $busy
# shellcheck disable=SC2046 # numbers
for file in "$dir"/rotated/*.prof; do parts_add_up "$file" $(seconds "$file") || echo "$file"; done > "$dir/wrong"
check "--rotate: the parts of each file add up" same "$(cat "$dir/wrong")" ""

if has_bpf "--off-cpu"; then
	"$profrec" -q --off-cpu -o "$dir/waits.prof" -- sh -c 'sleep 0.3; sleep 1; sleep 0.9'
	# shellcheck disable=SC2046 # numbers
	check "--off-cpu: the parts add up" parts_add_up "$dir/waits.prof" $(seconds "$dir/waits.prof")
	check "--off-cpu: times are there" at_least "$(total "$dir/waits.prof")" 2200000000
fi
plan_end
