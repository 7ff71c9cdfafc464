#!/usr/bin/env bash
# User stacks reach their root in programs without frame pointers: each stack of known numbers of page faults and of calls.
# system/unwind has programs that the kernel's timer samples.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
need_bpf
need_tables
TEST_CFLAGS="${TEST_CFLAGS:-} -DBURN_FAULTS"

# whole NAME: the recording says that all of its stacks are complete, and that it has some.
whole()
{
	local good all
	read -r good all < <(info "$dir/$1.prof" "user stacks" | sed -E 's/ of / /; s/ (samples|hits).*//')
	[ "${all:-0}" -gt 0 ] && [ "$good" = "$all" ] && return 0
	info "$dir/$1.prof" "user stacks"
	info "$dir/$1.prof" "others ended"
	return 1
}
# incomplete NAME: how many stacks of a recording are not complete, as it says.
incomplete() { info "$dir/$1.prof" "user stacks" | awk '{print $3 - $1}'; }

## Functions without unwind information. Their code tells where they have their return address. If it does not, and there
## is no frame, a walk along rbp passes over the caller.
build "$dir/no_table" no_table.c -O2
for act in bare moved framed; do
	target "$dir/no_table" $act
	trace $act --unwind=dwarf -e page-faults
	finish
done
check "no table, a frame along rbp: the recording says that stacks are complete" whole framed
check "no table, a frame along rbp: its caller is there" same "$(hits framed ';_start;.*;main;framed ')" 100
check "no table, no frame: the recording says that stacks are complete" whole bare
check "no table, no frame: the caller is there" same "$(hits bare ';main;call_bare;bare ')" 100
check "no table, no frame, code that does not tell: the recording says that stacks are not complete" same "$(incomplete moved)" 100
check "no table, no frame, code that does not tell: the samples are there" same "$(hits moved ';moved ')" 100
# Along rbp, the walk passes over call_moved.
check "no table, no frame, code that does not tell: the stacks say so" same "$(hits moved ';_start;.*;main;\[\.\.\.\];moved ')" 100
check "no table, the caller is certain: no stack says so" same "$(hits bare '\[\.\.\.\]') $(hits framed '\[\.\.\.\]')" "0 0"

# probe_in FILE FUNCTION AT...: sets $probes to options for the instructions at these distances from the function's begin.
probe_in()
{
	local start at
	start=$(objdump -d --no-show-raw-insn -F "$1" | sed -n "s/.*<$2> (File Offset: \\(0x[0-9a-f]*\\)):\$/\\1/p")
	probes=()
	for at in "${@:3}"; do probes+=(-e "$1:$(printf '0x%x' $((start + at)))"); done
}

## The PLT of lld, which writes no unwind information for it. Each function is called once, so the call goes through all
## instructions of its stub and the PLT's header. Control-flow protection has stubs in two sections.
# plt_probes FILE SECTION BYTES: appends to $probes options for the first instructions of a section, without padding.
plt_probes()
{
	local begin at
	begin=$(objdump -h -j "$2" "$1" | awk -v name="$2" '$2 == name {print "0x" $4, "0x" $6}')
	for at in $(objdump -d --no-show-raw-insn -j "$2" "$1" | sed -nE '/nop|xchg/d; s/^ +([0-9a-f]+):.*/0x\1/p'); do
		at=$((at - ${begin% *}))
		[ $at -ge "$3" ] || probes+=(-e "$1:$(printf '0x%x' $((${begin#* } + at)))")
	done
}
# lld_stacks NAME HITS: so many hits in the header and the stubs of three of the 64 functions have their caller.
lld_stacks()
{
	local name=$1 hits=$2 file=$dir/lib$1.so
	plt_probes "$file" .plt 64
	[ "$name" = lld ] || plt_probes "$file" .plt.sec 48
	target "$dir/$name"
	trace "$name" --unwind=dwarf "${probes[@]}"
	finish
	check "PLT of $name: the caller is there" same \
		"$(for i in "${!probes[@]}"; do [ $((i % 2)) = 0 ] || folded "$name" $(((i + 1) / 2)); done |
			sum_samples ';_start;.*;main;lazy_calls;[^;]* ')" "$hits"
}
for variant in "lld 137" "lld-ibt 143 -fcf-protection -Wl,-z,force-ibt"; do
	read -r name hits flags <<< "$variant"
	probes=()
	# shellcheck disable=SC2086 # words of the variant
	if build "$dir/lib$name.so" lazy.c "${frameless[@]}" -fPIC -shared -nostdlib -s -fuse-ld=lld $flags 2> "$dir/lld.err" &&
		build "$dir/$name" lazy_main.c "${frameless[@]}" -Wl,-z,lazy "$dir/lib$name.so"; then
		lld_stacks "$name" "$hits"
	else
		skip "PLT of $name" "it cannot be linked: $(head -n 1 "$dir/lld.err")"
	fi
done

## Samples in the kernel, with their callers.
dd if=/dev/zero of=/dev/null bs=64k &
pid=$!
begun $pid dd
wait_for has_text libc "/proc/$pid/maps"
record_while 20 $pid --unwind=dwarf -F 999 -p $pid -o "$dir/dd.prof"
kill $pid
check "dd, in the kernel: all stacks are complete" whole dd
check "dd, in the kernel: samples are there" above "$("$profrep" -f -a "$dir/dd.prof" | sum_samples '_\[k\]')" 0

## A library that is loaded, and one that takes its place.
for name in plug_one plug_two; do
	build "$dir/lib$name.so" plugin.c "${frameless[@]}" -shared -fPIC -DPLUGIN_MS=40 -DPLUGIN=$name
done
build "$dir/loader" loader.c "${frameless[@]}" -ldl
plugs=(-e "$dir/libplug_one.so:plug_one" -e "$dir/libplug_two.so:plug_two")
target "$dir/loader" "$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two"
trace dl --unwind=dwarf -e c:madvise "${plugs[@]}"
finish
# At one address, they share the stacks by time.
check "dlopen: stacks in both libraries have roots" same "$(hits dl ';_start;.*;main;plug_(one|two);' 1)" 80

# The recorder may also have been asked in vain before, about code of which nothing can be known.
build "$dir/libwander.so" wander.c "${frameless[@]}" -shared -fPIC -Wl,-z,nodelete
target "$dir/loader" "$dir/libwander.so:wander" "$dir/libplug_one.so:plug_one"
begin=$(objdump -d --no-show-raw-insn -F "$dir/libwander.so" | sed -n 's/.*<astray> (File Offset: \(0x[0-9a-f]*\)):$/\1/p')
# Behind the instructions that set rbp.
trace wander --unwind=dwarf -e c:madvise -e "$dir/libwander.so:$(printf '0x%x' $((begin + 10)))" "${plugs[@]}"
finish
check "dlopen of code that has no unwind information: its samples are there" same "$(hits wander ';astray ' 2)" 40
check "dlopen after code that has no unwind information: stacks have roots" same \
	"$(hits wander ';_start;.*;main;plug_one;' 1)" 40

## Other images of one process, and one image of many.
build "$dir/reexec" reexec.c "${frameless[@]}" -DBEFORE_MS=40
build "$dir/short" short.c "${frameless[@]}"
record exec --unwind=dwarf -e c:madvise -e "$dir/reexec:main" -e "$dir/short:main" -- "$dir/reexec" "$dir/short" 40
check "exec: stacks before it have roots" same "$(hits exec '^reexec;_start;.*;main;before_exec;' 1)" 40
check "exec: stacks after it have roots" same "$(hits exec '^short;_start;.*;main;burn_shortly;' 1)" 40
# shellcheck disable=SC2016 # for the shell that is started
target bash -c 'echo $$; read < "$0"; for i in {1..30}; do (:) & done; wait'
trace fork --unwind=dwarf --follow -e c:_exit
finish
check "fork without exec: each process is there" same "$(hits fork '^bash;')" 31
check "fork without exec: all stacks are complete" whole fork

## Processes that end at once. The recorder walks copies of their stacks, which have several sizes, because it does not know
## their mappings yet. It knows their program, because another process of it runs.
build "$dir/deep" deep.c "${frameless[@]}" -static 2> "$dir/static.err"
if [ -e "$dir/deep" ]; then
	ln "$dir/deep" "$dir/alive"
	# deep_roots FILE REGEX: calls with such stacks.
	deep_roots() { "$profrep" -fPU "$1" | sum_samples "^$2;(fill_stack;)+burn_deeply;__madvise "; }
	is_known() { above "$(deep_roots "$dir"/deep.prof.*.part 'alive;_start;.*;main')" 0; }
	for kib in 1 6 12 26 44; do
		# shellcheck disable=SC2016 # for the shell that is started
		target bash -c '"$0" 1000000000 1 & echo $$; read < "$3"; "$1" 3 "$2"; "$1" 3 "$2" thread; kill $!' \
			"$dir/alive" "$dir/deep" $kib
		# Calls, since the buffer for copies may not have room for all page faults of a beginning.
		trace deep --unwind=dwarf -i 1 -e t:syscalls:sys_enter_madvise --follow
		wait_for is_known
		finish
		check "$kib KiB of stack: stacks of main threads have roots" same "$(deep_roots "$dir/deep.prof" 'deep;_start;.*;main')" 3
		check "$kib KiB of stack: stacks of other threads have roots" same \
			"$(deep_roots "$dir/deep.prof" 'deep;[^;]*;[^;]*;in_thread')" 3
	done
else
	skip "processes that end at once" "no static binaries: $(head -n 1 "$dir/static.err")"
fi

## Files that the host does not have under that name, or not any more.
mkdir -p "$dir/inside" "$dir/gone" "$dir/symfs$dir/inside" "$dir/symfs$dir/gone"
cp "$dir/short" "$dir/symfs$dir/inside/elsewhere"
cp "$dir/short" "$dir/symfs$dir/gone/vanished"
cp "$dir/short" "$dir/gone/vanished"
# roots FILE PROGRAM: how many of its stacks have roots.
roots() { "$profrep" -f -U --symfs "$dir/symfs" "$1" | sum_samples "^$2;_start;.*;main;burn_shortly "; }
if unshare -m true 2> /dev/null; then
	has_roots() { above "$(roots "$dir"/elsewhere.prof.*.part elsewhere)" 0; }
	begin_recording --unwind=dwarf -i 1 -e page-faults --follow -p $$ -o "$dir/elsewhere.prof"
	unshare -m sh -c "mount -t tmpfs none $dir/inside && cp $dir/short $dir/inside/elsewhere &&
		exec $dir/inside/elsewhere 1000000000" &
	check "another mount namespace: stacks have roots" wait_for has_roots
	kill $!
	end_recording
else
	skip "another mount namespace" "there are no mount namespaces"
fi
"$dir/gone/vanished" 1000000000 &
pid=$!
begun $pid vanished
rm "$dir/gone/vanished"
record_while 5 $pid --unwind=dwarf -e page-faults -p $pid -o "$dir/vanished.prof"
kill $pid
check "a deleted program: all stacks are complete" whole vanished
check "a deleted program: stacks have roots" above "$(roots "$dir/vanished.prof" vanished)" 0

## Frame pointers, if the user asks for them: optimised programs have none.
record fp --unwind=fp -e c:madvise -- "$dir/short" 40
check "--unwind=fp: stacks lack their root" same "$(hits fp ';_start;.*;main;burn_shortly;')" 0
check "--unwind=fp: the samples are there" same "$(hits fp 'madvise ')" 40
check "--unwind=fp: the recording does not call them complete" contains "$(info "$dir/fp.prof" "user stacks")" "0 of "

## Stacks of coroutines, which begin with code that nobody has called.
build "$dir/coroutine" coroutine.c "${frameless[@]}" -Wl,--export-dynamic
for kind in greenlet fcontext; do
	options=()
	begin='greenlet::UserGreenlet::inner_bootstrap(int)'
	[ $kind = greenlet ] || options=(fcontext) begin='make_fcontext;run_context'
	record $kind -e c:madvise -e "$dir/coroutine:main" -- "$dir/coroutine" 40 "${options[@]}"
	check "$kind: its stacks are complete" whole $kind
	check "$kind: they begin with the coroutine" same "$(folded $kind 1 | grep -F "coroutine;$begin;run;" | sum_samples)" 40
done
plan_end
