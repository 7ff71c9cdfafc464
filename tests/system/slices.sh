#!/usr/bin/env bash
# Slices of time: profrec keeps counts by seconds, and profrep divides recordings there.
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

# parts_add_up FILE: before and after each second, there is as much as in the whole file. A recorder that got no CPU has
# longer slices. Both parts show the slice that the second divides then, and profrep says so.
parts_add_up()
{
	local whole second before after said
	whole=$(total "$1")
	for ((second = 1; second <= $(duration_ms "$1") / 1000; second++)); do
		before=$(total --to $second "$1")
		said=$(grep 'is shown' "$dir/warnings")
		after=$(total --from $second "$1")
		if [ "$said" ] && [ $((before + after)) -ge "$whole" ]; then continue; fi
		same "$second s: $((before + after))" "$second s: $whole" || return 1
	done
}

"$profrec" -q -F 199 -o "$dir/phases.prof" -- "$dir/phases"
check "the length of slices is said" same "$(info "$dir/phases.prof" slices)" "1.000 s"
check "slices: the parts add up" parts_add_up "$dir/phases.prof"
"$profrep" -f --to 1 "$dir/phases.prof" > "$dir/begin" 2> "$dir/asked"
check "the first second has nothing that came later" fails 1 grep spin_second "$dir/begin"
"$profrep" -f --from $(($(duration_ms "$dir/phases.prof") / 1000 - 1)) "$dir/phases.prof" > "$dir/end" 2>> "$dir/asked"
check "the last seconds have nothing that was before" fails 1 grep spin_first "$dir/end"
check "no more is shown than was asked for" same "$(grep 'is shown' "$dir/asked")" ""

"$workloads/func_ab" &
busy=$!
"$profrec" -q -F 99 --no-slices -p $busy -o "$dir/none.prof" 3
check "--no-slices: no slices" same "$(info "$dir/none.prof" slices)" none
check "--no-slices: the epoch is not divided" same "$(total --to 1 "$dir/none.prof")" "$(total "$dir/none.prof")"

"$profrec" -q -F 199 --slices 20ms -p $busy -o "$dir/short.prof" 2
check "--slices: the length of slices" same "$(info "$dir/short.prof" slices)" "0.020 s"
check "--slices: the parts add up" same "$(($(total --to 0.1 "$dir/short.prof") + $(total --from 0.1 "$dir/short.prof")))" \
	"$(total "$dir/short.prof")"
# stamps: the times of samples, and how many of them are earlier than the one before.
stamps() { "$profrep" export perf-script "$1" | awk '/^[^\t]/ {t = $3 + 0; n++; late += t < last; last = t} END {print n, late + 0}'; }
check "perf-script: samples are in the order of time" same "$(stamps "$dir/short.prof")" "$(total "$dir/short.prof") 0"

mkdir "$dir/rotated"
"$profrec" -q -F 199 --rotate 2 -p $busy -o "$dir/rotated/%H%M%S.prof" 5
kill $busy
for file in "$dir"/rotated/*.prof; do parts_add_up "$file" || echo "$file"; done > "$dir/wrong"
check "--rotate: the parts of each file add up" same "$(cat "$dir/wrong")" ""

if has_bpf "--off-cpu"; then
	"$profrec" -q --off-cpu -o "$dir/waits.prof" -- sh -c 'sleep 0.3; sleep 1; sleep 0.9'
	check "--off-cpu: the parts add up" parts_add_up "$dir/waits.prof"
	check "--off-cpu: times are there" above "$(total "$dir/waits.prof")" 1000000000
fi
plan_end
