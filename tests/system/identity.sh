#!/usr/bin/env bash
# Samples have the pid, user, executable and cgroup of their process, also if it lives for a millisecond, ends right
# after the recording has begun, or gets the pid of another one. TAP.
# Runs alone, because it chooses the next pid of the machine.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
has_root "samples have the identity of their process" || { plan_end; exit; }
need_recording
build "$dir/identities" identities.c
chmod 755 "$dir"

cleanup_extra() { drop_own_cgroups; }
if ! own_cgroups profrec-identity || ! mkdir -p "$cgroups/$within"/{0,1,2} 2> /dev/null; then
	skip "cgroups" "no directory can be made in a cgroup v2 tree"
	cgroups=
fi

# spawn MODE NUMBER US: starts processes in the background, which write their numbers and pids to $dir/pids.
first=1
spawn()
{
	: > "$dir/pids"
	"$dir/identities" "$1" "$dir" $first "$2" "$3" ${cgroups:+"$cgroups/$within"} > "$dir/pids" &
	spawner=$!
	first=$((first + $2))
}
# are_right FILE MIN [DOUBTS]: the processes of $dir/pids that have samples, at least MIN, are described as what they are.
# With DOUBTS, the user may be unknown.
are_right()
{
	"$profrep" processes "$1" > "$dir/processes" || return
	awk -v dir="$dir" -v cgroups="$cgroups" -v within="$within" -v min="$2" -v doubts="${3:-}" '
		FNR == NR {pid[$1] = $2; next}
		!($6 in pid) {next}
		{
			i = substr($6, 2)
			# In an exec, the new name comes before the new program.
			if ($7 == dir "/identities" && $1 <= 2)
				sub(/[^\/]*$/, $6, $7)
			# Seldom, on a busy machine, the executable stays unknown.
			if ($7 == "-" && ++lacking * 50 <= min)
				$7 = dir "/" $6
			uid = doubts && $4 == "-" ? "-" : 100000 + i
			cgroup = !cgroups ? $8 : "/" within "/" i % 3
			want = pid[$6] " " uid " " $6 " " dir "/" $6 " " cgroup
			got = $2 " " $4 " " $5 " " $7 " " $8
			nr++
			wrong += got != want
			if (got != want && wrong < 10)
				print "expected: " want "\nactual:   " got
		}
		END {print wrong + 0 " of " nr + 0 " wrong"; exit wrong || nr < min}' "$dir/pids" "$dir/processes"
}
# judge NAME FILE MIN [DOUBTS]: the same as a test, unless the kernel lost what it has to tell of processes.
judge()
{
	local lost
	lost=$(info "$2" "records lost")
	if [ "${lost%% *}" = 0 ]; then
		check "$1" are_right "${@:2}"
	else
		skip "$1" "records lost on a busy machine: $lost"
	fi
}
are_there() { [ "$(wc -l < "$dir/pids")" = "$1" ]; }
stop()
{
	kill -USR1 "$spawner"
	wait "$spawner"
}

# begin_counting FILE: starts profrec, which counts a call of each process, and waits until it does.
begin_counting()
{
	: > "$dir/err"
	"$profrec" -e "$dir/identities:burn_us" -o "$1" 2> "$dir/err" &
	recorder=$!
	wait_for has_text Ctrl-C "$dir/err"
}

## All processes of the machine, by BPF.
find_all()
{
	begin_counting "$dir/brief.prof"
	spawn turns 200 700
	wait "$spawner"
	end_recording
	judge "processes that end within a millisecond" "$dir/brief.prof" 200

	spawn steady 20 0
	wait_for are_there 20
	mapfile -t pids < <(cut -d ' ' -f 2 "$dir/pids")
	for pid in "${pids[@]}"; do wait_for has_run 1 "$pid"; done
	begin_recording -F 999 -o "$dir/older.prof"
	for pid in "${pids[@]}"; do run_for 2 "$pid"; done
	stop
	end_recording
	judge "processes that are older than the recording, and end in it" "$dir/older.prof" 20

	spawn crowd 2000 1000
	wait_for are_there 2000
	begin_counting "$dir/crowd.prof"
	stop
	end_recording
	judge "2000 processes that end as soon as the recording has begun" "$dir/crowd.prof" 2000

	has_pids "processes that have the pids of others" || return
	begin_counting "$dir/pids.prof"
	spawn pids 200 5000
	wait "$spawner"
	end_recording
	judge "processes that have the pids of others" "$dir/pids.prof" 200
}
has_pids()
{
	[ ! -w /proc/sys/kernel/ns_last_pid ] || return 0
	skip "$1" "no /proc/sys/kernel/ns_last_pid"
	return 1
}
has_bpf "all processes" && find_all

## A command and its descendants, by the other ways. Perf events tell of no user, and /proc only while it has the process.
find_own()
{
	local b=$1
	"$profrec" --backend "$b" -q -F 1999 -o "$dir/own.prof" -- "$dir/identities" turns "$dir" $first 100 20000 \
		${cgroups:+"$cgroups/$within"} > "$dir/pids"
	first=$((first + 100))
	judge "$b: processes that end at once" "$dir/own.prof" 50 doubts

	spawn steady 20 0
	wait_for are_there 20
	mapfile -t pids < <(cut -d ' ' -f 2 "$dir/pids")
	run_for 20 "${pids[@]}"
	begin_recording --backend "$b" -F 199 -o "$dir/own.prof" -p "$(IFS=,; echo "${pids[*]}")"
	run_for 100 "${pids[@]}"
	stop
	end_recording
	judge "$b: processes that are older than the recording, and end in it" "$dir/own.prof" 5

	has_pids "$b: processes that have the pids of others" || return
	"$profrec" --backend "$b" -q -F 999 -o "$dir/own.prof" -- "$dir/identities" pids "$dir" $first 100 20000 \
		${cgroups:+"$cgroups/$within"} > "$dir/pids"
	first=$((first + 100))
	judge "$b: processes that have the pids of others" "$dir/own.prof" 50 doubts
}
# The processes of the program have users of their own.
sees_others()
{
	setpriv --reuid=100000 sleep 600 &
	wait_for grep -q '^Uid:.100000' /proc/$!/status && readlink /proc/$!/exe > /dev/null
	local status=$?
	kill $!
	return $status
}
for b in perf ptrace; do
	if ! sees_others; then skip "$b" "the kernel hides executables of other users without CAP_SYS_PTRACE"
	elif why=$(records_by $b); then find_own $b; else skip "$b" "it does not work here: ${why%%$'\n'*}"; fi
done
plan_end
