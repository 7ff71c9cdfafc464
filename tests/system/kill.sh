#!/usr/bin/env bash
# SIGKILL after each step by which a recording is written. The final name is absent or has a whole recording, profrep reads
# the part that is left, and nothing stays in the kernel. unit/test_prof_damage cuts recordings within a step. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
for tool in strace bpftool; do command -v $tool > /dev/null || skip_all "$tool is not installed"; done

# ids PID: the programs, maps and links that a process holds.
ids() { cat /proc/"$1"/fdinfo/* | awk '/^(prog|map|link)_id:/ {sub(/_id:/, "", $1); print $1, $2}'; }

# has_stopped PID LOG: strace has seen it stop, or it is over.
has_stopped() { has_text "stopped by SIGSTOP" "$2" || ! kill -0 "$1"; }

build "$dir/acts" acts.c
# kill_after NAME CALL N: kills a recorder that has made N of these system calls. Returns 1 if it makes fewer. Each fault is
# a sample, so that the recording has all its sections however busy the machine is.
kill_after()
{
	local pid
	: > "$dir/$1.trace"
	strace -D -o "$dir/$1.trace" -e trace="$2" -e inject="$2:signal=STOP:when=$3" \
		"$profrec" -q -U -e page-faults -o "$dir/$1.prof" -- "$dir/acts" touch 100 > "$dir/log" 2> "$dir/err" &
	pid=$!
	wait_for has_stopped $pid "$dir/$1.trace"
	ids $pid > "$dir/$1.ids" 2> "$dir/log"
	kill -KILL $pid 2> "$dir/log"
	wait $pid 2> "$dir/log"
	[ $? -eq 137 ]
}

# Bytes before the first section. A part that has no more says nothing of the recording yet.
header_bytes=28
# judge NAME: prints what is wrong with the files of a recorder that was killed.
judge()
{
	local part
	[ ! -e "$dir/$1.prof" ] || "$profrep" -f "$dir/$1.prof" > "$dir/log" 2>&1 || echo "$1: the final name has no whole recording"
	for part in "$dir/$1".prof.*; do
		[ -s "$part" ] || continue # before the first byte, or there is none
		[[ $part =~ \.prof\.[0-9]+\.part$ ]] || echo "$1: it left $part"
		"$profrep" -f "$part" > "$dir/log" 2> "$dir/judge"
		case $? in
		3 | 1) has_text "the recording ends" "$dir/judge" || echo "$1: damaged, not cut short: $(cat "$dir/judge")" ;;&
		1) [ "$(stat -c %s "$part")" -eq $header_bytes ] || echo "$1: the part cannot be read: $(cat "$dir/judge")" ;;
		3 | 0) ;; # between the end record and the rename
		*) echo "$1: the part cannot be read: $(cat "$dir/judge")" ;;
		esac
	done
}

# remaining: programs, maps and links of killed recorders that the kernel still has.
remaining()
{
	local kind
	for kind in prog map link; do bpftool -j $kind show | grep -o '"id":[0-9]*' | sed "s/.*:/$kind /"; done |
		sort > "$dir/present"
	sort -u "$dir"/*.ids | comm -12 - "$dir/present"
}
nothing_remains() { same "$(remaining)" ""; }

"$workloads/func_ab" &
load=$!
for call in write fdatasync rename fsync; do
	for ((n = 1; n <= 100; n++)); do
		kill_after $call.$n $call $n || break
		judge $call.$n
	done > "$dir/wrong"
	rm -f "$dir/$call.$n".*
	check "killed after each $call: under the final name is a whole recording or none, parts are readable" same \
		"$(cat "$dir/wrong")" ""
	echo "# $((n - 1)) times"
done
# part_of NAME: the part that it left, unless it is empty.
part_of() { find "$dir" -name "$1.prof.*.part" -size +0; }
# The first write is not to the recording, and each section is a write.
check "each section is a step" test -e "$dir/write.10.ids" -a ! -e "$dir/write.100.ids"
check "killed after its first sections: there is a part" test -n "$(part_of write.10)"
check "killed before the rename: the part has all" is_complete "$(part_of fdatasync.1)"
check "killed before the rename: the recording has not its name" test ! -e "$dir/fdatasync.1.prof"
check "killed after the rename: the recording is whole" is_complete "$dir/rename.1.prof" "$dir/fsync.1.prof"
check "killed after the rename: there is no part" same "$(part_of rename.1)$(part_of fsync.1)" ""

begin_recording -p $load -o "$dir/sampling.prof"
ids "$recorder" > "$dir/sampling.ids"
end_recording KILL 2> "$dir/log"
check "killed while it samples: the recording has not its name" test ! -e "$dir/sampling.prof"
for name in sampling write.10 fdatasync.1; do
	check "killed recorder ($name) held programs and maps" \
		same "$(cut -d ' ' -f 1 "$dir/$name.ids" | grep -vx link | sort -u | xargs)" "map prog"
done
check "killed while it samples: it held links" grep -q link "$dir/sampling.ids"
# A pinned program would stay, too.
check "no program, map or link stays in the kernel" wait_for nothing_remains
kill $load
plan_end
