#!/usr/bin/env bash
# Stacks of HotSpot: of a machine of the tests' own, whose structure is known and which can lie. tests/long/java.sh has
# the real one.
# shellcheck source=tests/tap.sh
. tests/tap.sh
need_tables
fake=$dir/fake_java
build "$fake" fake_java.c "${frameless[@]}" -Wl,--export-dynamic

# record NAME COMMAND...
record() { "$profrec" -q -F 499 -U -o "$dir/$1.prof" -- "${@:2}" && "$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"; }

structure='main;K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];burn_inside'
# The file is known after the first process.
record good sh -c "$fake 5; $fake 50"
check "the fake machine is found" contains "$(info "$dir/good.prof" interpreter)" "HotSpot 17.0.99 [java]"
check "methods have their callers" mostly "$dir/good.folded" fake_java "$structure" 70
check "no method has another caller" same \
	"$(grep '_\[java\]' "$dir/good.folded" | grep -v -E 'main;K.outer_\[java\](;K.middle_\[java\](;K.leaf_\[java\](;burn_inside)?)?)?( |;)')" ""
check "the module is the class" contains "$("$profrep" -fm "$dir/good.prof")" "K.leaf [K]"
"$profrep" -fa --frames native "$dir/good.prof" > "$dir/native.folded"
check "native frames alone" same "$(grep -c '\[java\]' "$dir/native.folded")" 0

"$profrec" -q -U --languages py -F 499 -o "$dir/none.prof" -- "$fake" 10
check "another language alone, no methods" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[java\]')" 0

# Each lie spoils the stacks of the liar alone, and nobody hangs.
for lie in map frame still endless heap method huge escape version; do
	record $lie sh -c "$fake 5; $fake 30 & $fake 30 $lie & wait"
	check "$lie: the other process has its methods" above "$(sum_samples "$structure" < "$dir/$lie.folded")" 20
	check "$lie: the recording is whole" is_complete "$dir/$lie.prof"
	check "$lie: samples are accounted for" is_accounted "$dir/$lie.prof"
done
check "nothing raw comes to the terminal" same "$(tr -d '\n' < "$dir/escape.folded" | tr -d '[:print:]')" ""
check "long names are cut" at_most "$(grep -o 'K[^;]*' "$dir/huge.folded" | awk '{if (length > n) n = length} END {print n + 0}')" 1200

# The file is known after the first process.
record liar sh -c "$fake 5 version; $fake 15 version"
check "a process that says another version than its file has no methods" same \
	"$(grep -c '_\[java\]' "$dir/liar.folded")" 0

for release in 1.8.0_999 18.0.2 99.0.1; do
	build "$dir/$release" fake_java.c "${frameless[@]}" -Wl,--export-dynamic "-DRELEASE=\"$release\""
	record $release sh -c "$dir/$release 5; $dir/$release 15"
	check "$release: an unknown version is said" contains "$(info "$dir/$release.prof" interpreter)" \
		"HotSpot $release [java], a version without support"
	check "$release: an unknown version has no methods" same "$(grep -c '_\[java\]' "$dir/$release.folded")" 0
done
plan_end
