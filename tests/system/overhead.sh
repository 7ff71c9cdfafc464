#!/usr/bin/env bash
# The cost of counting: the recorder says when it is above --overhead-limit, and with --shed counts fewer hits. Programs
# that do a known number of things as fast as they can are above any low limit.
# shellcheck source=tests/tap.sh
. tests/tap.sh
need_recording

build "$dir/calls" calls.c -ldl
build "$dir/waits" waits.c
nr=600000 # calls 100000
# record NAME OPTION...: the calls.
record() { "$profrec" -o "$dir/$1.prof" -e "$dir/calls:own_function" "${@:2}" -- "$dir/calls" 100000 2> "$dir/$1.err"; }
sum() { "$profrep" -f "$dir/$1.prof" 2> /dev/null | sum_samples "${2:-.}"; }

check "above the limit" record above --overhead-limit 1
check "the recorder says so" contains "$(cat "$dir/above.err")" "counting takes "
check "and what can be done" contains "$(cat "$dir/above.err")" "more than --overhead-limit (1 %): --shed counts fewer hits"
check "it counts all hits nevertheless" same "$(sum above)" $nr
check "no limit" record none --overhead-limit 0
check "the recorder says nothing" same "$(grep -c 'counting' "$dir/none.err")" 0
check "it counts all hits" same "$(sum none)" $nr

check "fewer hits" record shed --overhead-limit 1 --shed
check "the recorder says so" contains "$(cat "$dir/shed.err")" "hits of '$dir/calls:own_function' is counted, and stands for all of them"
check "fewer are counted" above $nr "$(info "$dir/shed.prof" "hits counted")"
check "each is accounted for" is_accounted "$dir/shed.prof"
check "the sum is near that of all" between "$(sum shed)" $((nr * 7 / 10)) $((nr * 14 / 10))
check "places have their shares" above "$(sum shed ';three;')" "$(sum shed ';one;')"
check "the headline tells" contains "$("$profrep" "$dir/shed.prof" 2> /dev/null | head -n 1)" "hits counted for all"
check "a report warns" contains "$("$profrep" -f "$dir/shed.prof" 2>&1 > /dev/null)" "are estimates: one of up to"
check "info tells" contains "$("$profrep" info "$dir/shed.prof")" "at random, for all of them"

"$profrec" -q -o "$dir/waits.prof" --off-cpu --wakers --overhead-limit 1 --shed -- "$dir/waits" often > /dev/null
check "times off the CPU: each is accounted for" is_accounted "$dir/waits.prof"
check "fewer are counted" contains "$("$profrep" info "$dir/waits.prof")" "at random, for all of them"

check "nothing to shed" says 2 "there are no hits to count" "$profrec" -o "$dir/no.prof" --shed 1
check "no limit to keep" says 2 "needs an --overhead-limit above 0" "$profrec" -o "$dir/no.prof" --off-cpu --shed \
	--overhead-limit 0 1
plan_end
