#!/usr/bin/env bash
# Unusual and hostile processes: the recording is right about them, and the recorder does not spend its time on them.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
need_tables

# record NAME OPTION... [-- COMMAND...]: to NAME.prof, and folded, user frames alone, to NAME.folded.
record()
{
	local name=$1
	shift
	"$profrec" -q --unwind=dwarf -o "$dir/$name.prof" "$@" > /dev/null 2> "$dir/$name.err"
}
fold() { "$profrep" -f -U "${@:2}" "$dir/$1.prof" > "$dir/$1.folded"; }
identity() { is_accounted "$dir/$1.prof"; }

## A main thread that has ended.
build "$dir/orphan" orphan.c "${frameless[@]}" -DBURN_FAULTS
"$dir/orphan" 1000000000 > "$dir/alone" &
pid=$!
wait_for has_text alone "$dir/alone"
# Two functions of libc, which have no names without debug symbols, start the thread.
whole='^orphan;[^;]*;[^;]*;burn;orphan '
record_while 5 $pid --unwind=dwarf -e page-faults -p $pid -o "$dir/before.prof"
fold before
kill $pid
check "a main thread that ended before: stacks of others are complete" same \
	"$(grep '^orphan;' "$dir/before.folded" | grep -vc "$whole")" 0
check "a main thread that ended before: stacks of others are there" above "$(sum_samples "$whole" < "$dir/before.folded")" 0
record meanwhile -e c:madvise -e "$dir/orphan:main" -- "$dir/orphan" 1
"$profrep" -f -P --event 1 "$dir/meanwhile.prof" > "$dir/meanwhile.folded"
check "a main thread that ends: stacks of others are complete" same \
	"$(sum_samples "^orphan;[^;]*;[^;]*;burn;orphan;" < "$dir/meanwhile.folded")" 100

## More files at a time than there is room for in the line of those whose tables are made.
echo 'void burn_some(void) { for (volatile int i = 0; i < 100000; i++) ; }' |
	"$cc" -O2 -fomit-frame-pointer -shared -fPIC -Wl,--build-id=0x6100 -x c -o "$dir/library.so" -
for nr in {10..99}; do
	# The build-id follows the note's name.
	LC_ALL=C sed "s/GNU\\x00a\\x00/GNU\\x00$nr/" "$dir/library.so" > "$dir/lib$nr.so"
done
build "$dir/libraries" libraries.c "${frameless[@]}" -ldl
pids=
for nr in {1..9}; do
	"$dir/libraries" burn_some "$dir"/lib??.so > "$dir/loaded$nr" &
	pids=$pids${pids:+,}$!
done
for nr in {1..9}; do wait_for grep -q loaded "$dir/loaded$nr"; done
"$profrec" -q -F 999 -i 1 --unwind=dwarf -o "$dir/libraries.prof" -p "$pids" 2> "$dir/libraries.err" &
recorder=$!
# all_have_tables: their samples of the last second tell. How long it takes depends on the machine.
all_have_tables()
{
	local part epochs
	part=$(echo "$dir"/libraries.prof.*.part)
	epochs=$(info "$part" epochs) # one a second
	[ "${epochs:-0}" -gt 1 ] || return
	"$profrep" -f -U --from $((epochs - 1)) "$part" > "$dir/libraries.folded"
	mostly "$dir/libraries.folded" libraries '^libraries;_start;.*;burn_some ' 95
}
check "90 files at a time: in the end all of them have tables" wait_for all_have_tables
kill -INT $recorder
wait $recorder
# shellcheck disable=SC2086
kill ${pids//,/ }
check "90 files at a time: no sample is missing" identity libraries

## Hostile call frame information. The tests ask that the process is recorded, and that nothing is lost.
build "$dir/frames" frames.c "${frameless[@]}" -ldl
objcopy -O binary --only-section=.eh_frame "$dir/frames" "$dir/section"
# spoiled NAME TR-ARGUMENT...: tr exchanges its bytes.
spoiled()
{
	local name=$1
	shift
	LC_ALL=C tr "$@" < "$dir/section" > "$dir/section-$name"
	objcopy --update-section ".eh_frame=$dir/section-$name" "$dir/frames" "$dir/$name"
	check "$name: recorded" record "$name" -e "$dir/$name:leave" -- "$dir/$name" calls 300
	check "$name: its samples are there" above "$("$profrep" -f -P "$dir/$name.prof" | sum_samples "^$name;(.*;)?leave ")" 0
	check "$name: no sample is missing" identity "$name"
}
spoiled garbage '\000-\377' '\100-\377\000-\077'
spoiled registers '\007\010' '\005\177'
spoiled offsets '\016' '\013'
plan_end
