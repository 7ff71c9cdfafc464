#!/usr/bin/env bash
# make demo: a newcomer's first command. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

run_demo() { tests/demo > "$dir/out" 2> "$dir/err" || { cat "$dir/out" "$dir/err"; return 1; }; }
check "the demo ends well" run_demo
for name in func_a func_b; do
	check "the demo shows $name below main" grep -qE "^func_ab;.*;main;$name [0-9]+$" "$dir/out"
done
plan_end
