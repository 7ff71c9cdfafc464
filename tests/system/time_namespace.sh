#!/usr/bin/env bash
# profrec in a time namespace, whose clocks are not the kernel's: times off the CPU, slices, and when a process began.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
own_mounts "$@"
unshare --time true 2> /dev/null || skip_all "time namespaces are refused"
need_bpf

build "$dir/calls" calls.c -ldl
recorder_outside=$profrec
uptime_s=$(cut -d. -f1 /proc/uptime)
# inside OFFSET: profrec runs in a time namespace of its own.
inside()
{
	cat > "$dir/profrec" <<-END
		#!/bin/sh
		exec unshare --time --monotonic $1 --boottime $1 "$recorder_outside" "\$@"
	END
	chmod +x "$dir/profrec"
	profrec=$dir/profrec
}
uptime_ms() { awk '{printf "%d", 1000 * $1}' /proc/uptime; }
# has_passed MS: since the uptime $since_ms.
has_passed() { [ $(($(uptime_ms) - since_ms)) -ge "$1" ]; }

sleep 1000 &
sleeper=$!
begun $sleeper sleep
wait_for is_state $sleeper S
# A negative offset makes the clocks begin now, as far as the kernel allows it.
for offset in 5000000 $((5 - uptime_s)); do
	inside "$offset"
	record sleeps --off-cpu -p $sleeper 1
	ns=$("$profrep" -fP "$dir/sleeps.prof" 2> /dev/null | sum_samples '^sleep;')
	check "$offset s: a thread that sleeps all the time is off the CPU" at_least "$ns" 500000000
	check "$offset s: the time off the CPU is not above that of the recording" \
		at_most "$ns" $((1000000 * ($(duration_ms "$dir/sleeps.prof") + 100)))

	begin sliced "$dir/calls" 100 --slices 100ms -e "$dir/calls:own_function"
	since_ms=$(uptime_ms)
	wait_for has_passed 1500
	finish
	check "$offset s: all hits are counted" same "$("$profrep" -fP "$dir/sliced.prof" | sum_samples own_function)" 600
	check "$offset s: hits are in slices of their time" \
		same "$("$profrep" -fP --from 1s "$dir/sliced.prof" | sum_samples own_function)" 600
done
plan_end
