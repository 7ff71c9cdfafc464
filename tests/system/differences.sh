#!/usr/bin/env bash
# What profrep diff says of simulated recordings, whose truth is known. The seeds are fixed. tests/long/differences.sh
# has more of them, and real recordings. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/differences.sh
. tests/lib/differences.sh

check "5 pairs of 5 + 5 recordings without a change: no alarm" same "$(count_alarms 1 5)" 0
check "3 single pairs with changes: no verdict" same "$(count_single_alarms 1 3)" 0

for i in 1 2 3; do
	simulate "$dir/a$i.prof" 1 $i 4900 49
	simulate "$dir/b$i.prof" 1 $((3 + i)) 9900 99
done
check "at 49 and at 99 Hz, 100 s each: nothing changed in CPU time" same "$("$profrep" diff --per cpu --json \
	--before "$dir"/a?.prof --after "$dir"/b?.prof | changed_names)" ""
check "identical recordings: nothing changed" same "$("$profrep" diff --json --before "$dir"/a?.prof \
	--after "$dir"/a?.prof | changed_names)" ""
check "identical recordings do not fail" fails 0 "$profrep" diff --fail-on-change 0.001 --before "$dir"/a?.prof \
	--after "$dir"/a?.prof


# A fifth more work, and a fifth more requests.
for i in 1 2 3; do
	sed 's/^meta nr_cpus .*/meta nr_cpus 4/' tests/golden/slow$i.txt > "$dir/less.txt"
	"$BUILD/tests/prof_make" < "$dir/less.txt" > "$dir/less$i.prof" &&
		awk '$1 == "count" {$4 = int(1.2 * $4 + 0.5)} 1' "$dir/less.txt" | "$BUILD/tests/prof_make" > "$dir/more$i.prof" || exit 1
done
diff_work() { "$profrep" diff "$@" --before "$dir"/less?.prof --after "$dir"/more?.prof; }
check "a fifth more requests: more CPU time" contains "$(diff_work --per cpu --json | changed_names)" main
check "a fifth more requests: none changed per request" same "$(diff_work --per request=1000,1000,1000,1200,1200,1200 --json |
	changed_names)" ""
check "a fifth more requests: none changed in its share" same "$(diff_work --per share --json | changed_names)" ""

for ((i = 1; i <= 10; i++)); do simulate "$dir/p$i.prof" 7 $i 6000 99 3 0 10 1; done
needed=$(planned "$dir"/p*.prof)
check "a plan for a change from 10 to 11 %" between "$needed" 5 60

read -r ours given theirs listed <<< "$(precision 1 2)"
check "the first ten: nine of ten names that it gives are right" at_least $((10 * ours)) $((9 * given))
check "the first ten: there are names" at_least "$ours" 4
check "the first ten: a larger part is right than of difffolded.pl's" above $((ours * listed)) $((theirs * given))
plan_end
