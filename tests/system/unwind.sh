#!/usr/bin/env bash
# User stacks reach their root in programs without frame pointers. The tests compare the recording's own verdict on its
# stacks with the names of their outermost frames.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
need_tables
unwind_build

# record NAME OPTION... [-- COMMAND...]: to NAME.prof, and folded, user frames alone, to NAME.folded.
mkdir "$dir/symfs"
record()
{
	local name=$1
	shift
	"$profrec" -q -F 999 -i 1 -o "$dir/$name.prof" "$@" > /dev/null 2> "$dir/$name.err"
	fold "$name"
}

# fold NAME [OPTION...]
fold()
{
	local name=$1
	shift
	"$profrep" -f -U -m --symfs "$dir/symfs" "$@" "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/$name.said"
}

# roots NAME: the roots as a regular expression, among them the function in which threads begin. It has no name where libc
# has no symbols: it is the outermost function of stacks that have in_thread, and calls in_thread's caller. Threads that
# begin or end have that root, too.
roots()
{
	local function
	function=$(sed -nE 's/^[^;]*;(\[[^;]*\+0x[^;]*);[^;]*;in_thread \[.*/\1/p' "$dir/$1.folded" | sort | uniq -c | sort -rn |
		sed -E 's/^ *[0-9]+ //; s/[]+.[]/\\&/g; q')
	echo "$unwind_roots${function:+|^[^;]*;$function(;| [0-9])}"
}

# shares NAME REGEX: counts the samples whose line matches, and those of them that have one of these roots. Leaves out
# samples of the command before its exec.
shares()
{
	re=$2 roots=$(roots "$1") awk '!/^profrec[; ]/ && $0 ~ ENVIRON["re"] {t += $NF; if ($0 ~ ENVIRON["roots"]) r += $NF}
		END {print t + 0, r + 0}' "$dir/$1.folded"
}

# rooted NAME PERCENT MINIMUM [REGEX]: so many percent of the stacks have a root. Of few samples, three more may lack one.
# A thread that ends has samples without a user stack. They do not count, as in the recording. Of a whole program, nor do
# stacks that were cut: on a slow machine python3 still imports in its second second, and that is deeper than the limit.
rooted()
{
	local all good cut
	read -r all good < <(shares "$1" "${4:-;}")
	cut=$(sed -nE 's/^WARNING: ([0-9]+) stack traces were cut .*/\1/p' "$dir/$1.said")
	[ "${4-}" ] || all=$((all - ${cut:-0}))
	[ "$all" -ge "$3" ] && [ $((good * 100 + 300)) -ge $((all * $2)) ] && return 0
	echo "$good of $all samples have a root"
	cat "$dir/$1.err" "$dir/$1.said"
	grep -vE "$(roots "$1")" "$dir/$1.folded" | grep -E -e "${4:-;}" | cut -c1-300 | head
	return 1
}

# complete NAME PERCENT: the recording says so. Stacks from before the tables were ready count as early. Imports of python3
# are deeper than the limit, which cuts them. The number of both depends on the load of the machine.
complete()
{
	local all good cut early
	read -r good all < <(info "$dir/$1.prof" "user stacks" | sed 's/ of / /; s/ samples.*//')
	read -r cut early < <(info "$dir/$1.prof" "others ended" | sed -E 's/.* ([0-9]+) cut, ([0-9]+) early.*/\1 \2/')
	[ "${all:-0}" -gt 0 ] && [ $(((good + cut + early) * 100 + 300)) -ge $((all * $2)) ] && return 0
	info "$dir/$1.prof" "user stacks"
	info "$dir/$1.prof" "others ended"
	return 1
}

## Programs of all kinds, after the first second. How many samples there are depends on the machine.
for name in calls arrays signals threads lazy throw python3 rsa2048 sqlite3 node; do
	why=$(unwind_missing "$name")
	if [ "$why" ]; then
		skip "$name" "$why"
		continue
	fi
	unwind_program "$name" record "$name" --unwind=dwarf 3 --
	fold "$name" --from 1
	check "$name: the recording says that stacks are complete" complete "$name" 95
	check "$name: stacks have roots" rooted "$name" 95 10
done
for name in gcc git; do
	why=$(unwind_missing "$name")
	if [ "$why" ]; then
		skip "$name" "$why"
		continue
	fi
	# shellcheck disable=SC2016 # for the shell that is started
	unwind_program "$name" record "$name" --unwind=dwarf 3 -- bash -c 'while :; do "$@" > /dev/null; done' loop
	fold "$name" --from 1
	check "$name: the recording says that stacks are complete" complete "$name" 95
	check "$name: stacks have roots" rooted "$name" 90 10
done

## Functions that no table covers. Where one has no frame, a walk along rbp passes over its caller.
build "$dir/no_table" no_table.c -O2
for act in bare framed begin; do
	record "$act" --unwind=dwarf -- "$dir/no_table" "$act"
done
check "no table, a frame along rbp: the recording says that stacks are complete" complete framed 95
check "no table, a frame along rbp: its caller is there" mostly "$dir/framed.folded" no_table 'main[^;]*;framed' 90
check "no table, a frame begins or ends: the caller is there" mostly "$dir/begin.folded" no_table \
	'main[^;]*;call_begin' 90
check "no table, a frame begins or ends: the recording says that stacks are complete" complete begin 95
check "no table, no frame: the recording says that stacks are not complete" at_most \
	"$(info "$dir/bare.prof" "user stacks" | sed 's/ .*//')" "$(($(sum_samples '^no_table' < "$dir/bare.folded") / 5))"

## Samples in the kernel, with their callers.
if has_bpf "dd, in the kernel: stacks have roots"; then
	record dd --unwind=dwarf 3 -- dd if=/dev/zero of=/dev/null bs=64k
	"$profrep" -f -a -m --from 1 "$dir/dd.prof" | grep '_\[k\]' > "$dir/kernel.folded"
	touch "$dir/kernel.err" "$dir/kernel.said"
	check "dd, in the kernel: stacks have roots" rooted kernel 95 10 '^dd;'
fi

# again NAME COMMAND...: records five runs of a command of less than a second. The first second, in which the tables are
# made, does not count.
again()
{
	local name=$1
	shift
	# shellcheck disable=SC2016 # for the shell that is started
	record "$name" --unwind=dwarf -- bash -c 'for i in 1 2 3 4 5; do "$@"; done' loop "$@"
	fold "$name" --from 1
}

## A library that is loaded, and one that takes its place. The recorder looks at each process anew, which takes longer
# the busier the machine is.
for name in plug_one plug_two; do
	build "$dir/lib$name.so" plugin.c "${frameless[@]}" -shared -fPIC -DPLUGIN=$name
done
build "$dir/loader" loader.c "${frameless[@]}" -ldl
again dl "$dir/loader" "$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two"
check "dlopen: stacks in the first library have roots" rooted dl 60 10 ';plug_one[; ]'
check "dlopen: stacks in the second have roots" rooted dl 60 10 ';plug_two[; ]'

# The recorder may also have been asked in vain before, about code of which nothing can be known.
build "$dir/libwander.so" wander.c "${frameless[@]}" -shared -fPIC -Wl,-z,nodelete
again wander "$dir/loader" "$dir/libwander.so:wander" "$dir/libplug_one.so:plug_one"
check "dlopen after code that has no unwind information: stacks have roots" rooted wander 60 10 ';plug_one[; ]'

# samples NAME REGEX: how many samples of the recording have such a folded stack.
samples() { "$profrep" -f -U "$dir/$1.prof" 2> /dev/null | sum_samples "$2"; }

# plug_in NAME [FLAG...]: the library libNAME.so with the function NAME.
plug_in()
{
	local name=$1
	shift
	"$cc" -O2 -shared -fPIC -I. "$@" -DPLUGIN="$name" -o "$dir/lib$name.so" tests/programs/plugin.c
}

# is_share A B FROM TO: A has between FROM and TO percent of A + B, which are at least 100 samples.
is_share()
{
	echo "$1 and $2 samples"
	[ $(($1 + $2)) -ge 100 ] && [ $(($1 * 100)) -ge $((($1 + $2) * $3)) ] && [ $(($1 * 100)) -le $((($1 + $2) * $4)) ]
}

## Plug-ins of one size that take turns at one address: equal addresses, and equal stacks.
for name in plug_one plug_two plug_ten; do
	plug_in $name -DPLUGIN_MS=20
done
turns=()
for _ in $(seq 50); do
	turns+=("$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two")
done
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/turns.prof" -- "$dir/loader" "${turns[@]}"
check "plug-ins in turns: each has its share" is_share "$(samples turns ';plug_one[; ]')" "$(samples turns ';plug_two[; ]')" 40 60
turns=("$dir/libplug_ten.so:plug_ten")
for _ in $(seq 25); do
	turns+=("$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two" "$dir/libplug_one.so:plug_one")
done
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/three.prof" -- "$dir/loader" "${turns[@]}"
check "two turns of three: two thirds" is_share "$(samples three ';plug_one[; ]')" "$(samples three ';plug_two[; ]')" 57 77
check "one turn in the beginning: little" [ "$(samples three ';plug_ten[; ]')" -le 60 ]

## Other images of one process, and one image of many.
build "$dir/reexec" reexec.c "${frameless[@]}"
build "$dir/short" short.c "${frameless[@]}"
again exec "$dir/reexec" "$dir/reexec" "$dir/short" 300
check "exec: stacks before it have roots" rooted exec 60 10 ';before_exec[; ]'
check "exec: stacks after it have roots" rooted exec 60 10 ';burn_shortly[; ]'
record fork --unwind=dwarf 3 -- bash -c \
	'while :; do for i in 1 2 3; do (for ((j = 0; j < 20000; j++)); do :; done) & done; wait; done'
fold fork --from 1
check "fork without exec: stacks have roots" rooted fork 60 10 '^bash;'

## Processes that end before the recorder knows their mappings. It walks copies of their stacks, which have several sizes.
build "$dir/deep" deep.c "${frameless[@]}" -pthread
for kib in 1 6 12 26; do
	# shellcheck disable=SC2016 # for the shell that is started
	record "deep.$kib" --unwind=dwarf -- bash -c 'for i in {1..40}; do "$0" 3 "$1"; "$0" 3 "$1" thread; done' "$dir/deep" $kib
	check "$kib KiB of stack, of main threads and others: stacks have roots" rooted "deep.$kib" 80 80 ';burn_deeply '
done

## Files that the host does not have under that name, or not any more.
mkdir -p "$dir/inside" "$dir/symfs$dir/inside" "$dir/symfs$dir/gone" "$dir/gone"
cp "$dir/frames" "$dir/symfs$dir/inside/elsewhere"
if unshare -m true 2> /dev/null; then
	record elsewhere --unwind=dwarf -- unshare -m sh -c \
		"mount -t tmpfs none $dir/inside && cp $dir/frames $dir/inside/elsewhere && exec $dir/inside/elsewhere calls 3000"
	fold elsewhere --from 1
	check "another mount namespace: stacks have roots" rooted elsewhere 80 10 '^elsewhere;'
else
	skip "another mount namespace" "there are no mount namespaces"
fi
cp "$dir/frames" "$dir/gone/vanished"
cp "$dir/frames" "$dir/symfs$dir/gone/vanished"
"$dir/gone/vanished" calls 600000 &
wait_for has_text vanished "/proc/$!/maps"
rm "$dir/gone/vanished"
record vanished --unwind=dwarf -p $! 3
kill $!
fold vanished --from 1
check "a deleted program: stacks have roots" rooted vanished 95 10 '^vanished;'

## Frame pointers, if the user asks for them: optimised programs have none.
record fp --unwind=fp 2 -- "$dir/frames" calls 600000
read -r all good < <(shares fp '^frames;')
check "--unwind=fp: $good of $all samples have a root" eval "[ $all -ge 10 ] && [ $((good * 2)) -lt $all ]"
check "--unwind=fp: the recording does not call them complete" contains "$(info "$dir/fp.prof" "user stacks")" "0 of "

# Stacks of coroutines, which begin with code that nobody has called.
build "$dir/coroutine" coroutine.c "${frameless[@]}" -Wl,--export-dynamic
for kind in greenlet fcontext; do
	options=()
	begin='greenlet::UserGreenlet::inner_bootstrap(int)'
	[ $kind = greenlet ] || options=(fcontext) begin='make_fcontext;run_context'
	"$profrec" -q -U -F 499 -o "$dir/$kind.prof" -- "$dir/coroutine" 500 "${options[@]}"
	check "$kind: its stacks are complete" stacks_complete 98 "$dir/$kind.prof" early
	"$profrep" -f "$dir/$kind.prof" > "$dir/$kind.folded"
	check "$kind: they begin with the coroutine" at_least "$(grep -cF "coroutine;$begin;run" "$dir/$kind.folded")" 1
	# Of samples before the tables are there, some end elsewhere.
	others=$(grep -F ';run' "$dir/$kind.folded" | grep -vF "coroutine;$begin;run" | sum_samples)
	check "$kind: nobody has called it" at_most $((50 * others)) "$(sum_samples ';run' < "$dir/$kind.folded")"
done
plan_end
