#!/usr/bin/env bash
# Programs of another user want all room of unwind tables. Those that start later have complete stacks all the same.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
# shellcheck source=tests/lib/slow_library.sh
. tests/lib/slow_library.sh
need_bpf
need_tables
need_users
unwind_build
folding+=(-m)
build "$dir/hoard" hoard.c -O2 -ldl

# library NAME RULES FIRST: code in which each instruction has an unwind rule of its own, from number FIRST on.
library()
{
	awk -v name="$1" -v rules="$2" -v first="$3" 'BEGIN {
		printf ".globl %s\n.type %s, @function\n%s:\n.cfi_startproc\nmov $2000, %%ecx\n1:\n", name, name, name
		for (i = 0; i < rules; i++)
			printf "nop\n.cfi_def_cfa_offset %d\n", 16 + 8 * (first + i)
		printf ".cfi_def_cfa_offset 8\ndec %%ecx\njnz 1b\nret\n.cfi_endproc\n.size %s, .-%s\n", name, name
		print ".section .note.GNU-stack,\"\",@progbits"
	}' > "$dir/$1.s"
	"$cc" -shared -Wl,--build-id -o "$dir/$1.so" "$dir/$1.s"
}

# run_victim NAME: a program begins, runs until its stacks have roots, and makes its last calls.
run_victim()
{
	start_marks "$1" frames 0 "$dir/frames" marks 600000
	finish_marks "$1" frames "$unwind_roots"
}

# victim NAME TICKS LIBRARY...: another user loads the libraries and runs them for some CPU time; then a program starts.
victim()
{
	local name=$1 ticks=$2 libraries=() hoard
	shift 2
	for library in "$@"; do libraries+=("$dir/$library.so:$library"); done
	setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/hoard" "${libraries[@]}" &
	hoard=$!
	begin_recording -F 499 "${marks[@]}" --unwind=dwarf -i 1 -o "$dir/$name.prof"
	run_for "$ticks" $hoard
	# When the table of a program is made that begins now, those that were asked for before it have had their turn.
	start_marks "$name" next 0 "$dir/frames-O0" marks 600000
	finish_marks "$name" next "$unwind_roots"
	run_victim "$name"
	end_recording
	kill $hoard
	wait 2> /dev/null
}

# rooted NAME: the stacks of the last calls of the program.
rooted() { are_marked "$1" frames "$unwind_roots"; }

library rules_a 32000 0
library rules_b 32000 32000
victim large 300 rules_a rules_b
check "two files with as many rules as there are: the stacks of others have roots" rooted large

names=()
for i in 0 1 2 3 4 5 6 7 8 9; do
	library "rules_$i" 3900 $((i * 3900))
	names+=("rules_$i")
done
victim many 400 "${names[@]}"
check "many files that each take what a file may: the stacks of others have roots" rooted many

# The kernel limits how many descriptors of a user are on their way through sockets. A user who has all of his does not
# take those of the recorder's children.
build "$dir/inflight" inflight.c
setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/inflight" > "$dir/held" &
inflight=$!
wait_for test -s "$dir/held"
begin_recording -F 499 "${marks[@]}" --unwind=dwarf -i 1 -o "$dir/inflight.prof"
run_victim inflight
end_recording
kill $inflight
check "$(cat "$dir/held") descriptors of another user on their way: stacks have roots" rooted inflight

# note_tables: writes down the CPU time of each child that makes tables, as long as the recorder lives.
note_tables()
{
	local child
	while kill -0 "$recorder" 2> /dev/null; do
		for child in $(child_of "$recorder" profrec-tables); do echo "$child $(cpu_ticks "$child")"; done
		sleep 0.2
	done 2> /dev/null > "$dir/tables"
}

# table_ticks: the sum of what note_tables saw last.
table_ticks() { awk '{last[$1] = $2} END {for (child in last) n += last[child]; print n + 0}' "$dir/tables"; }

# has_used_up: most of the user's second of CPU time for tables is used up, and no further table comes to its end. The
# recorder's account has what each of its children had when it ended, which note_tables may not have seen.
has_used_up()
{
	local stat fields had
	IFS= read -rd '' stat < "/proc/$recorder/stat"
	read -ra fields <<< "${stat##*) }"
	# shellcheck disable=SC2046 # ids
	count_ticks $(child_of "$recorder" profrec-tables)
	[ $((fields[13] + fields[14] + had)) -ge 80 ]
}

uptime_ticks() { awk '{printf "%d", 100 * $1}' /proc/uptime; }

# follow_frames NAME [PID]: records what this script starts: a program begins, after the process has had a CPU.
follow_frames()
{
	local begin noter
	begin_recording -p $$ --follow -F 499 "${marks[@]}" --unwind=dwarf -i 1 -o "$dir/$1.prof"
	begin=$(uptime_ticks)
	note_tables &
	noter=$!
	[ -z "${2:-}" ] || run_for 100 "$2"
	run_victim "$1"
	[ -z "${2:-}" ] || wait_for has_used_up
	end_recording
	wait $noter
	passed=$(($(uptime_ticks) - begin))
}

# Another user runs code of 100 files whose tables take long, while programs begin.
slow_library
follow_frames without
others=$(table_ticks)
copies=()
for i in {1..100}; do
	cp "$dir/slow.so" "$dir/slow$i.so"
	chown 65533 "$dir/slow$i.so"
	copies+=("$dir/slow$i.so:slow")
done
setpriv --reuid=65533 --regid=65533 --clear-groups nice "$dir/hoard" "${copies[@]}" &
hoard=$!
follow_frames slow $hoard
ticks=$(table_ticks)
kill $hoard
wait 2> /dev/null
check "files whose tables take long: the stacks of others are right" rooted slow
# One second and a hundredth of the time, which the kernel measures in its ticks; and what the files of others take.
check "files whose tables take long: the child's CPU time is within the user's" \
	at_most "$ticks" $((100 + passed / 100 + 2 * others + 50))
check "files whose tables take long: what had no time is said, and whose it was" \
	grep -q "times a file's unwind table had no time or room.*; [0-9]* of user 65533" "$dir/err"
plan_end
