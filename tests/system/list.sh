#!/usr/bin/env bash
# What profrec --list prints: words that -e takes. No privileges are needed for what files tell. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

list() { "$profrec" --list "$@" 2> "$dir/err"; }
cat > "$dir/lib.c" << 'END'
void another(void) {}
void whole_name(void) {}
void whole_other(void) {}
int whole_number;
void whole_text(void) {}
END
cc -shared -nostdlib -o "$dir/libours.so" "$dir/lib.c"
ours=$dir/libours.so

check "functions of a file" same "$(list "$ours:*")" "$(printf "$ours:%s\n" another whole_name whole_other whole_text)"
check "a part of a name" same "$(list "$ours:e_n")" "$ours:whole_name"
check "a wildcard stands for any text, and the rest for itself" same "$(list "$ours:whole*t*")" \
	"$(printf "$ours:%s\n" whole_other whole_text)"
check "the library of -l" same "$(list -l "$ours" name)" "$ours:whole_name"
check "a library, and no category" same "$(list "p:$ours:an")" "$ours:another"
check "several patterns" same "$(list "$ours:another" page-faults | grep -v :page)" "$ours:another
page-faults"
check "software events" contains "$(list clock | xargs)" "cpu-clock task-clock"
check "other names of an event are not listed" same "$(list migrations | grep -v :)" "cpu-migrations"
check "nothing matches" says 1 "failed to list '$ours:none': nothing matches" "$profrec" --list "$ours:none"
check "a file that has no functions" says 1 "failed to read '$dir/lib.c': not a whole ELF file of 64 bits" \
	"$profrec" --list "$dir/lib.c:x"
check "words of bpftrace" same "$(list "uprobe:$ours:an")" "$ours:another"
check "no such library" says 1 "failed to find library 'nosuchlib'" "$profrec" --list nosuchlib:x
check "a command is not listed" says 125 "option --list: not allowed with a command" "$profrec" --list -- ls
check "a regular expression is not taken" says 2 "option --list: not allowed with -r/--regexp" "$profrec" --list -r x
check "a full device" says 1 "failed to write the list: No space left on device" bash -c "'$profrec' --list > /dev/full"

## Static probes: those of a program that runs are known by its file's name.
if echo '#include <sys/sdt.h>
#include <unistd.h>
int main(void) { DTRACE_PROBE(ours, first); DTRACE_PROBE(ours, second); pause(); }' |
	cc -x c -o "$dir/with_probes" - 2> "$dir/log"; then
	check "static probes of a file" same "$(list "$dir/with_probes")" "u:$dir/with_probes:ours:first
u:$dir/with_probes:ours:second"
	check "a static probe by its name" same "$(list "u:$dir/with_probes:sec*")" "u:$dir/with_probes:ours:second"
	"$dir/with_probes" &
	pid=$!
	begun $pid with_probes
	check "static probes of a process" same "$(list -p $pid ours | grep ^u:)" "u:with_probes:ours:first
u:with_probes:ours:second"
	kill $pid
else
	skip "static probes" "no sys/sdt.h"
fi

## Tracepoints and functions of the kernel.
if tracepoints=$(list t:sched:) && [ -n "$tracepoints" ]; then
	check "tracepoints of a category" contains "$tracepoints" t:sched:sched_switch
	check "a tracepoint in the words of the pattern" same "$(list sched:sched_swit)" sched:sched_switch
	check "a tracepoint by its name alone" contains "$(list sched_swit)" t:sched:sched_switch
	check "without a pattern, tracepoints and events" contains "$(list | grep -xE 't:sched:sched_switch|cpu-clock' | xargs)" \
		"cpu-clock t:sched:sched_switch"
else
	skip "tracepoints" "$(tail -n 1 "$dir/err")"
	list cpu-clock > "$dir/out"
	check "what cannot be listed is said" contains "$(cat "$dir/err")" "profrec: not listed: tracepoints: "
	list -q cpu-clock > "$dir/out"
	check "... but not with -q" same "$(cat "$dir/err")" ""
fi
if functions=$(list p::vfs_rea) && [ -n "$functions" ]; then
	check "functions of the kernel" contains "$functions" p::vfs_read
	check "a function of the kernel by its name alone" same "$(list vfs_rea | grep -x vfs_read)" vfs_read
else
	check "functions of the kernel that cannot be listed" contains "$(cat "$dir/err")" "not listed: functions of the kernel: "
fi
# What is listed can be counted, and what cannot be counted is not listed.
name=$([ -z "$functions" ] && echo none || echo some)
"$profrec" -q -e vfs_read -o "$dir/vfs_read.prof" 0.1 > "$dir/log" 2>&1
check "functions of the kernel are listed where -e takes them" same "$name" "$([ $? = 1 ] && echo none || echo some)"
plan_end
