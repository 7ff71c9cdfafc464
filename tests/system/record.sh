#!/usr/bin/env bash
# The contents of recordings of a known workload, and the end of recordings.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

## How a recording ends.
"$workloads/func_ab" &
pid=$!
begun $pid func_ab
ends_on()
{
	begin_recording -F 99 -U -p $pid -o "$dir/end.$1.prof"
	end_recording "$1" && is_complete "$dir/end.$1.prof"
}
check "SIGINT ends a recording, complete" ends_on INT
check "SIGTERM ends a recording, complete" ends_on TERM
check "the headline is bcc's" same "$(grep "^Sampling" "$dir/err")" \
	"Sampling at 99 Hertz of PID [$pid] by user stack... Hit Ctrl-C to end."
check "the closing line names the file" contains "$(grep '^profrec: [0-9]* samples\?' "$dir/err")" "bytes in $dir/end.TERM.prof"
check "nothing but the recording is left" same "$(echo "$dir"/end*part*)" "$dir/end*part*"
check "the recording is mode 0600" same "$(stat -c %a "$dir/end.INT.prof")" 600
check "-q says nothing" same "$("$profrec" -q -p $pid -o "$dir/q.prof" 1 2>&1)" ""

## Filters.
"$profrec" -q -F 99 -p "$pid" -o "$dir/p.prof" 1
check "-p records that process only" same "$("$profrep" -f "$dir/p.prof" | grep -vc '^func_ab;')" 0
check "-p counts what it left out" at_least "$(info "$dir/p.prof" "samples filtered" | cut -d' ' -f1)" 0
"$profrec" -q -F 99 -U -p "$pid" -o "$dir/U.prof" 1
check "-U: the report's headline says so" contains "$("$profrep" "$dir/U.prof" | head -n 1)" "by user stack for 1 secs."
if has_bpf "-K: no user frames" "-C" "-I"; then
	"$profrec" -q -F 99 -K -p "$pid" -o "$dir/K.prof" 1
	check "-K: no user frames" same "$("$profrep" -f "$dir/K.prof" | grep -c ';func_[ab]')" 0
	"$profrec" -q -F 99 -C 0 -o "$dir/C.prof" 1
	check "-C: one CPU" same "$(info "$dir/C.prof" CPUs)" "1 (0)"
	check "-C: the headline names it" contains "$("$profrep" "$dir/C.prof" | head -n 1)" " on CPU#0 for 1 secs."
	"$profrec" -q -F 99 -I -o "$dir/I.prof" 1
	# A busy machine has no idle samples to show, but it must leave none out.
	check "-I: idle samples are not left out" same \
		"$(info "$dir/I.prof" "idle task")/$(info "$dir/I.prof" "samples idle")" "included/0 left out"
fi

## Streams and commands.
build "$dir/short" short.c
piped() { "$profrec" -q -F 999 -p "$pid" -o - 1 | "$profrep" -f - > "$dir/piped"; }
check "-o - into profrep -" piped
"$profrec" -q -F 99 -p "$pid" -o "$dir/ends.prof" 1
check "profrec ends at its duration with status 0" same $? 0
# shellcheck disable=SC2016
"$profrec" -F 999 -o "$dir/cmd.prof" -- sh -c '"$1" 300; exit 3' sh "$dir/short" 2> "$dir/cmd.err"
check "a command: the recording ends with it" same "$(info "$dir/cmd.prof" end)" "the command ended"
check "a command: its status is said" contains "$(cat "$dir/cmd.err")" "the command exited with status 3"
# ended_by STATUS ARGUMENT...: the exit status of profrec, with a recording that is whole.
ended_by() { fails "$1" "$profrec" -q -o "$dir/status.prof" "${@:2}" && is_complete "$dir/status.prof"; }
check "a command: its status is profrec's" ended_by 3 -- sh -c 'exit 3'
# shellcheck disable=SC2016
check "a command: the signal that killed it is told as a shell does" ended_by 143 -- sh -c 'kill -TERM $$'
check "a command: status 0, if the recording ends first" ended_by 0 1 -- sleep 600
# shellcheck disable=SC2016
check "a command: status 0, if a signal ends the recording first" ended_by 0 -- sh -c 'kill -INT $PPID; exec sleep 600'
check "a command: nothing else is recorded" same "$("$profrep" -f "$dir/cmd.prof" | grep -vE '^(short|sh|profrec)[; ]')" ""
# shellcheck disable=SC2016
"$profrec" -q -F 999 -o "$dir/child.prof" -- sh -c '"$1" 300 & wait' sh "$dir/short"
check "a command: its children are recorded" at_least "$("$profrep" -f "$dir/child.prof" | sum_samples '^short;')" 50

## Signals that were ignored before, as nohup does, are ignored by the command.
signals_of() { (trap '' HUP INT PIPE; "$@" grep '^Sig[BI]' /proc/self/status); }
check "a command: its signals are as profrec found them" same "$(signals_of "$profrec" -q -o "$dir/signals.prof" --)" \
	"$(signals_of)"

## The end of the processes that were chosen. One that goes on keeps the recording.
sleep 1000 &
first=$!
sleep 1000 &
second=$!
begin_recording -F 99 -p $first,$second -o "$dir/exits.prof"
kill $first
check "-p: a recording goes on while one process does" fails 124 timeout 1 tail --pid=$recorder -f /dev/null
kill $second
wait $recorder
check "-p: a recording ends with its processes: status 0" same $? 0
check "-p: a recording ends with its processes: said" contains "$(cat "$dir/err")" "profrec: all 2 processes have ended"
check "-p: a recording ends with its processes: the reason" same "$(info "$dir/exits.prof" end)" "the processes ended"

## Open files: the soft limit is no obstacle, and the command has it as it was.
few_files() { prlimit --nofile=16:"$(ulimit -Hn)" "$@"; }
check "open files: a low limit is raised" few_files "$profrec" -q -p "$pid" -o "$dir/few.prof" 1
check "open files: not for the command" same \
	"$(few_files "$profrec" -q -o "$dir/few.prof" -- bash -c 'ulimit -Sn')" 16
# hints_at LIMIT OPTION...: the hint with so many files at most. The first of them are opened at different places.
hints_at() { prlimit --nofile="$1:$1" "$profrec" -q -o "$dir/few.prof" "${@:2}" 1 2>&1 | sed -n 's/^profrec: hint: //p'; }
if has_bpf "open files: a hard limit is said"; then
	for limit in 8 12 16 20 32 60; do
		check "open files: a hard limit of $limit is said" same "$(hints_at $limit)" \
			"raise the hard limit of open files, $limit (ulimit -n, LimitNOFILE= in a unit of systemd)"
	done
fi

## Killed: the part that was written is readable, and nothing stays in the kernel.
"$profrec" -F 99 -p "$pid" -o "$dir/killed.prof" 2> /dev/null &
recorder=$!
wait_for eval '"$profrep" -f "$dir"/killed.prof.*.part 2> /dev/null | grep -q "^func_ab;"'
programs=$(sed -n 's/^prog_id:[[:space:]]*//p' /proc/$recorder/fdinfo/* | sort -u)
kill -KILL $recorder
wait $recorder 2> /dev/null
kill "$pid"
check "SIGKILL: the final name is absent" fails 1 test -e "$dir/killed.prof"
check "SIGKILL: the part is reported, as incomplete" fails 3 "$profrep" -f "$dir"/killed.prof.*.part
check "SIGKILL: with what was recorded" contains "$("$profrep" -f "$dir"/killed.prof.*.part 2> /dev/null)" "func_ab;"
if has_bpf "SIGKILL: no BPF program stays"; then
	check "SIGKILL: there were BPF programs" test "$programs"
	no_programs() { ! bpftool prog show | grep -E "^($(echo $programs | tr ' ' '|')): "; }
	check "SIGKILL: no BPF program stays" wait_for no_programs
fi
plan_end
