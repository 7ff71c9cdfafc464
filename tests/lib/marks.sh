# shellcheck shell=bash
# Programs that mark where they are by calls of libc (tests/programs/marks.h). Probes count these calls, so that each has its
# stack however busy the machine is. Source it after tests/lib/tap.sh. NAME is a recording, and PROGRAM is what a test calls
# processes in it.
: "${dir:?a directory}" "${profrep:?from tests/lib/tap.sh}"
nr_marks=20
# A clock samples everybody, as without probes. The second event is getpgid, the third getsid.
# shellcheck disable=SC2034 # for who sources this
marks=(-e cpu-clock -e c:getpgid -e c:getsid)
folding=(-fPU)
declare -A marked # ids of the processes of each "NAME PROGRAM", as --pid has them

# start_marks NAME PROGRAM USER COMMAND...: in the background. $! is its id.
start_marks()
{
	local key="$1 $2"
	setpriv --reuid="$3" --regid="$3" --clear-groups "${@:4}" &
	marked[$key]+=${marked[$key]:+,}$!
}
# run_marks NAME PROGRAM USER COMMAND...: to its end.
run_marks() { start_marks "$@" && wait $!; }

# mark_stacks NAME PIDS EVENT: stacks of these processes so far, folded.
mark_stacks() { "$profrep" "${folding[@]}" --event "$3" --pid "$2" "$dir/$1.prof"* 2> /dev/null; }

# is_seen NAME PROGRAM REGEX: a call of the program's latest process has such a stack. Those before it say nothing about it:
# it may not even have begun the program.
is_seen() { mark_stacks "$1" "${marked["$1 $2"]##*,}" 2 | grep -qE "$3"; }

# wait_until_seen NAME PROGRAM REGEX: for such a stack in the recording. It comes while the process has 30 seconds of CPU time,
# or never: those usually take a tenth of a second.
wait_until_seen()
{
	wait_for is_settled "$@"
	is_seen "$@" || waited_in_vain "$2 has had 30 seconds of CPU time, and no stack as '$3'"
}
is_settled() { is_seen "$@" || has_run 3000 "${marked["$1 $2"]##*,}"; }

# finish_marks NAME PROGRAM REGEX: when the recording has such a stack, nothing excuses a wrong one any more: the process makes
# its last calls, and ends.
finish_marks()
{
	local pid=${marked["$1 $2"]##*,}
	wait_until_seen "$@"
	kill -USR1 "$pid"
	wait "$pid"
}

# finish_alive NAME PROGRAM REGEX: as finish_marks, for a process with MARKS_STAY: it ends when the recording has its last calls.
finish_alive()
{
	local pid=${marked["$1 $2"]##*,}
	wait_until_seen "$@"
	kill -USR1 "$pid"
	wait_for has_all "$1" "$2"
	kill -KILL "$pid"
	wait "$pid" 2> /dev/null
}

# count_marks NAME PROGRAM: sets $nr, the number of the last calls of all its processes.
count_marks()
{
	local pids
	IFS=, read -ra pids <<< "${marked["$1 $2"]}"
	nr=$((nr_marks * ${#pids[@]}))
}
has_all()
{
	local nr
	count_marks "$1" "$2"
	[ "$(mark_stacks "$1" "${marked["$1 $2"]}" 3 | sum_samples)" -eq $nr ]
}

# are_marked NAME PROGRAM REGEX: the last calls of all processes are in the recording, with such stacks.
are_marked()
{
	local all nr
	count_marks "$1" "$2"
	all=$(mark_stacks "$1" "${marked["$1 $2"]}" 3)
	same "$(sum_samples "$3" <<< "$all") of $(sum_samples <<< "$all")" "$nr of $nr" && return 0
	grep -vE "$3" <<< "$all"
	return 1
}

# says_lack NAME THING USER: the recording says that things of the user lacked room.
says_lack() { contains "$(info "$dir/$1.prof" "lacked room" | sed -n "s/.*$2:\\([^;]*\\).*/\\1/p")" "of user $3"; }
