#!/usr/bin/env bash
# The storage of stacks and counts in the kernel: drained in time, or the recording says how much it lacked. TAP.
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

## Storage that is too small: the recording says how much it lacks.
setsid "$workloads/manystacks" 2 12 &
many=$!
"$profrec" -F 9999 --stack-storage-size 2 --hash-storage-size 2 -o "$dir/tiny.prof" 2 2> "$dir/tiny.err"
kill -- -$many
check "tiny storage: the identity holds all the same" \
	is_accounted "$dir/tiny.prof"
check "tiny storage: the closing line says what was lost" contains "$(cat "$dir/tiny.err")" " lost ("
"$profrep" -f "$dir/tiny.prof" > "$dir/tiny.folded" 2> "$dir/tiny.warn"
check "tiny storage: the report warns as bcc does" contains "$(cat "$dir/tiny.warn")" \
	"WARNING: hash table full. Consider increasing --hash-storage-size."
# A lost sample has no stack that could be missed.
# missed KEY FILE: what the recording says; without NAME FILE: samples of the report without that stack.
missed() { info "$dir/$2.prof" "$1" | awk -F ', ' '{for (i = 1; i <= NF; i++) n += $i; print n + 0}'; }
without() { awk -v name="[Missed $1 Stack]" 'index($0, name) {n += $NF} END {print n + 0}' "$dir/$2.folded"; }
check "tiny storage: user stacks are missed by samples that were counted" same "$(missed "user missed" tiny)" \
	"$(without User tiny)"
check "tiny storage: kernel stacks are missed by samples that were counted" \
	same "$(missed "kernel missed" tiny)" "$(without Kernel tiny)"

## Stacks of the full depth fill the memory of a set before it has as many stacks as it may have.
setsid "$workloads/manystacks" 2 140 &
many=$!
"$profrec" -q -F 9999 --stack-storage-size 64 -o "$dir/deep.prof" 2
kill -- -$many
"$profrep" -f "$dir/deep.prof" > "$dir/deep.folded" 2> /dev/null
check "deep stacks: the identity holds" is_accounted "$dir/deep.prof"
check "deep stacks: some stacks are missed" at_least "$(missed "user missed" deep)" 1
check "deep stacks: stacks are missed by samples that were counted" \
	same "$(missed "user missed" deep)" "$(without User deep)"
check "deep stacks: stacks that are there have all frames" at_least \
	"$(grep '^manystacks;' "$dir/deep.folded" | grep -v Missed | awk -F ';' 'NF < 128 {n++} END {print NR - n}')" 9

## Recordings that follow each other: the losses of each file are its own.
mkdir "$dir/rotated"
setsid "$workloads/manystacks" 2 12 &
many=$!
"$profrec" -q -F 4999 --stack-storage-size 2 --hash-storage-size 2 --rotate 1 -o "$dir/rotated/%s.prof" 2
kill -- -$many
check "losses: each file is complete" is_complete "$dir"/rotated/*.prof
check "losses: the identity holds in each" is_accounted "$dir"/rotated/*.prof
check "losses: each file has its own" same \
	"$(for file in "$dir"/rotated/*.prof; do info "$file" "samples lost"; done | grep -vc '^0 storage full')" \
	"$(echo "$dir"/rotated/*.prof | wc -w)"

## Programs that nobody knows yet send their stacks with each sample. They send more than a recorder with little CPU time can
## read, and it ends all the same. The time-out is that of a recorder which would read for ever.
groups=()
for _ in 1 2 3 4 5 6; do
	setsid "$workloads/manystacks" 2 12 &
	groups+=("-$!")
done
timeout -s KILL 120 nice -n 15 "$profrec" -q -F 9999 -o "$dir/starved.prof" 1
check "little CPU time: the recording ends" same $? 0
kill -- "${groups[@]}"
check "little CPU time: it is complete" is_complete "$dir/starved.prof"
check "little CPU time: the identity holds" is_accounted "$dir/starved.prof"
plan_end
