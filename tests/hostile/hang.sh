#!/usr/bin/env bash
# A file server that does not answer: the recorder ends in time, and says what it did not look at. The stacks of others
# are complete.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
own_mounts "$@"
need_bpf
need_tables
[ -n "$has_mounts" ] || skip_all "no mount namespace of its own is possible here"
[ -w /dev/fuse ] || skip_all "/dev/fuse is missing"
unwind_build
build "$dir/hangfs" hangfs.c
build "$dir/jit" jit.c
build "$dir/named" named.c -DFUNCTION=victim_name -DFRAME=64
printf '10000 1000000000000 jit_name\n' > "$dir/map"
notice="looks at files or mappings of processes were given up"
seconds=100
folding+=(-m)

# begin_server: at $dir/mnt, with a program and a perf map.
begin_server()
{
	mkdir -p "$dir/mnt"
	"$dir/hangfs" "$dir/mnt" "program=$dir/frames" "perf-=$dir/map" &
	server=$!
	wait_for mountpoint -q "$dir/mnt"
}

# end_server: with it, all that wait for it go on.
end_server()
{
	kill -KILL "$server" "$@"
	wait 2> /dev/null
	umount -l "$dir/mnt"
}
cleanup_extra() { umount -l "$dir/mnt" 2> /dev/null; }

# hang OPERATION: the server answers no such request any more.
hang() { ! [ -e "$dir/mnt/hang-$1" ]; }

# ends_by SIGNAL: the recorder ends.
ends_by()
{
	kill "-$1" "$recorder"
	timeout $seconds tail -f /dev/null --pid="$recorder" -s 0.1 || { echo "it goes on"; return 1; }
}

# run_victim NAME: a program whose stacks are known runs until its tables are made, and then makes its last calls.
run_victim()
{
	start_marks "$1" frames 0 "$dir/frames" marks 600000
	finish_marks "$1" frames "$unwind_roots"
}

# begin_long NAME [OPTION...]: a recording that ends by a signal.
begin_long() { begin_recording -F 199 "${marks[@]}" --unwind=dwarf -i 1 "${@:2}" -o "$dir/$1.prof"; }

# is_right NAME: the last calls of the program have stacks that go to their roots.
is_right()
{
	is_complete "$dir/$1.prof" && is_accounted "$dir/$1.prof" && are_marked "$1" frames "$unwind_roots"
}

for operation in getattr open read; do
	begin_server
	"$dir/mnt/program" calls 600000 &
	program=$!
	run_for 5 "$program"
	hang $operation
	begin_long $operation
	run_victim $operation
	check "a file whose $operation hangs: SIGINT ends the recording" ends_by INT
	check "a file whose $operation hangs: profrec says so" contains "$(cat "$dir/err")" "$notice"
	end_server "$program"
	check "a file whose $operation hangs: stacks of others have roots" is_right $operation
done

# The server answers the looker, and holds up the children that make tables and look names up.
begin_server
"$dir/mnt/program" calls 600000 &
program=$!
run_for 5 "$program"
hang body
begin_long body --names-wait 5
run_victim body
for _ in 1 2 3; do "$dir/named" victim 1000; done
check "a file whose body hangs: SIGINT ends the recording" ends_by INT
end_server "$program"
check "a file whose body hangs: stacks of others have roots" is_right body
# The recording alone has the names then.
rm "$dir/named"
"$profrep" -f -U --event 1 "$dir/body.prof" > "$dir/body.folded"
check "a file whose body hangs: programs of others have their names" mostly "$dir/body.folded" victim ';victim_name[; ]' 95

# The kernel closes the file in the exec, and meanwhile nobody can open /proc/PID/maps.
begin_server
hang flush
"$dir/hangfs" exec "$dir/mnt/program" > "$dir/begins" &
program=$!
wait_for has_text begins "$dir/begins"
# Until the kernel is there: /proc/PID/stat waits, too.
while timeout -s KILL 1 cat "/proc/$program/stat" > "$dir/stat" 2>&1; do :; done
begin_long exec
run_victim exec
check "an exec that does not end: SIGINT ends the recording" ends_by INT
check "an exec that does not end: profrec says so" contains "$(cat "$dir/err")" "$notice"
end_server "$program"
check "an exec that does not end: stacks of others have roots" is_right exec

# In the process's mount namespace the server's files are in /tmp.
begin_server
exec 9< "$dir/jit"
unshare --mount bash -c 'mount --bind "$1" /tmp && exec /proc/self/fd/9 code 600000 late' - "$dir/mnt" &
program=$!
exec 9<&-
run_for 5 "$program"
hang lookup
begin_long map
run_victim map
check "a perf map that cannot be looked up: SIGINT ends the recording" ends_by INT
check "a perf map that cannot be looked up: profrec says so" contains "$(cat "$dir/err")" "$notice"
end_server "$program"
check "a perf map that cannot be looked up: stacks of others have roots" is_right map

# A program that begins, and has to be looked at, while the recorder samples.
begin_server
begin_long late
hang getattr
"$dir/mnt/program" calls 600000 &
program=$!
run_victim late
check "a program that begins on a server that hangs: SIGTERM ends the recording" ends_by TERM
end_server "$program"
check "a program that begins on a server that hangs: stacks of others have roots" is_right late

# Nobody but the recorder keeps the pipe open.
begin_server
"$dir/mnt/program" calls 600000 &
program=$!
run_for 5 "$program"
hang getattr
check "a server that hangs, to a pipe: recording and reader end in time" timeout $seconds bash -c '"$1" -q -o - 1 | cat > "$2"' - "$profrec" "$dir/pipe.prof"
end_server "$program"
check "a server that hangs, to a pipe: the recording is complete" is_complete "$dir/pipe.prof"
plan_end
