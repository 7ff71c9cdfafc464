#!/usr/bin/env bash
# Mistakes and bad luck: the words of the error, no half-done work stays, and no recorded sample is lost.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

nothing_left() { same "$(find "$dir" -name '*.part')" ""; }

## The command line.
check "an unknown option" says 2 "profrec: unknown option '--frob'" "$profrec" --frob
check "an unknown short option" says 2 "profrec: unknown option '-x'" "$profrec" -x
check "a missing value" says 2 "profrec: option -F: needs a value" "$profrec" -F
check "no number" says 2 "profrec: option -F/--frequency: 'abc' is not a whole number" "$profrec" -F abc
check "a number out of range" says 2 "option -F/--frequency: 0 is out of range (1 to 1000000)" "$profrec" -F 0
check "a negative duration" says 2 "unknown" "$profrec" -5
check "a duration of zero" says 2 "duration 0 is out of range" "$profrec" 0
check "a duration that is a command" says 2 "to record a command, put -- before it: 'profrec -- ls'" "$profrec" ls
check "conflicting options" says 2 "option -K/--kernel-stacks-only: not allowed with option -U/--user-stacks-only" \
	"$profrec" -U -K
check "a bad list of pids" says 2 "option -p/--pid: '1,,2' is not a list of process ids (N[,N...])" "$profrec" -p 1,,2
check "a wrong option before a command" says 125 "profrec: unknown option '--frob'" "$profrec" --frob -- true
check "no command after --" says 2 "no command after --" "$profrec" --
check "profrep: an unknown option" says 2 "profrep: unknown option '--frob'" "$profrep" --frob
check "profrep: a file that is not there" says 1 "No such file or directory" "$profrep" "$dir/none.prof"
check "profrep: a directory" says 1 "" "$profrep" "$dir"
check "profrep: no recording" says 1 "" "$profrep" tests/run
check "--help exits 0" "$profrec" --help
commit=$(sed -n 's/^\([0-9a-f]\{9\}\).*/\1/p' mk/commit)
[ "$commit" ] || commit=$(git -c safe.directory='*' describe --always --dirty --abbrev=9 2> /dev/null)
for program in profrec profrep; do
	check "$program --version" same "$("${!program}" --version | sed 's/-dirty)/)/; q')" "$program 0.1.0${commit:+ (${commit%-dirty})}"
	check "$program --version: formats and libraries" grep -qxE 'formats? 1\.[0-9. to]+, (libbpf [0-9.]+, )?zstd [0-9.]+' \
		<("${!program}" --version | tail -n 1)
done

# Every option of --help is in the man page, and every option in the man page is in --help.
# in_man PAGE HEADING and in_help PROGRAM [COMMAND]: the long options listed there. The man pages describe an option that
# several commands have once, and list it by name ("As for") under the others.
in_man()
{
	sed -n "/^\.S[HS] $2/,/^\.S[HS] /p" "$BUILD/$1.1" | awk '/^\.TP/ {getline; print} /^As for /' |
		sed 's/\\f[BRI]//g; s/\\-/-/g' | grep -oE '(^|[ ,])--[a-z-]+' | tr -d ' ,' | sort -u
}
in_help() { help_options "$@" | grep '^--'; }
check "profrec: man page and --help list the same options" same "$(in_man profrec OPTIONS)" "$(in_help profrec)"
for command in $(profrep_commands); do
	# The page that describes the command's options, and where.
	page=$(grep -l "^@OPTIONS $command@" doc/*.1.in)
	heading="profrep \[*$command\]* "
	grep -q "^\.SS $heading" "$page" || heading=OPTIONS
	check "profrep $command: man page and --help list the same options" same \
		"$(in_man "$(basename "$page" .1.in)" "$heading")" "$(in_help profrep $command)"
done
check "profrep: --help lists report's options" same "$(in_help profrep)" "$(in_help profrep report)"

# too_wide PROGRAM [COMMAND]: the lines of --help that do not fit a terminal.
too_wide() { "$BUILD/$1" "${@:2}" --help | awk 'length > 80'; }
check "profrec: --help fits 80 columns" same "$(too_wide profrec)" ""
check "profrep: --help fits 80 columns" same "$(too_wide profrep)" ""
for command in $(profrep_commands); do
	check "profrep $command: --help fits 80 columns" same "$(too_wide profrep $command)" ""
done

need_recording

## Targets that cannot be written.
check "no such directory" says 125 "No such file or directory" "$profrec" -o "$dir/no/x.prof" -- true
check "a directory" says 125 "it is not a regular file" "$profrec" -o "$dir" -- true
check "a device" says 125 "use '-o -' to write to standard output" "$profrec" -o /dev/null -- true
mkfifo "$dir/fifo"
check "a FIFO" says 125 "it is not a regular file" "$profrec" -o "$dir/fifo" -- true
ln -s "$dir" "$dir/link"
check "a symbolic link to a directory" says 125 "it is not a regular file" "$profrec" -o "$dir/link" -- true
check "a process that does not exist" says 1 "failed to record process 4194303: No such process" \
	"$profrec" -o "$dir/x.prof" -p 4194303 1
if has_bpf "a CPU that does not exist" "a frequency the kernel refuses" "a clock's period that leaves no time"; then
	check "a CPU that does not exist" says 1 "failed to record CPU 8000: it is not online" \
		"$profrec" -o "$dir/x.prof" -C 8000 1
	check "a frequency the kernel refuses" says 1 "kernel.perf_event_max_sample_rate" \
		"$profrec" -o "$dir/x.prof" -F 1000000 1
	check "a clock's period that leaves no time" says 1 "failed to sample 'cpu-clock' every 10000 ns: too often for any other work" \
		"$profrec" -o "$dir/x.prof" -e cpu-clock -c 10000 1
fi
check "a command that does not exist" says 127 "failed to run '/no/such': No such file or directory" \
	"$profrec" -o "$dir/x.prof" -- /no/such
check "a command that is no program" says 126 "failed to run '$dir': Permission denied" \
	"$profrec" -o "$dir/x.prof" -- "$dir"
check "after errors no partial file is left" nothing_left
check "after errors no recording appears" fails 1 test -e "$dir/x.prof"

## No privileges.
if ! command -v setpriv > /dev/null; then
	skip "no privilege" "setpriv is not installed"
elif has_root "no privilege" && has_bpf "no privilege"; then
	chmod 755 "$dir"
	mkdir -m 777 "$dir/open"
	nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"; }
	if nobody test -x "$profrec"; then
		check "no privilege: the capabilities are named" says 1 "all need root, or CAP_BPF and CAP_PERFMON" \
			nobody "$profrec" -o "$dir/open/x.prof" 1
		no_bpf() { setpriv --bounding-set=-bpf,-sys_admin --inh-caps=-bpf,-sys_admin "$@"; }
		check "no CAP_BPF: it is named" says 1 "recording needs CAP_BPF, which is missing" \
			no_bpf "$profrec" --backend bpf -o "$dir/x.prof" 1
	else
		skip "no privilege" "other users cannot reach the build directory"
	fi
fi

## Full disks and closed pipes.
if mkdir "$dir/small" && mount -t tmpfs -o size=128k tmpfs "$dir/small" 2> /dev/null; then
	cleanup_extra() { umount "$dir/small"; }
	head -c 118784 /dev/zero > "$dir/small/fill" # three pages are left, for an epoch each second
	"$workloads/func_ab" &
	busy=$!
	check "a full disk" says 1 "No space left on device" \
		"$profrec" -q -F 99 -i 1 -p $busy -o "$dir/small/x.prof" 600
	check "a full disk: the hint names the part" contains "$(cat "$dir/err")" ".part'; profrep reads it"
	kill $busy
	check "a full disk: nothing under the final name" fails 1 test -e "$dir/small/x.prof"
	check "a full disk: the part is reported, as incomplete" fails 3 "$profrep" -f "$dir"/small/x.prof.*.part
else
	skip "a full disk" "no tmpfs can be mounted"
fi
# shellcheck disable=SC2016
closed_pipe() { "$profrec" -q -F 999 -o - -- sleep 1 2> "$dir/pipe.err" | true; [ "${PIPESTATUS[0]}" -eq 125 ]; }
check "a reader that went away: status 125" closed_pipe
# shellcheck disable=SC2016
check "a recorder that fails: its reader says one sentence" says 1 \
	"profrep: failed to read '-': nothing came: the recorder lacks '-o -', or has failed and says why" \
	bash -c '"$0" -F 0 -o - 1 2> /dev/null | "$1" -' "$profrec" "$profrep"
check "a reader that went away: it is said" contains "$(cat "$dir/pipe.err")" "Broken pipe"
plan_end
