#!/usr/bin/env bash
# Pages of profrep html, without a browser: their structure, their sizes, and their data as node reads them. The scripts
# of the viewer have a unit test each. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/differences.sh
. tests/lib/differences.sh
names=(--demangle short)

for text in tests/golden/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done
"$BUILD/tests/picture_make" 20000 > "$dir/picture.prof"
"$BUILD/tests/picture_make" 100 2048 > "$dir/deep.prof"

scripts=$(make -s --no-print-directory B="$BUILD" html-scripts | tr ' ' '\n')
check "each script has a unit test" same "$(cd tests/html/unit && echo *.js)" "$(sed 's,.*/,,' <<< "$scripts" | sort | xargs)"
if command -v node > /dev/null; then
	for test in tests/html/unit/*.js; do
		what=$(basename "$test") tap_of node "$test"
	done
else
	skip "unit tests of scripts" "node is not installed"
fi

# holds PAGE EVENTS RECORDING...: the page has the stacks of each event of the recordings.
holds()
{
	local page=$1 events=$2 recording event
	local folded=()
	shift 2
	for recording; do
		for event in $(seq "$events"); do
			"$profrep" -f -P "${names[@]}" --event "$event" "$recording" > "${recording#@}.$event" 2> /dev/null
			folded+=("${recording#@}.$event")
		done
	done
	tap_of node tests/html/check_page.js "$page" "${folded[@]}"
}

# slices_text COUNTS: a recording of so many seconds with a count in each slice.
slices_text()
{
	local count slice=0 sum=0 parts=()
	for count in $1; do
		[ "$count" -eq 0 ] || parts+=("part $slice $count")
		sum=$((sum + count)) slice=$((slice + 1))
	done
	printf '%s\n' "object f file /nonexistent/f -" "process p 1 1" "map p f 0x1000 0x1000 0" "count p a $sum user f:1" \
		"${parts[@]}" "slices 1000000000 0" "epoch 0 ${slice}000000000" "end duration_ns ${slice}000000000"
}

html() { "$profrep" html -o "$dir/$1.html" "$dir/$1.prof" 2> /dev/null; }

if command -v node > /dev/null; then
	for what in basic hostile mangled epochs order missed processes languages slices picture deep; do
		html $what
		holds "$dir/$what.html" 1 "$dir/$what.prof"
	done
	check "functions of languages have a kind of their own, and the line of their definition" contains \
		"$(node tests/html/list_functions.js "$dir/languages.html")" "|Python|"
	"$profrep" -f -P "${names[@]}" --frames language "$dir/languages.prof" > "$dir/languages.folded" 2> "$dir/log"
	check "functions of languages only" node tests/html/check_languages.js "$dir/languages.html" "$dir/languages.folded"
	for name in basic hostile languages; do
		"$profrep" -f -P "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/log"
		"$profrep" html --folded -o "$dir/folded.html" - < "$dir/$name.folded"
		what="folded $name"
		tap_of node tests/html/check_page.js "$dir/folded.html" "$dir/$name.folded"
	done
	"$profrep" -fa "$dir/basic.prof" > "$dir/basic.folded" 2> "$dir/log"
	"$profrep" html --folded -o "$dir/folded.html" "$dir/basic.folded"
	html basic
	# functions_of PAGE KIND
	functions_of() { node tests/html/list_functions.js "$dir/$1.html" | sed -n "s/|$2|.*//p" | sort -u; }
	# Frames without a name are of no kind in the page of a recording.
	for kind in kernel user; do
		check "functions of the $kind keep their colour" same "$(functions_of folded $kind | grep -v '^\[unknown\]$')" \
			"$(functions_of basic $kind)"
		check "there are functions of the $kind" above "$(functions_of folded $kind | wc -l)" 2
	done
	check "folded stacks have no compiled code" same "$(functions_of folded JIT)" ""
	what="keys"
	tap_of node tests/html/check_keys.js "$dir/basic.html"
	what="times"
	html $what
	holds "$dir/$what.html" 2 "$dir/$what.prof"
	check "nanoseconds have no rate" same "$(node tests/html/list_facts.js "$dir/times.html" | grep -c " Hz")" 0
	what="several recordings"
	"$profrep" html -o "$dir/several.html" "$dir/before.prof" "$dir/after.prof"
	holds "$dir/several.html" 1 "$dir/before.prof" "$dir/after.prof"
	what="the sum of a list"
	printf '%s\n' "$dir/before.prof" "$dir/after.prof" > "$dir/list"
	"$profrep" html -o "$dir/sum.html" "@$dir/list" "$dir/after.prof"
	holds "$dir/sum.html" 1 "@$dir/list" "$dir/after.prof"
	for counts in "3 0 5" "2 4 1 6"; do
		slices_text "$counts" | "$BUILD/tests/prof_make" > "$dir/${counts%% *}s.prof"
	done
	printf '%s\n' "$dir/3s.prof" "$dir/2s.prof" > "$dir/list"
	"$profrep" html -o "$dir/sum.html" "@$dir/list"
	check "recordings of a list stand one after the other in time" same "$(node tests/html/list_slots.js "$dir/sum.html" | xargs)" \
		"0 1000 3 1000 2000 0 2000 3000 5 3000 4000 2 4000 5000 4 5000 6000 1 6000 7000 6"
	"$profrep" merge -o "$dir/merged.prof" "@$dir/list"
	html merged
	check "a merged recording has the times of a list" cmp <(node tests/html/list_slots.js "$dir/merged.html") \
		<(node tests/html/list_slots.js "$dir/sum.html")
else
	html picture
	html hostile
	skip "what pages hold" "node is not installed"
fi

folds() { printf "$1" | "$profrep" html --folded -o "$dir/none.html" -; }
check "folded stacks without a count" says 1 "failed to read '-': line 2: there is no count at its end" folds 'a;b 1\na;b\n'
check "counts beyond 64 bits" says 1 "line 2: the counts add up to more than 64 bits" folds 'a 18446744073709551615\na;b 1\n'
check "no folded stacks" folds ''

# differences PAGE OPTION...: the page holds the folded differences of before.prof and after.prof.
differences()
{
	local page=$1
	shift
	"$profrep" diff --html "$dir/$page" "$@" "$dir/before.prof" "$dir/after.prof" &&
		"$profrep" diff -f "${names[@]}" "$@" "$dir/before.prof" "$dir/after.prof" > "$dir/$page.folded" &&
		node tests/html/check_diff.js "$dir/$page" "$dir/$page.folded"
}
if command -v node > /dev/null; then
	check "differences" differences diff.html
	check "scaled differences" differences scaled.html -n
	for i in 1 2 3 4; do
		simulate "$dir/a$i.prof" 7 "$i" 6000 99 3 0 10 3
		simulate "$dir/b$i.prof" 7 "1$i" 6000 99 3 60 10 3
	done
	sides=(--before "$dir"/a[1-4].prof --after "$dir"/b[1-4].prof)
	"$profrep" diff --html "$dir/verdicts.html" "${sides[@]}"
	"$profrep" diff --json "${names[@]}" "${sides[@]}" > "$dir/verdicts.json"
	check "verdicts of a page" node tests/html/check_verdicts.js "$dir/verdicts.html" "$dir/verdicts.json"
else
	skip "differences" "node is not installed"
fi

check "a page of 20,000 stacks has at most 360 KB" at_most "$(stat -c %s "$dir/picture.html")" 360000
html nothing
check "the viewer has at most 55 KB" at_most "$(stat -c %s "$dir/nothing.html")" 55000

"$BUILD/tests/prof_make" < tests/html/markup.txt > "$dir/markup.prof"
mkdir "$dir/src"
printf '%s\n' '// </script><script>alert(7)</script>' $'int x; // \033[2J \302\233 \342\200\256 <img src=x onerror=alert(8)>' "</code><b>" \
	> "$dir/src/\"><img src=x onerror=alert(6)>.c"
"$profrep" html --source "$dir/src" -o "$dir/markup.html" "$dir/markup.prof"
tags() { tr -d '\n' < "$1" | grep -oE '<[a-zA-Z!/][^>]*>' | sed 's/ content="[^"]*"//' | sort | uniq -c; }
check "hostile names make no element" same "$(grep -ciE '<img|<b |alert\(.\)<|<!--' "$dir/markup.html")" 0
if command -v node > /dev/null; then
	check "lines of a source file are in the data, escaped" same \
		"$(node tests/html/list_lines.js "$dir/markup.html" '</script><script>alert(2)</script>')" \
		'/src/"><img src=x onerror=alert(6)>.c|1|0|0|// </script><script>alert(7)</script>
/src/"><img src=x onerror=alert(6)>.c|2|3|3|int x; // \x1b[2J \xc2\x9b \xe2\x80\xae <img src=x onerror=alert(8)>
/src/"><img src=x onerror=alert(6)>.c|3|0|0|</code><b>'
	{
		printf '%s\n' "object f file /nonexistent/f -" "process p 1 1" "map p f 0 0x100000 0"
		for i in {1..130}; do
			printf '%s\n' "line f $((i * 16)) /src/f.c $i function_$i" "count p a $i user f:$((i * 16))"
		done
	} | "$BUILD/tests/prof_make" > "$dir/many.prof"
	"$profrep" html --source "$dir/src" -o "$dir/many.html" "$dir/many.prof"
	check "a page has the lines of the 100 functions with the most samples, and says how many it lacks" same \
		"$(node tests/html/list_lines.js "$dir/many.html" | sort -V | xargs)" "30 $(echo function_{31..130})"
	check "a line without its file has samples" same "$(node tests/html/list_lines.js "$dir/many.html" function_31)" "/src/f.c|31|31|31|"
	html many
	check "no text of a file is in a page without --source" same "$(node tests/html/list_lines.js "$dir/many.html")" ""
fi
check "a directory of sources that is not there" says 1 "failed to open '$dir/none': No such file" "$profrep" html --source "$dir/none" "$dir/markup.prof"
check "the elements of a page do not depend on names" same \
	"$(tags "$dir/markup.html" | grep -vE '<t[hrd]>')" "$(tags "$dir/nothing.html" | grep -vE '<t[hrd]>')"
check "the table has hostile names as text, cut" contains "$(cat "$dir/markup.html")" "&#60;img src=x onerror=alert(3)&#62;"

cd "$dir" || exit 1
mkdir sub && cp basic.prof sub
check "the name of a page" "$profrep" html sub/basic.prof
check "a page without -o is in the working directory" test -s basic.html
check "standard input and output" same "$("$profrep" html -o - - < basic.prof | sed 's/<caption>.*//; /id="data"/d')" \
	"$("$profrep" html -o - basic.prof | sed 's/<caption>.*//; /id="data"/d')"
check "a full disk" says 1 "failed to write '/dev/full': No space left on device" "$profrep" html -o /dev/full basic.prof
check "a full disk, by standard output" says 1 "failed to write the report: No space left on device" \
	sh -c '"$0" html -o - basic.prof > /dev/full' "$profrep"
check "a directory that is not there" says 1 "failed to create 'none/a.html': No such file" "$profrep" html -o none/a.html basic.prof
check "a page of another comparison" says 2 "option --by: a page compares functions" "$profrep" diff --html x.html --by stack basic.prof basic.prof
check "a broken recording is shown, and said to be" says 3 "is incomplete" "$profrep" html -o cut.html cut.prof
plan_end
