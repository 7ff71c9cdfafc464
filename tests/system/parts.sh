#!/usr/bin/env bash
# The runner of the tests: its words about parts that fail, parts side by side, and that nothing outlives a part. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

# runs [VARIABLE=VALUE]: runs the script on stdin as a part; its output goes to $dir/said.
runs()
{
	cat > "$dir/script"
	# shellcheck disable=SC2016 # for the shell that is started
	env -u KEEP "$@" bash -c '. tests/lib/part.sh; run_part fake bash "$0"; sum_results' "$dir/script" > "$dir/said" 2>&1
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
check "a part's directory is gone after it" fails 1 test -e "$(sed -n 's/^FAIL fake: //p' "$dir/said")"

# KEEP=1 keeps the directory of a part that fails: "tmp" is its temporary directory, and "out" has what it said.
runs KEEP=1 <<< '. tests/lib/tap.sh; touch "$dir/file"; check "a" false; plan_end'
kept=$(sed -n 's/^ *kept: \(.*\/fake\)$/\1/p' "$dir/said")
check "KEEP: the directory of a part that fails stays" test -e "${kept:-none}"/tmp/*/file
check "KEEP: what a part that fails said stays" grep -q '^not ok 1 - a' "${kept:-none}/out"
[ -z "$kept" ] || rm -rf "${kept%/fake}"
runs KEEP=1 TMPDIR="$dir" <<< '. tests/lib/tap.sh; touch "$dir/file"; check "a" true; plan_end'
check "KEEP: nothing is left of a part that passes" same "$(find "$dir" -mindepth 1 -maxdepth 1 -type d)" ""

# beside NUMBER NAME...: runs the scripts $dir/NAME as parts, so many side by side, "longest" first.
beside()
{
	# shellcheck disable=SC2016 # for the shell that is started
	env -u KEEP JOBS="$1" bash -c '. tests/lib/part.sh; part_command() { command=(bash "$0/$1"); }
		longest=(longest); run_beside "$@"; sum_results' "$dir" "${@:2}" > "$dir/said" 2>&1
}
# wait_script OWN OTHER: a part that makes one file, and waits for the other one.
wait_script() { echo "touch '$dir/$1'; . tests/lib/tap.sh; check a wait_for test -e '$dir/$2'; plan_end"; }
wait_script one other > "$dir/first"
wait_script other one > "$dir/last"
echo 'echo "not ok 1 - b"; echo 1..1' > "$dir/second"
beside 2 first second last
check "side by side: status 1, since one fails" same $? 1
check "side by side: parts come in order, with what they say" same "$(cat "$dir/said")" "$(printf '%s\n' \
	"first: 1 passed, 0 failed, 0 skipped" "FAIL second: b" "second: 0 passed, 1 failed, 0 skipped" \
	"last: 1 passed, 0 failed, 0 skipped" "2 passed, 1 failed, 0 skipped")"
# A part of the class sampling. again NAME FAILURES: it fails in the runs with these numbers.
again()
{
	rm -f "$dir/ran"
	# shellcheck disable=SC2016 # for the shell that is started
	env -u KEEP FAILS="$2" bash -c '. tests/lib/part.sh; rests_on() { echo sampling; }
		part_command() { command=(bash "$0/chance"); }
		part_command; run_part "$1" "${command[@]}"; run_again; list_failures; sum_results' "$dir" "$1" > "$dir/said" 2>&1
}
cat > "$dir/chance" << 'END'
echo >> "${0%/*}/ran"
[[ $FAILS != *$(wc -l < "${0%/*}/ran")* ]] || no="not "
echo "${no:-}ok 1 - a"
echo "${no:-}ok 2 - b"
echo 1..2
END
again fake 1
check "chance: one failure of three runs is no failure: status" same $? 0
check "chance: one failure of three runs is no failure: what it says" same "$(cat "$dir/said")" "$(printf '%s\n' \
	"NOISE fake: a" "  also fake: b" "fake: 0 passed, 2 failed, 0 skipped" \
	"AGAIN fake: run 2 of 3" "fake: 2 passed, 0 failed, 0 skipped" "AGAIN fake: run 3 of 3" \
	"fake: 2 passed, 0 failed, 0 skipped" "" "NOISE fake: a [tests/steady fake]" "2 passed, 0 failed, 0 skipped")"
again fake 13
check "chance: two failures of three runs: status" same $? 1
check "chance: two failures of three runs: what it says" same "$(tail -n 6 "$dir/said")" "$(printf '%s\n' \
	"FAIL fake: a (2 of 3 runs fail)" "" "FAILED fake: a (2 of 3 runs fail) [make check TESTS=fake]" \
	"NOISE fake: a [tests/steady fake]" "NOISE fake: a [tests/steady fake]" "0 passed, 2 failed, 0 skipped")"
again fake none
check "chance: no failure, no second run" same "$(wc -l < "$dir/ran") $(tail -n 1 "$dir/said")" "1 2 passed, 0 failed, 0 skipped"
# much LINES: a run with so many lines of NOISE.
much()
{
	# shellcheck disable=SC2016 # for the shell that is started
	env -u KEEP bash -c '. tests/lib/part.sh; echo "1 0 0 fake" >> "$results"
		for ((i = 0; i < $0; i++)); do echo "NOISE fake: a"; done >> "$noise"; sum_results' "$1"
}
check "chance: three lines of NOISE" same "$(much 3)" "1 passed, 0 failed, 0 skipped"
check "chance: more lines of NOISE than may be chance" same "$(much 4)" \
	"FAIL 4 lines of NOISE: 3 may be chance"$'\n'"1 passed, 1 failed, 0 skipped"

# A wait in vain ends the script, also one in a function whose output is kept; \$SECONDS is made to pass.
in_vain()
{
	runs <<< '. tests/lib/tap.sh; nap() { SECONDS=$((SECONDS + 100)); }; '"$1"'; check "c" true; plan_end'
	said "FAIL fake: the script goes on, since what it waits for comes"$'\n'"     # in vain: test -e none"$'\n'"fake: "
}
check "a wait in vain ends the script" in_vain 'wait_for test -e none'
check "a wait in vain ends the script: of a check" in_vain 'check "a" wait_for test -e none'
check "a wait in vain ends the script: of a function" in_vain 'f() { wait_for test -e none; }; f > /dev/null'
check "a wait in vain ends the script: in a subshell" in_vain 'x=$(wait_for test -e none); check "b" false'

for name in short longest; do echo "echo $name >> '$dir/order'" > "$dir/$name"; done
beside 1 short longest
check "the longest begins first" same "$(xargs < "$dir/order")" "longest short"
check "the longest stands where it was named" same "$(grep -o '^[a-z]*:' "$dir/said" | xargs)" "short: longest:"

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
check "a process that ends by itself soon is not left" same $? 0
# On a slow machine it may not have begun before its time is over.
for seconds in 2 20 200; do
	runs DIR="$dir" PART_TIMEOUT=$seconds <<- 'END'
		setsid sh -c 'sleep 600 & echo $! > "$DIR/late"; wait' &
		wait
	END
	[ ! -s "$dir/late" ] || break
done
check "a part that hangs: said" said "FAIL fake: it took more than $seconds s, 0 of 0 tests ran"
check "a part that hangs: what it started is ended" ended "$dir/late"

# interrupted SIGNAL: sent to the runner while a part waits.
interrupted()
{
	rm -f "$dir/waits"
	# shellcheck disable=SC2016
	(trap - INT; DIR=$dir exec env -u KEEP bash -c '. tests/lib/part.sh; run_part fake bash "$0"' "$dir/script") > "$dir/said" 2>&1 &
	local runner=$!
	wait_for test -s "$dir/waits"
	kill "-$1" $runner
	wait $runner 2> /dev/null
	same $? "$2" && wait_for ended "$dir/waits"
}
echo 'sleep 600 & echo $! > "$DIR/new"; mv "$DIR/new" "$DIR/waits"; wait' > "$dir/script"
check "SIGTERM ends the runner and all that it started" interrupted TERM 143
check "SIGHUP ends the runner and all that it started" interrupted HUP 129
check "SIGKILL of the runner ends all that it started" interrupted KILL 137
plan_end
