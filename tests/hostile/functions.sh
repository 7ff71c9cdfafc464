#!/usr/bin/env bash
# A user's script runs new functions all the time, and the recorder does not come to read their names. Scripts of others
# keep theirs.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
need_tables
need_users
build "$dir/flood" fake_python.c "${frameless[@]}" -Wl,--export-dynamic
users="0 65533"
for owner in $users; do install -o "$owner" -m 755 "$dir/flood" "$dir/python$owner"; done

is_stopped() { grep -q '^State:.T' "/proc/$1/status"; }
start_as() { setpriv --reuid="$1" --regid="$1" --clear-groups "${@:2}" & }

# record NAME [PROGRAM ARGUMENT...]: a script of root and one of a user run while the recorder stands still, and so does the
# program, which has begun before.
record()
{
	local scripts=() others=()
	begin_recording -F 499 -U -o "$dir/$1.prof"
	# The recorder knows the files after their first processes.
	for owner in $users; do
		ln -sf "python$owner" "$dir/first$owner"
		as "$owner" "$dir/first$owner" 2
	done
	for owner in $users; do
		start_as "$owner" "$dir/python$owner" 10 stop
		scripts+=($!)
		wait_for is_stopped $!
	done
	if [ -n "${2:-}" ]; then
		start_as 65534 nice "${@:2}"
		others=($!)
		run_for 50 "${others[@]}"
	fi
	kill -STOP "$recorder"
	[ -z "${2:-}" ] || run_for 50 "${others[@]}"
	kill -CONT "${scripts[@]}"
	wait "${scripts[@]}"
	kill -CONT "$recorder"
	[ -z "${2:-}" ] || kill "${others[@]}"
	end_recording
	"$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"
}

# share NAME PROGRAM: of 1000 samples of the program, so many have its functions.
share()
{
	awk -v program="^$2;" '$0 ~ program {t += $NF; if (/outer_\[py\];K.middle_\[py\]/) m += $NF}
		END {print (t < 50 ? 0 : int(1000 * m / t))}' "$dir/$1.folded"
}

record alone
for owner in $users; do
	check "without others: a script of $owner has its functions" at_least "$(share alone "python$owner")" 500
done
record crowd "$dir/flood" 1 flood
for owner in $users; do
	check "beside a script of ever new functions: that of $owner has its functions" \
		at_least "$(share crowd "python$owner")" $(($(share alone "python$owner") * 3 / 4))
done
check "beside a script of ever new functions: what had no room is said" contains "$(cat "$dir/err")" \
	"a function of an interpreted language had no room: its name may be missing; "
plan_end
