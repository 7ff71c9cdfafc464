#!/usr/bin/env bash
# Programs with the C library musl, which has no unwind information: known numbers of calls from its functions, exactly.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
command -v musl-gcc > /dev/null || skip_all "no musl-gcc"
[ "$(uname -m)" = x86_64 ] || skip_all "code of this architecture is not read"
need_bpf
need_tables

# shellcheck disable=SC2034 # for build
cc=musl-gcc
for kind in dynamic static static-pie; do
	options=(-O2 -fomit-frame-pointer)
	[ $kind = dynamic ] || options+=("-$kind")
	build "$dir/$kind" callbacks.c "${options[@]}"
	begin $kind "$dir/$kind" 10 -e "$dir/$kind:compare"
	finish
	nr=$(tail -n 1 "$dir/pid")
	check "$kind: the library calls the function" above "$nr" 1000
	check "$kind: all stacks are complete" same "$(info "$dir/$kind.prof" "user stacks")" "$nr of $nr hits complete (100.00 %)"
	check "$kind: half of the calls are main's" same "$(hits $kind ';main;sort_often;sort;.*;compare ')" $((nr / 2))
	check "$kind: all calls come by the library" same "$(hits $kind ';sort_often;sort;(.*;)?(bsearch|[^;]*qsort_r);(.*;)?compare ')" "$nr"
done
plan_end
