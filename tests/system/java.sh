#!/usr/bin/env bash
# Stacks of HotSpot: of a machine of the tests' own, whose structure is known and which can lie. tests/long/java.sh has
# the real one.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_tables
fake=$dir/fake_java
build "$fake" fake_java.c "${frameless[@]}" -Wl,--export-dynamic

# record NAME COMMAND...
record() { "$profrec" -q -F 499 -U -o "$dir/$1.prof" -- "${@:2}" && "$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"; }

stub='(StubRoutines \(1\)_\[j\]|\[unknown\](_\[j\])?)'
structure="main;$stub"';K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];burn_inside'
# The file is known after the first process.
record good sh -c "$fake 5; $fake 30"
check "the fake machine is found" contains "$(info "$dir/good.prof" interpreter)" "HotSpot 17.0.99 [java]"
check "methods have their callers" mostly "$dir/good.folded" fake_java "$structure" 70
check "no method has another caller" same \
	"$(grep '_\[java\]' "$dir/good.folded" | grep -v -E "main;$stub"';K.outer_\[java\](;K.middle_\[java\](;K.leaf_\[java\](;burn_inside)?)?)?( |;)')" ""
# Of a process that has ended before anybody has looked at its machine, the stub has none.
"$fake" 100000 &
pid=$!
begin_recording -F 499 -U -p $pid -o "$dir/living.prof"
run_for 100 $pid
end_recording
kill $pid
wait $pid 2> /dev/null
"$profrep" -fa "$dir/living.prof" > "$dir/living.folded"
check "the stub that calls methods has its name" mostly "$dir/living.folded" fake_java 'main;StubRoutines \(1\)_\[j\];K.outer_\[java\]' 70
check "the module of a method is its class" contains "$("$profrep" -fm "$dir/good.prof")" "K.leaf [K]"
"$profrep" -fa --frames native "$dir/good.prof" > "$dir/native.folded"
check "native frames alone" same "$(grep -c '\[java\]' "$dir/native.folded")" 0

# Samples that come before the machine has begun wait for it. That is also so in the first process with this file.
ln "$fake" "$dir/late"
"$profrec" -q -F 199 -U -o "$dir/late.prof" -- "$dir/late" 15 late
"$profrep" -fa "$dir/late.prof" > "$dir/late.folded"
check "methods of a machine that begins late have their callers" mostly "$dir/late.folded" late "$structure" 80

"$profrec" -q -U --languages py -F 499 -o "$dir/none.prof" -- "$fake" 10
check "another language alone, no methods" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[java\]')" 0

# Each lie spoils the stacks of the liar alone, and nobody hangs. The file is known after the first process. A process is
# named after its lie.
lies=(map frame still endless heap method huge escape version)
for name in honest "${lies[@]}"; do ln -s "$fake" "$dir/$name"; done
# shellcheck disable=SC2016 # the shell that is recorded expands it
record lies sh -c 'dir=$1; shift; "$dir/honest" 5; "$dir/honest" 30 & for lie; do "$dir/$lie" 15 "$lie" & done; wait' \
	sh "$dir" "${lies[@]}"
check "lies: the honest process has its methods" mostly "$dir/lies.folded" honest "${structure/main/honest;.*main}" 70
check "lies: the recording is whole" is_complete "$dir/lies.prof"
check "lies: samples are accounted for" is_accounted "$dir/lies.prof"
for lie in "${lies[@]}"; do
	check "$lie: the liar is sampled" above "$(sum_samples "^$lie;" < "$dir/lies.folded")" 20
done
check "nothing raw comes to the terminal" same "$(tr -d '\n' < "$dir/lies.folded" | tr -d '[:print:]')" ""
check "long names are cut" at_most "$(grep -o 'K[^;]*' "$dir/lies.folded" | awk '{if (length > n) n = length} END {print n + 0}')" 1200
check "a process that says another version than its file has no methods" same \
	"$(grep -c '^version;.*_\[java\]' "$dir/lies.folded")" 0

# Version 8 has one heap, other fields, and an interpreter with room to spare.
build "$dir/eight" fake_java.c "${frameless[@]}" -Wl,--export-dynamic '-DRELEASE="1.8.0_999"' -DEIGHT
record eight sh -c "$dir/eight 5; $dir/eight 30"
check "version 8 is found" contains "$(info "$dir/eight.prof" interpreter)" "HotSpot 1.8.0_999 [java]"
check "methods of version 8 have their callers" mostly "$dir/eight.folded" eight "$structure" 70

releases=(1.7.0_999 18.0.2 99.0.1)
for release in "${releases[@]}"; do
	build "$dir/$release" fake_java.c "${frameless[@]}" -Wl,--export-dynamic "-DRELEASE=\"$release\""
done
# shellcheck disable=SC2016
record releases sh -c 'dir=$1; shift; for release; do "$dir/$release" 5; "$dir/$release" 15; done' sh "$dir" "${releases[@]}"
for release in "${releases[@]}"; do
	check "$release: an unknown version is said" contains "$(info "$dir/releases.prof" interpreter)" \
		"HotSpot $release [java], without support"
done
check "unknown versions have no methods" same "$(grep -c '_\[java\]' "$dir/releases.folded")" 0
plan_end
