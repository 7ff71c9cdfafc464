#!/usr/bin/env bash
# CPUs that come and go during a recording. The test touches no CPU: it shows the recorder a changed list. tests/kernels
# takes real CPUs offline. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
own_mounts "$@"
need_bpf

list=/sys/devices/system/cpu/online
[ -n "$has_mounts" ] || skip_all "no mount namespace can be had"
cat $list > "$dir/real"
cat $list > "$dir/online"
mount --bind "$dir/online" $list || skip_all "nothing can be mounted over $list"
first=$(sed 's/[,-].*//' "$dir/real")
nr=$(getconf _NPROCESSORS_ONLN) # as the list still says
cpu=8000

begin_recording -F 99 -o "$dir/new.prof"
echo "$(cat "$dir/real"),$cpu" > "$dir/online"
check "a CPU comes online: said at once" wait_for grep -q "CPU $cpu came online: it is not sampled" "$dir/err"
cat "$dir/real" > "$dir/online"
end_recording
check "a CPU comes online: the recording ends well" same $? 0
check "a CPU comes online: said once" same "$(grep -c "CPU $cpu" "$dir/err")" 1
check "a CPU comes online: the recording tells, also when it has gone again" same \
	"$(info "$dir/new.prof" "CPUs changed")" "1 went offline or came online"
check "a CPU comes online: the report warns" contains "$("$profrep" "$dir/new.prof" 2>&1 > /dev/null)" \
	"WARNING: 1 CPUs went offline or came online: they were not sampled all the time."

begin_recording -F 99 -o "$dir/gone%%.prof"
echo $cpu > "$dir/online"
check "CPUs go offline: said at once" wait_for grep -q "CPU $first went offline: it is not sampled from now on" "$dir/err"
kill -HUP $recorder
wait_for test -e "$dir/gone%.prof"
end_recording
check "CPUs go offline: the recording ends well" same $? 0
changed="$((nr + 1)) went offline or came online"
check "CPUs go offline: the recording tells" same "$(info "$dir/gone%.prof" "CPUs changed")" "$changed"
check "CPUs go offline: the next recording tells, too" same "$(info "$dir/gone%_1.prof" "CPUs changed")" "$changed"
plan_end
