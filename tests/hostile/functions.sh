#!/usr/bin/env bash
# A user's script runs new functions all the time, and the recorder does not come to read their names. Scripts of others
# keep theirs.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
own_mounts "$@"
need_bpf
need_tables
need_users
build "$dir/flood" fake_python.c "${frameless[@]}" -Wl,--export-dynamic
users="0 65533"
for owner in $users; do install -o "$owner" -m 755 "$dir/flood" "$dir/python$owner"; done

# One of the ids that somebody has of /etc/subuid counts as the first of them.
attacker=70000 counts_as=70000
echo "somebody:69000:65536" > "$dir/subuid"
[ -z "$has_mounts" ] || ! mount --bind "$dir/subuid" /etc/subuid 2> /dev/null || counts_as=69000

folding=(-fPa)
functions='outer_\[py\];K.middle_\[py\];'

# record NAME [PROGRAM ARGUMENT...]: a script of root and one of a user, which the recorder knows, run new functions while it
# stands still. The program has run before them, and while the recorder stands still.
record()
{
	local scripts=() others=()
	begin_recording -F 499 "${marks[@]}" -U -i 1 -o "$dir/$1.prof"
	for owner in $users; do
		start_marks "$1" "$owner" "$owner" "$dir/python$owner" 1000000
		scripts+=($!)
		wait_until_seen "$1" "$owner" "$functions"
		kill -STOP "${scripts[-1]}"
	done
	if [ -n "${2:-}" ]; then
		setpriv --reuid=$attacker --regid=$attacker --clear-groups "${@:2}" &
		others=($!)
		run_for 50 "${others[@]}"
	fi
	kill -STOP "$recorder"
	if [ -n "${2:-}" ]; then
		run_for 30 "${others[@]}"
		kill -STOP "${others[@]}"
	fi
	kill -USR1 "${scripts[@]}"
	kill -CONT "${scripts[@]}"
	wait "${scripts[@]}"
	kill -CONT "$recorder"
	[ -z "${2:-}" ] || kill -KILL "${others[@]}"
	end_recording
}

record alone
for owner in $users; do
	check "without others: a script of $owner has its functions" are_marked alone "$owner" "$functions"
done
record crowd "$dir/flood" 1 flood
for owner in $users; do
	check "beside a script of ever new functions: that of $owner has its functions" \
		are_marked crowd "$owner" "$functions"
done
check "beside a script of ever new functions: what had no room is said" contains "$(cat "$dir/err")" \
	"a function of an interpreted language had no room: its name may be missing; "
check "beside a script of ever new functions: whose they are is said" contains "$(cat "$dir/err")" " of user $counts_as"
plan_end
