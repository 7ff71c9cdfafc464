#!/usr/bin/env bash
# The storage of stacks and counts in the kernel: the recording says how much it lacked. system/agree has storage that is
# drained in time, which takes a machine that is not busy. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf

has_children() { [ "$(child_of $many manystacks | wc -l)" -eq 2 ]; }
# record_many NAME DEPTH OPTION...: two processes with stacks of that depth, until they have had a CPU for two seconds.
record_many()
{
	local pids
	setsid "$workloads/manystacks" 2 "$2" &
	many=$!
	wait_for has_children
	mapfile -t pids < <(child_of $many manystacks)
	begin_recording -F 9999 "${@:3}" -o "$dir/$1.prof"
	run_for 200 "${pids[@]}"
	end_recording
	kill -- -$many
}

## Storage that is too small: the recording says how much it lacks.
record_many tiny 12 --stack-storage-size 2 --hash-storage-size 2
check "tiny storage: the identity holds all the same" \
	is_accounted "$dir/tiny.prof"
check "tiny storage: the closing line says what was lost" contains "$(cat "$dir/err")" " lost ("
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
record_many deep 140 --stack-storage-size 64
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
timeout -s KILL 300 nice -n 15 "$profrec" -q -F 9999 -o "$dir/starved.prof" 1
check "little CPU time: the recording ends" same $? 0
kill -- "${groups[@]}"
check "little CPU time: it is complete" is_complete "$dir/starved.prof"
check "little CPU time: the identity holds" is_accounted "$dir/starved.prof"
plan_end
