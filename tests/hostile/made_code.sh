#!/usr/bin/env bash
# One user's processes want all room that the recorder has for processes that make code: machines of Java, and directories
# of maps of JIT code. Those of others have their functions.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
need_tables
need_users
build "$dir/crowd_java" fake_java.c "${frameless[@]}" -Wl,--export-dynamic
build "$dir/jit" jit.c
build "$dir/many_maps" many_maps.c

# share NAME PROGRAM REGEX: of 1000 samples of the program, so many match.
share()
{
	re=$3 awk -v program="^$2;" '$0 ~ program {t += $NF; if ($0 ~ ENVIRON["re"]) m += $NF}
		END {print (t < 50 ? 0 : int(1000 * m / t))}' "$dir/$1.folded"
}

# compare_shares WHAT NAME PROGRAM REGEX: in the recording NAME, and in that without others.
compare_shares()
{
	local alone
	alone=$(share "alone_$2" "$3" "$4")
	check "without others: $1" at_least "$alone" 500
	check "among many: $1" at_least "$(share "$2" "$3" "$4")" $((alone * 95 / 100))
}

# record_java NAME: machines begin that have files of their own.
record_java()
{
	for owner in 0 65533; do install -o "$owner" -m 755 "$dir/crowd_java" "$dir/java$owner"; done
	begin_recording -F 499 -U -i 1 -o "$dir/$1.prof"
	for owner in 0 65533; do
		# The recorder knows the file after its first process.
		ln -sf "java$owner" "$dir/first$owner"
		as "$owner" "$dir/first$owner" 10
		as "$owner" "$dir/java$owner" 60
	done
	end_recording
	"$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"
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
	compare_shares "machines of $owner have their functions" java "java$owner" \
		'K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\]'
done
check "among many machines: what had no room is said, and whose it was" \
	grep -q 'times\? a process of Java or Erlang had no room.*; [0-9]* of user 65534' "$dir/err"
check "among many machines: info says what had no room" \
	contains "$(info "$dir/java.prof" "lacked room")" "machines of Java or Erlang: "

# Maps in a /tmp that goes with its process.
# shellcheck disable=SC2016
jail=(unshare --user --map-root-user --mount sh -c 'cd "$1" && mount -t tmpfs none /tmp && exec "$2" made_name 1000' sh "$dir")
if ! as 65533 "${jail[@]}" true 2> /dev/null; then
	skip "maps of JIT code" "users may not make mount namespaces"
	plan_end
	exit 0
fi

# record_maps NAME [PID]: a program with a map begins and ends within an epoch, after the process has run.
record_maps()
{
	begin_recording -F 499 -U --unwind=fp -o "$dir/$1.prof"
	[ -z "${2:-}" ] || run_for 1 "$2"
	as 65533 "${jail[@]}" ./jit
	end_recording
	"$profrep" -f "$dir/$1.prof" > "$dir/$1.folded"
}

record_maps alone_maps
setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/many_maps" 300 1 made &
crowd=($!)
run_for 1 $!
record_maps maps $!
end_crowd
compare_shares "maps of JIT code give names" maps jit 'made_name'

# record_readings NAME [PID...]: programs with maps run in many epochs, beside these processes.
record_readings()
{
	begin_recording -F 499 -U --unwind=fp -i 1 -o "$dir/$1.prof"
	[ -z "${2:-}" ] || run_for 300 "${@:2}"
	for _ in {1..3}; do as 65533 "${jail[@]}" ./jit; done
	end_recording
	"$profrep" -f "$dir/$1.prof" > "$dir/$1.folded"
}

# Maps that are too large to be read all.
record_readings alone_readings
cp "$dir/jit" "$dir/large"
crowd=()
for _ in {1..5}; do
	setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/large" large_name 1000000 50 &
	crowd+=($!)
done
cleanup_extra() { printf '/tmp/perf-%s.map\n' "${crowd[@]}" | xargs rm -f; }
record_readings readings "${crowd[@]}"
end_crowd
compare_shares "maps of JIT code beside large ones give names" readings jit 'made_name'
check "maps of JIT code beside large ones: what was not read is said, and whose it was" \
	grep -q 'times\? the map of a process (perf-PID.map) was not read.*; [0-9]* of user 65534' "$dir/err"
plan_end
