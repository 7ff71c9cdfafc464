#!/usr/bin/env bash
# profrep push --watch: recordings as they are finished, a spool that survives kills, and its account. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/receiver.sh
. tests/lib/receiver.sh
need_receiver
cd "$dir" || exit 1
mkdir in

check "a spool without --watch" says 2 "option --spool: needs --watch" "$profrep" push --spool s http://127.0.0.1:1 a.prof
check "--watch and recordings" says 2 "option --watch: not with recordings" "$profrep" push --watch in http://127.0.0.1:1 a.prof
check "a spool that is too small" says 2 "option --spool-size: 1K is out of range (1M to 1048576T)" \
	"$profrep" push --watch in --spool-size 1K http://127.0.0.1:1
check "no directory" says 1 "failed to open the spool 'none/.profrep-push'" "$profrep" push --watch none http://127.0.0.1:1

## Recordings as they are finished.
start_receiver
make_recording in/old.prof 1
make_recording in/late.prof.77.part 2
echo "not a recording" > in/README
start_push
wait_for sums_are in/old.prof
check "a recording that was there is pushed" sums_are in/old.prof
make_recording new.part 3
mv new.part in/new.prof
wait_for sums_are in/old.prof in/new.prof
check "a recording that gets its name is pushed" sums_are in/old.prof in/new.prof
make_recording third 4
cp third in/third.prof
wait_for sums_are in/old.prof in/new.prof in/third.prof
check "a recording that is copied is pushed" sums_are in/old.prof in/new.prof in/third.prof
check "another profrep has the spool" says 1 "another profrep has it" "$profrep" push --watch in "$url"
wait_for has_text README push.log
cp in/old.prof in/again.prof
wait_for grep -q again.prof push.log
check "a recording by another name is left" contains "$(cat push.log)" "it was pushed already, by this or another name"
check "a part of a recording is not taken" same "$(grep -c part push.log)" 0
end_push TERM
check "a watch ends by SIGTERM with status 0" same $? 0
check "a watch ends with its account" contains "$(tail -n 1 push.log)" "pushed: 9 profiles with"
check "no profile came twice" same "$(receiver_ids | sort | uniq -d)" ""
: > push.log
start_push
make_recording more.part 5
mv more.part in/more.prof
wait_for sums_are in/old.prof in/new.prof in/third.prof in/more.prof
end_push TERM
check "a second run goes on" sums_are in/old.prof in/new.prof in/third.prof in/more.prof
check "a file that could not be read is not said again in a second run" same "$(grep -c README push.log)" 0

## Files that get another name or time, and copies whose first file goes: a recording comes once.
rm -rf in && mkdir in
start_receiver
: > push.log
make_recording in/a.prof 30
start_push
wait_for sums_are in/a.prof
# again NAME: waits until profrep says of the file that its recording was pushed.
again() { wait_for grep -q "in/$1.prof.*was pushed already" push.log; }
mv in/a.prof in/b.prof
check "a file that gets another name" again b
: > push.log
touch in/b.prof
check "a file that gets another time" again b
cp in/b.prof in/c.prof
check "a copy" again c
rm in/b.prof
mv in/c.prof in/d.prof
check "a copy that gets another name" again d
end_push TERM
start_push
mv in/d.prof in/e.prof
check "another name in the next run" again e
end_push TERM
check "the recording came once" sums_are in/e.prof

## A receiver in trouble: the spool keeps all, in order.
rm -rf in && mkdir in
start_receiver "503*3"
make_recording in/a.prof 6
start_push
wait_for sums_are in/a.prof
check "after 503 all is there" sums_are in/a.prof
end_push TERM
check "after 503 all is there once" same "$(receiver_ids | sort | uniq -d)" ""
rm -rf in && mkdir in
make_recording in/a.prof 6
start_receiver "401*2"
start_push
wait_for sums_are in/a.prof
check "after a token that was wrong for a while all is there" sums_are in/a.prof
end_push TERM
end_receiver
make_recording in/b.prof 7
: > push.log
start_push
wait_for has_text "retrying" push.log
end_push TERM
check "nobody listens: a watch ends all the same" same $? 0
check "nobody listens: what waits is told" contains "$(tail -n 1 push.log)" "waiting in the spool: 3 profiles with"
keeps=1 start_receiver
start_push
wait_for sums_are in/a.prof in/b.prof
check "nobody listened: the next run sends what waited" sums_are in/a.prof in/b.prof
end_push INT
check "nobody listened: no sample is counted twice" same "$(grep -c "sent again, may" push.log)" 0

## A spool that is full, and profiles that grow old in it.
rm -rf in && mkdir in
end_receiver
for i in $(seq 12); do make_recording "in/$i.prof" "1$i" 20000; done
: > push.log
start_push --spool-size 1M --any-age
wait_for taken_all 12
end_push TERM
check "a full spool drops, and counts" contains "$(tail -n 1 push.log)" "dropped from a full spool"
check "a full spool keeps its size" at_most "$(cat in/.profrep-push/*-* | wc -c)" 1048576
sum_of() { grep -oE 'with [0-9]+ sample' push.log | tail -n +2 | awk '{n += $2} END {print n}'; }
check "a full spool: each sample is in the account" \
	same "$(sum_of)" "$(folded_sums in/*.prof | awk '{n += $NF} END {print n}')"
rm -rf in && mkdir in
age=60 make_recording in/a.prof 8
: > push.log
start_push
wait_for taken_all 1
wait_for has_text "retrying" push.log
end_push TERM
start_receiver
: > push.log
start_push --max-age 10
wait_for no_spool
end_push TERM
check "profiles that are too old by now" contains "$(tail -n 1 push.log)" "pushed: 0 profiles with 0 samples; too old: 3 profiles"

## A recording that is finished when its first minute is too old.
rm -rf in && mkdir in
start_receiver
printf '%s\n' "meta event cpu-clock" "meta freq_hz 100" "meta hostname h" "meta start_realtime_ns $(($(date +%s) - 3000))000000000" \
	"process p 1 1" "count p a 5" "part 0 2" "part 1500 3" "slices 1000000000 0" "epoch 0 1600000000000" | "$BUILD/tests/prof_make" > in/a.prof
: > push.log
start_push --max-age 2000
wait_for no_spool
end_push TERM
check "a recording that is long: its first profile comes too late" \
	contains "$(tail -n 1 push.log)" "too old: 1 profile with 2 samples"
check "a recording that is long: how it comes in time is said" contains "$(cat push.log)" \
	"WARNING: 1 profile of 'in/a.prof' is older than --max-age: shorter recordings (profrec --rotate 600) arrive in time"

## Kills before each step: nothing is lost, and what came twice was counted.
# pushed_or_killed: all is sent, or profrep is over.
pushed_or_killed() { no_spool || ! kill -0 "$push_pid"; }

# kill_before CALL N: pushes in/a.prof, and again after SIGKILL before the Nth of these system calls. Returns 1 if there are
# fewer of them.
kill_before()
{
	local status
	rm -rf in/.profrep-push
	: > receiver/samples
	: > receiver/profiles
	: > push.log
	strace -D -o trace -e trace="$1" -e inject="$1:signal=KILL:when=$2" "$profrep" push --watch in "$url" >> push.log 2>&1 &
	push_pid=$!
	wait_for pushed_or_killed
	kill -TERM "$push_pid" 2> log # if it is not over
	wait "$push_pid" 2> log
	status=$?
	start_push
	wait_for no_spool
	end_push TERM
	[ $status -eq 137 ]
}

if command -v strace > log; then
	rm -rf in && mkdir in
	start_receiver
	make_recording in/a.prof 20 2
	for call in mkdir write fsync renameat sendto recvfrom unlinkat; do
		: > wrong
		for ((n = 1; n <= 100; n++)); do
			kill_before $call $n || break
			{ holds_all in/a.prof && repeats_are_said 1; } > why || sed "s/^/$n: /" why >> wrong
		done
		check "killed before each $call: all is there, and what came twice is what was said" same "$(cat wrong)" ""
		check "killed before each $call: there is one, and an end of them" between $n 2 100
	done
else
	skip "kills" "strace is not installed"
fi

rm -rf in && mkdir in
make_recording in/a.prof 9
: > push.log
start_push
wait_for no_spool
rm -rf in
wait "$push_pid"
check "a directory that goes away is an error" same $? 1
check "a directory that goes away is said" contains "$(cat push.log)" "failed to watch 'in'"
push_pid=
plan_end
