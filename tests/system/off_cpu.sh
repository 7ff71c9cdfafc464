#!/usr/bin/env bash
# Time off the CPU: a program waits in three places and says itself for how long. Its own times include what a busy
# machine adds, so they are compared with the recording.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf

build "$dir/waits" waits.c
# folded NAME [EVENT]
folded() { "$profrep" -f ${2:+--event "$2"} "$dir/$1.prof" 2> /dev/null; }
# recorded NAME FUNCTION [EVENT]: nanoseconds.
recorded() { folded "$1" "${3:-}" | sum_samples ";$2;"; }
# said FUNCTION [COLUMN]: by the latest run.
said() { awk -v name="$1" -v column="${2:-2}" '$1 == name {print $column}' "$dir/said"; }
# is_as_said NAME FUNCTION [EVENT]: the waits end a little before the program reads its clock. A thread that waits for
# the CPU on a busy machine is off the CPU, too, but perhaps not in the function, and not if states are kept apart. One
# whose CPU the hypervisor takes is on the CPU. While the program starts, a busy machine can lack room for the copy of a
# stack, which has no functions then. A failure shows the program's stacks.
is_as_said()
{
	local have want runnable without
	have=$(recorded "$@") want=$(said "$2") runnable=$(said "$2" 3)
	without=$(folded "$1" "${3:-}" | grep '^waits;' | grep -vE ';(main|start_thread);' | sum_samples)
	between "$have" "$(awk -v ns="$want" -v no="$((runnable + without))" 'BEGIN {printf "%.0f", 0.99 * ns - 1000000 - no}')" \
		"$want" || { cat "$dir/said" && folded "$1" "${3:-}" | grep '^waits;' && return 1; }
}
# record NAME OPTION...: of a run.
record() { "$profrec" -o "$dir/$1.prof" --off-cpu "${@:2}" -- "$dir/waits" > "$dir/said" 2> "$dir/$1.err"; }

check "time off the CPU is recorded" record plain
for function in wait_sleeping wait_for_pipe wait_for_futex; do
	check "$function: the time is within 1 %" is_as_said plain $function
done
# While the program starts, a busy machine can lack room for the copy of a stack.
check "stacks are whole" mostly <(folded plain | grep ';main;') waits ';_start;' 99
check "no frame is of the recorder's program" same "$(folded plain | grep -c 'bpf_')" 0
check "the kernel's side ends in the scheduler" mostly <(folded plain | grep ';wait_for_pipe;') waits \
	';schedule;__schedule [0-9]+$' 99
check "time off the CPU: nothing is lost" is_accounted "$dir/plain.prof"
check "the unit is in the headline" contains "$("$profrep" "$dir/plain.prof" | head -n 1)" "off-CPU time (ns)"
check "time off the CPU: the event is described" contains "$("$profrep" info "$dir/plain.prof")" "time off the CPU"

# One wait of wait_for_futex takes 180 ms at least, one of wait_sleeping 120 ms, and of wait_for_pipe 60 ms.
check "short times are left out" record long --min-us 170000
check "where short times are left out, the long ones stay" is_as_said long wait_for_futex
record short --max-us 100
check "long times are left out" same "$(recorded short wait_sleeping)" 0

check "stacks of user space alone" record user -U
# kernel_frames NAME: functions of other programs that woke a thread may have any name.
kernel_frames() { "$profrep" -fa "$dir/$1.prof" 2> /dev/null | grep -c '_\[k\]'; }
check "stacks of user space alone have no frames of the kernel" same "$(kernel_frames user)" 0
check "stacks of user space alone have their time" is_as_said user wait_sleeping
check "stacks of the kernel alone" record kernel -K
check "stacks of the kernel alone have no frames of user space" same "$(folded kernel | grep -c main)" 0

check "states are kept apart" record states --state
check "a thread that sleeps is in state S" is_as_said states wait_sleeping off-cpu:S
check "a thread that sleeps is not in state D" same "$(recorded states wait_sleeping off-cpu:D)" 0

check "samples on the CPU beside time off it" record both --on-cpu -F 999
check "samples on the CPU beside time off it: each has its event" contains "$("$profrep" info "$dir/both.prof")" "on-cpu"
check "samples on the CPU beside time off it: the time is as before" is_as_said both wait_for_futex off-cpu
check "samples on the CPU beside time off it: both are nanoseconds" \
	same "$("$profrep" info "$dir/both.prof" | grep -c 'sum:.* nanoseconds')" 2

# The thread writer wakes the one that reads from the pipe. An interrupt ends the other waits.
check "wakers are recorded" record wakers --wakers
check "wakers: the time is as without them" is_as_said wakers wait_for_pipe
check "wakers: their stack is on top, from its leaf to its root" mostly <(folded wakers | grep ';wait_for_pipe;') waits \
	';__schedule;--;try_to_wake_up;.*;ksys_write;.*;write_bytes;.+ [0-9]+$' 99
check "wakers: their stack is above in the layout of bcc's offwaketime" \
	contains "$("$profrep" "$dir/wakers.prof" | tr -s '\n ' ' ')" \
	"try_to_wake_up -- -- __schedule"
check "an interrupt is a waker" at_least \
	"$(folded wakers | grep -c ';wait_sleeping;.*;__schedule;--;try_to_wake_up;.*hrtimer')" 1
check "an interrupt as a waker is without the task that it met" same "$(folded wakers | grep ';wait_sleeping;' | grep -cE ';--;.*;(main|cpu_startup_entry)')" 0
check "wakers: nothing is lost" is_accounted "$dir/wakers.prof"
check "wakers of user space alone" record wakers_user --wakers -U
check "wakers of user space alone have their own frames" mostly <(folded wakers_user | grep ';wait_for_pipe;') waits \
	';wait_for_pipe;.*;--;.*;write_bytes;.+ [0-9]+$' 99
check "wakers of user space alone have no frames of the kernel" same "$(kernel_frames wakers_user)" 0
check "wakers of kernel and user space have frames of the kernel" above "$(kernel_frames wakers)" 0
check "wakers of the kernel alone" record wakers_kernel --wakers -K
check "wakers of the kernel alone have no frames of user space" \
	same "$(folded wakers_kernel | grep -cE 'write_bytes|main')" 0
check "wakers take room in a stack" says 2 "needs a --max-stack-depth of 4 or more" "$profrec" -o "$dir/no.prof" \
	--off-cpu --wakers --max-stack-depth 3 1

# Another one that traces the scheduler: the kernel calls both from a function of its own.
"$profrec" -o "$dir/tracer.prof" --off-cpu -K --wakers --comm nobody 2> "$dir/tracer.err" &
tracer=$!
wait_for has_text Tracing "$dir/tracer.err"
check "beside another tracer time off the CPU is recorded" record beside --wakers
check "beside another tracer: the tracers have no frames" same "$(folded beside | grep -c '__traceiter')" 0
check "beside another tracer: the kernel's side ends in the scheduler" \
	mostly <(folded beside | grep ';wait_for_pipe;') waits \
	';schedule;__schedule;--;try_to_wake_up;' 99
kill $tracer
wait $tracer

# A thread that goes on waiting when the recording ends, for a time that the recording knows.
rm "$dir/said"
"$profrec" -o "$dir/forever.prof" --off-cpu -i 1 -- "$dir/waits" forever > "$dir/said" 2> "$dir/forever.err" &
recorder=$!
waits() { child_of $recorder waits; }
# is_asleep PID
is_asleep() { grep -q "State:.S" "/proc/$1/status"; }
wait_for has_text wait_for_futex "$dir/said"
wait_for is_asleep "$(waits)"
begin=$(date +%s%N)
sleep 2.5 # over two intervals
waited=$(($(date +%s%N) - begin))
kill -INT $recorder
wait $recorder
check "a thread that still waits has its time" at_least "$(recorded forever wait_forever)" $waited
check "a thread that still waits: info says its time apart" contains "$("$profrep" info "$dir/forever.prof")" "nanoseconds of the sum, of threads that were blocked"
check "a thread that still waits: its stack is whole, though sets were drained since" \
	mostly <(folded forever | grep ';wait_forever;') waits \
	'waits;_start;.*;main;wait_forever;.*entry_SYSCALL' 99
check "a thread that still waits: earlier waits are as said" is_as_said forever wait_for_futex

# A thread that waits from before the start to after the end.
rm "$dir/said"
"$dir/waits" forever > "$dir/said" &
waiting=$!
wait_for has_text wait_for_futex "$dir/said"
wait_for is_asleep $waiting
check "a process that waits already is recorded" "$profrec" -q -o "$dir/before.prof" --off-cpu -p $waiting 2
check "a process that waits already: its time is that of the recording" at_least "$(recorded before wait_forever)" \
	"$(awk -v ms="$(duration_ms "$dir/before.prof")" 'BEGIN {printf "%.0f", 0.95 * 1000000 * ms}')"
check "a process that waits already: its stack is whole, from the kernel to the root" mostly <(folded before) waits \
	'waits;_start;.*;main;wait_forever;.*entry_SYSCALL' 99
check "all processes are recorded" "$profrec" -q -o "$dir/all.prof" --off-cpu 1
check "all processes: one that waits already is among them" contains "$(folded all)" ";wait_forever;"
check "all processes: nothing is lost" is_accounted "$dir/all.prof"

# Filters for threads that wait before the start: nothing but the task itself tells them.
# found FILTER...: do they let the thread pass?
found()
{
	"$profrec" -q -o "$dir/found.prof" --off-cpu "$@" 1 && is_accounted "$dir/found.prof" &&
		contains "$(folded found)" ";wait_forever;"
}
# not_found FILTER...: as found, but they leave it out.
not_found()
{
	"$profrec" -q -o "$dir/found.prof" --off-cpu "$@" 1 && is_accounted "$dir/found.prof" &&
		same "$(folded found | grep -c ';wait_forever;')" 0
}
check "a process that waits is found by its user" found --uid 0
check "a process that waits is not found by another user" not_found --uid 54321
check "a process that waits is found by its mount namespace" found --mntns $waiting
if cgroups=$(findmnt -t cgroup2 -n -o TARGET | head -n 1) && [ "$cgroups" ] && mkdir "$cgroups/profrec-test-$$" 2> /dev/null; then
	cgroup=$cgroups/profrec-test-$$
	check "a process that waits is found by a cgroup above its own" found --cgroup "$cgroups"
	check "a process that waits is not found by another cgroup" not_found --cgroup "$cgroup"
	echo $waiting > "$cgroup/cgroup.procs"
	check "a process that waits is found by its own cgroup" found --cgroup "$cgroup"
	echo $waiting > "$cgroups/cgroup.procs"
	rmdir "$cgroup"
else
	skip "a process that waits is found by its cgroup" "there is no directory of cgroup v2 to write to"
fi
last_cpu=$(awk '{print $39}' "/proc/$waiting/stat")
check "a process that waits is found by the CPU that it left" found -C "$last_cpu"
if [ "$(nproc)" -gt 1 ]; then
	other_cpu=$(((last_cpu + 1) % $(nproc --all)))
	check "a process that waits is not found by another CPU" not_found -C $other_cpu
	# The times of a program that stays on a CPU.
	taskset -c "$last_cpu" "$profrec" -q -o "$dir/cpu.prof" --off-cpu -C "$last_cpu" -- taskset -c "$last_cpu" \
		"$dir/waits" > "$dir/said"
	check "-C: times that begin on that CPU" is_as_said cpu wait_sleeping
	taskset -c "$last_cpu" "$profrec" -q -o "$dir/cpu.prof" --off-cpu -C $other_cpu -- taskset -c "$last_cpu" \
		"$dir/waits" > "$dir/said"
	check "-C: no times that begin elsewhere" same "$(recorded cpu wait_sleeping)" 0
else
	skip "-C" "there is one CPU"
fi
kill $waiting

for option in on-cpu "min-us 5" "max-us 5" state wakers; do
	# shellcheck disable=SC2086 # an option and its value
	check "--$option needs --off-cpu" says 2 "needs --off-cpu" "$profrec" -o "$dir/no.prof" --$option 1
done
check "--min-us of more than --max-us" \
	says 2 "more than --max-us" "$profrec" -o "$dir/no.prof" --off-cpu --min-us 6 --max-us 5 1
check "--off-cpu with -c" says 2 "not allowed with --off-cpu" "$profrec" -o "$dir/no.prof" --off-cpu -c 5 1
check "--off-cpu with -c 1" says 2 "not allowed with --off-cpu" "$profrec" -o "$dir/no.prof" --off-cpu -c 1 1
check "--on-cpu with faults" says 2 "samples of 'page-faults' do not tell time" "$profrec" -o "$dir/no.prof" \
	--off-cpu --on-cpu -e page-faults 1
check "--on-cpu with a tracepoint" says 2 "samples of 'sched:sched_switch' do not tell time" "$profrec" -o "$dir/no.prof" \
	--off-cpu --on-cpu -e sched:sched_switch 1
check "--off-cpu with -F, without samples" \
	says 2 "there is no event to sample" "$profrec" -o "$dir/no.prof" --off-cpu -F 99 1
plan_end
