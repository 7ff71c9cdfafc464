#!/usr/bin/env bash
# What a user sees at a terminal: profrep top --live, which draws each interval anew, and profrec's closing lines. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

"$BUILD/tests/prof_make" < tests/golden/intervals.txt > "$dir/intervals.prof" || exit 1

# In a pipe there are no screens, and each interval is below its time.
check "intervals in a pipe" same "$("$profrep" top --live - < "$dir/intervals.prof" 2> /dev/null |
	awk '/^[0-9][0-9]:/ {time = $1} $NF == "one" {print time, $1}' | xargs)" "23:59:52 3 23:59:56 3 23:59:58 5"
check "no escapes in a pipe" same "$("$profrep" top --live "$dir/intervals.prof" 2> /dev/null | grep -c $'\033')" 0

# A recorder that was held up writes one epoch for several intervals. CPUs are by its true length.
"$BUILD/tests/prof_make" < tests/golden/held-up.txt > "$dir/held-up.prof" || exit 1
check "held up: as busy as it was, and what the interval stands for" same \
	"$("$profrep" top --live "$dir/held-up.prof" 2> "$dir/err" | grep -E '^[0-9]{2}:|held up|busy')" \
	"21:59:55
5.20 s instead of 1 s: the recorder was held up
2.00 of 2 CPUs busy
21:59:56
0.996 of 2 CPUs busy
21:59:57
2.00 of 2 CPUs busy
21:59:58"
check "held up: a warning says why, and what to do" has_text \
	"WARNING: the recorder was held up in 1 interval, which lasted 5.20 s instead of 1 s: the reader of its output was too slow, or the host too busy. Consider recording to a file, or a longer --interval." "$dir/err"
check "one recording only" says 1 "option --live: needs one recording" \
	"$profrep" top --live "$dir/intervals.prof" "$dir/intervals.prof"

# Processes that share a function, and one whose name is long.
cat > "$dir/processes.txt" << 'END'
meta freq_hz 10
meta interval_ns 2000000000
object f file /nonexistent/f -
sym f 0 16 one
sym f 16 16 two
process p 10 1
map p f 0x1000 0x1000 0
info p 10 0 shop-server-of-the-north /bin/shop /
process q 11 1
map q f 0x1000 0x1000 0
info q 11 0 web /bin/web /
count p a 2 user f:1
count p a 4 user f:17
count q b 3 user f:1
epoch 0 2000000000
end duration_ns 2000000000
END
"$BUILD/tests/prof_make" < "$dir/processes.txt" > "$dir/processes.prof" || exit 1
sed '1i meta pids 10' "$dir/processes.txt" | "$BUILD/tests/prof_make" > "$dir/of-one.prof" || exit 1
# processes_of OPTION... FILE: what stands between the bars and the module, by function.
processes_of() { "$profrep" top --live "$@" | awk '/ f +(one|two)$/ {sub(/^.*#-* +/, ""); sub(/ +f +/, " : "); gsub(/ +/, " "); print}' | sort; }
check "a function's process, and how many others there are" same "$(processes_of "$dir/processes.prof")" \
	"$(printf '%s\n' "10 shop-server-of-the-north : two" "11 web +1 : one")"
check "no process of a function if a filter chooses processes" \
	same "$(processes_of --pid 10,11 "$dir/processes.prof")" $'f one\nf two'
check "no process of a function if one process was recorded" same "$(processes_of "$dir/of-one.prof")" $'f one\nf two'
check "no process of other things than functions" same "$("$profrep" top --live --by comm "$dir/processes.prof" | grep -c PROCESS)" 0

# Functions of a language, as in a table of a whole recording: from the interval on in which most samples have them.
cat > "$dir/language.txt" << 'END'
meta interval_ns 1000000000
object py file /nonexistent/python3.11 aabbccddeeff00112233445566778899aabbccdd
object work anon /srv/app/work.py - instance=4294967040
language py interpreter py CPython 3.11.2
language work source py
sym py 0x1000 0x100 eval_frame
sym work 0x400000006 2 leaf
process app 4711 100
map app py 0x400000 0x10000 0
count app python3 3 user py:0x1010
count app python3 2 user py:0x1010 work:0x400000007 py:0x1010
epoch 0 1000000000
count app python3 2 user py:0x1010
count app python3 3 user py:0x1010 work:0x400000007 py:0x1010
epoch 1000000000 2000000000
count app python3 3 user py:0x1010
count app python3 2 user py:0x1010 work:0x400000007 py:0x1010
epoch 2000000000 3000000000
end duration_ns 3000000000
END
"$BUILD/tests/prof_make" < "$dir/language.txt" > "$dir/language.prof" || exit 1
leaves_of() { "$profrep" top --live "$@" | awk '/ (eval_frame|leaf)$/ {print $1, $NF} /^Frames of/ {print "left out"}' | xargs; }
check "functions of a language alone, once most samples have them" same "$(leaves_of "$dir/language.prof")" \
	"5 eval_frame 0 leaf left out 3 leaf 2 eval_frame left out 3 eval_frame 2 leaf"
check "all frames where the user wants them" same "$(leaves_of --frames mixed "$dir/language.prof")" \
	"5 eval_frame 0 leaf 5 eval_frame 0 leaf 5 eval_frame 0 leaf"

# The first half of a stream is drawn before the second comes.
if command -v tmux > /dev/null; then
	export TMUX_TMPDIR=$dir SHELL=$BASH # the user may have none
	# A server and a FIFO of its own for each screen: one that has been killed takes a moment to go.
	screen=0
	tmux() { command tmux -L "$screen" -f /dev/null "$@"; }
	next_screen()
	{
		[ $screen -eq 0 ] || tmux kill-server
		screen=$((screen + 1))
		stream=$dir/stream$screen
		mkfifo "$stream"
	}
	next_screen
	cleanup_extra() { tmux kill-server 2> /dev/null; }
	# shows TEXT: the screen has it, sooner or later.
	shows() { wait_for on_screen "$1" || { tmux capture-pane -p; return 1; }; }
	on_screen() { tmux capture-pane -p | grep -q -- "$1"; }
	tmux new-session -d -x 100 -y 12 "'$profrep' top --live - < '$stream' 2> '$dir/err'; stty -a > '$dir/stty'; sleep 1000"
	exec 3<> "$stream"
	head -c -120 "$dir/intervals.prof" >&3
	check "an interval is drawn as it comes" shows "^23:59:5"
	check "an interval is drawn with its functions" shows " one$"
	tmux send-keys s
	check "s: another order" shows "^23:59:5.  by total"
	tmux send-keys /
	tmux send-keys -l nothing
	tmux send-keys Enter
	check "a filter" shows "filter 'nothing'  ("
	check "a filter leaves what matches" wait_for fails 1 on_screen " one$"
	tmux send-keys / Escape
	check "Escape takes the filter away" shows " one$"
	tmux send-keys /
	tmux send-keys -l nothing
	tmux send-keys Enter
	wait_for on_screen "filter 'nothing'  ("
	tmux send-keys Escape
	check "... also when it has been typed" shows " one$"
	is_marked() { tmux capture-pane -pe | grep -qE $'\033''\[(0;)?7m.*one'; }
	check "the first row is marked" wait_for is_marked
	tmux send-keys Down Down
	check "there is no row below the last" wait_for is_marked
	tmux send-keys Enter
	check "Enter: callers of the marked function" shows "^23:59:5.  callers of [a-z]*  ("
	check "callers end with the thread" shows "^ .* % *a$"
	tmux send-keys Enter
	check "Enter: back to the table" shows "^23:59:5.  by total"
	tmux send-keys Space
	check "space: a pause" shows "PAUSED"
	tmux send-keys Space
	wait_for fails 1 on_screen PAUSED
	tail -c 120 "$dir/intervals.prof" >&3
	exec 3>&-
	check "at the end all that was recorded is told" shows "^16 samples in 13.5 s, 1 lost$"
	check "the last screen has the sums of all intervals" shows "^ *11  68.75 % .* one$"
	wait_for test -s "$dir/stty"
	check "after the stream the terminal is as it was" \
		same "$(grep -o ' -\?\(icanon\|echo\) ' "$dir/stty" | xargs)" "icanon echo"
	next_screen
	for columns in 80 100 150; do
		tmux new-session -d -x $columns -y 12 "'$profrep' top --live - < '$stream'; sleep 1000"
		exec 3<> "$stream"
		head -c -20 "$dir/processes.prof" >&3
		check "$columns columns: processes" shows "  11 web  *+1  .*one$"
		check "$columns columns: a long name is cut" shows "  10 shop-[a-z-]*\.\.\.  .*two$"
		exec 3>&-
		next_screen
	done
	# What a screen without a table waits for. A recording that is cut in its end record has not ended.
	waits() # waits TEXT BYTES FILE
	{
		tmux new-session -d -x 72 -y 12 "'$profrep' top --live - < '$stream'; sleep 1000"
		exec 3<> "$stream"
		head -c "$2" "$3" >&3
		check "the screen tells what it waits for: $1" shows "^$1$"
		exec 3>&-
		next_screen
	}
	grep ^meta tests/golden/intervals.txt | "$BUILD/tests/prof_make" > "$dir/begun.prof"
	grep '^meta [^i]' tests/golden/intervals.txt | "$BUILD/tests/prof_make" > "$dir/whole.prof"
	waits "Waiting for the recording to begin." 0 "$dir/begun.prof"
	waits "Waiting for the first interval, of 2 s." -8 "$dir/begun.prof"
	waits "'profrec -i 1' writes an interval each second." -8 "$dir/whole.prof"
	# A writer that ends when it is interrupted, as profrec does.
	mkfifo "$dir/never"
	cat > "$dir/writer" << END
trap 'touch "$dir/interrupted"; exit' INT
cat "$dir/intervals.prof"
read -r _ <> "$dir/never"
END
	tmux new-session -d -x 100 -y 12 \
		"bash '$dir/writer' | '$profrep' top --live - 2> '$dir/err'; echo \$? > '$dir/status'; sleep 1000"
	wait_for on_screen " one$"
	tmux send-keys q
	wait_for test -s "$dir/status"
	check "q: the recorder is interrupted, and its reader ends well" same "$(cat "$dir/status") $(ls "$dir/interrupted")" "0 $dir/interrupted"
	next_screen
	tmux new-session -d -x 100 -y 12 "'$profrep' top --live - < '$stream'; stty -a > '$dir/stty.term'; sleep 1000"
	exec 3<> "$stream"
	cat "$dir/intervals.prof" >&3
	wait_for on_screen " one$"
	kill "$(child_of "$(tmux display-message -p '#{pane_pid}')" profrep)"
	wait_for test -s "$dir/stty.term"
	check "a signal: the terminal is as it was" same "$(grep -o ' -\?\(icanon\|echo\) ' "$dir/stty.term" | xargs)" "icanon echo"
	exec 3>&-
	next_screen
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
	wait_for has_text Sampling "$dir/err"
	recorder=$(child_of $group profrec)
}
has_no() { [ -z "$(child_of "$1" "$2")" ]; }
if [ -z "$way" ]; then
	skip "Ctrl-C in a pipeline" "profrec cannot record here"
else
	"$workloads/func_ab" &
	busy=$!
	begun $busy func_ab # the reader tells samples by the name
	pipeline "'$profrec' -F 99 -i 1 -p $busy -o - | '$profrep' top --live --by comm - > '$dir/live'"
	wait_for has_text func_ab "$dir/live"
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
	check "the next command is told on a terminal" \
		contains "$(closing "-o $dir/a.prof -- true")" "profrec: next: profrep html $dir/a.prof"
	check "the next command is that of the file" "$profrep" info "$dir/a.prof"
	check "the next command is not told in a pipe" same "$("$profrec" -o "$dir/a.prof" -- true 2>&1 | grep -c next:)" 0
	check "the next command is not told with -q" same "$(closing "-q -o $dir/a.prof -- true")" ""
else
	skip "closing lines" "script is not installed"
fi
plan_end
