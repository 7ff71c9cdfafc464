#!/usr/bin/env bash
# Attacks on the child that looks at other processes. The programs of others keep their stacks and functions.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
own_mounts "$@"
need_bpf
need_tables
has_root "attacks of another user" || { plan_end; exit 0; }
[ -n "$has_mounts" ] || skip_all "no mount namespace of its own is possible here"
need_users
unwind_build
build "$dir/fake_java" fake_java.c "${frameless[@]}" -Wl,--export-dynamic
build "$dir/hangfs" hangfs.c
user=54321
attacker=(setpriv --reuid="$user" --regid="$user" --clear-groups)

structure='[^;]*;(.*;)?K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];burn_inside'

# children_in FUNCTION: of the recorder, which are in such a function of the kernel.
children_in()
{
	awk -v parent="$recorder" '$4 == parent {print "/proc/" $1 "/stack"}' /proc/[0-9]*/stat 2> /dev/null |
		xargs -r grep -l "$1" 2> /dev/null
}

# with_modules and with_functions COMMAND...: about stacks that show these.
with_modules() { local folding=(-fPU -m); "$@"; }
with_functions() { local folding=(-fPa); "$@"; }

# run_victims NAME: while a recording goes on, programs of another user begin, and run until they have their stacks and
# functions; $hanging has the children that wait for a server meanwhile. Then the recording ends.
run_victims()
{
	local victims
	ln -f "$dir/fake_java" "$dir/honest"
	start_marks "$1" frames 54322 "$dir/frames" marks 600000
	victims=($!)
	start_marks "$1" honest 54322 "$dir/honest" 100000
	victims+=($!)
	run_for 100 "${victims[@]}"
	hanging=$(children_in fuse)
	with_modules finish_marks "$1" frames "$unwind_roots"
	with_functions finish_marks "$1" honest "$structure"
	end_recording INT
}

# begin NAME
begin() { begin_recording -F 199 "${marks[@]}" --unwind=dwarf -i 1 -o "$dir/$1.prof"; }

# judge NAME WHAT: each of the last calls of the victims.
judge()
{
	check "$2: others have their stacks" with_modules are_marked "$1" frames "$unwind_roots"
	check "$2: others have their functions" with_functions are_marked "$1" honest "$structure"
}

# end_server: with it, all that wait for it go on.
end_server()
{
	kill -KILL "$server" "$@" 2> /dev/null
	wait 2> /dev/null
	umount -l "$dir/mnt"
}
cleanup_extra() { umount -l "$dir/mnt" 2> /dev/null; }

begin control
run_victims control
judge control "without an attack"

# Processes that look like HotSpot, whose list of fields is a file that is never read.
if [ -w /dev/fuse ]; then
	mkdir -p "$dir/mnt"
	HANGFS_USER=$user "$dir/hangfs" "$dir/mnt" "fields=$dir/fake_java" &
	server=$!
	wait_for "${attacker[@]}" test -e "$dir/mnt/fields"
	"${attacker[@]}" test -e "$dir/mnt/hang-read"
	begin memory
	attackers=()
	ln -f "$dir/fake_java" "$dir/served"
	for ((i = 0; i < 12; i++)); do
		"${attacker[@]}" "$dir/served" 100000 served "$dir/mnt/fields" &
		attackers+=($!)
	done
	run_for 60 "${attackers[@]}"
	run_victims memory
	check "memory that is a file of a server that hangs: no looker waits for it" same "$hanging" ""
	judge memory "memory that is a file of a server that hangs"
	end_server "${attackers[@]}"
else
	skip "memory that is a file of a server that hangs" "/dev/fuse is missing"
fi
plan_end
