#!/usr/bin/env bash
# One user's processes want all room that the recorder has for something. Those of others have what they need.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
need_bpf
need_tables
need_users
unwind_build
build "$dir/many_maps" many_maps.c

record_victims alone
check "without others: stacks are right" mostly "$dir/alone.folded" frames "$unwind_roots" 95

# Mappings: the processes are there before the recording, and are sampled. Small ones take the rest.
crowds=()
for crowd in "220 500" "500 0"; do
	# shellcheck disable=SC2086
	setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/many_maps" $crowd &
	crowds+=($!)
done
run_for 1 "${crowds[0]}"
record_victims mappings "${crowds[0]}"
kill "${crowds[@]}"
wait 2> /dev/null
check "many processes with many mappings: the stacks of others are right" \
	mostly "$dir/mappings.folded" frames "$unwind_roots" 95
# Where it takes long to read mappings, the user's CPU time for that ends before the room.
check "many processes with many mappings: what had no room or time is said, and whose" grep -qE \
	'times? (a process had no room for|reading) (its|the) mappings.*; [0-9]+ of user 65534' "$dir/err"
plan_end
