#!/usr/bin/env bash
# The contents of recordings of known workloads, and the end of recordings.
# shellcheck source=tests/tap.sh
. tests/tap.sh
need_recording

# share FILE REGEX: percent of the samples whose folded line matches.
share()
{
	awk -v re="$2" '{n = $NF; t += n; if ($0 ~ re) m += n} END {printf "%.2f", t ? 100 * m / t : 0}' "$1"
}

## Two functions that take turns; perf samples the same process at the same time.
"$workloads/func_ab" &
pid=$!
"$profrec" -q -F 999 -p $pid -o "$dir/ab.prof" 5 &
recorder=$!
if command -v perf > /dev/null; then
	perf record -q -F 999 -g -p $pid -o "$dir/ab.data" -- sleep 5 2> /dev/null
fi
wait $recorder
check "profrec ends at its duration with status 0" same $? 0
kill $pid
"$profrep" -f "$dir/ab.prof" > "$dir/ab.folded"
check "99 % of func_ab's samples are in func_a or func_b" \
	at_least "$(share "$dir/ab.folded" ';func_[ab]')" 99
check "samples were taken, at most 999 a second on one CPU" at_most "$(info "$dir/ab.prof" "samples taken")" \
	$(($(duration_ms "$dir/ab.prof") + 10))

# apart: how many percentage points the shares of func_a of profrec and perf are apart. The two functions take turns
# about as fast as the samplers tick. So the difference is larger than chance alone would make it.
apart()
{
	perf script -i "$dir/ab.data" -F ip,sym 2> /dev/null |
		awk 'BEGIN {RS = ""} {n++; if ($2 == "func_a") a++} END {print a + 0, n + 0}' > "$dir/perf"
	awk '{n += $NF; if (/;func_a/) a += $NF} END {print a + 0, n + 0}' "$dir/ab.folded" |
		paste -d ' ' - "$dir/perf" |
		awk '{d = $1 / $2 - $3 / $4; printf "%.2f", 100 * (d < 0 ? -d : d)}'
}
if [ -s "$dir/ab.data" ]; then
	check "profrec and perf agree on func_a within 20 percentage points" at_most "$(apart)" 20
else
	skip "profrec and perf agree on func_a" "perf cannot record here"
fi

## Nearly every sample a new stack. Another test's processes may have the workload's name, so these have one of their own.
cp "$workloads/manystacks" "$dir/many.$$"
setsid "$dir/many.$$" 2 12 &
many=$!
"$profrec" -q -F 999 -o "$dir/many.prof" 10
kill -- -$many
check "manystacks: none lost, all accounted for" \
	is_accounted "$dir/many.prof"
check "manystacks: no sample lost" same "$(info "$dir/many.prof" "samples lost")" \
	"0 storage full, 0 refused by the kernel, 0 walk failed"
check "manystacks: no stack missed" same "$(info "$dir/many.prof" "user missed")" \
	"0 storage full, 0 refused by the kernel, 0 walk failed"
"$profrep" -f "$dir/many.prof" > "$dir/many.folded"
check "manystacks: the report adds up to the samples taken" \
	same "$(sum_samples < "$dir/many.folded")" "$(info "$dir/many.prof" "samples taken")"
check "manystacks: stacks are whole" at_least \
	"$(grep "^many\.$$;" "$dir/many.folded" > "$dir/m"; share "$dir/m" 'main(;f[0-7])+')" 99
check "manystacks: hardly a stack repeats" at_least "$(wc -l < "$dir/m")" \
	"$(($(sum_samples < "$dir/m") * 9 / 10))"

## Small storage is drained in time.
setsid "$workloads/manystacks" 2 12 &
many=$!
# Half a set is left until the recorder runs. At this rate that is a second.
"$profrec" -q -F 499 --stack-storage-size 4096 --hash-storage-size 4096 -o "$dir/small.prof" 10
kill -- -$many
check "small storage: more stacks than it holds" at_least "$(info "$dir/small.prof" "distinct stacks")" 4097
check "small storage: the identity holds" is_accounted "$dir/small.prof"
check "small storage: no stack missed" same "$(info "$dir/small.prof" "user missed")" \
	"0 storage full, 0 refused by the kernel, 0 walk failed"

## Storage that is too small: the recording says how much it lacks.
setsid "$workloads/manystacks" 2 12 &
many=$!
"$profrec" -F 9999 --stack-storage-size 2 --hash-storage-size 2 -o "$dir/tiny.prof" 2 2> "$dir/tiny.err"
kill -- -$many
check "tiny storage: the identity holds all the same" \
	is_accounted "$dir/tiny.prof"
check "tiny storage: the closing line says what was lost" contains "$(cat "$dir/tiny.err")" " lost ("
"$profrep" -f "$dir/tiny.prof" > "$dir/tiny.folded" 2> "$dir/tiny.warn"
check "tiny storage: the report warns as bcc does" contains "$(cat "$dir/tiny.warn")" \
	"WARNING: hash table full. Consider increasing --hash-storage-size."
# A lost sample has no stack that could be missed.
# missed KEY FILE: what the recording says; without NAME FILE: samples of the report without that stack.
missed() { info "$dir/$2.prof" "$1" | awk -F ', ' '{for (i = 1; i <= NF; i++) n += $i; print n + 0}'; }
without() { awk -v name="[Missed $1 Stack]" 'index($0, name) {n += $NF} END {print n + 0}' "$dir/$2.folded"; }
check "tiny storage: user stacks are missed by samples that were counted" same "$(missed "user missed" tiny)" \
	"$(without User tiny)"
check "tiny storage: and so are kernel stacks" same "$(missed "kernel missed" tiny)" "$(without Kernel tiny)"

## Stacks of the full depth fill the memory of a set before it has as many stacks as it may have.
setsid "$workloads/manystacks" 2 140 &
many=$!
"$profrec" -q -F 9999 --stack-storage-size 64 -o "$dir/deep.prof" 2
kill -- -$many
"$profrep" -f "$dir/deep.prof" > "$dir/deep.folded" 2> /dev/null
check "deep stacks: the identity holds" is_accounted "$dir/deep.prof"
check "deep stacks: some are missed" at_least "$(missed "user missed" deep)" 1
check "deep stacks: by samples that were counted" same "$(missed "user missed" deep)" "$(without User deep)"
check "deep stacks: those that are there have all frames" at_least \
	"$(grep '^manystacks;' "$dir/deep.folded" | grep -v Missed | awk -F ';' 'NF < 128 {n++} END {print NR - n}')" 9

## How a recording ends.
ends_on()
{
	begin_recording -F 99 -o "$dir/end.$1.prof"
	end_recording "$1" && is_complete "$dir/end.$1.prof"
}
check "SIGINT ends it, complete" ends_on INT
check "SIGTERM ends it, complete" ends_on TERM
check "the headline is bcc's" same "$(head -n 1 "$dir/err")" \
	"Sampling at 99 Hertz of all threads by user + kernel stack... Hit Ctrl-C to end."
check "the closing line names the file" contains "$(grep '^profrec: [0-9]* samples' "$dir/err")" "bytes in $dir/end.TERM.prof"
check "nothing but the recording is left" same "$(echo "$dir"/end*part*)" "$dir/end*part*"
check "the recording is mode 0600" same "$(stat -c %a "$dir/end.INT.prof")" 600
check "-q says nothing" same "$("$profrec" -q -o "$dir/q.prof" 1 2>&1)" ""

## Filters.
"$workloads/func_ab" &
pid=$!
"$profrec" -q -F 99 -p "$pid" -o "$dir/p.prof" 1
check "-p records that process only" same "$("$profrep" -f "$dir/p.prof" | grep -vc '^func_ab;')" 0
check "-p counts what it left out" at_least "$(info "$dir/p.prof" "samples filtered" | cut -d' ' -f1)" 0
"$profrec" -q -F 99 -U -p "$pid" -o "$dir/U.prof" 1
check "-U: the report's headline says so" contains "$("$profrep" "$dir/U.prof" | head -n 1)" "by user stack for 1 secs."
"$profrec" -q -F 99 -K -p "$pid" -o "$dir/K.prof" 1
check "-K: no user frames" same "$("$profrep" -f "$dir/K.prof" | grep -c ';func_[ab]')" 0
"$profrec" -q -F 99 -C 0 -o "$dir/C.prof" 1
check "-C: one CPU" same "$(info "$dir/C.prof" CPUs)" "1 (0)"
check "-C: the headline names it" contains "$("$profrep" "$dir/C.prof" | head -n 1)" " on CPU#0 for 1 secs."
kill "$pid"
"$profrec" -q -F 99 -I -o "$dir/I.prof" 1
# A busy machine has no idle samples to show, but it must leave none out.
check "-I: idle samples are not left out" same "$(info "$dir/I.prof" "idle task")/$(info "$dir/I.prof" "samples idle")" "included/0 left out"

## Streams and commands.
piped() { "$profrec" -q -F 999 -o - 1 | "$profrep" -f - > "$dir/piped"; }
check "-o - into profrep -" piped
# shellcheck disable=SC2016
"$profrec" -F 999 -o "$dir/cmd.prof" -- sh -c 'i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done; exit 3' 2> "$dir/cmd.err"
check "a command: the recording ends with it" same "$(info "$dir/cmd.prof" end)" "the command ended"
check "a command: its status is said" contains "$(cat "$dir/cmd.err")" "the command exited with status 3"
check "a command: nothing else is recorded" same "$("$profrep" -f "$dir/cmd.prof" | grep -vcE '^(sh|profrec);')" 0
"$profrec" -q -F 999 -o "$dir/child.prof" -- bash -c 'bash -c "for ((i = 0; i < 200000; i++)); do :; done" & wait'
check "a command: its children are recorded" at_least "$("$profrep" -f "$dir/child.prof" | sum_samples)" 50

## Signals that were ignored before, as nohup does, are ignored by the command.
signals_of() { (trap '' HUP INT PIPE; "$@" grep '^Sig[BI]' /proc/self/status); }
check "a command: its signals are as profrec found them" same "$(signals_of "$profrec" -q -o "$dir/signals.prof" --)" \
	"$(signals_of)"

## Open files: the soft limit is no obstacle, and the command has it as it was.
few_files() { prlimit --nofile=16:"$(ulimit -Hn)" "$@"; }
check "open files: a low limit is raised" few_files "$profrec" -q -o "$dir/few.prof" 1
check "open files: not for the command" same \
	"$(few_files "$profrec" -q -o "$dir/few.prof" -- bash -c 'ulimit -Sn')" 16
check "open files: a hard limit is said" contains \
	"$(prlimit --nofile=16:16 "$profrec" -q -o "$dir/few.prof" 1 2>&1)" "Too many open files"

## Killed: the part that was written is readable, and nothing stays in the kernel.
"$workloads/func_ab" &
pid=$!
"$profrec" -F 99 -p "$pid" -o "$dir/killed.prof" 2> /dev/null &
recorder=$!
wait_for eval '"$profrep" -f "$dir"/killed.prof.*.part 2> /dev/null | grep -q "^func_ab;"'
programs=$(sed -n 's/^prog_id:[[:space:]]*//p' /proc/$recorder/fdinfo/* | sort -u)
kill -KILL $recorder
wait $recorder 2> /dev/null
kill "$pid"
check "SIGKILL: the final name is absent" fails 1 test -e "$dir/killed.prof"
check "SIGKILL: the part is reported, as incomplete" fails 3 "$profrep" -f "$dir"/killed.prof.*.part
check "SIGKILL: with what was recorded" contains "$("$profrep" -f "$dir"/killed.prof.*.part 2> /dev/null)" "func_ab;"
check "SIGKILL: there were BPF programs" test "$programs"
no_programs() { ! bpftool prog show | grep -E "^($(echo $programs | tr ' ' '|')): "; }
check "SIGKILL: no BPF program stays" wait_for no_programs
plan_end
