#!/usr/bin/env bash
# Facts that only the host knows travel in the recording. They are names of code that processes made, names in the vdso,
# facts about processes, and files that only a container has. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

cleanup_extra() { rm -f "${maps[@]}"; }
maps=()
# end PID: ends a process in the background, without the shell's remark on it.
end() { kill -KILL "$1" && wait "$1"; } 2> /dev/null
record() { timeout 60 "$profrec" -q -U -F 999 "$@"; }
# pids FILE NAME: the ids of the processes that were recorded under that name.
pids() { "$profrep" processes "$1" | awk -v name="$2" 'NR > 1 && $5 == name {print $2}'; }

build "$dir/jit" jit.c
build "$dir/short" short.c

## A process that makes code and ends, with its map, before the drain.
record -o "$dir/jit.prof" -- "$dir/jit" "made: \"up\" (int)" 1000
"$profrep" -f "$dir/jit.prof" > "$dir/jit.folded"
pid=$(pids "$dir/jit.prof" jit)
maps+=("/tmp/perf-$pid.map")
check "code of its own has its name" mostly "$dir/jit.folded" jit ';call_for;made: "up" \(int\) [0-9]+$'
# The processor decides which of its instructions samples hit.
check "code of its own: offset and file" grep -qE "\"up\" \(int\)\+0x[0-9a-f] \[perf-$pid\.map\]" \
	<("$profrep" -f -s -m "$dir/jit.prof")
check "code of its own: files" contains "$("$profrep" files "$dir/jit.prof" | grep "/tmp/perf-$pid.map")" "in the recording"
record -o "$dir/jit.prof" -- "$dir/jit" late 300 late
maps+=("/tmp/perf-$(pids "$dir/jit.prof" jit).map")
check "a map that is written at the end" mostly <("$profrep" -f "$dir/jit.prof") jit ';call_for;late [0-9]+$'

## Two of them at the same addresses, without address space randomisation.
if setarch -R true 2> /dev/null; then
	record -o "$dir/two.prof" -- setarch -R sh -c "$dir/jit first 700 & $dir/jit second 700; wait"
	for pid in $(pids "$dir/two.prof" jit); do maps+=("/tmp/perf-$pid.map"); done
	"$profrep" -f "$dir/two.prof" > "$dir/two.folded"
	check "two processes, the same addresses: the first's name" mostly "$dir/two.folded" jit ';first [0-9]+$' 25
	check "two processes, the same addresses: the second's name" mostly "$dir/two.folded" jit ';second [0-9]+$' 25
else
	skip "two processes, the same addresses" "personality(2) is refused"
fi

## Maps that profrec must not read: of other owners, links, FIFOs.
# refused NAME COMMAND...: the command sets $map up; code of a running process stays unknown.
refused()
{
	local name=$1 pid map
	shift
	"$dir/jit" trusted 60000 &
	pid=$!
	map=/tmp/perf-$pid.map
	maps+=("$map" "$map.real")
	wait_for test -s "$map"
	"$@" "$map"
	record -p "$pid" -o "$dir/refused.prof" 1
	end "$pid"
	check "$name: not read" same "$("$profrep" -f "$dir/refused.prof" | sum_samples ';trusted ')" 0
	check "$name: recorded all the same" mostly <("$profrep" -f "$dir/refused.prof") jit ';call_for;'
}
make_link() { mv "$1" "$1.real" && ln -s "$1.real" "$1"; }
make_fifo() { rm "$1" && mkfifo "$1"; }
make_large() { truncate -s 65M "$1"; }
! has_root "a map of another user" || refused "a map of another user" chown 12345
refused "a map behind a link" make_link
refused "a FIFO for a map" make_fifo
refused "a map that is too large" make_large

## In a mount namespace of its own: /tmp is not ours, and goes away with the process.
if unshare -m --propagation private true 2> /dev/null; then
	record -o "$dir/ns.prof" -- unshare -m --propagation private sh -c \
		"exec 3< $dir/jit && mount -t tmpfs none /tmp && cat <&3 > /tmp/jit && chmod 755 /tmp/jit && exec /tmp/jit inside 1500"
	check "a private /tmp: the map is found there, and is gone afterwards" \
		mostly <("$profrep" -f "$dir/ns.prof") jit ';inside [0-9]+$'
else
	skip "a private /tmp" "unshare -m is refused"
fi

## A pid namespace: the map is named by the id in there.
if unshare -pf true 2> /dev/null; then
	record -o "$dir/pidns.prof" -- unshare -pf --mount-proc "$dir/jit" "in a namespace" 1500
	maps+=(/tmp/perf-1.map)
	check "a pid namespace: the map of its pid 1" \
		mostly <("$profrep" -f "$dir/pidns.prof") jit ';in a namespace [0-9]+$'
else
	skip "a pid namespace" "unshare -p is refused"
fi

## Real ones.
if command -v node > /dev/null; then
	cat > "$dir/app.js" <<-'JS'
		function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
		while (process.cpuUsage().user < 2e6) hotLoop(1e5);
	JS
	record --languages none -o "$dir/node.prof" -- sh -c "cd $dir && exec node --perf-basic-prof app.js"
	"$profrep" -f "$dir/node.prof" > "$dir/node.folded"
	pid=$(pids "$dir/node.prof" node | head -n 1)
	maps+=("/tmp/perf-$pid.map")
	check "node --perf-basic-prof: JavaScript functions have names" \
		mostly "$dir/node.folded" '(node|MainThread)' 'hotLoop .*app.js' 30
	record --languages none -o "$dir/bare.prof" -- node "$dir/app.js"
	check "node without a map and languages: anonymous memory" contains \
		"$("$profrep" files "$dir/bare.prof")" "anonymous memory"
else
	skip "node --perf-basic-prof" "node is not installed"
fi
python=
for candidate in python3.15 python3.14 python3.13 python3.12 python3; do
	"$candidate" -X perf -c 'import sys; sys.exit(not sys.is_stack_trampoline_active())' 2> /dev/null &&
		python=$candidate && break
done
if [ "$python" ]; then
	printf 'def hot():\n  return sum(i * i for i in range(20000))\nimport time\nwhile time.process_time() < 2: hot()\n' \
		> "$dir/app.py"
	record -o "$dir/python.prof" -- "$python" -X perf "$dir/app.py"
	maps+=("/tmp/perf-$(pids "$dir/python.prof" "$(basename "$python")" | head -n 1).map")
	check "python3 -X perf: functions have names" \
		mostly <("$profrep" -f "$dir/python.prof") 'python[^;]*' 'py::hot:' 20
else
	skip "python3 -X perf" "no python3 of 3.12 or later with perf trampolines"
fi

## The vdso.
record -o "$dir/vdso.prof" -- "$dir/jit" clock 300
maps+=("/tmp/perf-$(pids "$dir/vdso.prof" jit).map")
cat > "$dir/clock.c" <<'C'
#include <time.h>
int main(void)
{
	struct timespec t;
	do
		for (int i = 0; i < 10000; i++)
			clock_gettime(CLOCK_MONOTONIC, &t);
	while (clock() < CLOCKS_PER_SEC * 4 / 5);
	return 0;
}
C
"$cc" -O1 -fno-omit-frame-pointer -o "$dir/clock" "$dir/clock.c"
record -o "$dir/vdso.prof" -- "$dir/clock"
"$profrep" -f -m "$dir/vdso.prof" > "$dir/vdso.folded"
# With the clock of a virtual machine, it calls functions of its own that have no names.
check "the vdso: its functions have names" mostly "$dir/vdso.folded" clock \
	';(__vdso_)?clock_gettime \[vdso\](;\[unknown\] \[vdso\])* [0-9]+$' 20
check "the vdso: it has a build-id" same \
	"$("$profrep" files "$dir/vdso.prof" | awk '$8 == "[vdso]" {print (length($7) >= 16)}')" 1

## Facts about processes.
# row FILE NAME COLUMN: a column of the processes table.
row() { "$profrep" processes "$1" | awk -v name="$2" -v col="$3" 'NR > 1 && $5 == name {print $col; exit}'; }
if ! command -v setpriv > /dev/null; then
	skip "a process: id, user, name, executable, cgroup" "no setpriv"
elif has_bpf "a process: id, user, name, executable, cgroup"; then
	chmod 755 "$dir"
	setpriv --reuid 1234 --clear-groups "$dir/short" 60000 &
	pid=$!
	wait_for eval "grep -q '^Uid:.1234' /proc/$pid/status && grep -q short /proc/$pid/maps"
	record -p "$pid" -o "$dir/who.prof" 1
	cgroup=$(sed -n 's/^0:://p' "/proc/$pid/cgroup")
	[ "$cgroup" ] || cgroup=$(sed -n '1s/^[^:]*:[^:]*://p' "/proc/$pid/cgroup")
	end "$pid"
	check "a process: id, user, name, executable, cgroup" same \
		"$("$profrep" processes "$dir/who.prof" | awk 'NR == 2 {print $2, $3, $4, $5, $6, $7, $8}')" \
		"$pid $pid 1234 short short $dir/short $cgroup"
fi
record -o "$dir/brief.prof" -- sh -c "for i in \$(seq 20); do $dir/short 10; done"
check "processes of 10 ms: name and executable" at_least \
	"$("$profrep" processes "$dir/brief.prof" | awk -v exe="$dir/short" '$5 == "short" && $7 == exe' | wc -l)" 8
if unshare -pf true 2> /dev/null; then
	check "a pid namespace: both ids" same "$(row "$dir/pidns.prof" jit 3)" 1
fi

## A binary that is nowhere but in a private mount, by the time of the report nowhere at all.
if unshare -m --propagation private true 2> /dev/null; then
	mkdir -p "$dir/private" "$dir/symfs"
	cat > "$dir/contain.sh" <<-SH
		mount -t tmpfs none "$dir/private" && cp "$dir/short" "$dir/private/inner" && "$dir/private/inner" 700
	SH
	record --no-names -o "$dir/private.prof" -- unshare -m --propagation private sh "$dir/contain.sh"
	id=$("$profrep" files "$dir/private.prof" | awk -v path="$dir/private/inner" '$8 == path {print $7}')
	check "a private mount: path and build-id are recorded" at_least "${#id}" 16
	check "a private mount: not found afterwards" contains \
		"$("$profrep" files "$dir/private.prof" | grep private/inner)" "file not found"
	mkdir -p "$dir/symfs/.build-id/${id:0:2}"
	cp "$dir/short" "$dir/symfs/.build-id/${id:0:2}/${id:2}.debug"
	check "a private mount: found by build-id under --symfs" mostly \
		<("$profrep" -f --symfs "$dir/symfs" "$dir/private.prof") inner ';burn_shortly[ ;]'
	# The process runs before the recording begins, so the scan has to look in the process's root.
	unshare -m --propagation private sh -c "mount -t tmpfs none '$dir/private' && cp '$dir/short' '$dir/private/inner' && exec '$dir/private/inner' 60000" &
	pid=$!
	wait_for has_text inner "/proc/$pid/maps"
	record --no-names -p "$pid" -o "$dir/before.prof" 1
	check "a private mount: found in the root of the living process" mostly \
		<("$profrep" -f "$dir/before.prof") inner ';burn_shortly[ ;]'
	check "a private mount: files names that root" contains \
		"$("$profrep" files "$dir/before.prof")" "/proc/$pid/root$dir/private/inner"
	end "$pid"
	check "a private mount, before the recording: the same build-id" same \
		"$("$profrep" files "$dir/before.prof" | awk -v path="$dir/private/inner" '$8 == path {print $7}')" "$id"
else
	skip "a private mount" "unshare -m is refused"
fi

## A root directory of its own, as of an overlay where that can be had.
root=$dir/root
mkdir -p "$root" "$dir/lower/bin" "$dir/upper" "$dir/work"
build "$dir/lower/bin/inner" short.c -static 2> "$dir/static.err"
if [ ! -e "$dir/lower/bin/inner" ]; then
	skip "an overlay" "no static binaries: $(head -n 1 "$dir/static.err")"
elif ! unshare -m --propagation private mount -t overlay overlay \
	-o "lowerdir=$dir/lower,upperdir=$dir/upper,workdir=$dir/work" "$root" 2> "$dir/overlay.err"; then
	skip "an overlay" "it cannot be mounted: $(head -n 1 "$dir/overlay.err")"
else
	record -o "$dir/overlay.prof" -- unshare -m --propagation private sh -c \
		"mount -t overlay overlay -o lowerdir=$dir/lower,upperdir=$dir/upper,workdir=$dir/work $root && exec chroot $root /bin/inner 700"
	check "an overlay, below another root: the path as the process saw it" contains \
		"$("$profrep" files "$dir/overlay.prof")" " /bin/inner "
	check "an overlay, below another root: its functions with --symfs" mostly \
		<("$profrep" -f --symfs "$dir/lower" "$dir/overlay.prof") inner ';burn_shortly[ ;]'
fi
if [ -e "$dir/lower/bin/inner" ] && has_root "another root, before the recording"; then
	chroot "$dir/lower" /bin/inner 60000 &
	pid=$!
	wait_for has_text inner "/proc/$pid/maps"
	record -p "$pid" -o "$dir/chroot.prof" 1
	end "$pid"
	check "another root, before the recording: the build-id" same \
		"$("$profrep" files "$dir/chroot.prof" | awk '/bin\/inner/ {print (length($7) >= 16)}')" 1
fi
plan_end
