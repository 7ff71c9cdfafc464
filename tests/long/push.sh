#!/usr/bin/env bash
# profrep push --watch is killed PUSH_KILLS times (500), at any moment, while recordings come and the receiver has faults:
# no sample is missing, and none came twice without a word. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/receiver.sh
. tests/lib/receiver.sh
need_receiver
cd "$dir" || exit 1
kills=${PUSH_KILLS:-500}

# rounds NAME SECONDS FAULT...: five rounds, each of a new directory. A fault that hides the outcome may repeat a profile, too.
rounds()
{
	local name=$1 seconds=$2 round hidden
	shift 2
	for round in 1 2 3 4 5; do
		rm -rf in receiver
		mkdir in
		: > push.log
		PUSH_DELAY=0.02 start_receiver "$@"
		for i in $(seq 20); do make_recording "in/$i.prof" "$round$i"; done
		kill_push $((kills / 10)) "$seconds"
		hidden=$(printf '%s\n' "$@" | awk -F '*' '/lost|half/ {n += $2} END {print n + 0}')
		check "$name, round $round: nothing is missing" holds_all in/*.prof
		check "$name, round $round: what came twice was said" repeats_are_said $((kills / 10 + hidden))
	done
}
rounds "kills" 0.4
rounds "kills and faults" 1.5 "503*2" reset "ok*3" "lost*2" ok "429*1" "half*2" ok reset
plan_end
