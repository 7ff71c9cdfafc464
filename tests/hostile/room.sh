#!/usr/bin/env bash
# One user's processes want all room that the recorder has for something. Those of others have what they need.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
need_bpf
need_tables
need_users
unwind_build
build "$dir/many_maps" many_maps.c

folding+=(-m)

# follow_victims NAME [PID...]: programs of root and of a user begin while profrec records, after the processes have run.
follow_victims()
{
	local owner
	begin_recording -F 199 "${marks[@]}" --unwind=dwarf -i 1 -o "$dir/$1.prof"
	# Several turns of each.
	[ -z "${2:-}" ] || run_for $(($# / 5)) "${@:2}"
	for owner in 0 65533; do
		start_marks "$1" $owner $owner "$dir/frames" marks 600000
		finish_marks "$1" $owner "$unwind_roots"
	done
	end_recording
}
are_right() { are_marked "$1" 0 "$unwind_roots" && are_marked "$1" 65533 "$unwind_roots"; }

follow_victims alone
check "without others: stacks are right" are_right alone

# Mappings: the processes are there before the recording, and are sampled. Small ones take the rest.
crowds=()
for crowd in "220 500" "500 0"; do
	# shellcheck disable=SC2086
	setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/many_maps" $crowd &
	crowds+=($!)
done
run_for 1 "${crowds[0]}"
# shellcheck disable=SC2046 # ids
follow_victims mappings $(child_of "${crowds[0]}" many_maps) $(child_of "${crowds[1]}" many_maps)
kill "${crowds[@]}"
wait 2> /dev/null
check "many processes with many mappings: the stacks of others are right" are_right mappings
plan_end
