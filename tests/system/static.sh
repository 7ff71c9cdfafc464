#!/usr/bin/env bash
# make STATIC=1: programs that need nothing of the host.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
[ -x "$BUILD/static/profrec" ] || skip_all "there are no static programs (sanitizers need libraries)"

# A client for TLS takes half of profrep. The libraries of newer systems are larger.
declare -A most=([profrec]=5 [profrep]=10)
for program in profrec profrep; do
	check "$program: no interpreter, no library" fails 1 grep -E 'INTERP|NEEDED' <<< "$(readelf -ld "$BUILD/static/$program")"
	strip -o "$dir/$program" "$BUILD/static/$program"
	check "$program: below ${most[$program]} MiB when stripped ($(stat -c %s "$dir/$program") bytes)" \
		at_most "$(stat -c %s "$dir/$program")" $((most[$program] << 20))
	check "$program: its version" same "$("$dir/$program" --version)" "$("${!program}" --version)"
done
check "a static profrep makes the same report" \
	same "$("$dir/profrep" tests/golden/version-1.3.prof)" "$("$profrep" tests/golden/version-1.3.prof)"
check "a static profrec: an error's text" contains "$("$dir/profrec" -p 4194304 1 2>&1)" \
	"failed to record process 4194304: No such process"

need_bpf
# The root holds the program, a workload, /proc and /sys, and nothing else.
mkdir -p "$dir/root"/{proc,sys,own}
cp "$dir/profrec" "$dir/root/own/"
build "$dir/root/own/acts" acts.c -static
alone()
{
	# shellcheck disable=SC2016
	unshare --mount sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /sys "$0/sys" && exec chroot "$0" "$@"' \
		"$dir/root" "$@"
}
check "a static profrec records where there is nothing else" \
	alone /own/profrec -q -F 999 -o /own/alone.prof -- /own/acts call 4000000
check "a static profrec: what it recorded is complete" is_complete "$dir/root/own/alone.prof"
check "a static profrec: what it recorded has its names" \
	contains "$("$profrep" -f --symfs "$dir/root" "$dir/root/own/alone.prof")" ";main;"
check "a static profrec: kernel names are in the recording" contains "$("$profrep" -fa "$dir/root/own/alone.prof")" "_[k]"
plan_end
