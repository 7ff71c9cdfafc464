#!/usr/bin/env bash
# Facts that only the host knows travel in the recording. They are names of code that processes made, names in the vdso,
# facts about processes, and files that only a container has. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
TEST_CFLAGS="${TEST_CFLAGS:-} -DBURN_FAULTS"

cleanup_extra() { rm -f "${maps[@]}"; }
maps=()
# end PID: ends a process in the background, without the shell's remark on it.
end() { kill -KILL "$1" && wait "$1"; } 2> /dev/null
# Programs take page faults, each of which is a sample. Of a process that has begun just now, callers may be missing.
record() { "$profrec" -q -U -e page-faults "$@"; }
# samples FILE REGEX [OPTION...]: how many of the folded samples match.
samples() { "$profrep" -f "${@:3}" "$1" | sum_samples "$2"; }
# pids FILE NAME: the ids of the processes that were recorded under that name.
pids() { "$profrep" processes "$1" | awk -v name="$2" 'NR > 1 && $5 == name {print $2}'; }

build "$dir/jit" jit.c
build "$dir/short" short.c

## A process that makes code and ends, with its map, before the drain.
record -o "$dir/jit.prof" -- "$dir/jit" "made: \"up\" (int)" 40
pid=$(pids "$dir/jit.prof" jit)
maps+=("/tmp/perf-$pid.map")
check "code of its own has its name" same "$(samples "$dir/jit.prof" '^jit;(.*;)?made: "up" [(]int[)] ')" 40
check "code of its own: offset and file" grep -qE "\"up\" \(int\)\+0x4 \[perf-$pid\.map\]" \
	<("$profrep" -f -s -m "$dir/jit.prof")
check "code of its own: files" contains "$("$profrep" files "$dir/jit.prof" | grep "/tmp/perf-$pid.map")" "in the recording"
record -o "$dir/jit.prof" -- "$dir/jit" late 40 late
maps+=("/tmp/perf-$(pids "$dir/jit.prof" jit).map")
check "a map that is written at the end" same "$(samples "$dir/jit.prof" '^jit;(.*;)?late ')" 40

## Two of them at the same addresses, without address space randomisation.
if setarch -R true 2> /dev/null; then
	record -o "$dir/two.prof" -- setarch -R sh -c "$dir/jit first 40 & $dir/jit second 40; wait"
	for pid in $(pids "$dir/two.prof" jit); do maps+=("/tmp/perf-$pid.map"); done
	check "two processes, the same addresses: the first's name" same "$(samples "$dir/two.prof" ';first ')" 40
	check "two processes, the same addresses: the second's name" same "$(samples "$dir/two.prof" ';second ')" 40
else
	skip "two processes, the same addresses" "personality(2) is refused"
fi

## Maps that profrec must not read: of other owners, links, FIFOs.
# refused NAME COMMAND...: the command sets $map up; code of a running process stays unknown.
refused()
{
	local name=$1 pid map
	shift
	"$dir/jit" trusted 1000000000 &
	pid=$!
	map=/tmp/perf-$pid.map
	maps+=("$map" "$map.real")
	wait_for test -s "$map"
	"$@" "$map"
	record_while 5 "$pid" -U -e page-faults -p "$pid" -o "$dir/refused.prof"
	end "$pid"
	check "$name: not read" same "$(samples "$dir/refused.prof" ';trusted ')" 0
	check "$name: recorded all the same" above "$(samples "$dir/refused.prof" '^jit;.*;call_for;')" 0
}
make_link() { mv "$1" "$1.real" && ln -s "$1.real" "$1"; }
make_fifo() { rm "$1" && mkfifo "$1"; }
make_large() { truncate -s 65M "$1"; }
! has_root "a map of another user" || refused "a map of another user" chown 12345
refused "a map behind a link" make_link
refused "a FIFO for a map" make_fifo
refused "a map that is too large" make_large

# has_made NAME FILE: the part of the recording that is on the disk has samples of made code of that name.
has_made() { above "$(samples "$2".*.part ";$1 ")" 0; }

## In a mount namespace of its own: /tmp is not ours, and goes away with the process.
if unshare -m --propagation private true 2> /dev/null; then
	begin_recording -U -i 1 -e page-faults --follow -p $$ -o "$dir/ns.prof"
	unshare -m --propagation private sh -c "exec 3< $dir/jit && mount -t tmpfs none /tmp && cat <&3 > /tmp/jit &&
		chmod 755 /tmp/jit && exec /tmp/jit inside 1000000000" &
	check "a private /tmp: the map is found there" wait_for has_made inside "$dir/ns.prof"
	end $!
	end_recording
	check "a private /tmp: the names of the map, which is gone afterwards" above "$(samples "$dir/ns.prof" ';inside ')" 0
else
	skip "a private /tmp" "unshare -m is refused"
fi

## A pid namespace: the map is named by the id in there.
if unshare -pf true 2> /dev/null; then
	begin_recording -U -i 1 -e page-faults --follow -p $$ -o "$dir/pidns.prof"
	unshare -pf --kill-child --mount-proc "$dir/jit" "in a namespace" 1000000000 &
	maps+=(/tmp/perf-1.map)
	check "a pid namespace: the map of its pid 1" wait_for has_made "in a namespace" "$dir/pidns.prof"
	end $!
	end_recording
else
	skip "a pid namespace" "unshare -p is refused"
fi

## Real ones, which run for two seconds of CPU time.
sample() { "$profrec" -q -U -F 999 "$@"; }
if command -v node > /dev/null; then
	cat > "$dir/app.js" <<-'JS'
		function hotLoop(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
		while (process.cpuUsage().user < 2e6) hotLoop(1e5);
	JS
	sample --languages none -o "$dir/node.prof" -- sh -c "cd $dir && exec node --perf-basic-prof app.js"
	"$profrep" -f "$dir/node.prof" > "$dir/node.folded"
	pid=$(pids "$dir/node.prof" node | head -n 1)
	maps+=("/tmp/perf-$pid.map")
	check "node --perf-basic-prof: JavaScript functions have names" \
		mostly "$dir/node.folded" '(node|MainThread)' 'hotLoop .*app.js' 30
	sample --languages none -o "$dir/bare.prof" -- node "$dir/app.js"
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
	sample -o "$dir/python.prof" -- "$python" -X perf "$dir/app.py"
	maps+=("/tmp/perf-$(pids "$dir/python.prof" "$(basename "$python")" | head -n 1).map")
	check "python3 -X perf: functions have names" \
		mostly <("$profrep" -f "$dir/python.prof") 'python[^;]*' 'py::hot:' 20
else
	skip "python3 -X perf" "no python3 of 3.12 or later with perf trampolines"
fi

## The vdso.
cat > "$dir/clock.c" <<'C'
#include <sys/mman.h>
#include <time.h>
int main(void)
{
	static char page[4096] __attribute__((aligned(4096)));
	for (int i = 0; i < 40; i++) {
		madvise(page, sizeof(page), MADV_DONTNEED);
		clock_gettime(CLOCK_MONOTONIC, (struct timespec *)page);
	}
	return 0;
}
C
"$cc" -O1 -fno-omit-frame-pointer -o "$dir/clock" "$dir/clock.c"
record -o "$dir/vdso.prof" -- "$dir/clock"
# With the clock of a virtual machine, it calls functions of its own that have no names.
check "the vdso: its functions have names" at_least \
	"$(samples "$dir/vdso.prof" ';(__vdso_)?clock_gettime \[vdso\](;\[unknown\] \[vdso\])* ' -m)" 40
check "the vdso: it has a build-id" same \
	"$("$profrep" files "$dir/vdso.prof" | awk '$8 == "[vdso]" {print (length($7) >= 16)}')" 1

## Facts about processes.
# row FILE NAME COLUMN: a column of the processes table.
row() { "$profrep" processes "$1" | awk -v name="$2" -v col="$3" 'NR > 1 && $5 == name {print $col; exit}'; }
if ! command -v setpriv > /dev/null; then
	skip "a process: id, user, name, executable, cgroup" "no setpriv"
elif has_bpf "a process: id, user, name, executable, cgroup"; then
	chmod 755 "$dir"
	setpriv --reuid 1234 --clear-groups "$dir/short" 1000000000 &
	pid=$!
	begun $pid short
	record_while 5 "$pid" -U -e page-faults -p "$pid" -o "$dir/who.prof"
	cgroup=$(sed -n 's/^0:://p' "/proc/$pid/cgroup")
	[ "$cgroup" ] || cgroup=$(sed -n '1s/^[^:]*:[^:]*://p' "/proc/$pid/cgroup")
	end "$pid"
	check "a process: id, user, name, executable, cgroup" same \
		"$("$profrep" processes "$dir/who.prof" | awk 'NR == 2 {print $2, $3, $4, $5, $6, $7, $8}')" \
		"$pid $pid 1234 short short $dir/short $cgroup"
fi
record -o "$dir/brief.prof" -- sh -c "for i in \$(seq 20); do $dir/short 10; done"
check "brief processes: name and executable" same \
	"$("$profrep" processes "$dir/brief.prof" | awk -v exe="$dir/short" '$5 == "short" && $7 == exe' | wc -l)" 20
if unshare -pf true 2> /dev/null; then
	check "a pid namespace: both ids" same "$(row "$dir/pidns.prof" jit 3)" 1
fi

## A binary that is nowhere but in a private mount, by the time of the report nowhere at all.
if unshare -m --propagation private true 2> /dev/null; then
	mkdir -p "$dir/private" "$dir/symfs"
	# begin_inner: the program in a private mount, until it is killed. Its pid is $pid.
	begin_inner()
	{
		unshare -m --propagation private sh -c "mount -t tmpfs none '$dir/private' &&
			cp '$dir/short' '$dir/private/inner' && exec '$dir/private/inner' 1000000000" &
		pid=$!
		begun $pid inner
	}
	# id_of FILE...: the build-id of the program in the recording.
	id_of() { "$profrep" files "$@" | awk -v path="$dir/private/inner" '$8 == path {print $7}'; }
	has_id() { at_least "$(id_of "$dir"/private.prof.*.part | wc -c)" 16; }
	begin_recording -U --no-names -i 1 -e page-faults --follow -p $$ -o "$dir/private.prof"
	begin_inner
	wait_for has_id
	end "$pid"
	end_recording
	id=$(id_of "$dir/private.prof")
	check "a private mount: path and build-id are recorded" at_least "${#id}" 16
	check "a private mount: not found afterwards" contains \
		"$("$profrep" files "$dir/private.prof" | grep private/inner)" "file not found"
	mkdir -p "$dir/symfs/.build-id/${id:0:2}"
	cp "$dir/short" "$dir/symfs/.build-id/${id:0:2}/${id:2}.debug"
	check "a private mount: found by build-id under --symfs" above \
		"$(samples "$dir/private.prof" '^inner;(.*;)?burn_shortly ' --symfs "$dir/symfs")" 0
	# The process runs before the recording begins, so the scan has to look in the process's root.
	begin_inner
	record_while 5 "$pid" -U --no-names -e page-faults -p "$pid" -o "$dir/before.prof"
	check "a private mount: found in the root of the living process" above \
		"$(samples "$dir/before.prof" '^inner;.*;burn_shortly ')" 0
	check "a private mount: files names that root" contains \
		"$("$profrep" files "$dir/before.prof")" "/proc/$pid/root$dir/private/inner"
	end "$pid"
	check "a private mount, before the recording: the same build-id" same "$(id_of "$dir/before.prof")" "$id"
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
		"mount -t overlay overlay -o lowerdir=$dir/lower,upperdir=$dir/upper,workdir=$dir/work $root && exec chroot $root /bin/inner 40"
	check "an overlay, below another root: the path as the process saw it" contains \
		"$("$profrep" files "$dir/overlay.prof")" " /bin/inner "
	check "an overlay, below another root: its functions with --symfs" same \
		"$(samples "$dir/overlay.prof" '^inner;(.*;)?burn_shortly ' --symfs "$dir/lower")" 40
fi
if [ -e "$dir/lower/bin/inner" ] && has_root "another root, before the recording"; then
	chroot "$dir/lower" /bin/inner 1000000000 &
	pid=$!
	begun $pid inner
	record_while 5 "$pid" -U -e page-faults -p "$pid" -o "$dir/chroot.prof"
	end "$pid"
	check "another root, before the recording: the build-id" same \
		"$("$profrep" files "$dir/chroot.prof" | awk '/bin\/inner/ {print (length($7) >= 16)}')" 1
fi
plan_end
