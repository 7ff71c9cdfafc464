#!/usr/bin/env bash
# Stacks of calls, hits of tracepoints and static probes: known numbers of them, exactly.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
own_mounts "$@"
need_bpf

build "$dir/calls" calls.c -ldl
# stacks NAME LEAF [EVENT]: number of hits of each of the three places, as "one two three".
stacks()
{
	folded "$1" "${3:-}" | awk -v leaf=";$2 " '
		function add(place) {if (index($0, ";" place ";own_function" leaf) || (leaf == ";own_function " &&
			index($0, ";" place leaf))) n[place] += $NF}
		{add("one"); add("two"); add("three")}
		END {print n["one"] + 0, n["two"] + 0, n["three"] + 0}'
}
whole="calls;_start;"
# complete NAME EVENT: no stack lacks its root.
complete() { same "$(folded "$1" "$2" | grep -vc "^$whole")" 0; }

## Functions of user space.
begin own "$dir/calls" 1000 -e "$dir/calls:own_function" -e c:malloc
finish
check "an own function: from three places, exactly" same "$(stacks own own_function 1)" "1000 2000 3000"
check "malloc of the C library: from three places, exactly" same "$(stacks own malloc 2)" "1000 2000 3000"
check "stacks begin at the function's entry, and reach their root" complete own 1
check "the identity holds" is_accounted "$dir/own.prof"
check "each event has its own numbers" same "$("$profrep" info "$dir/own.prof" | grep -c "hits: *600[01] taken, 600[01] counted")" 2
check "the headline" contains "$(cat "$dir/own.err")" "Tracing 1 functions for \"c:malloc\" of PID [$target]... Hit Ctrl-C to end."

## At the entry of a function, the caller is nowhere but on top of the stack, however the function begins.
# callers NAME EVENT FUNCTION: as stacks, of a function that they call.
callers()
{
	folded "$1" "$2" | awk -v f=";$3 " '
		function add(place) {if (index($0, ";main;call_all;" place f) || index($0, ";main;" place f)) n[place] += $NF}
		{add("one"); add("two"); add("three")}
		END {print n["one"] + 0, n["two"] + 0, n["three"] + 0}'
}
for flags in "-O0" "-O1 -fcf-protection=none" "-O2 -fcf-protection=full" "-O2 -momit-leaf-frame-pointer -no-pie" \
	"-O2 -fcf-protection=full -momit-leaf-frame-pointer" "-O2 -momit-leaf-frame-pointer -fno-asynchronous-unwind-tables"; do
	read -ra options <<< "$flags"
	build "$dir/entries" calls.c -ldl "${options[@]}" 2> /dev/null || continue
	for unwind in fp dwarf; do
		begin entries "$dir/entries" 100 --unwind=$unwind -e "$dir/entries:own_function" \
			-e "$dir/entries:leaf_function" -e "$dir/entries:bare_function" -e "$dir/entries:bare_function.cold"
		finish
		event=0
		for function in own_function leaf_function bare_function bare_function.cold; do
			event=$((event + 1))
			check "$flags, --unwind=$unwind: the callers of $function" same \
				"$(callers entries $event $function)" "100 200 300"
		done
	done
done
begin several "$dir/calls" 300 -l "$dir/calls" -e 't*' -U
finish
check "-l LIB, a wildcard: two and three" same "$(hits several ';two ') $(hits several ';three ')" "600 900"
begin regex "$dir/calls" 300 -r -e "$dir/calls:(one|own_).*" -U -c 10
finish
check "-r, -c 10: every tenth on a CPU" between "$(hits regex 'calls;')" $((210 - $(nproc))) 210
record command -e "$dir/calls:three" -- "$dir/calls" 500
check "a command's calls, from its first instruction on" same "$(info "$dir/command.prof" "hits counted")" 1500
# What the copy of the recorder does before its exec is not the command's: only the shell in it calls execve.
record exec -e c:execve -e "$dir/calls:three" -- sh -c "'$dir/calls' 500; :"
check "a command begins with its exec" same "$("$profrep" -f -P --event c:execve "$dir/exec.prof" | sed 's/;.* / /')" "sh 1"
[ "$(info "$dir/command.prof" unwinding)" != tables ] || check "a command's calls: all stacks are complete" same \
	"$(info "$dir/command.prof" "user stacks")" "1500 of 1500 hits complete (100.00 %)"

## A program that begins after the recorder, and calls its function at once. The recorder stands still meanwhile, as on a
## busy machine, and learns of the process when that has gone.
build "$dir/later" calls.c -ldl "${frameless[@]}"
: > "$dir/later.err"
"$profrec" -o "$dir/later.prof" -e "$dir/later:own_function" 2> "$dir/later.err" &
recorder=$!
wait_for has_text Ctrl-C "$dir/later.err"
kill -STOP $recorder
"$dir/later" 1000
kill -CONT $recorder
kill -INT $recorder
wait $recorder
if [ "$(info "$dir/later.prof" unwinding)" = tables ]; then
	check "a program that begins later: all stacks are complete" same "$(info "$dir/later.prof" "user stacks")" \
		"6000 of 6000 hits complete (100.00 %)"
	check "a program that begins later: three ways lead to its function" same \
		"$(for way in one two three; do hits later ";main;$way;own_function "; done | xargs)" \
		"1000 2000 3000"
else
	skip "a program that begins later" "no stacks by tables here"
fi

## A recording ends when it is due, however late the recorder's own turn comes.
# overdue NAME OPTION...: for a second. The recorder stands still until later, and the target acts then.
overdue()
{
	target "$dir/calls" 1000
	: > "$dir/$1.err"
	"$profrec" -o "$dir/$1.prof" -p "$target" "${@:2}" 1 2> "$dir/$1.err" &
	recorder=$!
	wait_for has_text Tracing "$dir/$1.err"
	kill -STOP $recorder
	sleep 1.1
	echo > "$dir/go"
	wait "$target"
	kill -CONT $recorder
	wait $recorder
	check "$1: the recording took as long as it was asked to" same "$(info "$dir/$1.prof" duration)" \
		"1.000 s (requested: 1.000 s)"
}
overdue "calls after the end" -e "$dir/calls:own_function"
check "calls after the end are not in it" same "$(info "$dir/calls after the end.prof" "hits counted")" 0
overdue "a wait beyond the end" --off-cpu
check "a wait beyond the end has the time until then" between "$(hits "a wait beyond the end")" 1 1000000000

## Assembler that keeps its CFA in a register while it calls a function. Where that one changes the register, nothing is
## known of the caller. Then assembler without unwind information.
if [ "$(uname -m)" = x86_64 ] && [ "$(info "$dir/command.prof" unwinding)" = tables ]; then
	build "$dir/assembler" assembler.c "${frameless[@]}"
	begin held "$dir/assembler" 1000 -e "$dir/assembler:held_leaf"
	finish
	check "a CFA in rax: all stacks are complete" same "$(info "$dir/held.prof" "user stacks")" \
		"3000 of 3000 hits complete (100.00 %)"
	check "a CFA in rax: two ways lead to the function" same \
		"$(for way in one two; do hits held ";main;$way;held;held_leaf "; done | xargs)" "1000 2000"
	begin changed "$dir/assembler" 1000 -e "$dir/assembler:changed_leaf"
	finish
	check "a CFA in rax, which changed: no stack is complete" same "$(info "$dir/changed.prof" "user stacks")" \
		"0 of 3000 hits complete (0.00 %)"
	check "a CFA in rax, which changed: no caller is wrong" same "$(hits changed '^assembler;changed;changes_rax;changed_leaf ')" 3000
	begin bare "$dir/assembler" 1000 -e "$dir/assembler:bare_leaf"
	finish
	check "assembler without unwind information: all stacks are complete" same "$(info "$dir/bare.prof" "user stacks")" \
		"6000 of 6000 hits complete (100.00 %)"
	check "assembler without unwind information: two ways lead to the function" same \
		"$(for way in one two; do hits bare ";main;$way;bare;bare_middle;bare_leaf "; done | xargs)" "2000 4000"
	begin moved "$dir/assembler" 1000 -e "$dir/assembler:moved_leaf"
	finish
	check "a stack that a register moves: no stack is complete" same "$(info "$dir/moved.prof" "user stacks")" \
		"0 of 3000 hits complete (0.00 %)"
else
	skip "assembler that keeps its CFA in a register" "no stacks by tables of x86-64 here"
fi

## A stripped program without frame pointers: its function by its offset.
build "$dir/stripped" calls.c -ldl "${frameless[@]}" -static 2> /dev/null
offset=$(objdump -d --no-show-raw-insn "$dir/stripped" -F | sed -n 's/.*<own_function> (File Offset: \(0x[0-9a-f]*\)):$/\1/p')
strip "$dir/stripped"
begin offset "$dir/stripped" 1000 -e "$dir/stripped:$offset"
finish
check "path:0xOFFSET: each call of a stripped static program" same "$(hits offset '^stripped;')" 6000
check "path:0xOFFSET: three ways lead there" same "$(folded offset | grep -c "^stripped;")" 3

## Two processes with many events a second.
begin first "$dir/calls" 100000 -e "$dir/calls:own_function" -U
record second -e "$dir/calls:own_function" -U -- "$dir/calls" 100000
finish
check "two processes, 600,000 calls each: the one" same "$(stacks first own_function)" "100000 200000 300000"
check "two processes, 600,000 calls each: the other" same "$(info "$dir/second.prof" "hits counted")" 600000
check "two processes, 600,000 calls each: nothing is lost" same "$(info "$dir/second.prof" "hits lost")" \
	"0 storage full, 0 refused by the kernel, 0 walk failed"

## Weights: 100 bytes N times, 1000 bytes 2 N times, 10,000 bytes 3 N times.
begin weights "$dir/calls" 500 -e c:malloc --weight arg1:bytes -e "$dir/calls:own_function" --weight arg1:s32 -e c:free
finish
check "--weight arg1: the bytes of each place" same "$(stacks weights malloc 1)" "50000 1000000 15000000"
check "--weight arg1:s32: the sum of each place" same "$(stacks weights own_function 2)" "50000 1000000 15000000"
check "an event without a weight beside others with one" same "$(hits weights ';own_function;free ' 3)" 3000
check "--weight: the sum is told" same "$("$profrep" info "$dir/weights.prof" | grep -c "^  sum: *16050000$")" 1
check "--weight: the identity holds" is_accounted "$dir/weights.prof"

## Static probes.
if echo '#include <sys/sdt.h>' | "$cc" -E - > /dev/null 2>&1; then
	build "$dir/sdt" calls.c -ldl -DWITH_SDT
	begin sdt "$dir/sdt" 1000 -e "u:$dir/sdt:fired"
	finish
	check "a static probe: each hit" same "$(info "$dir/sdt.prof" "hits counted")" 6000
	check "a static probe: from three places" same "$(stacks sdt own_function)" "1000 2000 3000"
	for flags in "-O0" "-O2" "-O2 -momit-leaf-frame-pointer"; do
		read -ra options <<< "$flags"
		build "$dir/entries" calls.c -ldl -DWITH_SDT "${options[@]}" 2> /dev/null || continue
		for unwind in fp dwarf; do
			begin entries "$dir/entries" 100 --unwind=$unwind -e "u:$dir/entries:fired" -e "u:$dir/entries:bare"
			finish
			check "$flags, --unwind=$unwind: the callers of a function with a static probe" same \
				"$(callers entries 1 own_function)" "100 200 300"
			check "$flags, --unwind=$unwind: the callers of a probed leaf_function" same \
				"$(callers entries 2 leaf_function)" "100 200 300"
		done
	done
	build "$dir/semaphore" calls.c -ldl -DWITH_SDT -DWITH_SEMAPHORE
	begin semaphore "$dir/semaphore" 1000 -e "u:$dir/semaphore:calls:fi*"
	finish
	check "a static probe with a semaphore fires while somebody records" same \
		"$(stacks semaphore own_function)" "1000 2000 3000"
	check "a slip in a static probe" says 1 "did you mean 'u:$dir/sdt:fired'?" \
		"$profrec" -q -o "$dir/x.prof" -e "u:$dir/sdt:fierd" 1
	check "an unknown static probe" says 1 "no static probe (USDT) matches in '$dir/sdt'" \
		"$profrec" -q -o "$dir/x.prof" -e "u:$dir/sdt:nothing" 1
else
	skip "static probes" "there is no sys/sdt.h (systemtap-sdt-dev)"
fi

## Tracepoints.
[ -n "$has_mounts" ] && umount -q /sys/kernel/tracing /sys/kernel/debug 2> /dev/null
if [ ! -d /sys/kernel/tracing/events ] && [ ! -d /sys/kernel/debug/tracing/events ]; then
	check "without tracefs: profrec opens its own" "$profrec" -q -e t:sched:sched_switch --weight prev_prio -o "$dir/x.prof" -- true
	[ -n "$has_mounts" ] && mount -t tracefs tracefs /sys/kernel/tracing 2> /dev/null
fi
if [ -d /sys/kernel/tracing/events/syscalls/sys_enter_read ]; then
	# dd reads so often, and a few times more while it starts.
	record reads -e t:syscalls:sys_enter_read --weight count:bytes -e 't:syscalls:sys_*_read' -- \
		dd if=/dev/zero of=/dev/null bs=1000 count=3000 status=none
	check "tracepoints: each read of dd, and no other" between "$(hits reads '^dd;' 1)" 3000000 3040000
	check "a wildcard: the enter and the exit" between "$(hits reads '^dd;' 2)" 6000 6020
	check "a wildcard: both are attached" contains "$("$profrep" info "$dir/reads.prof")" "probes:         2 attached"
	refused "an unknown tracepoint" "failed to find event 't:sched:none': there is no such tracepoint" -e t:sched:none
	refused "a slip" "did you mean 'sched:sched_switch'?" -e t:sched:sched_swich
	refused "a tracepoint without its category" "did you mean 't:sched:sched_switch'?" -e sched_switch
	refused "an unknown field" "tracepoint 'sched:sched_switch' has no such field" -e t:sched:sched_switch --weight none
else
	skip "tracepoints of system calls" "no tracefs, or the kernel has none"
fi
check "a weight without an event" says 2 "it must follow the -e that it belongs to" "$profrec" --weight arg1 -e c:malloc 1
check "a malformed weight" says 2 "option --weight: 'arg7' is no weight" "$profrec" -e c:malloc --weight arg7 1

## Bad input.
refused "an unknown function" "failed to find 'c:no_such': no function matches in '" -e c:no_such
refused "a slip in a function of a library" "did you mean 'c:malloc'?" -e c:mallocc
refused "a function of the C library without it" "did you mean 'c:malloc'?" -e malloc
refused "no library and no category" "failed to find 'nosuchlib:f': there is no library" -e nosuchlib:f
refused "an unknown library" "failed to find library 'nosuchlib'" -e p:nosuchlib:f
refused "an unknown path" "failed to open library '/no/such': No such file or directory" -e /no/such:f
refused "no ELF file" "failed to read '/etc/passwd': not a whole ELF file of 64 bits" -e /etc/passwd:f
refused "an offset that is no code" "failed to find '$dir/calls:0xfffffff': there is no code at this offset" -e "$dir/calls:0xfffffff"
refused "an unknown function of the kernel" "failed to find 'no_such_function': no function of the kernel matches" -e no_such_function
if [ ! -e /sys/bus/event_source/devices/kprobe/type ]; then
	refused "a kernel without kprobes: that is said" \
		"failed to attach to 'vfs_read': this kernel has no kprobes (CONFIG_KPROBES)" --kernel-probes kprobe -e vfs_read
fi
if command -v setpriv > /dev/null; then
	check "no rights: what is missing is said" says 1 "BPF can, but there is no CAP_BPF" \
		setpriv --reuid 64123 --clear-groups --bounding-set=-all --inh-caps=-all "$profrec" -q -o "/tmp/x.$$.prof" -e c:malloc 1
fi
check "an unknown way to the kernel" says 2 "option --kernel-probes: unknown value 'trap'; choose one of: auto, multi, kprobe, fentry" \
	"$profrec" --kernel-probes trap -e vfs_read 1
check "a malformed pattern" says 2 "the type of pattern 'x:c:f' is not p, t or u, but 'x'" "$profrec" -e x:c:f 1
check "a malformed regular expression" says 2 "is no regular expression" "$profrec" -r -e 'c:mal(loc' 1
plan_end
