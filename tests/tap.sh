# shellcheck shell=bash
# TAP for the system tests. Source it; call plan_end last. Every test gets a directory of its own, $dir, which goes away
# with it. Processes that it started in the background end with it.

: "${BUILD:?the build directory}"
profrec=$BUILD/profrec
profrep=$BUILD/profrep
# shellcheck disable=SC2034 # for who sources this
workloads=$BUILD/workloads
tap_nr=0
dir=$(mktemp -d)
# shellcheck disable=SC2154
trap 'jobs -p | xargs -r kill -KILL 2> /dev/null; cleanup_extra; rm -rf "$dir"' EXIT

cleanup_extra() { :; }

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
	fi
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

plan_end() { echo "1..$tap_nr"; }

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

# wait_for COMMAND...: until it succeeds, at most a minute.
wait_for()
{
	local until=$((SECONDS + 60))
	while [ $SECONDS -lt $until ]; do
		"$@" > /dev/null 2>&1 && return 0
		sleep 0.01
	done
	echo "timed out: $*"
	return 1
}

# child_of PID NAME: ids of the process's children of that name.
child_of()
{
	cat /proc/[0-9]*/stat 2> /dev/null | awk -v parent="$1" -v name="($2)" '$2 == name && $4 == parent {print $1}'
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

# Recording needs privileges, and a kernel that allows it.
need_recording()
{
	local why
	why=$("$profrec" -q -o "$dir/probe.prof" 1 2>&1) || skip_all "profrec cannot record here: ${why%%$'\n'*}"
}
