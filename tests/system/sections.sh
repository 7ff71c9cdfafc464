#!/usr/bin/env bash
# Programs without usable section headers: their stacks and names, from the program headers. Hits are known, exactly.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
# shellcheck source=tests/lib/sections.sh
. tests/lib/sections.sh
own_mounts "$@"
need_bpf

# callers NAME FUNCTION: hits from each of the three places, as "one two three", below the start of the program.
callers()
{
	folded "$1" | awk -v f=";$2 " '
		function add(place) {if ($0 ~ "^calls;_start;.*;main;" place f) n[place] += $NF}
		{sub(";call_all;", ";"); add("one"); add("two"); add("three")}
		END {print n["one"] + 0, n["two"] + 0, n["three"] + 0}'
}
# is_recorded NAME PROBE: hits of the probe in $dir/calls have complete stacks, with names.
is_recorded()
{
	begin run "$dir/calls" 100 -e "$dir/calls:$2"
	finish
	check "$1: callers of own_function" same "$(callers run own_function)" "100 200 300"
	check "$1: complete stacks" same "$(info "$dir/run.prof" "user stacks")" "600 of 600 hits complete (100.00 %)"
}
# is_named NAME: a copy of the recording without names gets them from the file.
is_named()
{
	begin bare "$dir/calls" 100 --no-names -e "$dir/calls:own_function"
	finish
	check "$1: names from the file" same "$(callers bare own_function)" "100 200 300"
}

for flags in "-fcf-protection=full" "-no-pie" "-Wl,--hash-style=sysv" "-Wl,-z,noseparate-code"; do
	build "$dir/calls" calls.c -ldl -rdynamic "${frameless[@]}" "$flags" 2> /dev/null || continue
	drop_sections "$dir/calls"
	is_recorded "no section headers, $flags" own_function
	is_named "no section headers, $flags"
done

## Section headers that are elsewhere than the header says.
build "$dir/calls" calls.c -ldl -rdynamic "${frameless[@]}"
put "$dir/calls" 40 8 $((1 << 40))
is_recorded "section headers beyond the end" own_function
is_named "section headers beyond the end"
build "$dir/calls" calls.c -ldl -rdynamic "${frameless[@]}"
put "$dir/calls" 62 2 0
is_recorded "sections without names" own_function
is_named "sections without names"

## More sections than the header can count.
build "$dir/calls" calls.c -ldl "${frameless[@]}"
count_apart "$dir/calls"
is_recorded "numbers in section 0" own_function
is_named "numbers in section 0"

## A static program has no header that leads to .eh_frame, and no names.
if build "$dir/calls" calls.c -ldl -static "${frameless[@]}" 2> /dev/null; then
	at=$(readelf -sW "$dir/calls" | awk '$8 == "own_function" {print $2}')
	at=$((16#$at - $(segments "$dir/calls" | awk '$1 == "LOAD" && /R E/ {print $3 - $2}')))
	drop_sections "$dir/calls"
	begin run "$dir/calls" 100 -e "$dir/calls:$(printf '0x%x' $at)"
	finish
	check "static, no section headers: complete stacks" \
		same "$(info "$dir/run.prof" "user stacks")" "600 of 600 hits complete (100.00 %)"
	check "static, no section headers: the bounds of functions tell three callers" \
		same "$(folded run | awk -F'[; ]' '{n[$(NF - 2)] += $NF} END {for (f in n) print n[f]}' | sort -n | tr '\n' ' ')" \
		"100 200 300 "
else
	skip "static, no section headers" "no static C library"
fi
plan_end
