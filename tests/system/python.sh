#!/usr/bin/env bash
# Functions of Python in short processes and early samples, of an interpreter of the tests' own, whose structure is known, and
# of /usr/bin/python3 with a program whose calls are known. system/languages has processes that go on, and lies.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
need_tables
fake=$dir/fake_python
build "$fake" fake_python.c "${frameless[@]}" -Wl,--export-dynamic

structure='evaluate;outer_\[py\];K.middle_\[py\];native_helper;evaluate;inner_\[py\];burn_inside'

# The table of its file takes about as long as the recording.
printf '.text\n.rept 300000\n.cfi_startproc\nret\n.cfi_endproc\n.endr\n.section .note.GNU-stack,"",@progbits\n' > "$dir/many.s"
build "$dir/large" fake_python.c "${frameless[@]}" -Wl,--export-dynamic "$dir/many.s"
"$dir/large" 60000 &
large=$!
runs_large() { [ "$(readlink /proc/$large/exe)" = "$dir/large" ]; }
wait_for runs_large
"$profrec" -q -F 999 -U -p $large -o "$dir/large.prof" 0.2
kill $large
wait $large 2> /dev/null
check "functions are there from the first sample" mostly <("$profrep" -fa "$dir/large.prof") large '_\[py\]' 90

# The file is known after the first process, and each process runs for 20 ms.
record short sh -c "$fake 25; for i in \$(seq 30); do $fake 1; done"
"$profrep" processes "$dir/short.prof" > /dev/null
check "short processes have functions" mostly <(grep burn_inside "$dir/short.folded") fake_python "$structure" 60

"$profrec" -q -U --languages none -F 499 -o "$dir/none.prof" -- "$fake" 10
check "no languages, no functions" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[py\]')" 0
check "a language that is not known" fails 2 "$profrec" -q --languages perl6 -o "$dir/x.prof" 1

ln -s fake_python "$dir/unnamed"
record unnamed sh -c "$fake 5; $dir/unnamed 40 unnamed"
check "inner names that cannot be read do not hide those of callers" mostly "$dir/unnamed.folded" unnamed \
	'evaluate;outer_\[py\];K.middle_\[py\];native_helper;evaluate;' 80

# The stub of -X perf has no name.
record short_perf sh -c "$fake 5; for i in \$(seq 30); do $fake 1 perf; done"
# On some machines, a quarter of their time is that of the dynamic linker.
check "-X perf: stacks of short processes lead through the stub" mostly <(grep burn_inside "$dir/short_perf.folded") fake_python \
	'main;PyEval_EvalFrameEx;\[unknown\];evaluate;outer_\[py\];K.middle_\[py\];native_helper;\[unknown\];evaluate;inner_\[py\];burn_inside' 80
record short_stub sh -c "$fake 5; for i in \$(seq 30); do $fake 1 stub; done"
check "-X perf: a stub of other bytes has no caller in short processes" same \
	"$(grep -c 'main;.*\[unknown\];evaluate' "$dir/short_stub.folded")" 0

# Two threads, one of which has released the interpreter's lock.
python=/usr/bin/python3
why=
[ -x $python ] || why="there is no $python"
if [ -z "$why" ]; then
	"$profrec" -q -F 999 -o "$dir/python.prof" -- $python tests/programs/known_calls.py 3
	case $(info "$dir/python.prof" interpreter) in
	*without*) why="$python is $(info "$dir/python.prof" interpreter)" ;;
	esac
	"$profrep" -fa --unnamed function "$dir/python.prof" > "$dir/python.folded" 2> "$dir/python.err"
fi
if [ -n "$why" ]; then
	skip "python3" "$why"
else
	judge python 500 -f tests/judges/pairs.awk -f tests/judges/python.awk
	$python tests/programs/known_calls.py 0 "$dir/own_stacks"
	awk -f tests/judges/stacks.awk "$dir/own_stacks" "$dir/python.folded" >> "$dir/python.truth" 2> "$dir/others"
	check "python: functions stand before the frame that runs them" same "$(truth python misplaced)" 0
	check "python: nothing is displaced or unread" at_most \
		"$(sum_samples '\[displaced\]|\[not readable\]' < "$dir/python.folded")" "$(($(truth python stacks) / 100))"
	check "python: the interpreter tells of the same stacks" above "$(truth python same)" 50
	# A call of a coroutine has its own function for a moment, and the interpreter does not tell of that.
	check "python: the interpreter knows of all other stacks" at_most "$(truth python others)" "$(($(truth python same) / 50 + 2))"
	check "python: functions without the lock" above "$(sum_samples 'compress_\[py\].*deflate' < "$dir/python.folded")" 10
fi

# While the recorder stands still, it tells the BPF program of no new process, and has no room for more copies of stacks.
# Such stacks are walked along rbp, where any value may stand.
if has_bpf "a recorder that stands still"; then
	build "$dir/no_frame" no_frame.c
	# shellcheck disable=SC2016
	"$profrec" -q -U -F 999 -o "$dir/still.prof" -- sh -c 'kill -STOP $PPID; "$1"; kill -CONT $PPID' sh "$dir/no_frame" 2> /dev/null
	"$profrep" -fa "$dir/still.prof" > "$dir/still.folded"
	check "a recorder that stands still has samples" above "$(sum_samples '^no_frame' < "$dir/still.folded")" 200
	check "values that look like functions are none" same "$(sum_samples '_\[[a-z][a-z]+\]' < "$dir/still.folded")" 0
fi
plan_end
