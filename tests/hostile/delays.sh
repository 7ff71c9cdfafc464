#!/usr/bin/env bash
# How soon stacks of others are right while a user makes work for the recorder, and what the recorder says then: shares of
# samples, from the first moment of programs that begin meanwhile.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
# shellcheck source=tests/lib/slow_library.sh
. tests/lib/slow_library.sh
need_bpf
need_tables
need_users
unwind_build
"$cc" "${frameless[@]}" -o "$dir/starts" tests/workloads/starts.c
build "$dir/many_maps" many_maps.c
build "$dir/hoard" hoard.c -O2 -ldl
build "$dir/jit" jit.c

# attack COMMAND...: of a user. $! is its id.
attack() { setpriv --reuid=65534 --regid=65534 --clear-groups "$@" & }

# are_complete RECORDING: at least 95 % of its user stacks come to their root.
are_complete() { info "$1" 'user stacks' | awk -F'(' '{print; exit !($2 + 0 >= 95)}'; }

# check_victims WHAT NAME PID: beside the process.
check_victims()
{
	record_victims "$2" "$3"
	check "$1: the stacks of others are right" mostly "$dir/$2.folded" frames "$unwind_roots" 95
}

# So many looks: somebody may be building something.
attack "$dir/starts" 1000000 100000 > "$dir/started"
starts=$!
check_victims "programs that begin all the time" starts "$starts"
# Their user has no more looks soon.
begin_recording -F 997 --unwind=dwarf --uid 65534 -o "$dir/starts.prof"
run_for 20 "$starts"
end_recording
check "programs that begin all the time: their own stacks are complete" are_complete "$dir/starts.prof"
kill "$starts"

# Processes that are there before the recording, and are sampled.
crowds=()
for crowd in "220 500" "500 0"; do
	# shellcheck disable=SC2086
	attack nice "$dir/many_maps" $crowd
	crowds+=($!)
done
run_for 1 "${crowds[0]}"
check_victims "many processes with many mappings" mappings "${crowds[0]}"
kill "${crowds[@]}"
# Where it takes long to read mappings, the user's CPU time for that ends before the room.
check "many processes with many mappings: what had no room or time is said, and whose" grep -qE \
	'times? (a process had no room for|reading) (its|the) mappings.*; [0-9]+ of user 65534' "$dir/err"

slow_library
copies=()
for i in {1..100}; do
	cp "$dir/slow.so" "$dir/slow$i.so"
	copies+=("$dir/slow$i.so:slow")
done
chown 65534 "$dir"/slow*.so
attack nice "$dir/hoard" "${copies[@]}"
hoard=$!
run_for 1 $hoard
check_victims "files whose tables take long" slow $hoard
kill $hoard

# Maps in a /tmp that goes with its process: a program begins and ends within an epoch.
# shellcheck disable=SC2016
jail=(unshare --user --map-root-user --mount sh -c 'cd "$1" && mount -t tmpfs none /tmp && exec ./jit made_name 1000' sh "$dir")
if as 65533 "${jail[@]}"; then
	attack nice "$dir/many_maps" 300 1 made
	crowd=$!
	begin_recording -F 499 -U --unwind=fp -o "$dir/maps.prof"
	run_for 1 $crowd
	as 65533 "${jail[@]}"
	end_recording
	"$profrep" -f "$dir/maps.prof" > "$dir/maps.folded"
	check "among many programs with maps of JIT code: maps give names" mostly "$dir/maps.folded" jit ';made_name' 90
	kill $crowd
else
	skip "among many programs with maps of JIT code: maps give names" "users may not make mount namespaces"
fi
wait 2> /dev/null
plan_end
