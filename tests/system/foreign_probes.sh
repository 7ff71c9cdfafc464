#!/usr/bin/env bash
# Stacks are the same with probes of other tools and without: below functions with return probes, whose return addresses the
# kernel has replaced, and at an instruction that runs elsewhere because it has a probe.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
# shellcheck source=tests/lib/probed.sh
. tests/lib/probed.sh
need_bpf
need_tables
[ -e /sys/bus/event_source/devices/uprobe/type ] || skip_all "the kernel has no uprobes"
build "$dir/put_probes" put_probes.c
build "$dir/tables" probed.c "${frameless[@]}" -foptimize-sibling-calls
build "$dir/pointers" probed.c -O2 -foptimize-sibling-calls

# put_probes FILE: starts the program that puts probes into it.
put_probes()
{
	local at
	mapfile -t at < <(probed_places "$1")
	: > "$dir/probes"
	"$dir/put_probes" "$1" "${at[@]}" > "$dir/probes" 2> "$dir/probes.err" &
	prober=$!
	wait_for test -s "$dir/probes"
	check "${1##*/}: all functions have probes" same ${#at[@]} 13
}
remove_probes() { kill $prober; wait $prober 2> /dev/null; }

# record_act NAME PROGRAM OPTION...
record_act()
{
	target "$dir/$2" 20
	trace "$1" --follow -e c:madvise -e page-faults "${@:3}"
	finish
}
# stacks NAME: those of its calls, with their numbers.
stacks() { folded "$1" 1 | sort; }
touched() { hits "$1" ";$2touch " 2; }

## Known numbers of calls and of page faults.
record_act plain tables --unwind=dwarf
record_act plain_fp pointers --unwind=fp
# A libc without debug information has no name for what begins a thread.
check "without probes: all calls are there" same \
	"$(hits plain '(;_start;.*;main;.*|;in_thread;.*|;on_own_stack;.*|;start_thread;|;\[libc[^]]*\];)__madvise ' 1)" 220
check "without probes: all page faults are there" same "$(touched plain 'main;(act;)?call_touch;')" 20
put_probes "$dir/tables"
record_act probed tables --unwind=dwarf
check "by tables: stacks below return probes are those without" same "$(stacks probed)" "$(stacks plain)"
check "by tables: an instruction with a probe is where it belongs" same "$(touched probed 'main;(act;)?call_touch;')" 20

## The trampoline of newer kernels makes a system call. A sample there belongs to the caller.
target "$dir/tables" 20
trace calls -U --follow --unwind=dwarf -e t:raw_syscalls:sys_enter -e t:raw_syscalls:sys_exit
finish
callers() { hits calls ";_start;.*;main;(act;)?(handed;)?outer " "$1"; }
expected=0
[ "$(uname -m)" != x86_64 ] || [ "$(printf '6.11\n%s\n' "$(uname -r)" | sort -V | head -n 1)" != 6.11 ] || expected=40
check "in the trampoline, before the probe: the leaf is the caller" same "$(callers 1)" $expected
check "in the trampoline, after the probe: the leaf is the caller" same "$(callers 2)" $expected
unplaced() { "$profrep" -fP --unnamed module --event "$1" "$dir/calls.prof" 2> /dev/null | sum_samples '^tables;\[(unknown|uprobes)[^]]*\] '; }
check "in the trampoline: every leaf is in a file" same "$(unplaced 1) $(unplaced 2)" "0 0"

## A thread that waits below a return probe when the recording begins.
target "$dir/tables" 0
"$profrec" -q -o "$dir/waits.prof" --off-cpu --unwind=dwarf -p "$target" 1 2> "$dir/waits.err"
echo > "$dir/go"
wait "$target"
check "a thread that waits when the recording begins has its callers" contains "$(folded waits)" "tables;_start;"
check "a thread that waits below a return probe has its caller" contains "$(folded waits)" ";main;wait_here;"

## Processes that end at once: the recorder walks copies of their stacks.
ln "$dir/tables" "$dir/alive"
is_known() { above "$("$profrep" -fPU "$dir"/early.prof.*.part | sum_samples '^alive;_start;.*;main;__madvise ')" 0; }
# shellcheck disable=SC2016 # for the shell that is started
target bash -c '"$0" & echo $$; read < "$2"; for i in {1..5}; do "$1" 1; done; kill $!' "$dir/alive" "$dir/tables"
trace early --unwind=dwarf -i 1 -e t:syscalls:sys_enter_madvise --follow
wait_for is_known
finish
early() { "$profrep" -fPU "$dir/early.prof" | sum_samples "^tables;$1"; }
check "copies of stacks: calls have their callers" same "$(early '_start;.*;main;.*(outer;middle|again|leap|after_leap);inner;')" 30
check "copies of stacks: calls in other threads have their callers" same "$(early '.*;in_thread;outer;middle;inner;')" 5
remove_probes

## Along frame pointers.
put_probes "$dir/pointers"
record_act probed_fp pointers --unwind=fp
remove_probes
check "along frame pointers: stacks below return probes are those without" same "$(stacks probed_fp)" "$(stacks plain_fp)"
check "along frame pointers: an instruction with a probe is where it belongs" same "$(touched probed_fp)" 20
plan_end
