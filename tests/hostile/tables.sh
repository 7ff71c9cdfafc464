#!/usr/bin/env bash
# Programs of another user want all room of unwind tables. Those that start later have complete stacks all the same.
# shellcheck source=tests/tap.sh
. tests/tap.sh
# shellcheck source=tests/unwind_programs.sh
. tests/unwind_programs.sh
need_tables
command -v setpriv > /dev/null || skip_all "setpriv (util-linux) is missing"
chmod 755 "$dir"
unwind_build
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

# victim NAME SECONDS LIBRARY...: another user loads and runs the libraries; after some seconds a program starts.
victim()
{
	local name=$1 seconds=$2 libraries=() hoard
	shift 2
	for library in "$@"; do libraries+=("$dir/$library.so:$library"); done
	setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/hoard" "${libraries[@]}" &
	hoard=$!
	begin_recording -F 499 --unwind=dwarf -i 1 -o "$dir/$name.prof"
	sleep "$seconds"
	"$dir/frames" calls 4000
	end_recording
	kill $hoard
	wait 2> /dev/null
	"$profrep" -f -U -m "$dir/$name.prof" > "$dir/$name.folded"
}

# rooted NAME: of the samples of the program.
rooted() { mostly "$dir/$1.folded" frames "$unwind_roots" 80; }

library rules_a 32000 0
library rules_b 32000 32000
victim large 3 rules_a rules_b
check "two files with as many rules as there are: the stacks of others have roots" rooted large

names=()
for i in 0 1 2 3 4 5 6 7 8 9; do
	library "rules_$i" 3900 $((i * 3900))
	names+=("rules_$i")
done
victim many 4 "${names[@]}"
check "many files that each take what a file may: the stacks of others have roots" rooted many
plan_end
