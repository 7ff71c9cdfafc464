#!/usr/bin/env bash
# The recipe in packaging/container: the static programs in a root of their own, with the grants that it asks for, and what
# is said if one is missing. Its other program pushes to a receiver over TLS, as in the DaemonSet.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/receiver.sh
. tests/lib/receiver.sh
recipe=packaging/container
[ -x "$BUILD/static/profrec" ] || skip_all "there are no static programs (sanitizers need libraries)"
[ -x "$BUILD/tests/plain_container" ] || skip_all "no libseccomp"
[ "$(id -u)" -eq 0 ] || skip_all "only root can make a container"
unshare --mount true 2> /dev/null || skip_all "mount namespaces are refused"
need_bpf

mkdir -p "$dir/root"/{bin,proc,sys,data}
cp "$BUILD/static/profrec" "$BUILD/static/profrep" "$dir/root/bin/"

# inside CAPABILITIES PROGRAM ARGUMENT...: as an engine with --pid=host and these capabilities added to its default ones, or
# in their place if $drops is set; with start=exec in place of the shell; with READ_ONLY=yes nothing can be written to /data.
inside()
{
	local grants=() drop=()
	# chroot is this test's, and needs one of its own.
	[ -z "${drops:-}" ] || drop=(setpriv --no-new-privs --inh-caps=-all
		--bounding-set="-all,+sys_chroot$(sed 's/\([A-Z_]\+\) */,+\L\1/g' <<< "$1")")
	for cap in $1; do grants+=("--add=${cap,,}"); done
	shift
	# shellcheck disable=SC2016
	${start:-} unshare --mount sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /sys "$0/sys" || exit
		[ -z "$READ_ONLY" ] || { mount --bind "$0/data" "$0/data" && mount -o remount,ro,bind "$0/data"; } && exec "$@"' "$dir/root" \
		"$BUILD/tests/plain_container" "${grants[@]}" "${drop[@]}" chroot "$dir/root" "$@"
}

caps=$(sed -n -E 's/.*add: \[(.*)\]$/\1/p' $recipe/daemonset.yaml | tr -d ,)
check "both recipes ask for the same capabilities" contains "$(cat $recipe/Containerfile)" "--cap-add=$(tr ' ' , <<< "$caps") "
# shellcheck disable=SC2016
check "doc/fleet.md explains all capabilities of the recipes" \
	same "$(sed -n -E 's/^\| CAP_([A-Z_]+) \|.*/\1/p' doc/fleet.md | sort)" \
	"$(tr ' ' '\n' <<< "$caps" | sort)"

"$workloads/func_ab" &
busy=($!)
dd if=/dev/zero of=/dev/null bs=1M 2> /dev/null & # in the kernel nearly always
busy+=($!)
# records CAPABILITIES: the host, until each has used the CPU for a fifth of a second; what is said goes to the file said.
records()
{
	local recorder pid
	: > "$dir/said"
	start="exec" inside "$1" /bin/profrec -F 199 -o /data/host.prof > "$dir/said" 2>&1 &
	recorder=$!
	wait_for begins_or_ends $recorder
	for pid in "${busy[@]}"; do run_for 20 "$pid"; done
	kill -INT $recorder 2> /dev/null
	wait $recorder
}
begins_or_ends() { has_text Sampling "$dir/said" || ! kill -0 "$1"; }
says() { contains "$(cat "$dir/said")" "$1"; }
without() { tr ' ' '\n' <<< "$caps" | grep -vx "$1" | tr '\n' ' '; }

check "with all capabilities: profrec records the host" records "$caps"
check "with all capabilities: functions of others" above "$(inside '' /bin/profrep -f /data/host.prof | sum_samples "^func_ab;.*;main;func_[ab]")" 0
check "with all capabilities: functions of the kernel" \
	above "$(inside '' /bin/profrep -fa -K /data/host.prof | sum_samples '_\[k\]')" 0
check "with all capabilities: nothing hidden" fails 1 grep -E "CAP_|hidden" "$dir/said"
if command -v setpriv > /dev/null; then
	drops=yes check "as in the DaemonSet: profrec records the host" records "$caps"
	check "as in the DaemonSet: nothing hidden" fails 1 grep -E "CAP_|hidden" "$dir/said"
else
	skip "as in the DaemonSet: profrec records the host" "setpriv (util-linux) is missing"
fi
check "without BPF: profrec records the host" records "$(without BPF)"
check "without BPF: profrec says so" says "profrec: recording by perf events: no CAP_BPF"
check "without PERFMON: profrec fails" fails 1 records "$(without PERFMON)"
check "without PERFMON: profrec says so" says "failed to record all processes: no CAP_PERFMON"
check "without SYS_PTRACE: profrec records the host" records "$(without SYS_PTRACE)"
check "without SYS_PTRACE: profrec says so" says "their mappings are hidden (CAP_SYS_PTRACE is missing)"
check "without SYSLOG: profrec records the host" records "$(without SYSLOG)"
check "without SYSLOG: profrec says so" says "kernel addresses are hidden (CAP_SYSLOG is missing)"

# The second container of the DaemonSet, without any capability, where files of the first one cannot be changed.
# pushes: until a function of the busy program has come.
pushes()
{
	local words pusher
	IFS=, read -ra words <<< "$(sed -n -E 's/^ *args: \[(push, .*)\]$/\1/p' "$recipe/daemonset.yaml" | sed 's/, /,/g; s/"//g')"
	words=("${words[@]/\$(NODE_NAME)/node-7}")
	READ_ONLY=yes drops=yes start=exec inside "" /bin/profrep "${words[@]/https:*/https:\/\/localhost:$port}" > "$dir/pushed" 2>&1 &
	pusher=$!
	wait_for grep -q "main;func_[ab]" "$dir/receiver/samples"
	kill -TERM $pusher
	wait $pusher
}
(need_receiver) > "$dir/needs"
if [ -s "$dir/needs" ] || ! command -v openssl setpriv > "$dir/log"; then
	skip "the DaemonSet pushes" "$(cat "$dir/needs" "$dir/log")"
else
	need_receiver
	mkdir -p "$dir/root/ca" "$dir/root/spool" "$dir/root/etc"
	echo "127.0.0.1 localhost" > "$dir/root/etc/hosts"
	cd "$dir" || exit 1
	start_tls DNS:localhost
	cp ca.pem root/ca/ca.crt
	cd "$OLDPWD" || exit 1
	check "the DaemonSet pushes functions" pushes
	check "the DaemonSet pushes: the node's name" contains "$(cat "$dir/receiver/profiles")" '"host.name": "node-7"'
fi
plan_end
