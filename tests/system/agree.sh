#!/usr/bin/env bash
# The number of samples agrees with the kernel's own count of the event, and the shares of functions with those of perf. On
# an emulated or shared machine timers fire late, and every sampler loses these samples. perf samples at the same time, and
# tells how many are lost. Storage is drained before it is full. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf

# share FILE REGEX: percent of the samples whose folded line matches.
share()
{
	awk -v re="$2" '{n = $NF; t += n; if ($0 ~ re) m += n} END {printf "%.2f", t ? 100 * m / t : 0}' "$1"
}

## Nearly every sample a new stack. Another test's processes may have the workload's name, so these have one of their own.
cp "$workloads/manystacks" "$dir/many.$$"
setsid "$dir/many.$$" 2 12 &
many=$!
"$profrec" -q -F 999 -o "$dir/many.prof" 10
kill -- -$many
check "manystacks: none lost, all accounted for" \
	is_accounted "$dir/many.prof"
check "manystacks: no sample lost" same "$(info "$dir/many.prof" "samples lost")" \
	"0 storage full, 0 refused by the kernel, 0 walk failed"
check "manystacks: no stack missed" same "$(info "$dir/many.prof" "user missed")" \
	"0 storage full, 0 refused by the kernel, 0 walk failed"
"$profrep" -f "$dir/many.prof" > "$dir/many.folded"
check "manystacks: the report adds up to the samples taken" \
	same "$(sum_samples < "$dir/many.folded")" "$(info "$dir/many.prof" "samples taken")"
check "manystacks: stacks are whole" at_least \
	"$(grep "^many\.$$;" "$dir/many.folded" > "$dir/m"; share "$dir/m" 'main(;f[0-7])+')" 99
check "manystacks: hardly a stack repeats" at_least "$(wc -l < "$dir/m")" \
	"$(($(sum_samples < "$dir/m") * 9 / 10))"

## Small storage is drained in time.
setsid "$workloads/manystacks" 2 12 &
many=$!
has_children() { [ "$(child_of $many manystacks | wc -l)" -eq 2 ]; }
wait_for has_children
mapfile -t pids < <(child_of $many manystacks)
# Half a set is left until the recorder runs. At this rate that is a second; the more programs wait for a CPU, the longer
# it is. Nearly every sample is a new stack, and in fifteen seconds of CPU time there are more of them than a set holds.
begin_recording -F 499 -p "${pids[0]},${pids[1]}" --stack-storage-size 4096 --hash-storage-size 4096 -o "$dir/small.prof"
run_for 1500 "${pids[@]}"
end_recording
kill -- -$many
check "small storage: more stacks than it holds" at_least "$(info "$dir/small.prof" stacks | awk '{print $2}')" 4097
check "small storage: the identity holds" is_accounted "$dir/small.prof"
check "small storage: no stack missed" same "$(info "$dir/small.prof" "user missed")" \
	"0 storage full, 0 refused by the kernel, 0 walk failed"

for tool in perf taskset; do
	command -v $tool > /dev/null || { skip "samples and shares beside perf" "$tool is not installed"; plan_end; exit; }
done

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

## Two functions that take turns: their shares. perf samples the same process at the same time.
"$workloads/func_ab" &
pid=$!
"$profrec" -q -F 999 -p $pid -o "$dir/ab.prof" 5 &
recorder=$!
perf record -q -F 999 -g -p $pid -o "$dir/ab.data" -- sleep 5 2> /dev/null
wait $recorder
kill $pid
"$profrep" -f "$dir/ab.prof" > "$dir/ab.folded"
check "99 % of func_ab's samples are in func_a or func_b" \
	at_least "$(share "$dir/ab.folded" ';func_[ab]')" 99
check "samples were taken, at most 999 a second on one CPU" at_most "$(info "$dir/ab.prof" "samples taken")" \
	$(($(duration_ms "$dir/ab.prof") + 10))

# apart: how many percentage points the shares of func_a of profrec and perf are apart. perf begins later and ends later.
apart()
{
	perf script -i "$dir/ab.data" -F ip,sym 2> /dev/null |
		awk 'BEGIN {RS = ""} {n++; if ($2 == "func_a") a++} END {print a + 0, n + 0}' > "$dir/perf"
	awk '{n += $NF; if (/;func_a/) a += $NF} END {print a + 0, n + 0}' "$dir/ab.folded" |
		paste -d ' ' - "$dir/perf" |
		awk '{d = $1 / $2 - $3 / $4; printf "%.2f", 100 * (d < 0 ? -d : d)}'
}
if [ -s "$dir/ab.data" ]; then
	check "profrec and perf agree on func_a within 10 percentage points" at_most "$(apart)" 10
else
	skip "profrec and perf agree on func_a" "perf cannot record here"
fi
plan_end
