#!/usr/bin/env bash
# What a user sees at a terminal: profrep top --live, which draws each interval anew, and profrec's closing lines. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

"$BUILD/tests/prof_make" < tests/golden/intervals.txt > "$dir/intervals.prof" || exit 1

# In a pipe there are no screens, and each interval is below its time.
check "intervals in a pipe" same "$("$profrep" top --live - < "$dir/intervals.prof" 2> /dev/null |
	awk '/^[0-9][0-9]:/ {time = $1} $NF == "one" {print time, $1}' | xargs)" "23:59:52 3 23:59:56 3 23:59:58 5"
check "no escapes in a pipe" same "$("$profrep" top --live "$dir/intervals.prof" 2> /dev/null | grep -c $'\033')" 0
check "one recording only" says 1 "option --live: needs one recording" \
	"$profrep" top --live "$dir/intervals.prof" "$dir/intervals.prof"

# The first half of a stream is drawn before the second comes.
if command -v tmux > /dev/null; then
	export TMUX_TMPDIR=$dir SHELL=$BASH # the user may have none
	cleanup_extra() { tmux kill-server 2> /dev/null; }
	# shows TEXT: the screen has it, sooner or later.
	shows() { wait_for on_screen "$1" || { tmux capture-pane -p; return 1; }; }
	on_screen() { tmux capture-pane -p | grep -q -- "$1"; }
	mkfifo "$dir/stream"
	tmux -f /dev/null new-session -d -x 100 -y 12 "'$profrep' top --live - < '$dir/stream' 2> '$dir/err'; sleep 1000"
	exec 3> "$dir/stream"
	head -c -120 "$dir/intervals.prof" >&3
	check "an interval is drawn as it comes" shows "^23:59:5"
	check "with its functions" shows " one$"
	tail -c 120 "$dir/intervals.prof" >&3
	exec 3>&-
	check "and the last one in its place" shows "^00:00:0"
	check "an earlier one is gone" fails 1 on_screen "^23:59:52"
	tmux kill-server
else
	skip "a live screen" "tmux is not installed"
fi

# Ctrl-C, which all of a pipeline gets. Each runs in a group of its own, with SIGINT as a terminal has it.
find_way
# pipeline COMMAND: its statuses go to $dir/statuses, its errors to $dir/err. Its group is $group, its profrec $recorder.
pipeline()
{
	: > "$dir/err"
	setsid env --default-signal=INT bash -c "trap : INT; $1; echo \${PIPESTATUS[*]} > '$dir/statuses'" 2> "$dir/err" &
	group=$!
	wait_for grep -q Sampling "$dir/err"
	recorder=$(child_of $group profrec)
}
has_no() { [ -z "$(child_of "$1" "$2")" ]; }
if [ -z "$way" ]; then
	skip "Ctrl-C in a pipeline" "profrec cannot record here"
else
	"$workloads/func_ab" &
	busy=$!
	pipeline "'$profrec' -F 99 -i 1 -p $busy -o - | '$profrep' top --live --by comm - > '$dir/live'"
	wait_for grep -q func_ab "$dir/live"
	kill -INT -- -$group
	wait $group
	check "Ctrl-C: profrec and its reader end well" same "$(cat "$dir/statuses")" "0 0"
	check "Ctrl-C: the reader has all samples" same "$(awk '$NF == "func_ab" {n += $2} END {print n}' "$dir/live")" \
		"$(sed -n 's/^profrec: \([0-9]*\) samples .*/\1/p' "$dir/err")"

	# A reader that SIGINT ends, before profrec has written its last part.
	pipeline "'$profrec' -F 99 -p $busy -o - | sleep 600"
	has_sleep() { ! has_no $group sleep; }
	wait_for has_sleep
	kill -STOP "$recorder"
	kill -INT -- -$group
	wait_for has_no $group sleep
	kill -CONT "$recorder"
	wait $group
	check "Ctrl-C and a reader that ends first: as if killed" same "$(cat "$dir/statuses")" "130 130"
	check "Ctrl-C and a reader that ends first: no error" same "$(grep -c ': failed' "$dir/err")" 0
	kill $busy
fi

# Only a terminal is told of the next command.
if [ -z "$way" ]; then
	fail_if_refused "$no_bpf" || skip "closing lines" "profrec cannot record here: ${no_bpf%%$'\n'*}"
elif command -v script > /dev/null; then
	closing() { script -qec "'$profrec' $*" /dev/null < /dev/null | tr -d '\r' | tail -n 1; }
	check "the next command" contains "$(closing "-o $dir/a.prof -- true")" "profrec: next: profrep html $dir/a.prof"
	check "it is that of the file" "$profrep" info "$dir/a.prof"
	check "not in a pipe" same "$("$profrec" -o "$dir/a.prof" -- true 2>&1 | grep -c next:)" 0
	check "not with -q" same "$(closing "-q -o $dir/a.prof -- true")" ""
else
	skip "closing lines" "script is not installed"
fi
plan_end
