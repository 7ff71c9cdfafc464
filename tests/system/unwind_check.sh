#!/usr/bin/env bash
# Compares unwinding by tables with libdwfl, which shares no code with it. Both walk the stacks of programs that are
# stopped at random moments. They also walk after each of some thousand instructions, which lead through prologues and
# epilogues.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
tool=$BUILD/tests/unwind_compare
[ "$(uname -m)" = x86_64 ] || skip_all "tables are for x86-64, this is $(uname -m)"
[ -x "$tool" ] || skip_all "it was built without libdw-dev"
why=$("$tool" -n 1 sleep 10 2>&1) || skip_all "processes cannot be traced here: ${why%%$'\n'*}"
unwind_build

# value NAME KEY: a number of the summary.
value() { sed -n "1s/\\(^\\|.* \\)$2 \\([0-9]*\\).*/\\2/p" "$dir/$1.out"; }

# agrees NAME STOPS: 99 % of the frames and registers are equal, and there was something to compare. Most walks come to
# the root. Contexts are an exception: their stacks begin in a function whose end no table has.
agrees()
{
	local stops roots frames same regs same_regs
	cat "$dir/$1.out"
	stops=$(value "$1" stops)
	roots=$(value "$1" root)
	frames=$(value "$1" frames)
	same=$(value "$1" same-frames)
	regs=$(value "$1" registers)
	same_regs=$(value "$1" same-registers)
	[ "$1" != contexts ] || roots=$stops
	[ "${stops:-0}" -ge "$2" ] && [ "$frames" -ge $((2 * stops)) ] && [ $((roots * 2)) -ge "$stops" ] &&
		[ $((same * 100)) -ge $((frames * 99)) ] && [ $((same_regs * 100)) -ge $((regs * 99)) ]
}

# agrees_by_steps NAME STOPS: agrees, and no caller differs, which only few instructions could show.
agrees_by_steps() { agrees "$@" && [ $(($(value "$1" other-callers) * 2000)) -le "$2" ]; }

for name in $unwind_names; do
	why=$(unwind_missing "$name")
	if [ "$why" ]; then
		skip "$name" "$why"
		continue
	fi
	unwind_program "$name" timeout 60 "$tool" -n 150 > "$dir/$name.out" 2>&1
	check "$name: stopped at random, the stacks are the same" agrees "$name" 150
done

# Calls that are never bound for good go through the PLT each time, and the steps see it.
export LD_BIND_NOT=1
for name in $unwind_step_names; do
	why=$(unwind_missing "$name")
	if [ "$why" ]; then
		skip "$name, steps" "$why"
		continue
	fi
	case $name in lazy*) stops=12000 ;; *) stops=3000 ;; esac
	unwind_program "$name" timeout 100 "$tool" -n $stops -s $((stops / 5)) > "$dir/$name.out" 2>&1
	check "$name: after each instruction, the stacks are the same" agrees_by_steps "$name" $stops
done
plan_end
