#!/usr/bin/env bash
# Attacks on the child that looks at other processes. The programs of others keep their stacks and functions.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/unwind_programs.sh
. tests/lib/unwind_programs.sh
own_mounts "$@"
need_bpf
need_tables
has_root "attacks of another user" || { plan_end; exit 0; }
[ -n "$has_mounts" ] || skip_all "no mount namespace of its own is possible here"
need_users
unwind_build
build "$dir/fake_java" fake_java.c "${frameless[@]}" -Wl,--export-dynamic
build "$dir/hangfs" hangfs.c
user=54321
attacker=(setpriv --reuid="$user" --regid="$user" --clear-groups)
victim=(setpriv --reuid=54322 --regid=54322 --clear-groups)

# share FOLDED PROGRAM REGEX: percent of the program's samples that match.
share()
{
	re=$3 awk -v program="^$2;" '$0 ~ program {t += $NF; if ($0 ~ ENVIRON["re"]) m += $NF}
		END {printf "%.1f\n", t ? 100 * m / t : 0; print m + 0 " of " t + 0 > "/dev/stderr"}' "$1"
}

structure='[^;]*;(.*;)?K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];burn_inside'

# run_victims NAME: while a recording goes on, programs of another user begin and run for a while. Then the recording
# ends: $stacks and $functions are their shares of right ones, in percent, and $nr_hanging children wait for a server.
run_victims()
{
	local victims
	ln -f "$dir/fake_java" "$dir/honest"
	"${victim[@]}" "$dir/frames" calls 600000 &
	victims=($!)
	"${victim[@]}" "$dir/honest" 100000 &
	victims+=($!)
	run_for 300 "${victims[@]}"
	kill "${victims[@]}"
	nr_hanging=$(cat /proc/[0-9]*/stat 2> /dev/null | awk -v parent="$recorder" '$4 == parent && $3 == "D"' | wc -l)
	end_recording INT
	"$profrep" -f -U -m "$dir/$1.prof" > "$dir/$1.folded" 2> "$dir/warnings"
	"$profrep" -f -a "$dir/$1.prof" > "$dir/$1.functions" 2> "$dir/warnings"
	stacks=$(share "$dir/$1.folded" frames "$unwind_roots")
	functions=$(share "$dir/$1.functions" honest "$structure")
}

# begin NAME
begin() { begin_recording -F 199 --unwind=dwarf -o "$dir/$1.prof"; }

# judge WHAT: the shares of the latest victims are those without an attack. On a busy machine, tables come some samples
# later.
judge()
{
	check "$1: others have their stacks" at_least "$stacks" "$(awk "BEGIN {print 0.9 * $control_stacks}")"
	check "$1: others have their functions" at_least "$functions" "$(awk "BEGIN {print 0.9 * $control_functions}")"
}

# end_server: with it, all that wait for it go on.
end_server()
{
	kill -KILL "$server" "$@" 2> /dev/null
	wait 2> /dev/null
	umount -l "$dir/mnt"
}
cleanup_extra() { umount -l "$dir/mnt" 2> /dev/null; }

begin control
run_victims control
control_stacks=$stacks control_functions=$functions
check "without an attack, programs have their stacks" at_least "$stacks" 80
check "without an attack, programs have their functions" at_least "$functions" 70

# Processes that look like HotSpot, whose list of fields is a file that is never read.
if [ -w /dev/fuse ]; then
	mkdir -p "$dir/mnt"
	HANGFS_USER=$user "$dir/hangfs" "$dir/mnt" "fields=$dir/fake_java" &
	server=$!
	wait_for "${attacker[@]}" test -e "$dir/mnt/fields"
	"${attacker[@]}" test -e "$dir/mnt/hang-read"
	begin memory
	attackers=()
	ln -f "$dir/fake_java" "$dir/served"
	for ((i = 0; i < 12; i++)); do
		"${attacker[@]}" "$dir/served" 100000 served "$dir/mnt/fields" &
		attackers+=($!)
	done
	run_for 60 "${attackers[@]}"
	run_victims memory
	check "memory that is a file of a server that hangs: no looker waits for it" same "$nr_hanging" 0
	judge "memory that is a file of a server that hangs"
	end_server "${attackers[@]}"
else
	skip "memory that is a file of a server that hangs" "/dev/fuse is missing"
fi
plan_end
