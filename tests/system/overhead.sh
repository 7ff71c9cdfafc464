#!/usr/bin/env bash
# The cost of counting: the recorder says when it is above --overhead-limit, and with --shed counts fewer hits. Programs
# that do a known number of things as fast as they can are above any low limit. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf

build "$dir/calls" calls.c -ldl
build "$dir/waits" waits.c
# record NAME WORDS PROGRAM OPTION...: the program goes on until the recorder has said the words. What the program says is
# in NAME.out: for calls, the number of calls.
record()
{
	"$profrec" -o "$dir/$1.prof" "${@:4}" -- "$dir/$3" until "$dir/$1.end" > "$dir/$1.out" 2> "$dir/$1.err" &
	wait_for grep -q "$2" "$dir/$1.err"
	touch "$dir/$1.end"
	wait $!
}
sum() { "$profrep" -f "$dir/$1.prof" 2> /dev/null | sum_samples "${2:-.}"; }
own="$dir/calls:own_function"

check "counting above the limit is said" record above "counting takes" calls -e "$own" --overhead-limit 1
check "above the limit: the recorder says what can be done" contains "$(cat "$dir/above.err")" \
	"more than --overhead-limit (1 %): --shed counts fewer hits"
check "above the limit: all hits are counted" same "$(sum above)" "$(cat "$dir/above.out")"
# The first words come when sampling has begun.
check "without a limit hits are counted" record none Tracing calls -e "$own" --overhead-limit 0
check "without a limit: the recorder says nothing" same "$(grep -c 'counting' "$dir/none.err")" 0
check "without a limit: all hits are counted" same "$(sum none)" "$(cat "$dir/none.out")"

check "--shed: that fewer hits are counted is said" record shed "hits of '$own' is counted, and stands for all of them" calls -e "$own" --overhead-limit 1 --shed
nr=$(cat "$dir/shed.out")
check "--shed: fewer hits are counted" above "$nr" "$(info "$dir/shed.prof" "hits counted")"
check "--shed: each hit is accounted for" is_accounted "$dir/shed.prof"
# is_near SUM WANT: which hits are counted is left to chance. With steps of 1 to 2 * GAP - 1 hits, the variance of a sum is
# below GAP * WANT, and the sum is further away than this once in a thousand million runs (Bernstein's inequality).
gap=$(info "$dir/shed.prof" "  hits" | sed -n 's/.*one of up to \([0-9]*\),.*/\1/p')
is_near()
{
	local off
	off=$(awk -v n="$2" -v gap="$gap" 'BEGIN {printf "%.0f", sqrt(2 * 21.5 * gap * n) + 43 * gap / 3}')
	echo "$1 of $2, give or take $off"
	between "$1" $(($2 - off)) $(($2 + off))
}
check "--shed: the sum is near that of all" is_near "$(sum shed)" "$nr"
check "--shed: the first place has its share" is_near "$(sum shed ';one;')" $((nr / 6))
check "--shed: the second place has its share" is_near "$(sum shed ';two;')" $((nr / 3))
check "--shed: the third place has its share" is_near "$(sum shed ';three;')" $((nr / 2))
check "--shed: the headline tells" contains "$("$profrep" "$dir/shed.prof" 2> /dev/null | head -n 1)" "hits counted for all"
check "--shed: a report warns" contains "$("$profrep" -f "$dir/shed.prof" 2>&1 > /dev/null)" "are estimates: one of up to"
check "--shed: info tells" contains "$("$profrep" info "$dir/shed.prof")" "at random, for all of them"

check "times off the CPU: fewer are counted" record waits "is counted, and stands for all of them" waits \
	--off-cpu --wakers --overhead-limit 1 --shed
check "times off the CPU: each is accounted for" is_accounted "$dir/waits.prof"
check "times off the CPU: info tells" contains "$("$profrep" info "$dir/waits.prof")" "at random, for all of them"

check "--shed without hits" says 2 "there are no hits to count" "$profrec" -o "$dir/no.prof" --shed 1
check "--shed without a limit" says 2 "needs an --overhead-limit above 0" "$profrec" -o "$dir/no.prof" --off-cpu --shed \
	--overhead-limit 0 1
plan_end
