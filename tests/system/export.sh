#!/usr/bin/env bash
# Exports for other tools hold the stacks of folded output, with their counts. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v python3 > /dev/null || skip_all "python3 is not installed"

export MESSAGES=$dir/messages
mkdir "$MESSAGES"
if command -v protoc > /dev/null && /usr/bin/python3 -c 'import google.protobuf' 2> /dev/null; then
	protoc --proto_path=report/export --python_out="$MESSAGES" pprof.proto otlp.proto || exit 1
	has_protobuf=1
fi
for text in tests/golden/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done

# folded FILE OPTION...: sums of equal stacks, sorted as the other formats are. Bytes of the terminal's are escapes here.
folded()
{
	"$profrep" -f "$@" 2> /dev/null | awk '{n = $NF; sub(/ [0-9]+$/, ""); sum[$0] += n}
		END {for (stack in sum) printf "%s %.0f\n", stack, sum[stack]}' | LC_ALL=C sort
}

# holds_stacks FORMAT FILE OPTION...
holds_stacks()
{
	local format=$1 file=$2
	shift 2
	"$profrep" export "$format" "$@" -o "$dir/exported" "$file" 2> "$dir/err" || [ $? -eq 3 ] || { cat "$dir/err"; return 1; }
	/usr/bin/python3 tests/programs/exported_stacks.py "$format" "$dir/exported" > "$dir/stacks" || return 1
	LC_ALL=C sort "$dir/stacks" | diff <(folded "$@" "$file") -
}

# Recordings of one event, with all that a recording can hold.
for name in basic before cut ends filters hostile host-a mangled missed order processes; do
	for format in pprof otlp speedscope perf-script; do
		if [[ $format =~ ^(pprof|otlp)$ ]] && [ -z "${has_protobuf:-}" ]; then
			skip "$format of $name" "protoc or protobuf for python3 is not installed"
		else
			check "$format of $name" holds_stacks $format "$dir/$name.prof"
		fi
	done
	check "folded of $name" diff <("$profrep" -f "$dir/$name.prof" 2> /dev/null) \
		<("$profrep" export folded "$dir/$name.prof" 2> /dev/null)
done

# Readers of perf's text leave out frames whose names begin with a parenthesis.
sed 's/^\(sym k 0x1000 0x100\) .*/\1 (anonymous\\x20namespace)::f()/; s/^\(sym k 0x1100 0x100\) .*/\1 (open/' \
	tests/golden/basic.txt | "$BUILD/tests/prof_make" > "$dir/parentheses.prof"
script=$("$profrep" export perf-script "$dir/parentheses.prof" 2> "$dir/err")
check "perf-script: no name begins with a parenthesis" same "$(grep -cE $'^\t *[0-9a-f]+ \\(' <<< "$script")" 0
check "perf-script: a name with a parenthesis first is readable" contains "$script" " <anonymous namespace>::f() ("
check "perf-script: a name whose parenthesis does not end is readable" contains "$script" " <open ("

# Names of threads that their readers end early, leave out, or take for another format.
threads_of() { /usr/bin/python3 tests/programs/read_headers.py "$1" "$dir/odd.perf" | sort -n; }
"$profrep" export perf-script -o "$dir/odd.perf" "$dir/odd-threads.prof"
odd_threads='[ET_NET_0]
Plex_DLNA_Serve
worker_3
a\x3bb_c\x3bd
x_12_[001]_1.5:
cpu-clock:
__lead
trail__
tab\x09name
(in_main)
50%_done
äöü-wörk
a/b:0
-_
\x23comment
'"''"'
0_
__
\x7bjson}
job_1/2_7/
1.5:'
odd_threads=$(awk '{print NR, 900, NR, $0}' <<< "$odd_threads")
check "perf-script: stackcollapse-perf.pl has all samples of odd names" same "$(threads_of collapse)" "$odd_threads"
check "perf-script: Firefox Profiler has all samples of odd names" same "$(threads_of firefox)" \
	"$(sed -E 's/ (-|0|_)_$/ \1/; s/ET_NET_/ET_NET /; s/Plex_DLNA_/Plex DLNA /; s/b_c/b c/; s/_\[001\]_/ [001] /; s/in_m/in m/
		s/%_d/% d/' <<< "$odd_threads")"
sed '/^count p {json}/!{/^count/d}' tests/golden/odd-threads.txt | "$BUILD/tests/prof_make" > "$dir/odd-threads.prof"
"$profrep" export perf-script -o "$dir/odd.perf" "$dir/odd-threads.prof"
check "perf-script: Firefox Profiler does not take the text for JSON" same "$(head -c 1 "$dir/odd.perf")" '\'

# The rows before are there with negative values.
holds_difference()
{
	"$profrep" export pprof --base "$dir/before.prof" -o "$dir/exported" "$dir/after.prof" || return 1
	/usr/bin/python3 tests/programs/exported_stacks.py pprof "$dir/exported" > "$dir/stacks" || return 1
	LC_ALL=C sort "$dir/stacks" | diff <("$profrep" diff -f "$dir/before.prof" "$dir/after.prof" |
		awk '{before = $(NF - 1); after = $NF; sub(/ [0-9]+ [0-9]+$/, ""); print $0, after - before}' | LC_ALL=C sort) -
}
# mappings LINE...: those of a profile of two programs, made from more lines.
mappings()
{
	printf '%s\n' "object k kernel [kernel] -" "object l file /lib/libc.so.6 aa" "object one file /bin/one bb" \
		"object two file /bin/two cc" "sym l 0 16 read" "sym k 0 16 sys_read" "sym two 0 16 main" "process p 1 1" "process q 2 2" \
		"map kernel k 0xffffffff81000000 0x1000 0" "map p l 0x7f0000010000 0x1000 0" "map p one 0x1000 0x1000 0" \
		"map q l 0x7f0000020000 0x1000 0" "map q two 0x1000 0x1000 0" "info p 1 0 one /bin/one /" "info q 2 0 two /bin/two /" \
		"count p p 2 user l:1 one:1 kernel k:1" "count q q 1 user l:1 two:1" "count q q 2 user l:1" "$@" |
		"$BUILD/tests/prof_make" > "$dir/mappings.prof"
	"$profrep" export pprof -o "$dir/exported" "$dir/mappings.prof" &&
		/usr/bin/python3 tests/programs/exported_stacks.py mappings "$dir/exported"
}
if [ -z "${has_protobuf:-}" ]; then
	skip "a difference for pprof" "protoc or protobuf for python3 is not installed"
	skip "the program of a profile for pprof" "protoc or protobuf for python3 is not installed"
else
	check "a difference for pprof" holds_difference
	check "the program with most samples is the first file of pprof's" same "$(mappings)" \
		$'/bin/two functions\n/lib/libc.so.6 functions\n[kernel.kallsyms]_stext functions\n/bin/one'
	check "pprof's first file is that of the program, also if no stack is in it" \
		same "$(mappings "process r 3 3" "map r l 0x7f0000030000 0x1000 0" \
		"info r 3 0 three /bin/three /" "count r r 9 user l:1" | sed -n 1p)" /bin/three
fi

# has_profiles WANTED OPTION... FILE: lines of service, type, unit, event, sum of values, and number of times.
has_profiles()
{
	local wanted=$1
	shift
	"$profrep" export otlp -o "$dir/exported" "$@" || return 1
	same "$(/usr/bin/python3 tests/programs/exported_stacks.py profiles "$dir/exported")" "$wanted"
}
# says_the_same FILE: in JSON.
says_the_same()
{
	"$profrep" export otlp -o "$dir/exported" "$1" && "$profrep" export otlp --json -o "$dir/exported.json" "$1" &&
		/usr/bin/python3 tests/programs/exported_stacks.py json "$dir/exported" "$dir/exported.json"
}
if [ -z "${has_protobuf:-}" ]; then
	skip "OTLP's profiles, times and JSON" "protoc or protobuf for python3 is not installed"
else
	check "OTLP: a profile for each event" has_profiles "[unknown] hits count c:malloc 7 0
[unknown] bytes bytes c:malloc 700 0
[unknown] hits count t:sched:sched_switch\\x0a* 7 0
[unknown] off_cpu nanoseconds off-cpu 9223372036854775807 0" "$dir/events.prof"
	check "OTLP: of one event" has_profiles "[unknown] hits count c:malloc 7 0" --event 1 "$dir/events.prof"
	check "OTLP: a resource for each service, the largest first" has_profiles "[unknown] samples count  15 0
kernel samples count  4 0
a\\x1b[31mb samples count  1 0
nginx samples count  13 0
node samples count  2 0" "$dir/processes.prof"
	check "OTLP: the times of slices" has_profiles "[unknown] samples count  19 6" --timestamps "$dir/slices.prof"
	check "OTLP: JSON says the same" says_the_same "$dir/events.prof"
	check "OTLP: JSON of hostile names says the same" says_the_same "$dir/hostile.prof"
fi
attributes() { "$profrep" export otlp --json "$dir/owners.prof" | grep -oE '"key":"(container|k8s)[a-z.]*"' | sort | uniq -c | tr -s ' ' | xargs; }
check "OTLP: containers and pods" same "$(attributes)" "3 key:container.id 1 key:container.name 2 key:k8s.pod.uid"
check "OTLP: ids of threads" contains "$("$profrep" export otlp --json --threads "$dir/threads.prof")" '"thread.id"'
check "OTLP's options for another format" says 2 "option --timestamps: only otlp has it" \
	"$profrep" export pprof --timestamps "$dir/basic.prof"

check "a format that is none" says 2 "unknown format 'svg'; choose one of: pprof, otlp, speedscope, perf-script, folded" "$profrep" export svg "$dir/basic.prof"
check "no format" says 2 "formats are pprof, otlp, speedscope, perf-script and folded" "$profrep" export
check "a base for another format" says 2 "option --base: only pprof has it" \
	"$profrep" export folded --base "$dir/before.prof" "$dir/after.prof"
check "several events" says 1 "--event NUMBER or NAME" "$profrep" export speedscope "$dir/events.prof"
check "a full disk" says 1 "failed to write '/dev/full': No space left on device" \
	"$profrep" export pprof -o /dev/full "$dir/basic.prof"
check "a directory that is not there" says 1 "failed to create '$dir/none/x': No such file or directory" \
	"$profrep" export pprof -o "$dir/none/x" "$dir/basic.prof"
plan_end
