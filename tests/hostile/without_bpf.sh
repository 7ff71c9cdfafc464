#!/usr/bin/env bash
# Attacks of another user on a recorder that takes its samples without BPF, and so reads the memory of processes itself.
# Nobody holds it up: the recording ends, and most stacks of others come to their roots.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
own_mounts "$@"
has_root "attacks of another user" || { plan_end; exit 0; }
[ -n "$has_mounts" ] || skip_all "no mount namespace of its own is possible here"
[ -w /dev/fuse ] || skip_all "/dev/fuse is missing"
need_users
why=$("$profrec" --backend perf -q -o "$dir/probe.prof" 0.1 2>&1) || skip_all "perf events of all processes are refused: ${why%%$'\n'*}"
unwind_build
build "$dir/hangfs" hangfs.c
build "$dir/held" held.c
user=54321
seconds=30

# begin_server: of the user, with a program to run and to map. Without HANGFS_USER, it serves everybody.
begin_server()
{
	mkdir -p "$dir/mnt"
	"$dir/hangfs" "$dir/mnt" "held=$dir/held" &
	server=$!
	wait_for as "$user" test -e "$dir/mnt/held"
}

# begin NAME: a recording.
begin() { begin_recording --backend perf -F 199 --unwind=dwarf -o "$dir/$1.prof"; }

# order OPERATION: the server answers no such request any more.
order() { as "$user" test -e "$dir/mnt/hang-$1"; }

# attack ARGS...: a process of the user.
attack()
{
	setpriv --reuid="$user" --regid="$user" --clear-groups "$@" &
	attackers+=($!)
}

# run_victim: until a program of somebody else, whose stacks are known, has run for a while.
run_victim()
{
	setpriv --reuid=54322 --regid=54322 --clear-groups "$dir/frames" calls 600000 &
	local victim=$!
	run_for 150 "$victim"
	kill "$victim"
}

# ends: the recorder, while the server does not answer.
ends()
{
	kill -INT "$recorder"
	timeout $seconds tail -f /dev/null --pid="$recorder" -s 0.1 || { echo "it waits: $(cat "/proc/$recorder/stack")"; return 1; }
}

# end_server: with it, all that wait for it go on.
end_server()
{
	kill -KILL "$server" "${attackers[@]}" 2> /dev/null
	wait 2> /dev/null
	umount -l "$dir/mnt"
	attackers=()
}
cleanup_extra() { umount -l "$dir/mnt" 2> /dev/null; }

# is_right NAME: each sample is accounted for, and half of the victim's stacks go to their roots.
is_right()
{
	is_complete "$dir/$1.prof" && is_accounted "$dir/$1.prof" || return 1
	"$profrep" -f -U -m "$dir/$1.prof" > "$dir/$1.folded"
	mostly "$dir/$1.folded" frames "$unwind_roots" 50
}

# judge NAME WHAT
judge()
{
	run_victim
	check "$2: SIGINT ends the recording" ends
	end_server
	check "$2: stacks of others have roots" is_right "$1"
}

attackers=()
HANGFS_USER=$user begin_server
begin control
attack "$dir/held" "$dir/mnt/held"
attack "$dir/mnt/held" "$dir/held"
judge control "a file server that answers"
check "a file server that answers: its user's processes have samples" \
	above "$(sum_samples '^held;' < "$dir/control.folded")" 20

HANGFS_USER=$user begin_server
begin memory
order read
attack "$dir/held" "$dir/mnt/held"
attack "$dir/held" "$dir/mnt/held"
judge memory "memory that is a file of a server that hangs"
check "memory that is a file of a server that hangs: the processes have samples" \
	above "$(sum_samples '^held;' < "$dir/memory.folded")" 20

HANGFS_USER=$user begin_server
begin turns
order read
attack "$dir/held" "$dir/mnt/held" turns
attack "$dir/held" "$dir/mnt/held" turns
judge turns "memory that becomes a file of a hanging server, between look and read"

begin_server
attack "$dir/mnt/held" "$dir/held"
run_for 5 "${attackers[@]}"
order getattr
begin program
judge program "a program on a server that hangs"
plan_end
