#!/usr/bin/env bash
# Reports at narrow terminals: no line is longer than the terminal is wide, rows that differ still differ, and what tells
# most is there. In a pipe nothing is cut. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v script > "$dir/log" || skip_all "script is not installed"

# Functions that differ in the middle and at the end, files that differ at the end, and a path of a cgroup.
long=engine::storage::Table::lookup_in_pages
sed "s|^sym ab 0x1130 0x20 .*|sym ab 0x1130 0x20 $long(unsigned long, std::string const\&, a)|
	s|^sym ab 0x1150 0x20 .*|sym ab 0x1150 0x20 $long(unsigned long, std::string const\&, b)|
	s|/nonexistent/|/nonexistent/a/long/way/to/the/files/of/a/program/|; s|/lib/x86_64|/nonexistent/lib/of/x86_64|
	s|^process dd .*|&\\ninfo dd 100 0 dd /nonexistent/bin/dd /system.slice/a-long-way-of-slices.slice/orders.service|" \
	tests/golden/basic.txt > "$dir/long.txt"
"$BUILD/tests/prof_make" < "$dir/long.txt" > "$dir/long.prof" || exit 1
for name in slow{1,2,3} fast{1,2,3}; do
	sed "s/^\(sym .*\) \(parse\|work\|copy\)$/\1 $long(unsigned long, std::string const\&, \2)/" "tests/golden/$name.txt" |
		"$BUILD/tests/prof_make" > "$dir/$name.prof" || exit 1
done
# at COLUMNS ARGUMENTS...: what profrep prints at such a terminal.
at()
{
	script -qec "stty cols $1 rows 40; NO_COLOR=1 '$profrep' ${*:2}" /dev/null < /dev/null | tr -d '\r'
}
# The first line of a diff is a sentence, which the terminal wraps; a headline is one, too.
too_long() { at "$@" | grep -v '^Sampling\|functions changed' | expand | awk -v width="$1" 'length($0) > width'; }
sides="--before $dir/slow[123].prof --after $dir/fast[123].prof"
for columns in 80 64; do
	for command in top "top --by dso" "top --by process" "top --by cgroup" tree "callers main" files processes missing; do
		check "$command: at $columns columns no line is too long" same "$(too_long $columns "$command" "$dir/long.prof")" ""
	done
done
"$BUILD/tests/prof_make" < tests/golden/owners.txt > "$dir/owners.prof" || exit 1
for columns in 120 160 190 230; do
	check "processes: at $columns columns no line is too long" same "$(too_long $columns processes "$dir/owners.prof")" ""
done
check "processes: columns of owners that fit" same \
	"$(for columns in 160 170 210 240; do at $columns processes "$dir/owners.prof" | head -n 1 | grep -o 'CONTAINER\|POD\|UNIT' | wc -l; done | xargs)" "0 1 2 3"
check "diff: at 80 columns no line is too long" same "$(too_long 80 diff -A "$sides")" ""
check "top: functions of one beginning differ" same "$(at 80 top "$dir/long.prof" | grep -c '  engine::.*\.\.\..*, [ab])$')" 2
check "tree: functions of one beginning differ" same "$(at 80 tree "$dir/long.prof" | grep -o 'engine::.*\.\.\..*, [ab])$' | sort -u | wc -l)" 2
check "diff: functions of one beginning differ" \
	same "$(at 80 diff -A "$sides" | grep -o '\.\.\..*, [a-z]*)$' | sort -u | wc -l)" 3
check "files: the end of a path stays" same "$(at 80 files "$dir/long.prof" | grep -c '\.\.\..*/\(dd\|func_ab\|libc.so.6\)$')" 3
check "missing: the end of a path stays" same "$(at 80 missing "$dir/long.prof" | grep -c '\.\.\..*/\(dd\|func_ab\|libc.so.6\)$')" \
	"$("$profrep" missing "$dir/long.prof" | grep -c .)"
check "processes: the end of a cgroup's path stays" same "$(at 80 processes "$dir/long.prof" | grep -c '  \.\.\.[a-z/]*ders\.service$')" 1
check "top: the end of a cgroup's path stays" \
	same "$(at 64 top --by cgroup "$dir/long.prof" | grep -c '\.\.\..*orders\.service$')" 1
bars() { at "$1" top "$dir/long.prof" | grep -c '##'; }
check "top: the bar goes first" same "$(bars 130 | grep -vx 0 | wc -l) $(bars 110)" "1 0"
# Longest name of a function that is cut: what the columns before it leave.
names() { at "$1" top "$dir/long.prof" | grep -o 'engine::.*\.\.\..*$' | awk 'length > n {n = length} END {print n + 0}'; }
for columns in 80 97 98 100 106 107 118 124 125; do
	check "top: at $columns columns names have room" at_least "$(names $columns)" 34
done
check "top: counts come where names keep their room" same \
	"$(for columns in 105 107; do at $columns top "$dir/long.prof" | grep -c 'SELF  *SELF %'; done | xargs)" "0 1"
check "top: shares stay" same "$(at 64 top "$dir/long.prof" | grep -c 'CPUS *SELF % *TOTAL % *DSO *FUNCTION')" 1
printf '%s\n' "object f file /nonexistent/f -" "sym f 0 16 work" "process p 1 1" "map p f 0x1000 0x1000 0" "event user events 1 u" \
	"count p a 1234567 user f:1" | "$BUILD/tests/prof_make" > "$dir/hits.prof"
check "hits have their counts at 80 columns" contains "$(at 80 top "$dir/hits.prof")" " 1234567 100.00 %"
check "hits have shares without their counts at 64 columns" same "$(at 64 top "$dir/hits.prof" | grep -c 1234567) $(at 64 top "$dir/hits.prof" | grep -c '100.00 %.*work')" "0 1"
for command in top tree files processes missing; do
	check "$command: nothing is cut in a pipe" same "$("$profrep" $command "$dir/long.prof" | grep -cF ...)" 0
	check "$command: nothing is cut at a wide terminal" same "$(at 400 $command "$dir/long.prof" | sed 's/ *$//')" \
		"$("$profrep" $command "$dir/long.prof" | sed 's/ *$//')"
done
plan_end
