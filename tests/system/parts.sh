#!/usr/bin/env bash
# The runner of the tests: its words about parts that fail, and that nothing outlives a part. TAP.
# shellcheck source=tests/tap.sh
. tests/tap.sh

# runs [VARIABLE=VALUE]: runs the script on stdin as a part; its output goes to $dir/said.
runs()
{
	cat > "$dir/script"
	# shellcheck disable=SC2016 # for the shell that is started
	env "$@" bash -c '. tests/part.sh; run_part fake bash "$0"; sum_results' "$dir/script" > "$dir/said" 2>&1
}
said() { contains "$(cat "$dir/said")" "$1"; }
# ended FILE: the process whose id is in the file.
ended() { [ -s "$1" ] && [ ! -e "/proc/$(cat "$1")" ]; }

runs <<< 'echo "ok 1 - a"; echo "ok 2 - b # SKIP no b"; echo 1..2'
check "a part that passes: status 0" same $? 0
check "a part that passes: counts" same "$(tail -n 1 "$dir/said")" "1 passed, 0 failed, 1 skipped"
check "a part that passes: what it skips is named" said "SKIP fake: b # SKIP no b"
runs <<< 'echo "ok 1 - a"; echo "not ok 2 - b"; echo "# why"; echo 1..2'
check "a part that fails: status 1" same $? 1
check "a part that fails: the test is named" said "FAIL fake: b"$'\n'"     # why"
runs <<< 'echo "ok 1 - a"; echo 1..2'
check "a part that stops early" said "FAIL fake: 1 of 2 tests ran"
runs <<< 'echo "ok 1 - a"; echo 1..1; exit 3'
check "a part that dies" said "FAIL fake: exit status 3, 1 of 1 tests ran"
runs <<< 'echo 1..0'
check "nothing ran: status 1" same $? 1

runs <<< 'echo "ok 1 - $TMPDIR"; touch "$TMPDIR/file"; echo "not ok 2 - $TMPDIR"; echo 1..2'
check "a part has a directory of its own" said "FAIL fake: /"
check "that is gone after it" fails 1 test -e "$(sed -n 's/^FAIL fake: //p' "$dir/said")"

# Processes of their own session, whose parent has ended; the second has a name that is hard to read.
cp "$(command -v sleep)" "$dir/) R 1 ("
runs DIR="$dir" <<- 'END'
	setsid sh -c 'sleep 600 & echo $! > "$DIR/pid"' &
	wait $!
	"$DIR/) R 1 (" 600 &
	echo $! > "$DIR/named"
	echo "ok 1 - a"
	echo 1..1
END
check "a part that leaves processes: status 1" same $? 1
check "a part that leaves processes: they are named" said "FAIL fake: it left a process: sleep ($(cat "$dir/pid"))"
check "a part that leaves processes: whatever the name" said "it left a process: ) R 1 ( ($(cat "$dir/named"))"
check "a part that leaves processes: they are ended" ended "$dir/pid"
runs <<< 'sleep 1 & echo "ok 1 - a"; echo 1..1'
check "one that ends by itself soon is not left" same $? 0
runs DIR="$dir" PART_TIMEOUT=5 <<- 'END'
	setsid sh -c 'sleep 600 & echo $! > "$DIR/late"; wait' &
	wait
END
check "a part that hangs: said" said "FAIL fake: it took more than 5 s, 0 of 0 tests ran"
check "a part that hangs: what it started is ended" ended "$dir/late"

# interrupted SIGNAL: sent to the runner while a part waits.
interrupted()
{
	rm -f "$dir/waits"
	# shellcheck disable=SC2016
	(trap - INT; DIR=$dir exec bash -c '. tests/part.sh; run_part fake bash "$0"' "$dir/script") > "$dir/said" 2>&1 &
	local runner=$!
	wait_for test -s "$dir/waits"
	kill "-$1" $runner
	wait $runner 2> /dev/null
	same $? "$2" && wait_for ended "$dir/waits"
}
echo 'sleep 600 & echo $! > "$DIR/new"; mv "$DIR/new" "$DIR/waits"; wait' > "$dir/script"
check "SIGTERM ends the runner and all that it started" interrupted TERM 143
check "SIGHUP, too" interrupted HUP 129
check "after SIGKILL nothing is left, either" interrupted KILL 137
plan_end
