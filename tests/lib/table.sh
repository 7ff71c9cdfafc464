# shellcheck shell=bash disable=SC2034 # for scripts that source this
# Reads tests/parts.tsv, which has a row for each part, or for all whose names match a pattern. The first row that fits a
# part is its own. Columns: part; class; needs, words with commas between; seconds on two idle CPUs; what it tests.
declare -A row_class=() row_needs=() row_seconds=() row_tests=()
row_patterns=()
read_table()
{
	local pattern class needs seconds tested
	while IFS=$'\t' read -r pattern class needs seconds tested; do
		[[ $pattern != part && $pattern != '#'* ]] || continue
		row_patterns+=("$pattern")
		row_class[$pattern]=$class row_needs[$pattern]=$needs row_seconds[$pattern]=$seconds row_tests[$pattern]=$tested
	done < tests/parts.tsv
}
read_table

# find_row PART: sets $row to the pattern of its row. Returns 1 if there is none.
find_row()
{
	for row in "${row_patterns[@]}"; do
		# shellcheck disable=SC2053 # a pattern is meant
		[[ $1 != $row ]] || return 0
	done
	row=
	return 1
}

# class_of PART: gate, sampling or elsewhere. rests_on PART: what its failure means: gate or sampling, which a part of
# the class elsewhere has after a stroke.
class_of() { find_row "$1" && echo "${row_class[$row]%/*}"; }
rests_on() { find_row "$1" && echo "${row_class[$row]#*/}"; }
needs() { find_row "$1" && [[ ,${row_needs[$row]}, == *,"$2",* ]]; }
seconds_of() { find_row "$1" && echo "${row_seconds[$row]}"; }

# part_command PART: sets $command to what runs the part.
part_command()
{
	case $1 in
	unit/*) command=(tests/lib/check-tap "$BUILD/tests/${1#unit/}") ;;
	fuzz/*) command=("$BUILD/tests/fuzz_replay_${1#fuzz/}" tests/fuzz/"${1#fuzz/}"/*) ;;
	*/*) command=(bash "tests/$1.sh") ;;
	*) command=("tests/rules/$1") ;;
	esac
}

# timeout_of PART: ten times its usual seconds, and longer than a wait in vain takes, unless PART_TIMEOUT says it. The
# oracle takes as long as it is told.
timeout_of()
{
	local seconds
	seconds=$(seconds_of "$1")
	seconds=$((${seconds:-30} * 10))
	echo "${PART_TIMEOUT:-$(((seconds > 400 ? seconds : 400) + ${ORACLE_SECONDS:-0}))}"
}
