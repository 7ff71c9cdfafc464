#!/usr/bin/env bash
# A recording carries the names of the functions that samples hit. The files are removed before the report: deleted while
# they run, in a container, of short processes, stripped, hostile. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
TEST_CFLAGS="${TEST_CFLAGS:-} -DBURN_FAULTS"

# Programs take page faults, each of which is a sample. Of a process that has begun just now, callers may be missing.
record() { "$profrec" -q -U -e page-faults "$@"; }
# record_long PROGRAM FILE OPTION...: while a program that takes faults without an end has some CPU time. Its pid is $pid.
record_long()
{
	"$1" 1000000000 &
	pid=$!
	begun $pid "${1##*/}"
	record_while 5 $pid -U -e page-faults -p $pid -o "$2" "${@:3}"
	end $pid
}
end() { kill -KILL "$1" && wait "$1"; } 2> /dev/null
# lines FILE PROGRAM: the folded lines of a program.
lines() { "$profrep" -f "$1" | grep "^$2;"; }
# burnt FILE PROGRAM: how many samples have the name of the function.
burnt() { lines "$1" "$2" | sum_samples ';burn_shortly '; }
# unknown FILE PROGRAM: frames of that file without a name or bounds, in percent.
unknown() { "$profrep" files "$1" | awk -v path="/$2\$" '$8 ~ path {print $5}'; }

build "$dir/short" short.c
cp "$dir/short" "$dir/gone"

## A file that is removed after the recording.
record -o "$dir/gone.prof" -- "$dir/gone" 40
"$profrep" -f "$dir/gone.prof" > "$dir/with"
rm "$dir/gone"
check "a removed file: the name" same "$(burnt "$dir/gone.prof" gone)" 40
check "a removed file: nothing differs" same "$(lines "$dir/gone.prof" gone)" "$(grep '^gone;' "$dir/with")"
check "a removed file: where the names are from" contains "$("$profrep" files "$dir/gone.prof" | grep /gone)" "in the recording (.symtab"
check "a removed file: info counts it" contains "$("$profrep" info "$dir/gone.prof" | grep "^names from")" "read by the recorder"

## Without names, and along frame pointers.
cp "$dir/short" "$dir/gone"
record --no-names -o "$dir/none.prof" -- "$dir/gone" 40
rm "$dir/gone"
check "--no-names: no name" same "$(unknown "$dir/none.prof" gone)" "100.0%"
cp "$dir/short" "$dir/gone"
record_long "$dir/gone" "$dir/fp.prof" --unwind=fp
rm "$dir/gone"
check "along frame pointers: the names" above "$(lines "$dir/fp.prof" gone | sum_samples ';main;burn_shortly ')" 0

## A file that is removed while it runs.
cp "$dir/short" "$dir/gone"
"$dir/gone" 1000000000 &
pid=$!
begun $pid gone
rm "$dir/gone"
record_while 5 $pid -U -e page-faults -p $pid -o "$dir/deleted.prof"
end $pid
check "a deleted file: the name" above "$(lines "$dir/deleted.prof" gone | sum_samples ';main;burn_shortly ')" 0

## Functions without a name are known by their start.
cp "$dir/short" "$dir/gone"
if strip "$dir/gone" 2> /dev/null; then
	record -o "$dir/stripped.prof" -- "$dir/gone" 40
	"$profrep" -f "$dir/stripped.prof" > "$dir/with"
	rm "$dir/gone"
	check "a stripped file: nothing differs" same "$(lines "$dir/stripped.prof" gone)" "$(grep '^gone;' "$dir/with")"
	check "a stripped file: where the names are from" contains "$("$profrep" files "$dir/stripped.prof" | grep /gone)" ".eh_frame)"
	check "a stripped file: starts" at_least "$(lines "$dir/stripped.prof" gone | sum_samples ';\[gone\+0x[0-9a-f]+\] ')" 40
else
	skip "a stripped file" "no strip"
fi

## Brief processes.
cp "$dir/short" "$dir/gone"
# shellcheck disable=SC2016
record -o "$dir/tens.prof" -- sh -c 'for i in 0 1 2 3 4 5 6 7 8 9; do "$1"; done' sh "$dir/gone"
rm "$dir/gone"
check "brief processes: the name" same "$(burnt "$dir/tens.prof" gone)" 100

## A container: nobody else has its files, and they go away with it.
if unshare -m --propagation private true 2> /dev/null; then
	mkdir "$dir/box"
	# box_names WHAT COMMAND OPTION...: records the command, which runs the program in the container until it is killed.
	box_names()
	{
		begin_recording -U -i 1 -e page-faults --follow -p $$ -o "$dir/box.prof" "${@:3}"
		unshare -m --propagation private sh -c "mount -t tmpfs none $dir/box && cp $dir/short $dir/box/boxed && $2" &
		check "$1: its names are recorded" wait_for has_names
		pgrep -xf "$dir/box/boxed 1000000000" | xargs kill
		wait $!
		end_recording
		check "$1: the name" above "$(burnt "$dir/box.prof" boxed)" 0
	} 2> /dev/null
	has_names() { "$profrep" files "$dir"/box.prof.*.part | grep '/boxed' | grep -q 'in the recording (.symtab'; }
	box_names "a container" "exec $dir/box/boxed 1000000000"
	box_names "a container, along frame pointers" "$dir/box/boxed 1000000000; true" --unwind=fp
else
	skip "a container" "unshare -m is refused"
fi

## Each interval has its names, though the recording has each name once.
cp "$dir/short" "$dir/gone"
"$dir/gone" 1000000000 &
pid=$!
begun $pid gone
has_intervals() { at_least "$(info "$(echo "$dir"/intervals.prof.*.part)" epochs)" 3; }
begin_recording -U -i 1 -e page-faults -p $pid -o "$dir/intervals.prof"
wait_for has_intervals
end_recording
end $pid
rm "$dir/gone"
check "intervals: the names" at_least "$("$profrep" -T -f "$dir/intervals.prof" | grep -c ';main;burn_shortly ')" 3
check "intervals: no sample lacks the name" same "$("$profrep" -T -f "$dir/intervals.prof" | grep '\[gone')" ""
check "a part of the time: the names" above "$("$profrep" --from 2 -f "$dir/intervals.prof" | sum_samples ';main;burn_shortly ')" 0

## Hostile files: profrec records them and ends; what it reads before the damage may have names.
# hostile NAME: $dir/gone, which runs, was made to harm whoever reads it.
hostile()
{
	check "$1: is recorded" record -o "$dir/hostile.prof" -- "$dir/gone" 40
	check "$1: the recording is whole" is_complete "$dir/hostile.prof"
	check "$1: has samples" at_least "$(lines "$dir/hostile.prof" gone | sum_samples)" 40
}
# at FILE OFFSET: overwrites bytes with those of stdin.
at() { dd of="$1" bs=1 seek="$2" conv=notrunc status=none; }
fill() { head -c "$1" /dev/zero | tr '\0' '\377'; }
sections=$(od -An -t u8 -j 40 -N 8 "$dir/short" | tr -d ' ') # e_shoff

cp "$dir/short" "$dir/gone"
fill $(($(stat -c %s "$dir/gone") - sections)) | at "$dir/gone" "$sections"
hostile "absurd sections"
cp "$dir/short" "$dir/gone"
truncate -s $((sections + 100)) "$dir/gone"
hostile "a file that was cut"
cp "$dir/short" "$dir/gone"
fill 8 | at "$dir/gone" 40
hostile "sections beyond the end"
# A section of a terabyte behind a hole: nobody may read it whole.
cp "$dir/short" "$dir/gone"
for i in $(seq 0 $((($(stat -c %s "$dir/short") - sections) / 64 - 1))); do
	printf '\0\0\0\0\0\1\0\0' | at "$dir/gone" $((sections + 64 * i + 32)) # sh_size
done
truncate -s 1T "$dir/gone"
hostile "sections of a terabyte"

## MiniDebugInfo that unpacks to a quarter of a gigabyte, in many files: more CPU time than names may take.
strip -o "$dir/bare" "$dir/short"
head -c 256M /dev/zero | xz -1 > "$dir/zeros.xz"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	objcopy --add-section .gnu_debugdata="$dir/zeros.xz" "$dir/bare" "$dir/bomb$i"
done
# shellcheck disable=SC2016
"$profrec" -U -e page-faults -o "$dir/bombs.prof" -- sh -c 'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do
	"$1$i" 40 & done; wait' sh "$dir/bomb" > "$dir/log" 2>&1
check "bombs: the recording is whole" is_complete "$dir/bombs.prof"
check "bombs: the samples are there" at_least "$("$profrep" -f "$dir/bombs.prof" | sum_samples '^bomb')" 480
check "bombs: the recorder says so" contains "$(cat "$dir/log")" "times names of a file were not looked up"
check "bombs: the recording says so" contains "$(info "$dir/bombs.prof" "left out")" "look-ups of names in files"

## The timer of CPU time kills the child that looks names up: its signal, while it has files and before they are read.
names_child() { pgrep -P "$recorder" -x profrec-names; }
has_file() { find "/proc/$(names_child)/fd" -lname "$dir/gone*" | grep -q .; }
# Only a recorder with privileges has a child that others of its user may look into.
if has_bpf "a killed child"; then
	cp "$dir/short" "$dir/gone"
	# Nothing is asked about the file before there is a sample.
	"$dir/gone" 1000000000 &
	pid=$!
	begun $pid gone
	kill -STOP $pid
	"$profrec" -U -e page-faults -p $pid -o "$dir/killed.prof" > "$dir/log" 2>&1 &
	recorder=$!
	check "a killed child: it has the file" wait_for has_file
	kill -PROF "$(names_child)"
	check "a killed child: it is gone" wait_for eval '! has_file'
	kill -CONT $pid
	run_for 5 $pid
	kill -INT $recorder
	wait $recorder
	check "a killed child: profrec succeeds" same $? 0
	end $pid
	check "a killed child: the recording is whole" is_complete "$dir/killed.prof"
	check "a killed child: the samples are there" at_least "$("$profrep" -f "$dir/killed.prof" | sum_samples '^gone')" 1
	check "a killed child: the recorder says so" contains "$(cat "$dir/log")" "times names of a file were not looked up"
	check "a killed child: the recording says so" contains "$(info "$dir/killed.prof" "left out")" "look-ups of names in files"
	rm "$dir/gone"
fi

# A FIFO takes the place of the file of a process that has ended.
cp "$dir/short" "$dir/gone"
# shellcheck disable=SC2016
record --unwind=fp -o "$dir/fifo.prof" -- sh -c '"$1" 40; rm "$1"; mkfifo "$1"' sh "$dir/gone"
check "a FIFO in the place of the file: the recording is whole" is_complete "$dir/fifo.prof"
rm "$dir/gone"

# The children that look up names have the lowest priority, also to end.
are_gone() { ! pgrep -s 0 '^profrec-'; }
wait_for are_gone
plan_end
