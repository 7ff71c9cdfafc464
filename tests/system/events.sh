#!/usr/bin/env bash
# Events by their names, periods, the depth of stacks. The tests compare counts with facts about the program, and record
# programs until they have had a CPU for so long, so that they hold on a busy machine, too. TAP.
# Runs alone, because a limit of the kernel changes only while nobody takes stacks.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
own_mounts "$@"
need_bpf

build "$dir/acts" acts.c

# record NAME OPTION... -- COMMAND...
record() { "$profrec" -o "$dir/$1.prof" "${@:2}" 2> "$dir/$1.err" || { cat "$dir/$1.err" >&2; return 1; }; }
folded() { "$profrep" -f "$dir/$1.prof" 2> /dev/null; }
# hits NAME REGEX: samples whose folded line matches.
hits() { folded "$1" | sum_samples "$2"; }
cpus=$(nproc)
# record_burner NAME ARGS...: $burner, until it has had a CPU for 300 ms.
record_burner()
{
	begin_recording -o "$dir/$1.prof" "${@:2}" -p $burner
	run_for 30 $burner
	end_recording INT
}

## Software events.
# is_each_one NAME FILE: the samples, and those that are counted as lost, are as many as the kernel counted into FILE.
is_each_one()
{
	local taken lost counted
	taken=$(hits "$1" "^acts;(.*;)?touch_pages ")
	lost=$(info "$dir/$1.prof" "samples lost" | awk '{print $1 + $4 + $8}')
	counted=$(cat "$2")
	echo "$taken taken, $lost lost, $counted counted by the kernel"
	[ "$taken" -le "$counted" ] && [ $((taken + lost)) -ge "$counted" ]
}
record faults -e page-faults -- "$dir/acts" touch 1000 > "$dir/faults"
check "page-faults: each one is a sample" is_each_one faults "$dir/faults"
check "page-faults: the headline" same "$(head -n 1 "$dir/faults.err")" \
	"Sampling page-faults at every 1 events of '$dir/acts touch 1000' (and its children) by user + kernel stack... Hit Ctrl-C to end."
check "page-faults: the recording tells" same "$(info "$dir/faults.prof" event)" "page-faults (type 1, config 0x2)"
check "page-faults: the identity holds" is_accounted "$dir/faults.prof"
record tenth -e minor-faults -c 10 -- "$dir/acts" touch 1000 > /dev/null
check "minor-faults -c 10: every tenth one is a sample" \
	between "$(hits tenth "^acts;(.*;)?touch_pages ")" $((90 - cpus - 1)) 130
check "-c: the headline" contains "$(head -n 1 "$dir/tenth.err")" "Sampling minor-faults at every 10 events of "
check "-c: the recording tells" same "$(info "$dir/tenth.prof" period)" "10 events"
record switches -e context-switches -- "$dir/acts" sleep 200 > "$dir/switches"
# A sleep that is over before the switch makes no switch, so the kernel's own count is right. A few more switches come
# before and after the sleeps. Some are missed while an event interrupts a map operation on that CPU.
counted=$(cat "$dir/switches")
check "context-switches: each one is a sample" between "$(hits switches "^acts;")" $((counted * 9 / 10 - 2)) $((counted + 100))
for event in cpu-migrations major-faults; do
	check "$event can be recorded" record "$event" -q -e $event -- "$dir/acts" sleep 1
done

## Clocks.
"$dir/acts" deep 3 &
burner=$!
for event in cpu-clock task-clock; do
	record_burner $event -e $event -F 499
	check "$event has samples" between "$(hits $event "^acts;")" 1 "$(duration_ms "$dir/$event.prof")"
done
check "cpu-clock: no fallback, the recording tells" same "$(info "$dir/cpu-clock.prof" event)" \
	"cpu-clock (type 1, config 0x0)"
record_burner period -e cpu-clock -c 2000000
check "cpu-clock -c is in nanoseconds" between "$(hits period "^acts;")" 1 $(($(duration_ms "$dir/period.prof") / 2 + 10))
check "cpu-clock -c: the headline" contains "$("$profrep" "$dir/period.prof" | head -n 1)" "Sampling at every 2000000 events of PID"

# User space alone, or the kernel alone: the leaf of every stack shows it.
leaves() { "$profrep" -fa "$dir/$1.prof" | sed 's/ [0-9]*$//' | grep -c "$2"; }
record user -q -e cpu-clock:u -F 499 1 -- dd if=/dev/zero of=/dev/null bs=4k status=none
check "cpu-clock:u: no sample is in the kernel" same "$(leaves user '_\[k\]$')" 0
check "cpu-clock:u: the recording tells" same "$(info "$dir/user.prof" event)" "cpu-clock:u (type 1, config 0x0)"
record_burner user2 -e cpu-clock:u -F 499
check "cpu-clock:u: there are samples" between "$(hits user2 "^acts;.*;descend ")" 1 "$(duration_ms "$dir/user2.prof")"
dd if=/dev/zero of=/dev/null bs=64k status=none &
copier=$!
check "cpu-clock:k can be recorded" record_while 30 $copier -e cpu-clock:k -F 499 -o "$dir/kernel.prof"
kill $copier
check "cpu-clock:k: every sample is in the kernel" same "$(leaves kernel '_\[k\]$')" "$(leaves kernel .)"
check "cpu-clock:k: there are samples" between "$(hits kernel "^dd;")" 1 100000
check "other modifiers: said" says 2 "option -e/--event: 'cycles:pp' has modifiers that are not supported" "$profrec" -e cycles:pp 1
check "other modifiers: which ones there are is said" contains "$(cat "$dir/err")" "u (user space) and k (kernel) are"

## The machine's own events.
if perf_open=$("$profrec" -q -e cycles -o "$dir/cycles.prof" 1 2>&1); then
	check "cycles: the recording tells" contains "$(info "$dir/cycles.prof" event)" "cycles (type 0, config 0x0)"
else
	check "cycles: what is missing is named" contains "$perf_open" "failed to open event 'cycles' on CPU 0: this CPU does not support it"
	check "cycles: what to do is said" contains "$perf_open" "'-e cpu-clock' works everywhere"
	check "a raw event that the CPU does not support" says 1 "failed to open event 'r1c2' on CPU 0: this CPU does not support it" \
		"$profrec" -e r1c2 -o "$dir/x.prof" 1
fi
check "an event that there is not" says 1 "failed to find 'frobs': no function of the kernel matches" "$profrec" -e frobs -o "$dir/x.prof" 1

## Tracepoints.
mounted=
[ -n "$has_mounts" ] && umount -q /sys/kernel/tracing /sys/kernel/debug 2> /dev/null
if [ ! -d /sys/kernel/tracing/events ] && [ ! -d /sys/kernel/debug/tracing/events ]; then
	record unmounted -e sched:sched_switch -- "$dir/acts" call 1
	check "without tracefs: profrec opens its own" is_accounted "$dir/unmounted.prof"
	check "without tracefs: it stays unmounted" fails 1 test -d /sys/kernel/tracing/events
	if command -v setpriv > /dev/null; then
		check "without tracefs and CAP_SYS_ADMIN: how to mount it" says 1 "mount -t tracefs tracefs /sys/kernel/tracing" \
			setpriv --bounding-set=-sys_admin --inh-caps=-all "$profrec" -e sched:sched_switch -o "$dir/x.prof" 1
	else
		skip "without tracefs and CAP_SYS_ADMIN: how to mount it" "setpriv is not installed"
	fi
	[ -n "$has_mounts" ] && mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null && mounted=1
else
	skip "without tracefs: profrec opens its own" "it is mounted and cannot be unmounted"
	mounted=1
fi
if [ -n "$mounted" ] && [ -d /sys/kernel/tracing/events/syscalls/sys_enter_getppid ]; then
	record call -e syscalls:sys_enter_getppid -- "$dir/acts" call 500
	# The comment at context-switches says why some are missed.
	check "a tracepoint: each hit is a sample" between "$(hits call "^acts;")" 450 500
	check "a tracepoint: the recording tells" same "$(info "$dir/call.prof" event)" \
		"syscalls:sys_enter_getppid (type 2, config $(printf 0x%x "$(cat /sys/kernel/tracing/events/syscalls/sys_enter_getppid/id)"))"
	record call10 -e syscalls:sys_enter_getppid -c 10 -- "$dir/acts" call 500
	# Calls of other programs count towards a tenth.
	check "a tracepoint with -c: every tenth on a CPU" between "$(hits call10 "^acts;")" $((45 - cpus)) 60
	record callC -e syscalls:sys_enter_getppid -C 0 -- taskset -c 0 "$dir/acts" call 500
	check "a tracepoint with -C: hits of that CPU" between "$(hits callC "^acts;")" 450 500
	if [ "$cpus" -gt 1 ]; then
		record callD -e syscalls:sys_enter_getppid -C 1 -- taskset -c 0 "$dir/acts" call 500
		check "a tracepoint with -C: hits of other CPUs are none" same "$(hits callD "^acts;")" 0
	else
		skip "a tracepoint with -C: hits of other CPUs are none" "there is one CPU"
	fi
else
	skip "tracepoints of system calls" "no tracefs, or the kernel has none"
fi
if [ -n "$mounted" ]; then
	check "a tracepoint that there is not" says 1 \
		"failed to find event 'sched:none': there is no such tracepoint" "$profrec" -e sched:none -o "$dir/x.prof" 1
	record_burner switch -e sched:sched_switch
	check "sched:sched_switch: the identity holds" is_accounted "$dir/switch.prof"
else
	skip "tracepoints" "tracefs cannot be mounted"
fi
check "-F is not for tracepoints" says 2 "option -F/--frequency: not allowed with a tracepoint" \
	"$profrec" -F 99 -e sched:sched_switch 1
kill $burner

## The depth of stacks.
"$dir/acts" deep 150 &
burner=$!
frames() { folded "$1" | awk '{sub(/ [0-9]+$/, ""); n = gsub(/;/, ";"); if (n > m) m = n} END {print m + 0}'; }
if "$profrec" -q --unwind=dwarf -o "$dir/probe.prof" -- true 2> /dev/null; then
	record_burner deep -F 499 -U
	check "by tables, the default: the stack is whole" contains "$(folded deep)" ";main;descend;"
	check "by tables, the default: all calls are there" between "$(frames deep)" 152 160
	check "by tables, the default: no stack is cut" same "$(info "$dir/deep.prof" "stacks cut")" \
		"0 at the depth limit, of 0 samples"
	record_burner deep100 -F 499 -U --max-stack-depth 100
	check "by tables, --max-stack-depth 100: stacks are cut there" same "$(frames deep100)" 100
	check "by tables, --max-stack-depth 2000: no sysctl is needed" record_burner deep2000 -F 499 --max-stack-depth 2000
	check "by tables, --max-stack-depth 2000: all calls are there" between "$(frames deep2000)" 152 190
else
	skip "the depth of stacks by tables" "no stacks by tables here"
fi
fp=(-F 499 -U --unwind=fp)
check "deep stacks are recorded" record_burner depth "${fp[@]}"
limit=$(info "$dir/depth.prof" "stack depth")
limit=${limit%% *}
check "stacks are cut at the limit" same "$(frames depth)" "$limit"
check "info counts stacks that were cut" between "$(info "$dir/depth.prof" "stacks cut" | cut -d' ' -f1)" 1 100000
check "info counts the samples of stacks that were cut" same "$(info "$dir/depth.prof" "stacks cut" | sed 's/.* of //')" \
	"$(info "$dir/depth.prof" "others ended" | sed -E 's/.* ([0-9]+) cut,.*/\1/') samples"
"$profrep" -f "$dir/depth.prof" > /dev/null 2> "$dir/warn"
check "the report warns of them, once" same "$(grep -c "were cut at the depth limit" "$dir/warn")" 1
record_burner depth16 "${fp[@]}" --max-stack-depth 16
check "--max-stack-depth 16: sixteen frames" same "$(frames depth16)" 16
record_burner depth1 -F 499 --max-stack-depth 1
check "--max-stack-depth 1: the leaf" contains "$(folded depth1)" "acts;descend "
allowed=$(cat /proc/sys/kernel/perf_event_max_stack)
check "along frame pointers, a limit above the kernel's" says 1 \
	"failed to record stacks of 2000 frames: kernel.perf_event_max_stack allows $allowed" \
	"$profrec" --unwind=fp --max-stack-depth 2000 -o "$dir/x.prof" 1
allow_frames() { echo "$1" > /proc/sys/kernel/perf_event_max_stack; }
# The kernel refuses it while programs that take stacks exist. Those of the last recorder go away with a delay.
if [ "$allowed" -lt 300 ] && wait_seconds=60 wait_for allow_frames 300 > /dev/null; then
	cleanup_extra() { wait_for allow_frames "$allowed"; }
	record_burner depth300 "${fp[@]}" --max-stack-depth 300
	check "--max-stack-depth 300: the stack is whole" contains "$(folded depth300)" ";main;descend;"
	check "--max-stack-depth 300: no stack is cut" same "$(info "$dir/depth300.prof" "stacks cut")" "0 at the depth limit, of 0 samples"
	check "--max-stack-depth 300: all calls are there" between "$(frames depth300)" 152 160
else
	skip "--max-stack-depth 300" "kernel.perf_event_max_stack cannot be set: stacks are being taken"
fi
kill $burner
plan_end
