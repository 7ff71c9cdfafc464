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
for name in markup long small large deep; do html $name; done
tap_of node tests/html/browser.js "$dir"
plan_end
