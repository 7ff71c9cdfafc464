#!/usr/bin/env bash
# Early stacks of HotSpot: of a machine of the tests' own, whose structure is known. system/languages has machines that go on,
# and lies; long/java has the real one.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
need_tables
fake=$dir/fake_java
build "$fake" fake_java.c "${frameless[@]}" -Wl,--export-dynamic

stub='(StubRoutines \(1\)_\[j\]|\[unknown\](_\[j\])?)'
structure="main;$stub"';K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];burn_inside'

# Samples that come before the machine has begun wait for it. That is also so in the first process with this file.
ln "$fake" "$dir/late"
"$profrec" -q -F 199 -U -o "$dir/late.prof" -- "$dir/late" 15 late
"$profrep" -fa "$dir/late.prof" > "$dir/late.folded"
check "methods of a machine that begins late have their callers" mostly "$dir/late.folded" late "$structure" 80

"$profrec" -q -U --languages py -F 499 -o "$dir/none.prof" -- "$fake" 10
check "another language alone, no methods" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[java\]')" 0
plan_end
