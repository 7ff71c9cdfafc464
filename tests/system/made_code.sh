#!/usr/bin/env bash
# Stacks through made code in the frame of an interpreter: of programs of the tests' own, which have symbols of PHP and of
# LuaJIT. And stacks through code that PCRE2 makes. tests/long/made_code.sh has these themselves.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_tables
fake=$dir/fake_jit
build "$fake" fake_jit.c "${frameless[@]}" -Wl,--export-dynamic

# record NAME COMMAND...
record() { "$profrec" -q -F 499 -U -o "$dir/$1.prof" -- "${@:2}" && "$profrep" -f "$dir/$1.prof" > "$dir/$1.folded"; }

# The file is known after the first process. Made code has no name.
record good sh -c "$fake 5; $fake 50"
check "made code has the caller of the loop" mostly "$dir/good.folded" fake_jit 'main;run_script;\[unknown\];burn_inside' 80

# Where the rule looks for the return address of this code, there is a saved register. rbp is no frame pointer.
record shifted sh -c "$fake 5 shifted; $fake 30 shifted"
check "code with a frame of its own is there" above "$(sum_samples '\[unknown\];burn_inside' < "$dir/shifted.folded")" 100
check "code with a frame of its own has no caller" same "$(grep -c 'main;.*\[unknown\];burn_inside' "$dir/shifted.folded")" 0

# short NAME COMMAND...: processes of 20 ms, whose first samples the recorder walks in copies of their stacks.
short()
{
	record "short-$1" sh -c "${*:2}; for i in \$(seq 40); do ${*:2}; done"
	grep '\[unknown\];burn_inside [0-9]*$' "$dir/short-$1.folded" > "$dir/short-$1.made"
	check "short processes, $1: made code is there" above "$(sum_samples < "$dir/short-$1.made")" 100
}

# without_caller NAME: the samples of made code of short processes without its caller.
without_caller() { grep -v 'main;run_script;\[unknown\];burn_inside' "$dir/short-$1.made" | sum_samples; }

# The file is known after the first process.
short made "$fake" 1
check "short processes, made: the caller of the loop is there" at_most "$(without_caller made)" \
	"$(($(sum_samples < "$dir/short-made.made") / 20))"
short shifted "$fake" 1 shifted
check "short processes, shifted: code with a frame of its own has no caller" same \
	"$(grep -c 'main;.*\[unknown\];burn_inside' "$dir/short-shifted.folded")" 0

"$profrec" -q -U --languages none -F 499 -o "$dir/none.prof" -- sh -c "$fake 5; $fake 10"
check "no languages, no rule" same "$("$profrep" -f "$dir/none.prof" | grep -c 'run_script;\[unknown\]')" 0

build "$dir/8.0.99" fake_jit.c "${frameless[@]}" -Wl,--export-dynamic '-DRELEASE="8.0.99"'
record old sh -c "$dir/8.0.99 5; $dir/8.0.99 10"
check "a version that was not judged has no rule" same "$(grep -c 'run_script;\[unknown\]' "$dir/old.folded")" 0

traces=$dir/fake_traces
build "$traces" fake_traces.c "${frameless[@]}" -Wl,--export-dynamic
record traces sh -c "$traces 5; $traces 50"
check "a trace has the caller of the interpreter" mostly "$dir/traces.folded" fake_traces 'main;run_script;\[unknown\];burn_inside' 80
record other sh -c "$traces 5 other; $traces 30 other"
check "a trace whose state names another frame is there" above "$(sum_samples '\[unknown\];burn_inside' < "$dir/other.folded")" 100
check "a trace whose state names another frame has no caller" same \
	"$(grep -c 'main;.*\[unknown\];burn_inside' "$dir/other.folded")" 0
short traces "$traces" 1
check "short processes, traces: the caller of the interpreter is there" at_most "$(without_caller traces)" \
	"$(($(sum_samples < "$dir/short-traces.made") / 20))"
short others "$traces" 1 other
check "short processes, others: a trace whose state names another frame has no caller" same \
	"$(grep -c 'main;.*\[unknown\];burn_inside' "$dir/short-others.folded")" 0

record below sh -c "$traces 5 below; $traces 30 below"
check "a trace above a frame without a return address is there" above "$(sum_samples '\[unknown\];burn_inside' < "$dir/below.folded")" 100
check "a trace above a frame without a return address has no caller" same \
	"$(grep -c 'main;.*\[unknown\];burn_inside' "$dir/below.folded")" 0
short belows "$traces" 1 below
check "short processes, belows: a trace above a frame without a return address has no caller" same \
	"$(grep -c 'main;.*\[unknown\];burn_inside' "$dir/short-belows.folded")" 0

# Code that PCRE2 makes: stacks through it are known.
regexes=$dir/regexes
build "$regexes" step_regex.c "${frameless[@]}" -Wl,--export-dynamic
"$regexes" libpcre2-8.so.0 run 1
case $? in
2) skip "regular expressions" "there is no libpcre2-8" ;;
*)
	record regexes sh -c "$regexes libpcre2-8.so.0 run 5; $regexes libpcre2-8.so.0 run 25"
	check "an expression has its caller" mostly "$dir/regexes.folded" regexes \
		'main;run_matches;pcre2_jit_match_8;([^;]*;)?\[unknown\]( |;)' 40
	# The dynamic linker's functions have no names either: it begins the program, and is called at its end.
	check "an expression has no other caller" same "$(grep '\[unknown\]' "$dir/regexes.folded" | grep -vE \
		';pcre2_jit_match_8;([^;]*;)?\[unknown\]( |;)|^[^;]*;\[unknown\]( |;)|;__run_exit_handlers;\[unknown\]')" ""
	# The first samples of a process wait until the recorder knows its mappings.
	record short_regexes sh -c "for i in \$(seq 30); do $regexes libpcre2-8.so.0 run 1; done"
	grep '\[unknown\] [0-9]*$' "$dir/short_regexes.folded" > "$dir/short_leaves"
	check "short processes have samples in expressions" above "$(sum_samples < "$dir/short_leaves")" 50
	# A recorder that has to wait for a CPU lacks room for copies of such stacks, which are large.
	check "short processes have the callers of expressions" mostly "$dir/short_leaves" regexes \
		'main;run_matches;pcre2_jit_match_8;' 50
	"$profrec" -q -U --languages none -F 499 -o "$dir/unruled.prof" -- "$regexes" libpcre2-8.so.0 run 5
	check "no languages, no rule for expressions" same \
		"$("$profrep" -f "$dir/unruled.prof" | grep -c 'pcre2_jit_match_8;.*\[unknown\]')" 0
	;;
esac
plan_end
