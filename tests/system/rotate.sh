#!/usr/bin/env bash
# Recordings that follow each other without a gap, and the signals that ask for them.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording
rm -f "$dir"/*

# complete FILE...: all files are complete, and the identity holds in each.
complete() { is_complete "$@" && is_accounted "$@"; }
# seconds FILE: start and end of the recording.
seconds()
{
	local start
	start=$(date -d "$(info "$1" start)" +%s.%3N)
	echo "$start $(info "$1" duration | cut -d' ' -f1)" | awk '{printf "%.3f %.3f\n", $1, $1 + $2}'
}
# adjacent FILE...: each file begins where the previous file ends. Milliseconds are cut, not rounded.
adjacent()
{
	local file
	for file; do seconds "$file"; done |
		awk 'NR > 1 && ($1 - end > 0.0045 || end - $1 > 0.0045) {print "a gap from " end " to " $1; bad = 1}
		     {end = $2} END {exit bad}'
}
# sum_of KEY FILE...
sum_of()
{
	local key=$1 file
	shift
	for file; do info "$file" "$key" | cut -d' ' -f1; done | awk '{n += $1} END {print n}'
}

## By time, under load, with intervals.
mkdir "$dir/time"
"$workloads/func_ab" &
busy=$!
"$profrec" -F 999 -U -p $busy -i 1 --rotate 1 -o "$dir/time/%s.prof" 3 2> "$dir/err"
check "by time: it ends at its duration with status 0" same $? 0
# Three files, or two if the recorder did not run for a second.
check "by time: a file for each second" same "$(echo "$dir"/time/*.prof | wc -w | tr 2 3)" 3
check "by time: each is complete, and its identity holds" complete "$dir"/time/*.prof
check "by time: no gap between them" adjacent "$dir"/time/*.prof
check "by time: nothing else is there" same "$(find "$dir/time" -type f | grep -cv '\.prof$')" 0
check "by time: the first says that another goes on" same \
	"$(info "$(ls "$dir"/time/*.prof | head -n 1)" end)" "the next recording goes on"
check "by time: the last ends as the run does" same \
	"$(info "$(ls "$dir"/time/*.prof | tail -n 1)" end)" "the duration was over"
check "by time: a line for each on stderr, in order" same \
	"$(sed -n 's/.* bytes in //p' "$dir/err" | tr '\n' ' ')" "$(echo "$dir"/time/*.prof) "
check "by time: what is said of samples is what the files hold" same \
	"$(sed -n 's/^profrec: \([0-9]*\) samples.*/\1/p' "$dir/err" | awk '{n += $1} END {print n}')" \
	"$(sum_of "samples counted" "$dir"/time/*.prof)"
for file in "$dir"/time/*.prof; do "$profrep" -f "$file"; done > "$dir/folded"
check "by time: the reports add up to the samples taken" same \
	"$(sum_samples < "$dir/folded")" "$(sum_of "samples taken" "$dir"/time/*.prof)"
check "by time: the headline is of the whole run" same "$(grep "^Sampling" "$dir/err")" \
	"Sampling at 999 Hertz of PID [$busy] by user stack for 3 secs."

## By size, and only the latest are kept.
if has_bpf "by size"; then
	mkdir "$dir/size"
	echo mine > "$dir/size/0.prof"
	setsid "$workloads/manystacks" 2 12 &
	many=$!
	begin_recording -F 2999 -i 1 --rotate 1K --rotate-keep 2 -o "$dir/size/%s.prof"
	has_rotated() { [ "$(grep -c 'bytes in' "$dir/err")" -ge 3 ]; }
	check "by size: it has rotated" wait_for has_rotated
	end_recording
	kill -- -$many
	check "by size: the two latest are left, and what it did not write" same "$(ls "$dir/size")" \
		"$(echo 0.prof; sed -n 's,.* bytes in .*/,,p' "$dir/err" | tail -n 2)"
	check "by size: a file of others stays as it is" same "$(cat "$dir/size/0.prof")" mine
	rm "$dir/size/0.prof"
	check "by size: they are complete" complete "$dir"/size/*.prof
fi

## Each file of a run that sudo began is its caller's, also those that begin after profrec has given rights up.
if [ "$(id -u)" -eq 0 ]; then
	mkdir -m 1700 "$dir/caller"
	chown 1234:1235 "$dir/caller"
	SUDO_UID=1234 SUDO_GID=1235 begin_recording -F 99 -p $busy -o "$dir/caller/%%.prof" 60
	for n in 1 2; do
		kill -HUP $recorder
		wait_for eval "[ \$(find $dir/caller -name '*.prof' | wc -l) -eq $n ]"
	done
	end_recording
	check "sudo: files are the caller's" same "$(stat -c '%u %g %a' "$dir"/caller/*.prof)" \
		$'1234 1235 600\n1234 1235 600\n1234 1235 600'
fi

## Signals.
files() { find "$1" -name "$2" | wc -l; }
mkdir "$dir/hup"
begin_recording -F 99 -p $busy -o "$dir/hup/one%%.prof" 60
for n in 1 2 3; do
	kill -HUP $recorder
	wait_for eval "[ \$(files $dir/hup '*%*.prof') -eq $n ]"
done
end_recording TERM
check "SIGHUP: the recorder ends with status 0" same $? 0
check "SIGHUP: files of one name are numbered" same "$(ls "$dir/hup" | tr '\n' ' ')" \
	"one%.prof one%_1.prof one%_2.prof one%_3.prof "
check "SIGHUP: each is complete" complete "$dir"/hup/*.prof
check "SIGHUP: no gap between them" adjacent "$dir/hup/one%.prof" "$dir"/hup/one%_[123].prof

begin_recording -F 99 -p $busy -o "$dir/usr1.prof" 60
sampled() { kill -USR1 $recorder; [ "$(stat -c %s "$dir"/usr1.prof.*.part)" -gt 600 ]; }
check "SIGUSR1: what was sampled is written at once" wait_for sampled
check "SIGUSR1: it can be read while the recording goes on" fails 3 \
	sh -c '"$1" -f "$2"/usr1.prof.*.part | grep -q func_ab; exec "$1" -f "$2"/usr1.prof.*.part > /dev/null' - "$profrep" "$dir"
size=$(stat -c %s "$dir"/usr1.prof.*.part)
written() { kill -HUP $recorder; [ "$(stat -c %s "$dir"/usr1.prof.*.part)" -gt "$size" ]; }
check "SIGHUP without a pattern writes, too" wait_for written
end_recording
check "SIGUSR1: the recorder goes on until it is ended" same $? 0
check "SIGUSR1: the recording is one, and complete" complete "$dir/usr1.prof"

# Signals work from the first moments on: the test tells the recorder to end as soon as the process exists.
blocks_signals() { grep -qx profrec "/proc/$1/comm" && grep -q '^SigBlk:.*[1-9a-f]' "/proc/$1/status"; }
early()
{
	local pid
	"$profrec" -q -p $busy -o "$dir/early.$1.prof" 60 &
	pid=$!
	wait_for blocks_signals $pid
	kill -HUP $pid
	kill -USR1 $pid
	kill "-$1" $pid
	wait $pid && complete "$dir/early.$1.prof"
}
check "signals while it starts: SIGTERM" early TERM
check "signals while it starts: SIGINT" early INT
storm()
{
	local pid
	"$profrec" -q -F 99 -p $busy -o "$dir/storm.prof" 1 &
	pid=$!
	wait_for blocks_signals $pid
	while kill -USR1 $pid 2> /dev/null; do kill -HUP $pid 2> /dev/null; done
	wait $pid && complete "$dir/storm.prof"
}
check "signals all the time, also while it ends" storm

## Mistakes.
check "--rotate without a pattern" says 2 "option --rotate: 'x.prof' is the name of one file" \
	"$profrec" --rotate 5 -o x.prof
check "--rotate without a pattern: the hint" contains "$(cat "$dir/err")" "-o %Y%m%d-%H%M%S.prof"
check "--rotate on standard output" says 2 "option --rotate: not allowed with standard output" \
	"$profrec" --rotate 5 -o -
check "--rotate-keep without a pattern" says 2 "option --rotate-keep: 'profrec.prof' is the name of one file" \
	"$profrec" --rotate-keep 5
check "a conversion that is none" says 2 "option -o/--output: '%q' in '%q.prof' cannot be replaced" \
	"$profrec" -o %q.prof 1
mkdir "$dir/gone"
begin_recording -F 99 -p $busy -o "$dir/gone/%s.prof" 60
rm -rf "$dir/gone"
end_recording HUP
check "a directory that goes away: status 1" same $? 1
check "a directory that goes away: it is said" contains "$(cat "$dir/err")" "No such file or directory"
kill $busy
plan_end
