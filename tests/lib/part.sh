# shellcheck shell=bash
# Runs parts of the tests and adds up. Source it, with BUILD the build directory; the shell's traps are set here. With
# KEEP=1, directories of parts that fail stay.
#
# What a part rests on decides what a failure means (tests/parts.tsv). One of the class sampling runs twice more, and has
# failed if two runs of three have. Each of its runs that fails is a line "NOISE PART: CHECK", with the first check that
# failed, because those after it often fail for the same reason.
: "${BUILD:?the build directory}"
# shellcheck source=tests/lib/nap.sh
. "${BASH_SOURCE%/*}/nap.sh"
parts_dir=$(mktemp -d)
chmod 755 "$parts_dir" # parts become other users
results=$parts_dir/results times=$parts_dir/times noise=$parts_dir/noise failures=$parts_dir/failures
: > "$results"
: > "$times"
: > "$noise"
: > "$failures"
# NOISE lines that a run may have.
NOISE_MOST=3
# Of the parts that run, by the process that contains them: the name, and when they began, in microseconds.
declare -A running=() begins=()
trap '[ "$BASHPID" != $$ ] || end_parts' EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# end_parts: ends the parts that run, with all that they started, and removes their files.
end_parts()
{
	local pids=("${!running[@]}") name
	[ ${#pids[@]} -eq 0 ] || { kill -TERM "${pids[@]}"; wait "${pids[@]}"; } 2> /dev/null
	for name in "${running[@]}"; do rm -rf --one-file-system "$(place_of "$name")"; done
	rm -f "$results" "$times" "$noise" "$failures" "$parts_dir"/*.said
	# What is kept stays.
	rmdir "$parts_dir" 2> /dev/null || [ "${KEEP:-}" ] || rm -rf --one-file-system "$parts_dir"
}

# place_of NAME: the directory of a part, which stays with KEEP if the part fails: its TAP in "out", its errors in "err",
# and its temporary directory "tmp". The file "left" names the processes that it left.
place_of() { echo "$parts_dir/${1//\//.}${again:+.$again}"; }
again= # the number of the run, from the second on

# now_us: the time in microseconds.
now_us() { echo "${EPOCHREALTIME//[!0-9]/}"; }

# Programs that source this may know better.
rests_on() { echo gate; }
timeout_of() { echo "${PART_TIMEOUT:-1800}"; }

# begin_part NAME COMMAND...: starts a part. Nothing that it starts outlives it.
begin_part()
{
	local place
	place=$(place_of "$1")
	mkdir -m 755 "$place" "$place/tmp"
	: > "$place/left"
	TMPDIR=$place/tmp "$BUILD/tests/contain" "$(timeout_of "$1")" "$place/left" "${@:2}" \
		> "$place/out" 2> "$place/err" &
	running[$!]=$1
	begins[$!]=$(now_us)
}

# run_contained COMMAND...: nothing that it starts outlives it, and nothing is left in its temporary directory. Returns
# its exit status; the file $parts_dir/left names the processes that it left.
run_contained()
{
	local pid status
	mkdir -m 755 "$parts_dir/tmp"
	: > "$parts_dir/left"
	TMPDIR=$parts_dir/tmp "$BUILD/tests/contain" "${PART_TIMEOUT:-1800}" "$parts_dir/left" "$@" &
	pid=$!
	running[$pid]=tmp
	wait "$pid"
	status=$?
	unset "running[$pid]"
	rm -rf --one-file-system "$parts_dir/tmp" "$parts_dir/left.cpu"
	return $status
}

# died_of STATUS SECONDS: how a part ended that did not end well within its time; nothing if it did.
died_of()
{
	case $1 in
	0) ;;
	124) echo "it took more than $2 s" ;;
	*) echo "exit status $1" ;;
	esac
}

# judge_part NAME STATUS TAP LEFT: prints failed and skipped tests, "FAIL NAME: TEST" and "SKIP NAME: TEST", then "RESULT
# PASSED FAILED SKIPPED". A part fails also if it dies, keeps no plan, or has left a process.
judge_part()
{
	awk -v name="$1" -v why="$(died_of "$2" "$(timeout_of "$1")")" -v tap="$3" '
		FILENAME != tap { failed++; print "FAIL " name ": it left a process: " $0; next }
		/^ok .*# SKIP/  { ran++; skipped++; sub(/^ok [0-9]+ - /, ""); print "SKIP " name ": " $0; next }
		/^ok /          { ran++; passed++; next }
		/^not ok /      { ran++; failed++; sub(/^not ok [0-9]+ - /, ""); print "FAIL " name ": " $0; next }
		/^1\.\.[0-9]+/  { split($0, p, /\.\./); planned = p[2] + 0; has_plan = 1; next }
		/^#/ && failed  { print "     " $0 }
		END {
			if (!has_plan || planned != ran || (why && !failed)) {
				failed++
				print "FAIL " name ": " (why ? why ", " : "") ran + 0 " of " planned + 0 " tests ran"
			}
			print "RESULT " passed + 0, failed + 0, skipped + 0
		}' "$3" "$4"
}

# end_part PID STATUS: of a part that has ended. Its words go to the file "said" of its directory, its counts and name to
# $results, and the milliseconds that it took, and those of CPU time, to $times.
end_part()
{
	local name=${running[$1]} place passed failed skipped cpu word=FAIL took=$((($(now_us) - begins[$1]) / 1000))
	unset "running[$1]"
	place=$(place_of "$name")
	[ "$(rests_on "$name")" != sampling ] || word=NOISE
	judge_part "$name" "$2" "$place/out" "$place/left" > "$place/judged"
	read -r passed failed skipped < <(sed -n 's/^RESULT //p' "$place/judged")
	if [ $word = FAIL ]; then
		grep '^FAIL ' "$place/judged" >> "$failures"
	else
		awk '/^FAIL / {sub(/^FAIL/, nr++ ? "  also" : "NOISE")} {print}' "$place/judged" > "$place/noise"
		mv "$place/noise" "$place/judged"
		grep '^NOISE ' "$place/judged" >> "$noise"
	fi
	{
		grep -v '^RESULT ' "$place/judged"
		echo "$name: $passed passed, $failed failed, $skipped skipped"
		if [ "$failed" -ne 0 ]; then
			tail -n 20 "$place/err" | sed 's/^/     | /'
			[ -z "${KEEP:-}" ] || echo "     kept: $place"
		fi
	} > "$place.said"
	echo "$passed $failed $skipped $name" >> "$results"
	read -r cpu < "$place/left.cpu"
	echo "$took ${cpu:-0} $name" >> "$times"
	rm -f "$place/judged" "$place/left" "$place/left.cpu"
	{ [ "${KEEP:-}" ] && [ "$failed" -ne 0 ]; } || rm -rf --one-file-system "$place"
}

# show_part NAME: failed tests, skipped tests and the counts of a part that has ended.
show_part()
{
	local said
	said=$(place_of "$1").said
	cat "$said"
	rm "$said"
}

# run_part NAME COMMAND...: in a temporary directory of its own, for as long as timeout_of says.
run_part()
{
	local pid
	begin_part "$@"
	pid=$!
	wait "$pid"
	end_part "$pid" $?
	show_part "$1"
}

# run_beside NAME...: the parts side by side, as many at a time as JOBS says, or as there are CPUs. What they say comes in
# their order. "part_command NAME" sets $command. Those in $longest begin first.
longest=() command=()
run_beside()
{
	local waiting=() shown=("$@") name pid
	for name in "${longest[@]}" "$@"; do
		[[ " ${waiting[*]} " == *" $name "* || " $* " != *" $name "* ]] || waiting+=("$name")
	done
	while [ ${#shown[@]} -gt 0 ]; do
		while [ ${#waiting[@]} -gt 0 ] && [ ${#running[@]} -lt "${JOBS:-$(nproc)}" ]; do
			part_command "${waiting[0]}"
			begin_part "${waiting[0]}" "${command[@]}"
			waiting=("${waiting[@]:1}")
		done
		# Not "wait -n": bash passes over a job that ended before the call, and waits for another one.
		nap 0.1
		for pid in "${!running[@]}"; do
			kill -0 "$pid" 2> /dev/null || { wait "$pid"; end_part "$pid" $?; }
		done
		while [ ${#shown[@]} -gt 0 ] && [ -e "$parts_dir/${shown[0]//\//.}.said" ]; do
			show_part "${shown[0]}"
			shown=("${shown[@]:1}")
		done
	done
}

# run_again: the parts of the class sampling that failed run twice more, alone. The counts of the run that agrees with the
# verdict stay in $results; a part that failed twice has its checks in $failures, too.
run_again()
{
	local name again failed names
	mapfile -t names < <(awk '$2 {print $4}' "$results")
	for name in "${names[@]}"; do
		[ "$(rests_on "$name")" = sampling ] || continue
		for again in 2 3; do
			echo "AGAIN $name: run $again of 3"
			part_command "$name"
			run_part "$name" "${command[@]}"
		done
		failed=$(awk -v name="$name" '$4 == name && $2' "$results" | wc -l)
		awk -v name="$name" -v failed=$((failed > 1)) '$4 != name {print; next} ($2 > 0) == failed {last = $0} END {print last}' \
			"$results" > "$results.new"
		mv "$results.new" "$results"
		[ "$failed" -lt 2 ] || sed -n "s|^NOISE \\($name: .*\\)|FAIL \\1 ($failed of 3 runs fail)|p" "$noise" | sort -u | tee -a "$failures"
	done
}

# print_times: how long each part took, and its CPU time, the longest first. Those below a second stand together.
print_times()
{
	sort -rn "$times" | awk '
		function add(text)
		{
			line = line separator text
			separator = ", "
			if (length(line) > 100) { print line ","; line = separator = "" }
		}
		BEGIN { line = "times (of CPU): " }
		{ all += $2 }
		$1 >= 1000 { add(sprintf("%s %.0f s (%.0f)", $3, $1 / 1000, $2 / 1000)); next }
		{ nr++; sum += $1; cpu += $2 }
		END {
			add(nr + 0 sprintf(" below a second %.0f s (%.0f)", sum / 1000, cpu / 1000))
			print line separator sprintf("all %.0f s of CPU", all / 1000)
		}'
}

# list_failures: what failed, and what failed by chance, each with the command that runs it alone.
list_failures()
{
	[ ! -s "$failures" ] && [ ! -s "$noise" ] && return
	echo
	sed -E 's/^FAIL (([^:]*): .*)/FAILED \1 [make check TESTS=\2]/; s/^NOISE (([^:]*): .*)/NOISE \1 [tests\/steady \2]/' "$failures" "$noise"
}

# sum_results: the counts of all parts together, in a line; succeeds if none failed and one passed. Too many lines of
# NOISE are a failure.
sum_results()
{
	local lines
	lines=$(wc -l < "$noise")
	if [ "$lines" -gt $NOISE_MOST ]; then
		echo "FAIL $lines lines of NOISE: $NOISE_MOST may be chance"
		echo "0 1 0 noise" >> "$results"
	fi
	awk '{p += $1; f += $2; s += $3} END {print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f || !p}' "$results"
}
