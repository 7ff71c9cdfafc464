#!/usr/bin/env bash
# profrep push of a stream: each part as it comes, a spool while the receiver is away, and an end by Ctrl-C. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/receiver.sh
. tests/lib/receiver.sh
need_receiver
export TMPDIR=$dir/tmp
mkdir "$TMPDIR"
cd "$dir" || exit 1
push() { "$profrep" push "$url" "$@"; }
# begin_stream [OPTION...]: reads from a FIFO, which is open for writing as 5, and writes to push.log. Its pid is in $push_pid.
begin_stream()
{
	rm -f pipe
	mkfifo pipe
	: > push.log
	"$profrep" push "$@" "$url" - < pipe > push.log 2>&1 &
	push_pid=$!
	exec 5> pipe
}
# end_stream: closes the FIFO, and returns the status of profrep.
end_stream()
{
	exec 5>&-
	wait "$push_pid"
}
make_recording a.prof 1
# Where the end record begins: each record is a frame of zstd that readers skip, and one with its contents.
without_end=$(LC_ALL=C grep -aobUP 'Q\x2aM\x18' a.prof | tail -n 1 | cut -d : -f 1)
sums=$(folded_sums a.prof | awk '{n += $NF} END {print n}')

## A part is pushed while the recorder still writes.
for kind in "" --otlp; do
	start_receiver
	begin_stream ${kind:+"$kind"}
	head -c "$without_end" a.prof >&5
	wait_for sums_are a.prof
	check "an epoch comes before the end${kind:+ by OTLP}" sums_are a.prof
	tail -c +$((without_end + 1)) a.prof >&5
	end_stream
	check "a stream ends well${kind:+ by OTLP}" same $? 0
	check "a stream ends with its account alone${kind:+ by OTLP}" \
		same "$(cat push.log)" "pushed: 3 profiles with $sums samples"
done
check "a file as standard input" push - < a.prof
check "a file as standard input: its own spool is gone" same "$(find tmp -type f)" ""
start_receiver
check "filters" says 0 "pushed: 1 profile with" push --comm service1 - < a.prof
check "a filter that leaves nothing" says 1 "no sample" push --comm nobody - < a.prof
check "a recording that is cut" says 3 "the recording '-' is incomplete" push - < <(head -c "$without_end" a.prof)
check "a stream that is no recording" \
	says 1 "failed to read '-': file header at offset 0: not a recording" push - < <(echo none)
check "a spool for a file" says 2 "option --spool: needs --watch, or - as the recording" push --spool s a.prof
printf '%s\n' "event kernel events 1 k:vfs_read" "process p 1 1" "count p a 5" | "$BUILD/tests/prof_make" > calls.prof
check "no CPU time" says 1 "it has no CPU time" push - < calls.prof

## A disk without room: what comes meanwhile is lost and counted, and the stream goes on.
if mkdir disk && mount -t tmpfs -o size=64k tmpfs disk 2> log; then
	cleanup_extra() { umount -l "$dir/disk"; }
	dd if=/dev/zero of=disk/full bs=4k 2> log
	rm disk/full
	dd if=/dev/zero of=disk/full bs=4k count=14 2> log
	start_receiver
	begin_stream --spool disk/spool
	wait_for test -d disk/spool
	dd if=/dev/zero of=disk/more bs=4k 2> log
	head -c "$without_end" a.prof >&5
	wait_for has_text WARNING push.log
	check "a full disk is said, and the stream goes on" contains "$(cat push.log)" \
		"WARNING: profiles are lost, because there is no room on the disk of the spool 'disk/spool'."
	rm disk/more disk/full
	tail -c +$((without_end + 1)) a.prof >&5
	end_stream
	check "a full disk: the run ends with losses" same $? 3
	check "a full disk: losses are counted" \
		contains "$(tail -n 1 push.log)" "; lost to a full disk: 3 profiles with $sums samples"
	check "a full disk: nothing came" same "$(cat receiver/samples 2> log)" ""
	umount disk
	cleanup_extra() { :; }
else
	skip "a full disk" "no tmpfs can be mounted"
fi

## Nobody listens: the spool has it.
end_receiver
begin_stream --spool spool
head -c "$without_end" a.prof >&5
wait_for has_text retrying push.log
kill -TERM "$push_pid"
end_stream
check "a signal ends a stream with status 0" same $? 0
check "a signal ends a stream: the last line tells what waits" same "$(tail -n 1 push.log)" \
	"pushed: 0 profiles with 0 samples; waiting in the spool: 3 profiles with $sums samples"
check "a receiver that stays away is an error" says 1 "failed to push all profiles" push --patience 1 --spool spool - < a.prof
check "a receiver that stays away: what becomes of profiles is said" contains "$(cat err)" "hint: they wait in the spool"
make_recording b.prof 2
start_receiver
check "after a receiver that stayed away, the next run sends all" push --spool spool - < b.prof
check "after a receiver that stayed away, nothing is missing" sums_are a.prof a.prof b.prof
end_receiver
check "without --spool" says 1 "not sent: 3 profiles with $sums samples" push --patience 1 - < a.prof
check "without --spool nothing is left behind" same "$(find tmp -mindepth 1)" ""
start_receiver "503*4"
check "a receiver that recovers" push - < a.prof
check "a receiver that recovers has all" sums_are a.prof
start_receiver 401
check "a token that is wrong" says 1 "not sent: 3 profiles" push - < a.prof

## A signal to profrep alone, while its recorder writes nothing more: two do not wait.
start_receiver
begin_stream
head -c "$without_end" a.prof >&5
wait_for sums_are a.prof
kill -TERM "$push_pid"
# Two signals that wait are one.
wait_for grep -q '^ShdPnd:.0*$' "/proc/$push_pid/status"
kill -TERM "$push_pid"
wait "$push_pid"
check "two signals end a stream" same "$?" 0
check "two signals end a stream in silence" same "$(cat push.log)" "pushed: 3 profiles with $sums samples"
exec 5>&-

## A recorder.
find_way
names=("a recorder's intervals come while it records" "Ctrl-C ends recorder and stream" "after Ctrl-C all is pushed"
	"Ctrl-C ends recorder and stream in silence")
if [ -z "$way" ]; then
	for name in "${names[@]}"; do skip "$name" "profrec cannot record here: ${no_bpf%%$'\n'*}"; done
else
	start_receiver
	cat > both <<-END
		"$profrec" -q -i 0.5 -o - -- "$workloads/func_ab" 2> recorder.log | tee live.prof | "$profrep" push "$url" - 2> push.log
		echo "\${PIPESTATUS[*]}" > status
	END
	setsid bash both &
	both=$!
	came() { at_least "$(cut -f 2 receiver/requests | wc -l)" 3; }
	wait_for came
	check "${names[0]}" same "$(cat status 2>&1)" "cat: status: No such file or directory"
	kill -INT -- "-$both"
	wait "$both"
	check "${names[1]}" same "$(cat status)" "0 0 0"
	check "${names[2]}" sums_are live.prof
	check "${names[3]}" same "$(sed -E '/^WARNING: .* lost/d; s/[0-9]+/N/g' push.log recorder.log)" "pushed: N profiles with N samples"
fi
plan_end
