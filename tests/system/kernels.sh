#!/usr/bin/env bash
# Kernels other than this machine's: Debian's, of the series in KERNELS, record under emulation, and profrep reports here.
# tests/kernels/recordings makes the recordings.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/kernels.sh
. tests/lib/kernels.sh
# shellcheck source=tests/lib/probed.sh
. tests/lib/probed.sh

for tool in qemu-system-x86_64 busybox cpio xz tac; do
	command -v $tool > /dev/null || skip_all "no $tool"
done
[ "$(uname -m)" = x86_64 ] || skip_all "emulated is x86-64, this is $(uname -m)"
[ -x "$BUILD/static/profrec" ] || skip_all "there is no static profrec (sanitizers need libraries)"

mkdir -p "$dir/programs"
for name in short bpfburn; do
	build "$dir/programs/$name" $name.c
done
build "$dir/programs/acts" acts.c
build "$dir/programs/remap" remap.c -D_GNU_SOURCE -ldl
for name in spin_one spin_two; do
	build "$dir/programs/lib$name.so" spin.c -shared -fPIC -DSPIN=$name
done
# Without sys/sdt.h there is no static probe, and its recording fails.
has_sdt=$(echo '#include <sys/sdt.h>' | "$cc" -E - > /dev/null 2>&1 && echo -DWITH_SDT)
build "$dir/programs/calls" calls.c -ldl ${has_sdt:+"$has_sdt"}
build "$dir/programs/waits" waits.c
build "$dir/programs/frameless" acts.c -fomit-frame-pointer
cp "$(command -v setpriv)" "$dir/programs/"
build "$dir/programs/put_probes" put_probes.c
build "$dir/programs/probed" probed.c -O2 -foptimize-sibling-calls
probed_places "$dir/programs/probed" > "$dir/programs/places"

# agrees NS SAID RUNNABLE: the program reads its clock a little before and after it waits, and emulation is slow. For
# some of the time the program may have waited for a CPU elsewhere.
agrees() { between "$1" "$(($2 * 9 / 10 - $3))" "$2"; }

judge()
{
	local name
	for name in $(sed -n 's/^\(not \)\?ok \([a-z]*\).*/\2/p' "$at/said"); do
		check "Linux $series: $name: recorded, whole, nothing unaccounted for" recorded "$name"
	done
	check "Linux $series: func_ab" above "$(samples all '^func_ab;.*;main;func_[ab]')" 5
	check "Linux $series: -p: that process only" only pid '^func_ab;'
	check "Linux $series: -U: user stacks only" same "$(samples user '_\[k\]')" 0
	check "Linux $series: -U: user stacks are whole" above "$(samples user ';main;func_[ab]')" 5
	check "Linux $series: without frame pointers: to the root" mostly unwound \
		"^frameless;_start;.*;main;$(printf 'descend;%.0s' {1..19})"
	check "Linux $series: without frame pointers: to the root in system calls, too" above \
		"$(samples unwoundcalls '^frameless;_start;.*;main;(.*;)?syscall;.*_\[k\]')" 0
	check "Linux $series: without frame pointers: short processes are complete, too" above \
		"$(samples command '^short;_start;.*;burn_shortly')" 5
	check "Linux $series: --unwind=fp: stacks without frame pointers have no root" \
		same "$(samples framepointers '^frameless;_start;.*;main;')" 0
	check "Linux $series: -K: kernel stacks only" same "$(samples kernel ';func_[ab]')" 0
	check "Linux $series: -I: idle" above "$(samples idle '^swapper/')" 0
	check "Linux $series: -i: each interval" above "$("$profrep" -T "$at/out/interval.prof" | grep -c '^..:..:..')" 1
	check "Linux $series: -C: one CPU" same "$(value cpu CPUs)" "1 (1)"
	check "Linux $series: the static binary" above "$(samples static ';main;func_[ab]')" 5
	check "Linux $series: a namespace of ids" only pidns '^func_ab;'
	check "Linux $series: a command and its children only" only command '^(profrec|sh|exe|short);'
	check "Linux $series: processes of 40 ms have functions" above "$(samples command '^short;.*;burn_shortly')" 5
	check "Linux $series: files have build-ids" contains "$("$profrep" files "$at/out/command.prof" | grep /bin/short)" \
		"$(readelf -n "$dir/programs/short" | sed -n 's/.*Build ID: //p')"
	check "Linux $series: kernel frames are named" above \
		"$(samples syscalls 'entry_SYSCALL_64_after_hwframe_\[k\];do_syscall_64_\[k\];.*ksys_read_\[k\];vfs_read_\[k\]')" 5
	check "Linux $series: small storage: no sample lost" same "$(value small "samples lost")" \
		"0 storage full, 0 refused by the kernel, 0 walk failed"
	check "Linux $series: small storage: no stack missed" same "$(value small "user missed")" \
		"0 storage full, 0 refused by the kernel, 0 walk failed"
	if [ "$(samples small .)" -gt 1500 ]; then
		check "Linux $series: small storage: more stacks than a set holds" above \
			"$("$profrep" -f "$at/out/small.prof" | wc -l)" 1024
	else
		skip "Linux $series: small storage: more stacks than a set holds" "too slow to fill it"
	fi
	check "Linux $series: tiny storage: it was full" fails 1 grep -q "refused" "$at/out/tiny.log"
	check "Linux $series: tiny storage: that it was full is said" contains "$(cat "$at/out/tiny.log")" "storage full)"
	check "Linux $series: a module has functions" above "$(samples module '^dd;.*;brd_[a-z_.]*\[k\]')" 0
	check "Linux $series: a module is an object of its own" contains "$("$profrep" files "$at/out/module.prof")" "[brd]"
	check "Linux $series: a module that came later" above "$(samples late '^dd;.*;null_[a-z_.]*\[k\]')" 0
	check "Linux $series: a module that came later has no code of others" same "$(samples late 'brd_')" 0
	check "Linux $series: a BPF program" above "$(samples bpf 'bpf_test_run_\[k\];bpf_prog_[0-9a-f]*_burner_\[k\]')" 5
	check "Linux $series: BPF programs that came later" above \
		"$(samples bpflate 'bpf_test_run_\[k\];bpf_prog_[0-9a-f]*_burner_\[k\]')" 5
	check "Linux $series: code that moves has its own names" at_least "$(samples moves '^remap;.*;spin_two ')" 100
	check "Linux $series: code that moves has no names of the place" same "$(samples moves ';spin_one ')" 0
	check "Linux $series: -L: that thread only" only thread '^left;'
	check "Linux $series: --comm, --uid, --cgroup, --mntns" only comm '^right;'
	check "Linux $series: --cgroup: one that is empty" same "$(samples nowhere .)" 0
	check "Linux $series: --mntns: that namespace only" only mntns '^acts;'
	check "Linux $series: --follow: a child from before" above "$(samples follow '^acts;.*;main;descend;descend(;[^d]| )')" 3
	check "Linux $series: --follow: a child that came later" above "$(samples follow ';main;descend;descend;descend')" 3
	check "Linux $series: a CPU that goes away: the recording tells" same "$(value offline "CPUs changed")" \
		"1 went offline or came online"
	check "Linux $series: a CPU that goes away: it is said" contains "$(cat "$at/out/offline.log")" \
		"profrec: CPU 1 went offline: it is not sampled from now on"
	check "Linux $series: page-faults: each one is a sample" same \
		"$(("$(samples faults '^acts;(.*;)?touch_pages ')" >= 900))" 1
	# The guest's own count for the program is the only line of its output.
	check "Linux $series: context-switches" above "$(samples switches '^acts;')" "$(($(cat "$at/out/switches.log") * 9 / 10 - 3))"
	check "Linux $series: a tracepoint: each hit is a sample" above "$(samples hits '^acts;')" 450
	check "Linux $series: the headline tells a period" \
		contains "$("$profrep" "$at/out/period.prof" | head -n 1)" "every 2000000 events"
	check "Linux $series: calls of a function of the kernel, exactly" same "$(sum kcall 1 '^acts;')" 500
	check "Linux $series: many functions" above \
		"$("$profrep" info "$at/out/kmany.prof" | sed -n 's/^ *probes: *\([0-9]*\) attached.*/\1/p')" 9
	check "Linux $series: bytes that vfs_read was asked for" same "$(sum kvfs 1 '^dd;.*;vfs_read ')" 1228800
	check "Linux $series: vfs_*: the reads and the writes of dd, exactly" same \
		"$(sum kwild 1 '^dd;.*;ksys_read;vfs_read ') $(sum kwild 1 '^dd;.*;ksys_write;vfs_write ')" "300 300"
	check "Linux $series: by fentry: bytes that vfs_read was asked for" same "$(sum kentry 1 '^dd;.*;ksys_read;vfs_read ')" 1228800
	check "Linux $series: by fentry: stacks begin in the function" same "$(sum kentry 2 '^dd;.*;ksys_read;vfs_read ')" 300
	check "Linux $series: by fentry: each function is an event of its own" same "$(sum kentry 3 '^dd;.*;ksys_read ')" 300
	check "Linux $series: by kprobes, on kernels with kprobe.multi, too" same "$(sum kprobe 1 '^dd;.*;ksys_read;vfs_read ')" 300
	check "Linux $series: calls of functions of user space: their sum" same "$(sum ucall 1 ';own_function ')" 3210000
	check "Linux $series: hits of a static probe" same "$(sum ucall 2 ';own_function ')" 600
	check "Linux $series: bytes of tracepoints" between "$(sum tpoints 1 '^dd;')" 300000 320000
	check "Linux $series: hits of two tracepoints" between "$(sum tpoints 2 '^dd;')" 600 620
	check "Linux $series: samples and hits in one recording" same "$(sum sampled 2 ';main ')" 1
	check "Linux $series: below return probes: calls have their callers" same \
		"$(sum probed 1 '^probed;_start;.*;main;.*;(outer;middle|again|leap|after_leap|wait_for_child;middle);inner ')" 140
	check "Linux $series: below return probes, along frame pointers" same \
		"$(sum probedfp 1 ';main;.*(outer;middle|again|leap|after_leap|wait_for_child;middle);inner ')" 160
	check "Linux $series: an instruction with a probe is where it belongs" same "$(sum probed 2 ';main;.*;touch ')" 20
	for name in wait_sleeping wait_for_pipe wait_for_futex; do
		read -r said runnable < <(sed -n "s/^$name //p" "$at/out/offcpu.log")
		check "Linux $series: time off the CPU: $name" agrees "$(sum offcpu 1 "^waits;.*;main;.*;$name;")" "$said" "$runnable"
	done
	check "Linux $series: the stack of the waker" above \
		"$(sum wakers 1 ';wait_for_pipe;.*;__schedule;--;try_to_wake_up;.*;vfs_write;.*;write_bytes;')" 0
	check "Linux $series: stacks that are cut" same "$(value cut "stack depth")" "127 frames at most"
	check "Linux $series: by ptrace: a command, where ptrace_scope is 1" above "$(samples traced ';main;burn_shortly')" 3
	check "Linux $series: by perf events, where ptrace_scope is 3" above "$(samples ownperf ';main;burn_shortly')" 3
	check "Linux $series: ptrace_scope is 1: no other process" contains "$(cat "$at/out/yamaone.log")" \
		"kernel.yama.ptrace_scope is 1: profrec may trace what it starts"
	check "Linux $series: ptrace_scope is 2: it is said" contains "$(cat "$at/out/yamatwo.log")" \
		"perf_event_paranoid to 2 (it is 3), or kernel.yama.ptrace_scope to 1 (it is 2)"
	check "Linux $series: ptrace_scope is 3: it is said" contains "$(cat "$at/out/yamathree.log")" \
		"kernel.yama.ptrace_scope to 1 (it is 3, until the next boot)"
	check "Linux $series: ptrace_scope is 3: root, too" contains "$(cat "$at/out/yamaroot.log")" \
		"kernel.yama.ptrace_scope is 3: nobody may trace until the next boot"
	check "Linux $series: stacks of 300 calls" only deep "^acts;.*;main;$(printf 'descend;%.0s' {1..299})"
}

declare -A boots
for series in ${KERNELS:-6.1 6.12}; do
	if ! why=$(tests/kernels/fetch $series); then
		skip "Linux $series" "$why"
		continue
	fi
	mkdir "$dir/$series"
	tests/kernels/boot $series "$dir/$series" "$dir"/programs/* > "$dir/$series.log" 2>&1 &
	boots[$series]=$!
done
for series in "${!boots[@]}"; do
	at=$dir/$series
	wait "${boots[$series]}" # not in a subshell, where nobody is a child
	status=$?
	check "Linux $series: boots, records, ends" booted
	[ -e "$at/said" ] && judge
done
plan_end
