#!/usr/bin/env bash
# Stacks through code that runtimes have made, which no table knows: they come to their root, and no function has a wrong
# caller. The programs' calls are known. PYTHONS are interpreters with -X perf, of CPython. PHP is a version
# of record/languages/files/php_layouts.c; with PHP_ROOT it is in that root of another system. LUAJIT is LuaJIT, and PCRE2 are libraries of that name. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
: "${MADE_CODE_SECONDS:=15}" "${PYTHONS:=python3 python3.12 python3.13}" "${PHP:=php}" "${PHP_ROOT:=}" \
	"${LUAJIT:=luajit}" "${PCRE2:=libpcre2-8.so.0}"
need_tables
php=("$PHP")
programs=$dir
if [ -n "$PHP_ROOT" ]; then
	php=(tests/fresh/enter "$PHP_ROOT" "$PHP")
	programs=$(mktemp -d -p "$PHP_ROOT/tmp")
	cleanup_extra() { rm -rf "$programs"; }
fi
cp tests/programs/known_jit.php tests/programs/known_calls.php "$programs"

# judge_python PYTHON: stubs by their names in the perf map, and functions by those of the interpreter. Stacks that were
# cut have no root, and their depth is not known.
judge_python()
{
	local name python pid
	"$1" -c 'import sys; sys.exit(sys.version_info[:2] not in ((3, 12), (3, 13)))' 2> /dev/null &&
		"$1" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2> /dev/null || return 0
	name=$("$1" -c 'import sys; print("python-%d.%d.%d" % sys.version_info[:3])')
	[ -e "$dir/$name.prof" ] && return
	echo "# $("$1" -V)"
	# A shim would start another program in the process.
	python=$("$1" -c 'import sys; print(sys.executable)')
	"$python" -X perf tests/programs/known_calls.py 3600 &
	pid=$!
	wait_for has_text py::burn "/tmp/perf-$pid.map"
	"$profrec" -q -U -F 999 -p $pid -o "$dir/$name.prof" "$MADE_CODE_SECONDS"
	kill -KILL $pid
	wait $pid 2> /dev/null
	rm -f "/tmp/perf-$pid.map"
	"$profrep" -fa "$dir/$name.prof" 2> /dev/null | grep -E '^[^;]*;(_start|(__)?clone3?);' > "$dir/$name.folded"
	sed -E 's/;[^;]*_\[py\]//g; s/;py::([^:]*):[^;]*_\[j\]/;_PyEval_EvalFrameDefault;\1_[py]/g' "$dir/$name.folded" \
		> "$dir/$name-stubs.folded"
	judge "$name" 1000 -f tests/judges/pairs.awk -f tests/judges/python.awk
	judge "$name-stubs" 1000 -f tests/judges/pairs.awk -f tests/judges/python.awk
	check "$name: stacks are complete" stacks_complete 99 "$dir/$name.prof" cut
	echo "# $name: $(info "$dir/$name.prof" "user stacks")"
}

# judge_php MODE: of opcache.jit.
judge_php()
{
	local pid name=php-$1
	mkfifo "$dir/$name.running"
	"${php[@]}" -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d "opcache.jit=$1" \
		"${programs#"$PHP_ROOT"}/known_jit.php" 3600 > "$dir/$name.running" &
	pid=$!
	read -r _ < "$dir/$name.running"
	"$profrec" -q -U -F 999 -p $pid -o "$dir/$name.prof" "$MADE_CODE_SECONDS"
	kill -KILL $pid
	wait $pid 2> /dev/null
	"$profrep" -fm --unnamed function "$dir/$name.prof" > "$dir/$name.folded"
	judge "$name" 1000 -f tests/judges/jit.awk
	check "$name: frames are of made code" above "$(truth "$name" made)" "$(($(truth "$name" pairs) / 2))"
	check "$name: stacks are complete" stacks_complete 99 "$dir/$name.prof" cut
	echo "# $name: $(info "$dir/$name.prof" "user stacks")"
}

# judge_php_functions NAME SETTING...: the functions of PHP, among native frames and those of made code.
judge_php_functions()
{
	local name=php-functions-$1 calls=${programs#"$PHP_ROOT"}/known_calls.php
	"$profrec" -q -U -F 999 -o "$dir/$name.prof" -- "${php[@]}" "${@:2}" "$calls" "$MADE_CODE_SECONDS" "${calls%.php}.pairs"
	"$profrep" -fa --unnamed function "$dir/$name.prof" 2> /dev/null > "$dir/$name.folded"
	judge "$name" 1000 -f tests/judges/php.awk "$programs/known_calls.pairs"
	check "$name: functions stand before the frame that runs them" at_most "$(truth "$name" misplaced)" \
		"$((1 + $(truth "$name" segments) / 1000))"
	check "$name: nothing but callers of fibers is displaced" at_most \
		"$(grep -v run_fiber "$dir/$name.folded" | sum_samples '\[displaced\]|\[not readable\]')" \
		"$(($(truth "$name" stacks) / 50))"
}

# judge_lua DEPTH: between the call of the script and the trace, each call through C takes two frames.
judge_lua()
{
	local pid i name=lua-$1 between='' right wrong
	mkfifo "$dir/$name.running"
	"$LUAJIT" tests/programs/known_traces.lua 3600 "$1" > "$dir/$name.running" &
	pid=$!
	read -r _ < "$dir/$name.running"
	"$profrec" -q -U -F 999 -p $pid -o "$dir/$name.prof" "$MADE_CODE_SECONDS"
	kill -KILL $pid
	wait $pid 2> /dev/null
	"$profrep" -fm --unnamed function "$dir/$name.prof" | grep '\[unknown\] \[anon\] ' > "$dir/$name.folded"
	for ((i = 1; i < $1; i++)); do between+="[^;]*;[^;]*;"; done
	right=$(sum_samples ";lua_pcall [^;]*;$between\\[unknown\\] \\[anon\\] " < "$dir/$name.folded")
	wrong=$(($(sum_samples < "$dir/$name.folded") - right))
	check "$name: there are traces" above "$right" 100
	check "$name: traces are as deep as they are" same "$wrong" 0
	check "$name: stacks are complete" stacks_complete 99 "$dir/$name.prof" cut
	echo "# $name: $right traces, $(info "$dir/$name.prof" "user stacks")"
}

for python in $PYTHONS; do
	judge_python "$python"
done
[ $tap_nr -gt 0 ] || skip "python -X perf" "no python whose perf trampolines are known"
# Without opcache there is no version to judge.
version=$("${php[@]}" -r 'echo extension_loaded("Zend OPcache") ? PHP_VERSION : "";' 2> /dev/null)
if is_claimed php "$version"; then
	judge_php_functions plain -d opcache.enable_cli=0
	judge_php_functions opcache -d opcache.enable_cli=1 -d opcache.jit=disable
else
	skip "PHP" "no PHP that is known, with opcache"
fi
if is_claimed "PHP's JIT compiler" "$version"; then
	for mode in tracing function; do
		judge_php $mode
		judge_php_functions $mode -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d "opcache.jit=$mode"
	done
else
	skip "PHP's JIT compiler" "no PHP whose compiler is known, with opcache"
fi
if is_claimed LuaJIT "$("$LUAJIT" -v 2> /dev/null | sed -n 's/^LuaJIT \([0-9.]*\).*/\1/p')"; then
	judge_lua 1
	judge_lua 3
	judge_lua 8
else
	skip "LuaJIT" "no LuaJIT that is known"
fi
build "$dir/step_regex" step_regex.c
for library in $PCRE2; do
	"$dir/step_regex" "$library" 4000 > "$dir/steps" 2> "$dir/steps.err"
	if [ $? = 2 ]; then
		skip "expressions of $library" "there is no such library"
		continue
	fi
	check "$library: code of expressions is stepped through" above "$(sed -n 's/^instructions //p' "$dir/steps")" 100000
	check "$library: each instruction has the right caller" same "$(sed 1d "$dir/steps"; sort "$dir/steps.err" | head -5)" \
		$'wrong 0\nwithout 0'
done
plan_end
