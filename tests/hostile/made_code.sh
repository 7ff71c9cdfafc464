#!/usr/bin/env bash
# One user's processes want all room that the recorder has for processes that make code: machines of Java, and directories
# of maps of JIT code. Those of others have their functions.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
need_bpf
need_tables
need_users
build "$dir/crowd_java" fake_java.c "${frameless[@]}" -Wl,--export-dynamic
build "$dir/jit" jit.c
build "$dir/many_maps" many_maps.c

# check_both WHAT NAME PROGRAM REGEX: the last calls in the recording NAME, and in that without others.
check_both()
{
	check "without others: $1" are_marked "alone_$2" "${@:3}"
	check "among many: $1" are_marked "$2" "${@:3}"
}

folding=(-fPa)
methods='K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];'

# record_java NAME: machines begin that have files of their own.
record_java()
{
	for owner in 0 65533; do install -o "$owner" -m 755 "$dir/crowd_java" "$dir/java$owner"; done
	begin_recording -F 499 "${marks[@]}" -U -i 1 -o "$dir/$1.prof"
	for owner in 0 65533; do
		# The recorder knows the file after its first process.
		ln -sf "java$owner" "$dir/first$owner"
		as "$owner" "$dir/first$owner" 10
		start_marks "$1" "$owner" "$owner" "$dir/java$owner" 1000000
		finish_marks "$1" "$owner" "$methods"
	done
	end_recording
}

# begin_crowd NUMBER: so many machines of another user, which have begun, and do nothing from then on.
begin_crowd()
{
	crowd=()
	for ((i = 0; i < $1; i++)); do
		setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/crowd_java" 1000000 &
		crowd+=($!)
		run_for 1 $!
		kill -STOP $!
	done
}

end_crowd()
{
	kill -KILL "${crowd[@]}"
	wait 2> /dev/null
}

record_java alone_java
begin_crowd 530
record_java java
end_crowd
for owner in 0 65533; do
	check_both "machines of $owner have their functions" java "$owner" "$methods"
done
check "among many machines: what had no room is said, and whose it was" \
	grep -q 'times\? a process of Java or Erlang had no room.*; [0-9]* of user 65534' "$dir/err"
check "among many machines: info says what had no room" \
	contains "$(info "$dir/java.prof" "lacked room")" "machines of Java or Erlang: "

# Maps in a /tmp that goes with its process.
# shellcheck disable=SC2016
jail=(unshare --user --map-root-user --mount sh -c 'cd "$1" && mount -t tmpfs none /tmp && exec "$2" made_name 1000000' sh "$dir")
if ! as 65533 "${jail[@]}" true 2> /dev/null; then
	skip "maps of JIT code" "users may not make mount namespaces"
	plan_end
	exit 0
fi

folding=(-fPU)

# run_jit NAME: a program with a map, until its function has its name, and its last calls are in the recording.
run_jit()
{
	start_marks "$1" jit 65533 env MARKS_STAY=1 "${jail[@]}" ./jit
	finish_alive "$1" jit ';made_name;'
}

# record_maps NAME [PID]: a program with a map runs, after the process has run.
record_maps()
{
	begin_recording -F 499 "${marks[@]}" -U --unwind=fp -i 1 -o "$dir/$1.prof"
	[ -z "${2:-}" ] || run_for 1 "$2"
	run_jit "$1"
	end_recording
}

record_maps alone_maps
setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/many_maps" 300 1 made &
crowd=($!)
run_for 1 $!
record_maps maps $!
end_crowd
check_both "maps of JIT code give names" maps jit ';call_for;made_name;call_mark;'

# has_map PID: it has written its map.
has_map() { [ -s "/tmp/perf-$1.map" ] && ! readlink "/proc/$1/fd"/* | grep -q perf-; }

# record_readings NAME [PID...]: programs with maps run in many epochs, beside these processes.
record_readings()
{
	begin_recording -F 499 "${marks[@]}" -U --unwind=fp -i 1 -o "$dir/$1.prof"
	for pid in "${@:2}"; do
		wait_for has_map "$pid"
		run_for 20 "$pid"
	done
	for _ in 1 2 3; do run_jit "$1"; done
	end_recording
}

# Maps that are too large to be read all.
cp "$dir/jit" "$dir/large"
record_readings alone_readings
crowd=()
for _ in {1..5}; do
	setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/large" large_name 1000000 50 &
	crowd+=($!)
done
cleanup_extra() { printf '/tmp/perf-%s.map\n' "${crowd[@]}" | xargs rm -f; }
record_readings readings "${crowd[@]}"
end_crowd
check_both "maps of JIT code beside large ones give names" readings jit ';call_for;made_name;call_mark;'
check "maps of JIT code beside large ones: what was not read is said, and whose it was" \
	grep -q 'times\? the map of a process (perf-PID.map) was not read.*; [0-9]* of user 65534' "$dir/err"
plan_end
