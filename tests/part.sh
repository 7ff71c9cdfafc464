# shellcheck shell=bash
# Runs parts of the tests and adds up. Source it, with BUILD the build directory; the shell's traps are set here.
: "${BUILD:?the build directory}"
parts_dir=$(mktemp -d)
chmod 755 "$parts_dir" # parts become other users
results=$parts_dir/results times=$parts_dir/times
: > "$results"
: > "$times"
contained=
trap end_parts EXIT
trap 'exit 129' HUP
trap 'exit 130' INT
trap 'exit 143' TERM

# end_parts: ends the part that runs, with all that it started, and removes its files.
end_parts()
{
	[ -z "$contained" ] || { kill -TERM "$contained"; wait "$contained"; } 2> /dev/null
	rm -rf --one-file-system "$parts_dir"
}

# run_contained COMMAND...: nothing that it starts outlives it, and nothing is left in its temporary directory. Returns
# its exit status; the file $parts_dir/left names the processes that it left.
run_contained()
{
	local status
	mkdir -m 755 "$parts_dir/tmp"
	: > "$parts_dir/left"
	TMPDIR=$parts_dir/tmp "$BUILD/tests/contain" "${PART_TIMEOUT:-1800}" "$parts_dir/left" "$@" &
	contained=$!
	wait "$contained"
	status=$?
	contained=
	rm -rf --one-file-system "$parts_dir/tmp"
	return $status
}

# died_of STATUS: how a part ended that did not end well; nothing if it did.
died_of()
{
	case $1 in
	0) ;;
	124) echo "it took more than ${PART_TIMEOUT:-1800} s" ;;
	*) echo "exit status $1" ;;
	esac
}

# judge_part NAME STATUS TAP LEFT: prints failed and skipped tests, then "RESULT PASSED FAILED SKIPPED". A part fails
# also if it dies, keeps no plan, or has left a process.
judge_part()
{
	awk -v name="$1" -v why="$(died_of "$2")" -v tap="$3" '
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

# run_part NAME COMMAND...: in a temporary directory of its own, for PART_TIMEOUT seconds at most. Prints failed tests,
# skipped tests and the counts. Appends the counts to the file $results, and how many seconds it took to $times.
run_part()
{
	local name=$1 tap=$parts_dir/tap begin=$SECONDS passed failed skipped
	shift
	run_contained "$@" > "$tap" 2> "$tap.err"
	judge_part "$name" $? "$tap" "$parts_dir/left" > "$tap.judged"
	grep -v '^RESULT ' "$tap.judged"
	sed -n 's/^RESULT //p' "$tap.judged" | tee -a "$results" > "$tap.counts"
	read -r passed failed skipped < "$tap.counts"
	echo "$name: $passed passed, $failed failed, $skipped skipped"
	[ "$failed" -eq 0 ] || tail -n 20 "$tap.err" | sed 's/^/     | /'
	rm -f "$tap"*
	echo "$((SECONDS - begin)) $name" >> "$times"
}

# slowest_parts: the ten parts that took longest, in a line.
slowest_parts()
{
	sort -rn "$times" | head -n 10 |
		awk '{printf "%s%s %d s", (NR > 1 ? ", " : "slowest: "), $2, $1} END {print ""}'
}

# sum_results: the counts of all parts together, in a line; succeeds if none failed and one passed.
sum_results()
{
	awk '{p += $1; f += $2; s += $3} END {print p + 0 " passed, " f + 0 " failed, " s + 0 " skipped"; exit f || !p}' "$results"
}
