#!/usr/bin/env bash
# The number of samples agrees with the kernel's own count of the event. On an emulated or shared machine timers fire
# late, and every sampler loses these samples. perf samples at the same time, and tells how many are lost. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
command -v perf > /dev/null || skip_all "perf is not installed"
command -v taskset > /dev/null || skip_all "taskset is not installed"

# stolen: milliseconds that the hypervisor took from this machine. In that time clocks go on, but timers do not fire.
stolen() { awk '/^cpu / {print $9 * 10}' /proc/stat; }

# agrees HZ: a workload on one CPU, for five seconds; perf counts its cpu-clock (in ms) and profrec samples it.
agrees()
{
	local hz=$1 cpu steal ms samples others
	cpu=$(taskset -cp $$ | sed 's/.*[ ,-]//')
	steal=$(stolen)
	"$profrec" -q -F "$hz" -o "$dir/a.prof" -- taskset -c "$cpu" \
		perf record -q -e cpu-clock -F "$hz" -o "$dir/data" -- \
		perf stat -x , -e cpu-clock -o "$dir/stat" -- timeout 5 "$workloads/func_ab"
	steal=$(($(stolen) - steal))
	ms=$(awk -F , '/cpu-clock/ {print $1}' "$dir/stat")
	samples=$("$profrep" -f "$dir/a.prof" | awk '/^(func_ab|timeout);/ {n += $NF} END {print n + 0}')
	others=$(perf script -i "$dir/data" -F comm 2> /dev/null | grep -cE '^ *(func_ab|timeout) *$')
	awk -v ms="$ms" -v hz="$hz" -v n="$samples" -v perf="$others" -v steal="$steal" 'BEGIN {
		want = ms * hz / 1000
		late = perf < want ? want - perf : 0
		printf "%d samples, %d of perf, %.1f expected of %.1f ms: %.2f %%, %d ms stolen\n", n, perf, want, ms,
			100 * (n - want) / want, steal
		off = n - want; if (off < 0) off = -off
		exit !(want > 0 && n > want / 4 && off <= want / 100 + 2 * late + steal * hz / 1000)}'
}
for hz in 999 4999; do
	check "func_ab at $hz Hz: samples are within 1 % of perf's own count of the event" agrees $hz
done
check "all samples of func_ab are accounted for" is_accounted "$dir/a.prof"
plan_end
