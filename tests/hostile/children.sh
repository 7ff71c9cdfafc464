#!/usr/bin/env bash
# Processes of another user can do nothing to the children of the recorder. The recorder itself can end them, even where
# it may not end processes of other users.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
need_tables
has_root "attacks of another user" || { plan_end; exit 0; }
need_users
build "$dir/meddle" meddle.c -D_GNU_SOURCE
children=(profrec-looks profrec-tables profrec-names)
nobody=(setpriv --reuid=65534 --regid=65534 --clear-groups)

# meddles PID: what a process of nobody may do to it.
meddles() { "${nobody[@]}" "$dir/meddle" "$1" | xargs; }

# The control: a process of the same user.
"${nobody[@]}" sleep 600 &
sleeper=$!
begun $sleeper sleep
check "the control: the attack on a process of the same user" same "$(meddles $sleeper)" "prlimit ptrace kill"

begin_recording -U --unwind=dwarf -o "$dir/meddled.prof"
for name in "${children[@]}"; do
	child=$(child_of "$recorder" "$name")
	check "$name: the attack has no effect" same "$(meddles "$child")" ""
	check "$name: it lives" same "$(child_of "$recorder" "$name")" "$child"
done
end_recording

# ends_stopped NAME COMMAND...: a recording through the command ends, and its children do, though they are stopped.
ends_stopped()
{
	local child name=$1 status stopped=()
	shift
	begin_recording_by "$@" "$profrec" -U --unwind=dwarf -o "$dir/$name.prof" || { cat "$dir/err"; return 1; }
	wait_for grep -q "NoNewPrivs:.*1" "/proc/$recorder/status"
	for child in $(for name in "${children[@]}"; do child_of "$recorder" "$name"; done); do
		stopped+=("$child")
		kill -STOP "$child"
	done
	end_recording
	status=$?
	[ "${#stopped[@]}" -ge 2 ] || status=1
	for child in "${stopped[@]}"; do
		wait_seconds=100 wait_for eval "! kill -0 $child" && continue
		echo "left: $(cat "/proc/$child/comm")"
		kill -KILL "$child"
		status=1
	done
	return $status
}

check "root: stopped children end with the recording" ends_stopped root env
some=-all,+bpf,+perfmon,+sys_ptrace,+dac_read_search,+setuid,+setgid
check "root without CAP_KILL: stopped children end with the recording" \
	ends_stopped few setpriv --bounding-set=$some --inh-caps=$some
some=-all,+bpf,+perfmon,+sys_ptrace
check "root that cannot change its user: stopped children end with the recording" \
	ends_stopped least setpriv --bounding-set=$some --inh-caps=$some
plan_end
