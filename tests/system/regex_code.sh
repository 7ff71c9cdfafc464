#!/usr/bin/env bash
# Code that PCRE2 makes of expressions: each of its instructions leads to its caller. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
[ "$(uname -m)" = x86_64 ] || skip_all "code of this architecture is not read"
build "$dir/step_regex" step_regex.c
"$dir/step_regex" libpcre2-8.so.0 200 > "$dir/steps" 2> "$dir/steps.err"
case $? in
2) skip "regular expressions" "there is no libpcre2-8" ;;
*)
	check "code of expressions is stepped through" above "$(sed -n 's/^instructions //p' "$dir/steps")" 10000
	check "each instruction has the right caller" same "$(sed 1d "$dir/steps"; sort "$dir/steps.err" | head -5)" \
		$'wrong 0\nwithout 0'
	;;
esac
plan_end
