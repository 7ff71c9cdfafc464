#!/usr/bin/env bash
# The output fails at every step, or is slow. The error names the step, no partial file has the final name, and the part
# holds the samples. strace makes system calls fail. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf

"$workloads/func_ab" &
load=$!
out=$dir/o.prof
# As says, after it has removed the files of the previous test.
afresh() { rm -f "$out"*; says "$@"; }
absent() { [ ! -e "$out" ] || { echo "there is a file under the final name"; return 1; }; }
# The part exists, profrec says so, and it holds samples.
part_is_readable()
{
	contains "$(cat "$dir/err")" "what was recorded until then is in '$out." || return 1
	fails 3 "$profrep" -f "$out".*.part > "$dir/folded" 2> /dev/null || fails 0 "$profrep" -f "$out".*.part > "$dir/folded" || return 1
	[ -s "$dir/folded" ] || { echo "it is empty"; return 1; }
}
record=("$profrec" -q -F 999 -o "$out" 1)

## System calls that fail.
if command -v strace > /dev/null && strace -qq -o /dev/null true 2> /dev/null; then
	# failing CALL:error=ERRNO[:when=N] COMMAND...: the Nth of these calls of the recorder fails. Calls on files of
	# the system do not count.
	failing()
	{
		local what=$1
		shift
		strace -qq -o "$dir/strace" -e trace="${what%%:*}" -e inject="$what" "$@"
	}
	check "the rename fails: said" afresh 1 "failed to rename '$out." failing rename:error=EACCES "${record[@]}"
	check "the rename fails: with the reason" contains "$(cat "$dir/err")" "' to '$out': Permission denied"
	check "the rename fails: nothing under the final name" absent
	check "the rename fails: the recording is in the part" part_is_readable
	check "the disk fails at the sync: said" afresh 1 "Input/output error" failing fdatasync:error=EIO "${record[@]}"
	check "the disk fails at the sync: nothing under the final name" absent
	check "the disk fails at the sync: the recording is in the part" part_is_readable
	check "the disk fails at the sync of the directory: said" afresh 1 "failed to sync '$dir': Input/output error" \
		failing fsync:error=EIO "${record[@]}"
	check "the disk fails at the sync of the directory: the recording is whole" is_complete "$out"
	check "a write is interrupted: the recording goes on" afresh 0 "" failing write:error=EINTR:when=1+2 "${record[@]}"
	check "a write is interrupted: it was" contains "$(cat "$dir/strace")" "EINTR"
	check "a write is interrupted: the recording is whole" is_complete "$out"
	check "the first write fails: said" afresh 1 "failed to write '$out." failing write:error=EIO:when=1 "${record[@]}"
	check "the first write fails: nothing is left" same "$(find "$dir" -name 'o.prof*')" ""
	check "a later write fails: said" afresh 1 "No space left on device" failing write:error=ENOSPC:when=3 "${record[@]}"
	check "a later write fails: nothing under the final name" absent
	check "waiting is interrupted: the recording goes on" afresh 0 "" failing epoll_wait:error=EINTR:when=1+2 "${record[@]}"
	check "waiting is interrupted: it was" contains "$(cat "$dir/strace")" "EINTR"
	check "waiting is interrupted: the recording is whole" is_complete "$out"
	check "no memory for the maps: said" afresh 1 "failed to load the BPF programs" \
		failing bpf:error=ENOMEM:when=20+ "${record[@]}"
	check "no memory for the maps: nothing is left" same "$(find "$dir" -name 'o.prof*')" ""
	check "capabilities cannot be given up: it does not go on with them" afresh 1 \
		"failed to give up capabilities: Operation not permitted" failing capset:error=EPERM "${record[@]}"
else
	skip "system calls that fail" "strace is not installed, or cannot trace here"
fi

## Limits, and a disk that fills up.
limited() { prlimit --fsize=2048 "$@"; }
setsid "$workloads/manystacks" 1 12 &
many=$!
check "a limit on file sizes: said" afresh 1 "File too large" limited "${record[@]}"
check "a limit on file sizes: nothing under the final name" absent
if mkdir "$dir/disk" && mount -t tmpfs -o size=1m tmpfs "$dir/disk" 2> /dev/null; then
	cleanup_extra() { umount "$dir/disk"; }
	head -c 1044480 /dev/zero > "$dir/disk/fill" # a page is left
	out=$dir/disk/o.prof
	check "a full disk: said" afresh 1 "No space left on device" "$profrec" -q -F 999 -o "$out" 1
	check "a full disk: nothing under the final name" absent
	echo old > "$out"
	"$profrec" -q -F 999 -o "$out" 1 2> /dev/null
	check "a full disk: a file that was there stays" same "$(cat "$out")" old
	out=$dir/o.prof
else
	skip "a full disk" "no tmpfs can be mounted"
fi
kill -- -$many

## The target changes during the recording.
# meanwhile COMMAND: runs the command when a recording has begun. The recording ends then.
meanwhile()
{
	rm -rf "$out"*
	begin_recording -F 999 -o "$out"
	# Waits for samples, so that the part holds some.
	wait_for eval 'kill -USR1 '$recorder'; "$profrep" -f "$out".*.part 2> /dev/null | grep -q "^func_ab;"'
	eval "$1"
	end_recording
}
check "a directory took the name: said" fails 1 meanwhile "mkdir '$out'"
check "a directory took the name: with the reason" contains "$(cat "$dir/err")" "to '$out': Is a directory"
check "a directory took the name: the recording is in the part" part_is_readable
rm -rf "$out"*
check "a symbolic link took the name: it is replaced" meanwhile "ln -s '$dir/victim' '$out'"
check "a symbolic link took the name: not followed" fails 1 test -e "$dir/victim"
check "a symbolic link took the name: the recording is whole" is_complete "$out"
check "the part was removed: said" fails 1 meanwhile "rm '$out'.*.part"
check "the part was removed: with the reason" contains "$(cat "$dir/err")" "No such file or directory"

## Readers of standard output.
gone_later() { "$profrec" -q -F 999 -o - 3 2> "$dir/err" | head -c 100 > /dev/null; [ "${PIPESTATUS[0]}" -eq 1 ]; }
check "a reader that goes away: status 1" gone_later
check "a reader that goes away: said" contains "$(cat "$dir/err")" "failed to write 'standard output': Broken pipe"
slow() { "$profrec" -q -F 999 -o - 1 | { sleep 2; cat; } > "$dir/slow.prof"; [ "${PIPESTATUS[0]}" -eq 0 ]; }
check "a slow reader: status 0" slow
check "a slow reader: the recording is whole" is_complete "$dir/slow.prof"

# Nobody reads, and the recorder still obeys signals.
mkfifo "$dir/fifo"
exec 8<> "$dir/fifo" # no end of file, and nobody is told that nobody reads
fill() { dd if=/dev/zero of="$dir/fifo" bs=4096 count=256 oflag=nonblock 2> /dev/null; }
# unread: starts a recorder that writes there, and waits until it has begun.
unread()
{
	: > "$dir/err"
	"$profrec" -F 999 --names-wait 0 -o - > "$dir/fifo" 2> "$dir/err" 8>&- &
	recorder=$!
	wait_seconds=100 wait_for has_begun
}
# It may not get as far as sampling before the pipe is full.
has_begun() { grep -q Sampling "$dir/err" || grep -q pipe "/proc/$recorder/wchan"; }
samples() { grep -q '^NoNewPrivs:.*1' "/proc/$1/status"; }
# heeds SIGNAL NUMBER: sends the signal; the recorder has read it.
heeds()
{
	kill "-$1" $recorder
	wait_for eval "[ \$((0x\$(sed -n 's/^ShdPnd:[^0-9a-f]*//p' /proc/$recorder/status) >> $2 - 1 & 1)) -eq 0 ]"
}
still_there() { kill -0 $recorder; }
fill
filled=$(timeout 10 dd if="$dir/fifo" iflag=nonblock bs=1M 2> /dev/null | wc -c)
fill
unread
check "an unread pipe: the first signal is read" heeds TERM 15
check "an unread pipe: the recorder waits for the reader" still_there
cat < "$dir/fifo" > "$dir/unread" 8>&- &
reader=$!
exec 8>&-
wait $recorder
check "an unread pipe: the reader goes on, status 0" same $? 0
wait $reader
tail -c +$((filled + 1)) "$dir/unread" > "$dir/unread.prof"
check "an unread pipe: the recording is whole" is_complete "$dir/unread.prof"
check "an unread pipe: the signal ended it" same "$(info "$dir/unread.prof" end)" "stopped by a signal"
exec 8<> "$dir/fifo"
unread
wait_for samples $recorder
fill
check "a reader that hangs: the first signal is read" heeds INT 2
check "a reader that hangs: the recorder waits" still_there
end_recording
check "a reader that hangs: a further signal ends it, status 1" same $? 1
check "a reader that hangs: said" contains "$(cat "$dir/err")" \
	"failed to write 'standard output': a signal came while nobody read it"
exec 8>&-

## Stopped and continued.
stopped()
{
	local recorder
	"$profrec" -q -F 999 -o "$out" 1 &
	recorder=$!
	for _ in 1 2 3 4 5 6 7 8; do
		sleep 0.05
		kill -STOP $recorder
		sleep 0.05
		kill -CONT $recorder
	done
	wait $recorder
}
check "SIGSTOP and SIGCONT: the recording ends well" stopped
check "SIGSTOP and SIGCONT: it is whole" is_complete "$out"
check "SIGSTOP and SIGCONT: all is accounted for" is_accounted "$out"
kill $load
plan_end
