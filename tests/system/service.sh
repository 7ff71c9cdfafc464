#!/usr/bin/env bash
# The example of a service. systemd takes the unit, profrec takes the options, and the capabilities are enough.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

unit=packaging/systemd/profrec.service
if command -v systemd-analyze > /dev/null; then
	# The programs and the options need not be installed here.
	mkdir -p "$dir/unit"
	sed "s,/usr/bin/profrec,$profrec,; s,^EnvironmentFile=.*,EnvironmentFile=$PWD/packaging/systemd/profrec.default," $unit > "$dir/unit/profrec.service"
	verified() { same "$(systemd-analyze verify --man=no "$dir/unit/profrec.service" 2>&1 | grep profrec.service)" ""; }
	check "systemd-analyze verify has nothing to say" verified
	# A check that cannot fail shows nothing.
	sed -i 's/^UMask=.*/UMask=nonsense/' "$dir/unit/profrec.service"
	check "systemd-analyze verify would say that a unit is wrong" fails 1 verified
else
	skip "systemd-analyze verify" "systemd-analyze is not installed"
fi

need_bpf
has_root "the service's options and capabilities record" || { plan_end; exit 0; }
# shellcheck source=packaging/systemd/profrec.default
. packaging/systemd/profrec.default
check "the options are of a service that never ends" grep -q -- '--rotate 3600 --rotate-keep' <<< "$PROFREC_OPTIONS"
caps=$(sed -n 's/^CapabilityBoundingSet=//p' $unit | tr 'A-Z' 'a-z' | sed 's/cap_/+/g; s/ /,/g')
check "the user has the capabilities, and no others" same "$(sed -n 's/^AmbientCapabilities=//p' $unit)" "$(sed -n 's/^CapabilityBoundingSet=//p' $unit)"
# Any user but root.
user=65534
mkdir -m 700 "$dir/state"
chown $user "$dir/state"
chmod 711 "$dir"
as_service() { setpriv --reuid $user --regid $user --clear-groups --bounding-set "-all,$caps" --inh-caps "-all,$caps" --ambient-caps "-all,$caps" --no-new-privs "$@"; }
# Options are words: no quotes, as systemd splits them.
read -ra options <<< "${PROFREC_OPTIONS//\/var\/lib\/profrec/$dir/state}"
# The kernels of Debian want more at this level, and profrec says so.
if [ "$(cat /proc/sys/kernel/perf_event_paranoid)" -gt 2 ]; then
	check "profrec names the level" says 1 "kernel.perf_event_paranoid is" as_service "$profrec" "${options[@]}" 1
	skip "the service's options and capabilities record" "kernel.perf_event_paranoid is above 2"
elif as_service test -x "$profrec" 2> /dev/null; then
	dd if=/dev/zero of=/dev/null bs=64k 2> /dev/null & # is in the kernel all the time
	as_service "$profrec" "${options[@]}" 2 2> "$dir/err"
	check "the service's options and capabilities record" same "$? $(cat "$dir/err")" "0 "
	kill $!
	check "the recording is complete" is_accounted "$dir"/state/*.prof
	check "the name of the recording is made of the time" grep -qE '^[0-9]{8}-[0-9]{6}\.prof$' <(ls "$dir/state")
	check "kernel functions have names" grep -qE ';(do_syscall_64|ret_from_fork)' <("$profrep" -f -K "$dir"/state/*.prof)
else
	skip "the service's options and capabilities record" "setpriv cannot set them, or the user cannot reach profrec"
fi
plan_end
