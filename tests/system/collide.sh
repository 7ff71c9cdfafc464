#!/usr/bin/env bash
# A process chooses two stacks so that a hash that is no secret function of them would take them for one. Each has its
# share of the samples all the same.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording
[ "$(uname -m)" = x86_64 ] || skip_all "the stacks are made up for x86-64, this is $(uname -m)"
build "$dir/collide" collide.c -O2

# Both take the same CPU time, in turns of 20 ms.
for nr in 1 2 3; do
	"$profrec" -q -F 999 --unwind=fp -o "$dir/$nr.prof" -- "$dir/collide" 500
	"$profrep" -f "$dir/$nr.prof" > "$dir/$nr.folded"
	for chain in one two; do
		check "recording $nr: chain $chain has its share" mostly "$dir/$nr.folded" collide ";chain_$chain;" 25
	done
done
plan_end
