#!/usr/bin/env bash
# One user's processes want all room that the recorder has for something. Those of others have what they need.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
need_bpf
need_tables
need_users
unwind_build
build "$dir/many_maps" many_maps.c

# record_victims NAME [PID]: programs of root and of a user begin while profrec records, after the process has run.
record_victims()
{
	begin_recording -F 199 --unwind=dwarf -i 1 -o "$dir/$1.prof"
	[ -z "${2:-}" ] || run_for 1 "$2"
	for _ in 1 2 3 4; do
		"$dir/frames" calls 1000
		as 65533 "$dir/frames" calls 1000
	done
	end_recording
	"$profrep" -f -U -m "$dir/$1.prof" > "$dir/$1.folded"
}

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
check "what had no room is said, and whose it was" \
	grep -q 'times\? a process had no room for its mappings.*; [0-9]* of user 65534' "$dir/err"
plan_end
