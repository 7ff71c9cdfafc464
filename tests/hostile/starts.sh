#!/usr/bin/env bash
# Another user starts programs as fast as possible, so that the recorder has many looks to make. Stacks of others are
# right, and so are those of the programs: somebody may be building something.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
need_bpf
need_tables
need_users
unwind_build
"$cc" "${frameless[@]}" -o "$dir/starts" tests/workloads/starts.c

# are_complete RECORDING: at least 95 % of its user stacks come to their root.
are_complete() { info "$1" 'user stacks' | awk -F'(' '{print; exit !($2 + 0 >= 95)}'; }

setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/starts" 1000000 100000 > "$dir/started" &
starts=$!
record_victims victims "$starts"
check "programs that begin all the time: the stacks of others are right" \
	mostly "$dir/victims.folded" frames "$unwind_roots" 95

# Their user has no more looks soon.
begin_recording -F 997 --unwind=dwarf --uid 65534 -o "$dir/starts.prof"
run_for 20 "$starts"
end_recording
check "programs that begin all the time: their own stacks are complete" are_complete "$dir/starts.prof"
kill "$starts"
wait 2> /dev/null
plan_end
