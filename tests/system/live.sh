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

# Only a terminal is told of the next command.
find_way
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
