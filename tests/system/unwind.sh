#!/usr/bin/env bash
# Samples at random moments: user stacks reach their root in programs without frame pointers, and plug-ins at one address have
# their shares. The tests compare the recording's own verdict on its stacks with the names of their outermost frames.
# system/roots has the stacks that can be counted.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
need_tables
unwind_build

# record NAME OPTION... [-- COMMAND...]: to NAME.prof, and folded, user frames alone, to NAME.folded.
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
	"$profrep" -f -U -m "$@" "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/$name.said"
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

## Functions that no table covers, and that hardly do more than to make a frame. A probe would take the place of the
## instruction that the walk looks at.
build "$dir/no_table" no_table.c -O2
record begin --unwind=dwarf -- "$dir/no_table" begin
check "no table, a frame begins or ends: the caller is there" mostly "$dir/begin.folded" no_table \
	'main[^;]*;call_begin' 90
check "no table, a frame begins or ends: the recording says that stacks are complete" complete begin 95

build "$dir/loader" loader.c "${frameless[@]}" -ldl
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

plan_end
