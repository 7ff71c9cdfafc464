#!/usr/bin/env bash
# Pages of profrep html in Chromium. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

export NODE_PATH=$BUILD/npm/node_modules
CHROMIUM=$(command -v chromium-headless-shell || command -v chromium) || skip_all "chromium is not installed: make deps-long"
export CHROMIUM
node -e 'require("puppeteer-core")' 2> /dev/null || skip_all "puppeteer-core is not installed: make deps-long"

html() { "$profrep" html -o "$dir/$1.html" "$dir/$1.prof" 2> /dev/null; }
for name in basic epochs slices nothing; do
	"$BUILD/tests/prof_make" < "tests/golden/$name.txt" > "$dir/$name.prof"
	html $name
done
"$profrep" html --comm func_ab -o "$dir/part.html" "$dir/basic.prof" 2> /dev/null
for name in markup long; do "$BUILD/tests/prof_make" < "tests/html/$name.txt" > "$dir/$name.prof"; done
"$BUILD/tests/picture_make" 20000 > "$dir/small.prof"
"$BUILD/tests/picture_make" 200000 > "$dir/large.prof"
"$BUILD/tests/picture_make" 100 2048 > "$dir/deep.prof"
for name in long small large deep; do html $name; done
mkdir "$dir/src"
{ echo '<img src=x onerror=alert(7)>'; printf 'int line_%s; // <b>\n' {2..400}; } > "$dir/src/\"><img src=x onerror=alert(6)>.c"
"$profrep" html --source "$dir/src" -o "$dir/markup.html" "$dir/markup.prof"
"$BUILD/tests/prof_make" < tests/golden/lines.txt > "$dir/lines.prof"
"$profrep" html --source "$dir/src" -o "$dir/lines.html" "$dir/lines.prof"
# Threads that run one function in the first second and another in the next.
{
	printf '%s\n' "object f file /nonexistent/f -" "sym f 0 16 a" "sym f 16 16 b" "process p 1 1" "map p f 0x1000 0x1000 0"
	for i in {1..60}; do
		printf '%s\n' "count p pool $i user f:1 tid $((100 + i))" "part 0 $i" "count p pool $i user f:17 tid $((100 + i))" "part 1 $i"
	done
	printf '%s\n' "slices 1000000000 0" "epoch 0 2000000000" "end duration_ns 2000000000"
} | "$BUILD/tests/prof_make" > "$dir/pool.prof"
"$profrep" html --threads -o "$dir/pool.html" "$dir/pool.prof"
tap_of node tests/html/browser.js "$dir"
plan_end
