# shellcheck shell=bash
# TAP for the system tests. Source it; call plan_end last. Every test gets a directory of its own, $dir, which goes away
# with it, unless KEEP is set. Processes that it started in the background end with it.

: "${BUILD:?the build directory}"
# shellcheck source=tests/lib/nap.sh
. "${BASH_SOURCE%/*}/nap.sh"
profrec=$BUILD/profrec
profrep=$BUILD/profrep
# shellcheck disable=SC2034 # for scripts that source this
workloads=$BUILD/workloads
cc=${CC:-cc}
tap_nr=0
exec {tap_out}>&1 # also where a function's output goes elsewhere
dir=$(mktemp -d)
trap '[ "$BASHPID" != $$ ] || end_test' EXIT

end_test()
{
	jobs -p | xargs -r kill -KILL 2> /dev/null
	cleanup_extra
	remove_dir
}

cleanup_extra() { :; }
remove_dir()
{
	if [ "${KEEP:-}" ]; then echo "kept: $dir" >&2; else rm -rf "$dir"; fi
}

# check NAME COMMAND...: passes when the command succeeds, else shows the command's output.
check()
{
	local name=$1 log
	shift
	tap_nr=$((tap_nr + 1))
	if log=$("$@" 2>&1); then
		echo "ok $tap_nr - $name"
	else
		echo "not ok $tap_nr - $name"
		echo "\$ $*"$'\n'"$log" | head -n 25 | sed 's/^/# /'
		[ ! -s "$dir/in_vain" ] || end_in_vain
	fi
}

# tap_of COMMAND...: takes over the tests that it prints as TAP without numbers. Their names begin with $what, if set.
tap_of()
{
	local line
	while IFS= read -r line; do
		case $line in
		ok* | "not ok"*) tap_nr=$((tap_nr + 1)); echo "${line/ok -/ok $tap_nr -${what:+ $what:}}" ;;
		*) echo "# ${line#\# }" ;;
		esac
	done < <("$@" 2>&1 || echo "not ok - it ended with status $?")
}

# skip NAME REASON
skip()
{
	tap_nr=$((tap_nr + 1))
	echo "ok $tap_nr - $1 # SKIP $2"
}

# skip_all REASON: nothing in this file can run here.
skip_all()
{
	skip "all" "$1"
	plan_end
	exit 0
}

plan_end()
{
	[ ! -s "$dir/in_vain" ] || end_in_vain
	echo "1..$tap_nr"
}

# same ACTUAL EXPECTED
same()
{
	[ "$1" = "$2" ] && return 0
	printf 'expected: %s\nactual:   %s\n' "$2" "$1"
	return 1
}

# contains TEXT PART
contains()
{
	[[ $1 == *"$2"* ]] && return 0
	printf 'expected to contain: %s\nactual: %s\n' "$2" "$1"
	return 1
}

# compare A OPERATOR B: of numbers, also with fractions. at_least, at_most and above take A and B.
compare()
{
	awk -v a="$1" -v b="$3" "BEGIN {n = \"^-?[0-9.]+$\"; exit !(a ~ n && b ~ n && a + 0 $2 b + 0)}" && return 0
	echo "'$1' is not $2 '$3'"
	return 1
}
at_least() { compare "$1" ">=" "$2"; }
at_most() { compare "$1" "<=" "$2"; }
above() { compare "$1" ">" "$2"; }

# between N LOW HIGH: both ends are allowed.
between() { at_least "$1" "$2" && at_most "$1" "$3"; }

# fails STATUS COMMAND...: the command exits with that status.
fails()
{
	local want=$1 got
	shift
	"$@"
	got=$?
	[ "$got" -eq "$want" ] && return 0
	echo "exit status $got instead of $want"
	return 1
}

# says STATUS TEXT COMMAND...: the command exits with that status; its error output, kept in $dir/err, holds the text.
says()
{
	local want=$1 text=$2 got
	shift 2
	"$@" > /dev/null 2> "$dir/err"
	got=$?
	[ "$got" -eq "$want" ] || { echo "exit status $got instead of $want:"; cat "$dir/err"; return 1; }
	contains "$(cat "$dir/err")" "$text"
}

# info FILE KEY: a value of "profrep info".
info() { "$profrep" info "$1" | sed -n "s/^$2: *//p"; }

# stacks_complete PERCENT FILE [END]: at least PERCENT of the stacks are complete, as the recording says; stacks that ended
# as END are not counted.
stacks_complete()
{
	local good all others=0
	read -r good all < <(info "$2" "user stacks" | sed 's/ of / /; s/ samples.*//')
	[ -z "${3:-}" ] || others=$(info "$2" "others ended" | sed "s/.* \\([0-9]*\\) $3.*/\\1/")
	all=$((${all:-0} - others))
	[ $all -gt 100 ] && [ $((good * 100)) -ge $((all * $1)) ] && return 0
	info "$2" "user stacks"
	info "$2" "others ended"
	return 1
}

# is_complete FILE...: the recordings were ended well.
is_complete()
{
	local file
	for file; do same "$(info "$file" recording)" complete || return 1; done
}

# is_accounted FILE...: each sample that was taken was counted or is said to be lost.
is_accounted()
{
	local file
	for file; do same "$(info "$file" check)" "taken = counted + lost" || return 1; done
}

# sum_samples [REGEX]: of the folded lines on stdin that match.
sum_samples() { re=${1:-} awk '$0 ~ ENVIRON["re"] {n += $NF} END {printf "%.0f\n", n}'; }

# profrep_commands: as --help lists them, without help.
profrep_commands() { "$profrep" --help | sed -n '1,/^commands:/d; /^$/q; s/^  \([^ ]\{1,\}\) .*/\1/p' | grep -vx help; }

# wait_for COMMAND...: until it succeeds, at most five minutes, after which the script ends, because its next wait would take
# as long; or at most $wait_seconds. It naps four times as long as the command takes, so that no more than a fifth of a CPU
# goes to the waiting.
wait_for()
{
	local until=$((SECONDS + ${wait_seconds:-300})) begin now us pause
	while [ $SECONDS -lt $until ]; do
		begin=${EPOCHREALTIME//[!0-9]/}
		"$@" > /dev/null 2>&1 && return 0
		now=${EPOCHREALTIME//[!0-9]/}
		us=$(((now - begin) * 4))
		us=$((us < 10000 ? 10000 : us > 200000 ? 200000 : us))
		printf -v pause '0.%06d' $us
		nap $pause
	done
	echo "timed out: $*"
	[ -n "${wait_seconds:-}" ] || waited_in_vain "$*"
	return 1
}

# waited_in_vain WHAT: fails and ends the script. From a subshell, the end comes with the next check that fails.
waited_in_vain()
{
	echo "$1" >> "$dir/in_vain"
	[ "$BASHPID" != $$ ] || end_in_vain
}

end_in_vain()
{
	tap_nr=$((tap_nr + 1))
	{
		echo "not ok $tap_nr - the script goes on, since what it waits for comes"
		sed 's/^/# in vain: /' "$dir/in_vain"
		echo "1..$tap_nr"
	} >&"$tap_out"
	exit 1
}

# has_text TEXT FILE: without a process.
has_text()
{
	local text
	IFS= read -rd '' text < "$2"
	[[ $text == *"$1"* ]]
}

# begun PID NAME: waits until the process runs the program NAME. What the shell has started is another copy of the shell
# until then.
begun() { wait_for has_text "/$2"$'\n' "/proc/$1/maps"; }

# named PID NAME: waits until the process has that name.
named() { wait_for has_text "$2"$'\n' "/proc/$1/comm"; }

# is_state PID STATE: as in "stat", where Z has ended.
is_state()
{
	local stat
	{ IFS= read -rd '' stat < "/proc/$1/stat"; } 2> /dev/null
	[[ ${stat##*) } == "$2 "* ]]
}

# free_port: one that the kernel gives to nobody who asks for any port.
free_port()
{
	python3 - $$ <<- 'END'
		import itertools, socket, sys
		for nr in itertools.count(int(sys.argv[1])):
		    try:
		        socket.create_server(("", 10000 + nr % 10000))
		    except OSError:
		        continue
		    print(10000 + nr % 10000)
		    break
	END
}

# child_of PID NAME: ids of the process's children of that name.
child_of()
{
	cat /proc/[0-9]*/stat 2> /dev/null | awk -v parent="$1" -v name="($2)" '$2 == name && $4 == parent {print $1}'
}

# count_ticks PID...: sets $had to how long the processes have had a CPU, all together, in hundredths of a second.
count_ticks()
{
	local pid stat fields
	had=0
	for pid; do
		stat=
		{ IFS= read -rd '' stat < "/proc/$pid/stat"; } 2> /dev/null
		# A name may hold anything, and stands in the last parentheses.
		read -ra fields <<< "${stat##*) }"
		had=$((had + ${fields[11]:-0} + ${fields[12]:-0}))
	done
}
cpu_ticks() { count_ticks "$@"; echo "$had"; }

# has_run TICKS PID...
has_run()
{
	local had
	count_ticks "${@:2}"
	[ "$had" -ge "$1" ]
}

# run_for TICKS PID...: waits until the processes have had a CPU for so much longer, however fast or busy the machine is.
run_for()
{
	local had
	count_ticks "${@:2}"
	wait_for has_run $((had + $1)) "${@:2}"
}

# What a command begins with that ends after a second of CPU time, however busy the machine is.
# shellcheck disable=SC2016,SC2034 # for the shell that is started; for scripts that source this
cpu_second=(bash -c 'ulimit -c 0 && ulimit -t 1 && exec "$0" "$@"')

# slow_seconds SECONDS: so much CPU time, or on a slow machine more: a fast one makes a million turns in a second.
slow_seconds()
{
	local TIMEFORMAT=%U
	{ time for ((i = 0; i < 1000000; i++)); do :; done; } 2>&1 |
		awk -v seconds="$1" '{printf "%d", seconds * ($1 > 1 ? $1 : 1)}'
}

# mostly FOLDED PROGRAM REGEX [PERCENT]: the program has samples, and so many percent (50) match. Their number depends
# on the machine: late timers lose samples.
mostly()
{
	re=$3 awk -v program="^$2;" -v percent="${4:-50}" '$0 ~ program {t += $NF; if ($0 ~ ENVIRON["re"]) m += $NF}
		END {print m + 0 " of " t + 0; exit !(t >= 5 && 100 * m >= percent * t)}' "$1"
}

# duration_ms FILE: of a recording.
duration_ms() { info "$1" duration | awk '{printf "%d", 1000 * $1}'; }

# help_options PROGRAM [COMMAND]: the options that --help lists, letters and words, sorted.
help_options()
{
	"$BUILD/$1" "${@:2}" --help | sed -n '/^examples:/q; s/^ \{2,6\}\(-., \)\{0,1\}\(--[^ ]*\).*/\1\2/p' |
		tr -s ', ' '\n' | sort -u
}

# build OUTPUT SOURCE [FLAG...]: compiles a program of tests/programs. It has frame pointers, unless FLAGs say otherwise.
# TEST_CFLAGS has more flags for all of them.
build()
{
	local nice=(-include tests/programs/nice.h)
	[[ " $* " != *" -nostdlib "* ]] || nice=()
	"$cc" -O1 -fno-omit-frame-pointer -fno-optimize-sibling-calls -pthread -I. -Wl,--build-id "${nice[@]}" -o "$1" \
		${TEST_CFLAGS:-} "tests/programs/$2" "${@:3}"
}
# shellcheck disable=SC2034 # for scripts that source this
frameless=(-O2 -fomit-frame-pointer)

# begin_recording ARGS...: starts profrec in the background, and waits until it samples. Its pid is in $recorder, its
# stderr in $dir/err.
begin_recording() { begin_recording_by "$profrec" "$@"; }
# begin_recording_by COMMAND...: by a command that becomes profrec.
begin_recording_by()
{
	: > "$dir/err"
	"$@" 2> "$dir/err" &
	recorder=$!
	wait_for has_text Sampling "$dir/err"
}

# end_recording [SIGNAL]: ends it by SIGINT or the signal. Returns its status.
end_recording()
{
	kill "-${1:-INT}" "$recorder"
	wait "$recorder"
}

# record_while TICKS "PID..." ARGS...: records until each of the processes, or threads as PID/task/TID, has had a CPU for so
# many hundredths of a second, however busy the machine is. Returns the status of profrec.
record_while()
{
	local pid
	begin_recording "${@:3}"
	for pid in $2; do run_for "$1" "$pid"; done
	end_recording INT
}

# own_mounts "$@": starts the script anew in a mount namespace of its own, and sets $has_mounts if that was possible.
has_mounts=
own_mounts()
{
	if [ "${1:-}" = mounts ]; then
		# shellcheck disable=SC2034 # for scripts that source this
		has_mounts=yes
	elif unshare --mount true 2> /dev/null; then
		rm -rf "$dir"
		exec unshare --mount "$BASH" "$0" mounts
	fi
}

# own_cgroups NAME: makes the directory $cgroups/$within of cgroup v2 for the script. Returns false if that is not possible.
# The script's cleanup_extra calls drop_own_cgroups once its processes have ended.
own_cgroups()
{
	cgroups=$(awk '$3 == "cgroup2" {print $2; exit}' /proc/mounts)
	within=$1.$$
	[ -n "$cgroups" ] && grep -q '^0:' /proc/self/cgroup && mkdir -p "$cgroups/$within" 2> /dev/null
}
# The recorder's children end a little after it.
drop_own_cgroups() { [ -z "${cgroups:-}" ] || wait_for are_cgroups_gone; }
are_cgroups_gone()
{
	[ ! -d "$cgroups/$within" ] || find "$cgroups/$within" -depth -type d -exec rmdir {} + 2> /dev/null
}

# fail_if_refused WHY: fails the test "the verifier accepts the programs" if a recording has failed by its verdict. A
# kernel that allows BPF programs may still refuse one, because it is wrong. It says "Permission denied" then, and
# "Operation not permitted" without privileges. Returns 1 if there was another reason, which is one to skip.
fail_if_refused()
{
	case $1 in
	*"prog '"*"Permission denied"* | *"prog '"*"Invalid argument"* | *"Permission denied"*"prog '"*)
		check "the verifier accepts the programs" same "${1%%$'\n'*}" ""
		;;
	*) return 1 ;;
	esac
}

# give_up WHAT WHY: ends the part, whose recording has failed.
give_up()
{
	fail_if_refused "$2" || skip_all "$1: ${2%%$'\n'*}"
	plan_end
	exit 0
}

# records_by WAY: profrec records a command in this way; else prints why it does not. A profrec without --backend knows
# BPF alone.
records_by()
{
	local options=(--backend "$1")
	if ! "$profrec" --help | grep -q -e --backend; then
		[ "$1" = bpf ] || return
		options=()
	fi
	"$profrec" "${options[@]}" -q -o "$dir/probe.prof" -- true 2>&1
}

# find_way: $way is the way in which profrec samples here: bpf, or else perf or ptrace, by which it samples only processes
# of the caller, or nothing. $no_bpf says why it is not bpf. All that depends on it asks here.
way=
no_bpf=
find_way()
{
	local candidate why
	[ -z "$way$no_bpf" ] || return 0
	for candidate in bpf perf ptrace; do
		why=$(records_by $candidate) && { way=$candidate; return; }
		[ $candidate != bpf ] || no_bpf=${why:-it says nothing}
	done
}

# need_recording: the part records processes of the caller, in any way.
need_recording()
{
	find_way
	if [ -n "$no_bpf" ] && fail_if_refused "$no_bpf"; then
		plan_end
		exit 0
	fi
	[ -n "$way" ] || skip_all "profrec cannot record here: ${no_bpf%%$'\n'*}"
}

# need_bpf: all of the part needs what BPF alone can do: other users' processes, all processes, kernel stacks, probes,
# times off the CPU, cgroups, or the memory and the programs of BPF itself.
need_bpf()
{
	need_recording
	[ "$way" = bpf ] || skip_all "needs BPF (CAP_BPF and CAP_PERFMON): ${no_bpf%%$'\n'*}"
}

# has_bpf NAME...: as need_bpf, for these tests, which are skipped without it.
has_bpf()
{
	local name
	find_way
	[ "$way" != bpf ] || return 0
	for name; do skip "$name" "needs BPF (CAP_BPF and CAP_PERFMON): ${no_bpf%%$'\n'*}"; done
	return 1
}

# has_root NAME...: the tests are skipped for a user who is not root.
has_root()
{
	local name
	[ "$(id -u)" -ne 0 ] || return 0
	for name; do skip "$name" "needs root"; done
	return 1
}

# need_users: skips the script where nothing can run as another user, as does as USER COMMAND..., without any privilege. The
# directory is open to all users.
need_users()
{
	command -v setpriv > /dev/null || skip_all "setpriv (util-linux) is missing"
	chmod 755 "$dir"
}
as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}"; }

# Unwind tables need a processor that they are for, and a kernel that allows the programs that use them.
need_tables()
{
	local why
	need_recording
	[ "$(uname -m)" = x86_64 ] || skip_all "tables are for x86-64, this is $(uname -m)"
	why=$("$profrec" -q --unwind=dwarf -o "$dir/probe.prof" -- true 2>&1) ||
		give_up "no stacks by tables here" "$why"
}

