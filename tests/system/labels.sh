#!/usr/bin/env bash
# Threads that publish the requests that they work for, as OpenTelemetry has it, with the variable wherever it can be,
# and those that lie. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/routes.sh
. tests/lib/routes.sh
need_bpf
build "$dir/own" says_route.c -rdynamic
cflags=(-fPIC -shared)
build "$dir/libgeneral.so" thread_record.c "${cflags[@]}"
build "$dir/libinitial.so" thread_record.c "${cflags[@]}" -ftls-model=initial-exec
libraries=(general initial)
# Compilers for other processors do not know the option.
if build "$dir/libdesc.so" thread_record.c "${cflags[@]}" -mtls-dialect=gnu2 2> "$dir/log"; then libraries+=(desc); fi
build "$dir/loads" says_route.c -DIN_LIBRARY -DLOADED
for library in "${libraries[@]}"; do
	build "$dir/linked_$library" says_route.c -DIN_LIBRARY -L"$dir" -l"$library" -Wl,-rpath,"$dir"
done

try_hits "in the program" own routes
for library in "${libraries[@]}"; do
	try_hits "in a library that is linked ($library)" "linked_$library" routes
	try_hits "in a library that is loaded ($library)" loads routes "$dir/lib$library.so"
done

# Names of attributes that come later.
start own late
begin_recording -F 999 -i 500ms -o "$dir/app.prof" --pid "${pids[0]}"
recording=$(echo "$dir"/app.prof.*.part)
has_names() { routes | grep -q '^/'; }
check "names that come later" wait_for has_names
recording=
end_recording INT
finish
check "names that come later: no route is wrong" same "$(routes | grep -v '^\[no' | awk '$1 != "/" $2')" ""

# What liars say spoils their own samples alone, and there is a limit of sets.
TURNS=300
export TURNS
start own routes
honest=$!
for form in sizes valid entries address; do start own "$form"; done
liars=$(IFS=,; echo "${pids[*]:1}")
count_hits
check "records that are wrong have no route" have_no_route "$liars" $((4 * 3 * TURNS))
check "each request of an honest program has its route beside liars" have_all "$honest"
start own routes
honest=$!
start own many
many=$!
cold=1 count_hits --max-labels 60
check "a program with endless values has some of its routes" above "$(routes --pid "$many" | grep -c '^/')" 10
check "other routes of a program with endless values count together" contains "$(routes --pid "$many")" "[other]"
check "beside a program with endless values there is room for another" same "$(routes --pid "$honest" | grep -o '^/[^ ]*' | sort | xargs)" "/cart /home /pay"
check "beyond --max-labels: most requests count together" above "$(routes --pid "$many" | awk '/^\[other/ {n += $NF} END {print n + 0}')" \
	$((3 * TURNS / 2))
check "beyond --max-labels: each request is counted" same "$(routes --pid "$many" | sum_samples)" $((3 * TURNS))
check "beyond --max-labels: the closing line says so" grep -q 'with labels beyond --max-labels' "$dir/err"
check "beyond --max-labels: info says so" \
	contains "$("$profrep" info "$dir/app.prof")" "with others than the recorder had room for"
unset TURNS

# Rooms are free again after each interval, and threads keep their labels while they wait.
start own routes
honest=$!
start own many
many=$!
start own waits
waits=$!
begin_recording -F 999 -i 500ms --max-labels 60 --on-cpu --off-cpu -o "$dir/app.prof" --pid "$honest,$many,$waits"
# What is recorded so far.
recording=$(echo "$dir"/app.prof.*.part)
has_intervals() { at_least "$(intervals "$1" | awk -v least="$2" '$1 >= least' | wc -l)" 3; }
check "intervals have the routes of an honest program" wait_for has_intervals "$honest" 3
check "intervals have new routes of a program with endless values" wait_for has_intervals "$many" 10
# has_waited: 1.5 seconds of each route.
has_waited()
{
	same "/cart 1 /home 1 /pay 1" "$("$profrep" -f --event off-cpu --by-label http.route --pid "$waits" "${recording:-$dir/app.prof}" | awk -F ';' '
		/^\// {n[$1] += substr($0, match($0, / [0-9]+$/))} END {for (of in n) print of, (n[of] >= 1.5e9)}' | sort | xargs)"
}
check "a wait of several intervals has its route" wait_for has_waited
recording=
end_recording INT
finish

# What is hostile goes through outputs as text.
TURNS=10 start own escapes
count_hits
check "hostile labels in tables" contains "$("$profrep" top --by-label http.route "$dir/app.prof")" '\x1b[31m<b>'
check "hostile labels in OTLP" \
	contains "$("$profrep" export otlp --json -o - "$dir/app.prof")" '"stringValue":"\u001b[31m<b>&'
"$profrep" html --by-label http.route -o "$dir/app.html" "$dir/app.prof"
check "hostile labels in pages" same "$(grep -c $'\033' "$dir/app.html")" 0

# Time off the CPU: each thread has one request, which sleeps.
TURNS=1 start own waits
waits=$!
: > "$dir/err"
"$profrec" --off-cpu -o "$dir/app.prof" --pid "${pids[0]}" 2> "$dir/err" &
recorder=$!
wait_for has_text "Ctrl-C" "$dir/err"
kill -USR1 "${pids[0]}"
wait "${pids[0]}"
pids=()
end_recording INT
check "time off the CPU has labels" has_waited
"$profrep" merge -o "$dir/merged.prof" "$dir/app.prof" "$dir/app.prof"
check "a merged recording has labels of time off the CPU" \
	contains "$("$profrep" top --event off-cpu --by-label http.route "$dir/merged.prof")" /cart

# Traces: the id of each begins with the number of its route.
traces()
{
	"$profrep" -f --by-label trace_id "$dir/app.prof" | awk -F ';' 'match($0, /;on_[a-z]+/) {
		id = /^\[no/ ? "none" : substr($1, 1, 2); n[id " " substr($0, RSTART + 4, RLENGTH - 4)] += substr($0, match($0, / [0-9]+$/))}
		END {for (of in n) print of, n[of]}'
}
TURNS=30 start own routes
traced=$!
count_hits --traces
check "each request has its own trace" same "$(traces | sort | xargs)" "01 cart 30 02 pay 30 03 home 30"
check "--traces: requests have their routes" have_all "$traced"
check "--traces: info says so" contains "$("$profrep" info "$dir/app.prof")" "with a trace"
check "--traces: OTLP has links" at_least "$("$profrep" export otlp --json -o - "$dir/app.prof" | grep -o '"traceId":"0[123]0' | wc -l)" 90
TURNS=300 start own routes
traced=$!
count_hits --traces --max-labels 60
check "beyond the limit, traces are missing" above "$(traces | awk '/^none/ {n += $NF} END {print n + 0}')" 0
check "beyond the limit, routes are not missing" have_all "$traced"
check "beyond the limit, the closing line says how many traces are missing" \
	grep -qE ', [0-9]+ without their trace, beyond --max-labels' "$dir/err"

# Keys that the user chooses.
TURNS=10 start own routes
cold=1 count_hits --labels user.id,http.method
check "--labels with other keys" contains "$("$profrep" info "$dir/app.prof")" "user.id"
TURNS=10 start own routes
cold=1 count_hits --labels none
check "--labels none" same "$("$profrep" info "$dir/app.prof" | grep -c '^label sets')" 0
check "--labels: the keys are checked" \
	contains "$("$profrec" --labels a,,b 1 2>&1)" "not a list of up to 8 different keys, or none"
check "labels are not for stacks along frame pointers" \
	contains "$("$profrec" --labels a --unwind fp 1 2>&1)" "not allowed with --unwind fp"
check "labels are not for perf events" contains "$("$profrec" --labels a --backend perf 1 2>&1)" "option --labels is not possible by perf events"
check "traces are not for perf events" \
	contains "$("$profrec" --traces --backend perf 1 2>&1)" "option --traces is not possible by perf events"
check "traces need tables" contains "$("$profrec" --traces --unwind fp 1 2>&1)" "option --traces: not allowed with --unwind fp"
check "traces take the place of a key" contains "$("$profrec" --traces --labels a,b,c,d,e,f,g,h 1 2>&1)" \
	"option --traces: not with more than 7 --labels"
check "traces: their ids are no keys of --labels" contains "$("$profrec" --traces --labels span_id 1 2>&1)" \
	"option --traces: 'span_id' is its own label, and not of --labels"
plan_end
