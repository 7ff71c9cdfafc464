#!/usr/bin/env bash
# The privileges that a recording needs, its words when one is missing, and the privileges that it keeps. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v setpriv > /dev/null || skip_all "setpriv is not installed"
[ "$(id -u)" -eq 0 ] || skip_all "needs root"
need_bpf

user=64123 # nobody else's: locked memory is counted by user
cp "$profrec" "$workloads/func_ab" "$dir"
chmod 755 "$dir"
mkdir -m 777 "$dir/open"

# with_caps CAP,...|none COMMAND...: runs the command as a user without other privileges. For the background, set start
# to exec; then $! is the command's pid.
with_caps()
{
	local caps=-all
	[ "$1" = none ] || caps=-all,+${1//,/,+}
	shift
	$start setpriv --reuid $user --regid $user --clear-groups --inh-caps=$caps --ambient-caps=$caps --bounding-set=$caps "$@"
}
start=

## CAP_BPF and CAP_PERFMON are enough.
start="exec"
with_caps none "$dir/func_ab" &
start=
pid=$!
begun $pid func_ab
# records COMMAND...: a recording of the program by the command, until the program has had a CPU for a while.
records()
{
	local start="exec"
	begin_recording_by "$@" -p $pid
	run_for 20 $pid
	end_recording
}
check "CAP_BPF and CAP_PERFMON alone: a recording" \
	records with_caps bpf,perfmon "$dir/profrec" -F 999 -o "$dir/open/a.prof"
check "CAP_BPF and CAP_PERFMON alone: one's own processes have names" \
	contains "$("$profrep" -f "$dir/open/a.prof")" ";main;func_a"
check "CAP_BPF and CAP_PERFMON alone: all of 999 Hz is there, or what was lost is said" \
	is_accounted "$dir/open/a.prof"
check "CAP_BPF and CAP_PERFMON alone: others' processes are said to be hidden" \
	says 0 "their mappings are hidden (CAP_SYS_PTRACE is missing)" \
	with_caps bpf,perfmon "$dir/profrec" -o "$dir/open/b.prof" 1
if [ "$(cat /proc/sys/kernel/kptr_restrict)$(cat /proc/sys/kernel/perf_event_paranoid)" = 02 ] ||
	[ "$(cat /proc/sys/kernel/kptr_restrict)" = 1 ]; then
	check "CAP_BPF and CAP_PERFMON alone: kernel names are said to be hidden" contains "$(cat "$dir/err")" \
		"profrec: kernel addresses are hidden (CAP_SYSLOG is missing): kernel frames stay unknown"
	with_caps bpf,perfmon,syslog "$dir/profrec" -o "$dir/open/b.prof" 1 2> "$dir/err"
	check "with CAP_SYSLOG kernel names are not said to be hidden" fails 1 grep -q "kernel addresses" "$dir/err"
else
	skip "kernel names are said to be hidden" "kptr_restrict and perf_event_paranoid show them to everybody"
fi
with_caps bpf,perfmon,sys_ptrace "$dir/profrec" -o "$dir/open/b.prof" 1 2> "$dir/err"
check "with CAP_SYS_PTRACE no mappings are hidden" fails 1 grep -q "hidden (CAP_SYS_PTRACE" "$dir/err"
check "-q: nothing is said" same "$(with_caps bpf,perfmon "$dir/profrec" -q -o "$dir/open/b.prof" 1 2>&1)" ""
check "CAP_BPF alone: what is missing is named" says 1 "recording needs CAP_PERFMON, which is missing" \
	with_caps bpf "$dir/profrec" --backend bpf -o "$dir/open/c.prof" 1
check "CAP_PERFMON alone: what is missing is named" says 1 "recording needs CAP_BPF, which is missing" \
	with_caps perfmon "$dir/profrec" --backend bpf -o "$dir/open/c.prof" 1
check "no capability: CAP_BPF and CAP_PERFMON are named" \
	says 1 "recording needs CAP_BPF and CAP_PERFMON, and both are missing" \
	with_caps none "$dir/profrec" --backend bpf -o "$dir/open/c.prof" 1

## More threads than perf events may have files for: 81, with two files each on each CPU. By ptrace, profrec takes some 150.
few_files() { with_caps none prlimit --nofile=280:280 "$dir/profrec" -o "$dir/open/few.prof" -p $many "$@" 1; }
if [ "$(nproc)" -ge 2 ] && [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -le 2 ] &&
	[ "$(cat /proc/sys/kernel/yama/ptrace_scope 2> /dev/null || echo 0)" = 0 ]; then
	build "$dir/traced" traced.c
	start="exec"
	with_caps none "$dir/traced" threads 60 600000 > /dev/null &
	start=
	many=$!
	wait_for eval "[ \$(ls /proc/$many/task | wc -l) -gt 80 ]"
	check "few open files: by ptrace, and it is said" \
		says 0 "recording by ptrace: no CAP_BPF, and too few open files for perf events" few_files
	check "few open files: the recording is complete" is_complete "$dir/open/few.prof"
	check "few open files, but perf events are wanted: both ways out are named" says 1 \
		"each thread takes two files on each CPU: raise the hard limit (ulimit -n), or use --backend ptrace" \
		few_files --backend perf
	kill $many
	wait $many 2> /dev/null
else
	skip "few open files" "there is one CPU, or perf events or ptrace are refused here"
fi

# kptr_restrict can hide addresses from root, too. A stand-in for /proc/kallsyms shows this, in a mount namespace.
sed 's/^[0-9a-f]*/0000000000000000/' /proc/kallsyms > "$dir/kallsyms"
echo 2 > "$dir/two"
restricted()
{
	# shellcheck disable=SC2016
	$start unshare -m sh -c 'mount --bind "$0/kallsyms" /proc/kallsyms && mount --bind "$0/two" /proc/sys/kernel/kptr_restrict &&
		exec "$0/profrec" "$@"' "$dir" "$@"
}
check "kptr_restrict 2: recorded all the same" records restricted -F 999 -o "$dir/k.prof"
check "kptr_restrict 2: said" contains "$(cat "$dir/err")" \
	"kernel addresses are hidden (kernel.kptr_restrict is 2): kernel frames stay unknown"
check "kptr_restrict 2: user frames have names" contains "$("$profrep" -f "$dir/k.prof")" ";main;func_a"

## Kernels that want CAP_SYS_ADMIN at level 3. A stand-in for the level and a refusal by strace show the words elsewhere.
echo 3 > "$dir/three"
# refused CALL ERRNO: a recording at level 3 by a user, whose calls of CALL fail
refused()
{
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind "$0/three" /proc/sys/kernel/perf_event_paranoid && exec "$@"' "$dir" \
		strace -f -o /dev/null -e trace="$1" -e inject="$1:error=$2" \
		setpriv --reuid $user --regid $user --clear-groups --inh-caps=-all,+bpf,+perfmon --ambient-caps=-all,+bpf,+perfmon \
		--bounding-set=-all,+bpf,+perfmon "$dir/profrec" --backend bpf -o "$dir/open/c.prof" 1
}
if command -v strace > /dev/null; then
	check "level 3 refuses events: the level is named" \
		says 1 "the kernel refuses events without CAP_SYS_ADMIN while kernel.perf_event_paranoid is 3: set it to 2" \
		refused perf_event_open EACCES
	for refusal in "bpf EPERM" "bpf EACCES" "perf_event_open EPERM"; do
		# shellcheck disable=SC2086
		check "level 3 and $refusal: another refuses it, and is named" says 1 \
			"no capability is missing: a container's seccomp profile or kernel lockdown refuses it" refused $refusal
	done
else
	skip "level 3 refuses events" "strace is not installed"
fi

## Side-band buffers where one user has locked much memory already.
limited() { with_caps bpf,perfmon prlimit --memlock=0 "$@"; }
if [ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -ge 516 ] && [ "$(cat /proc/sys/kernel/perf_event_mlock_kb)" -lt 520 ] &&
	[ "$(cat /proc/sys/kernel/perf_event_paranoid)" -ge 0 ]; then
	start="exec"
	limited "$dir/profrec" -o "$dir/open/first.prof" 60 2> "$dir/first.err" &
	start=
	first=$!
	wait_for has_text Sampling "$dir/first.err"
	check "locked memory is short: smaller buffers, and it is said" \
		says 0 "buffers for mappings hold 128 KiB instead of 256" limited "$dir/profrec" -o "$dir/open/second.prof" 1
	kill -INT $first
	wait $first
	check "locked memory is short: the recording is complete" is_complete "$dir/open/second.prof"
else
	skip "locked memory is short" "kernel.perf_event_mlock_kb is not the default"
fi

## The privileges that a recorder keeps while it records.
# status PID FIELD
status() { sed -n "s/^$2:[[:space:]]*//p" "/proc/$1/status"; }
# record_as FUNCTION OUTPUT: starts a recording through the function, and puts its pid into $recorder. Waits until the
# recorder samples and has given up privileges: it sets no_new_privs last.
record_as()
{
	start="exec"
	"$1" "$dir/profrec" -q --unwind="${3:-auto}" -o "$2" 60 &
	start=
	recorder=$!
	wait_for eval "[ \"\$(status $recorder NoNewPrivs)\" = 1 ]"
}
as_root() { $start "$@"; }
as_user() { with_caps bpf,perfmon "$@"; }
# Since Linux 5.19 a process that has a map open may use it without CAP_BPF (bit 39).
bpf=0
if printf '%s\n5.19\n' "$(uname -r)" | sort -V | head -n 1 | grep -qv '^5.19$' &&
	[ "$(cat /proc/sys/kernel/unprivileged_bpf_disabled)" != 0 ]; then
	bpf=$((1 << 39))
fi
# caps BIT...: a set as /proc/PID/status shows it.
caps()
{
	local set=$bpf bit
	for bit; do set=$((set | 1 << bit)); done
	printf '%016x' $set
}
none=0000000000000000
DAC_OVERRIDE=1 DAC_READ_SEARCH=2 FOWNER=3 KILL=5 SYS_PTRACE=19 CHECKPOINT_RESTORE=40

record_as as_root "$dir/fp.prof" fp
check "root, along frame pointers: CapEff is what late looks at processes need" same "$(status $recorder CapEff)" \
	"$(caps $DAC_READ_SEARCH $KILL $SYS_PTRACE $CHECKPOINT_RESTORE)"
end_recording
check "root, along frame pointers: the recording ends well" same $? 0

# Unwind tables go into maps that the recorder makes when it needs them, so CAP_BPF stays.
"$profrec" -q --unwind=dwarf -o "$dir/x.prof" 1 2> /dev/null && bpf=$((1 << 39))
record_as as_root "$dir/root.prof"
for set in CapPrm CapEff; do
	check "root: $set is what late looks at processes need" same "$(status $recorder $set)" \
		"$(caps $DAC_READ_SEARCH $KILL $SYS_PTRACE $CHECKPOINT_RESTORE)"
done
for set in CapInh CapBnd CapAmb; do
	check "root: $set is empty" same "$(status $recorder $set)" $none
done
end_recording
check "root: the recording ends well" same $? 0
check "root: it is complete" is_complete "$dir/root.prof"

record_as as_user "$dir/open/user.prof"
for set in CapPrm CapEff; do
	check "CAP_BPF and CAP_PERFMON: $set is the former at most while it records" same "$(status $recorder $set)" "$(caps)"
done
for set in CapInh CapAmb; do
	check "CAP_BPF and CAP_PERFMON: $set is empty while it records" same "$(status $recorder $set)" $none
done
check "processes of the same user cannot look into the recorder" fails 1 with_caps none sh -c "cat /proc/$recorder/maps > /dev/null 2>&1"
end_recording
check "CAP_BPF and CAP_PERFMON: the recording ends well" same $? 0
check "CAP_BPF and CAP_PERFMON: it is complete" is_complete "$dir/open/user.prof"

## Directories that root may write to by its capabilities alone.
install -d -m 755 -o $user -g $user "$dir/theirs"
record_as as_root "$dir/theirs/a.prof"
check "a directory of another user: CAP_DAC_OVERRIDE stays" same "$(status $recorder CapEff)" \
	"$(caps $DAC_OVERRIDE $DAC_READ_SEARCH $KILL $SYS_PTRACE $CHECKPOINT_RESTORE)"
end_recording
check "a directory of another user: the recording gets its name" same $? 0
check "a directory of another user: it is complete" is_complete "$dir/theirs/a.prof"
install -d -m 1777 -o $user -g $user "$dir/sticky"
install -m 644 -o $user -g $user /dev/null "$dir/sticky/a.prof"
record_as as_root "$dir/sticky/a.prof"
check "a file in the sticky directory of another user: CAP_FOWNER stays" same "$(status $recorder CapEff)" \
	"$(caps $DAC_READ_SEARCH $FOWNER $KILL $SYS_PTRACE $CHECKPOINT_RESTORE)"
end_recording
check "a file in the sticky directory of another user: it is replaced" same $? 0
check "a file in the sticky directory of another user: complete" is_complete "$dir/sticky/a.prof"

# The directory comes from a pattern, so the next directory may belong to somebody else.
mkdir "$dir/p%"
record_as as_root "$dir/p%%/a.prof"
check "a directory that may be another one later: CAP_DAC_OVERRIDE stays" same "$(status $recorder CapEff)" \
	"$(caps $DAC_OVERRIDE $DAC_READ_SEARCH $KILL $SYS_PTRACE $CHECKPOINT_RESTORE)"
chown $user "$dir/p%"
kill -HUP $recorder
wait_for test -e "$dir/p%/a.prof"
end_recording
check "a directory that may be another one later: the recordings get their names" same $? 0
check "a directory that may be another one later: the last is complete" is_complete "$dir/p%/a_1.prof"

## Whoever has privileges by the program's file could stop the recorder, and with it threads that it traces.
mkdir "$dir/granted"
cp "$profrec" "$dir/granted"
as_user() { setpriv --reuid $user --regid $user --clear-groups "$@"; }
# CAP_SYS_PTRACE, CAP_PERFMON and CAP_BPF, as <linux/capability.h> has them in VFS_CAP_REVISION_2.
if python3 -c 'import os, struct, sys; os.setxattr(sys.argv[1], "security.capability",
		struct.pack("<5I", 0x2000001, 1 << 19, 0, 1 << 6 | 1 << 7, 0))' "$dir/granted/profrec" 2> /dev/null; then
	sleep 600 &
	sleeper=$!
	check "capabilities of the file: no thread of another user is traced" \
		says 1 "profrec's file has capabilities, and its caller may not trace the process without them" \
		as_user "$dir/granted/profrec" --backend ptrace -o "$dir/open/f.prof" -p $sleeper 1
	check "capabilities of the file: it is not" same "$(status $sleeper TracerPid)" 0
	check "capabilities of the file: one's own are" \
		as_user "$dir/granted/profrec" -q --backend ptrace -o "$dir/open/f.prof" -- sleep 0.1
	check "capabilities of the file: others have samples by BPF" \
		as_user "$dir/granted/profrec" -q --backend bpf -o "$dir/open/f.prof" -p $sleeper 0.1
	kill $sleeper
else
	skip "capabilities of the file: no thread of another user is traced" "the file system keeps none"
fi

## The command has the privileges of its caller.
# shellcheck disable=SC2016
own='sed -n "/^Cap/p; /^NoNewPrivs/p" /proc/self/status'
check "a command keeps the caller's capabilities" same \
	"$("$profrec" -q -o "$dir/cmd.prof" -- sh -c "$own")" "$(sh -c "$own")"
"$profrec" -q -o "$dir/long.prof" -- setpriv --reuid $user --clear-groups sleep 60 &
recorder=$!
wait_for eval "[ \"\$(status $recorder NoNewPrivs)\" = 1 ]"
wait_for eval "child_of $recorder sleep | grep -q ."
child=$(child_of $recorder sleep)
check "a command that became another user: it runs" same "$(status "$child" Uid | cut -f 1)" $user
end_recording
check "a command that became another user: the recording ends" same $? 0
# shellcheck disable=SC2086
check "a command that became another user is ended, too" wait_for eval "! kill -0 $child"
kill $pid
plan_end
