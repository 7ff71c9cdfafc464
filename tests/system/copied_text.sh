#!/usr/bin/env bash
# A program that has put a copy of its text in the place of that text, as for huge pages: each stack of a known number of
# calls is complete and named as before, and a copy with other bytes has no names of the file. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
need_bpf
need_tables
build "$dir/copied" copied_text.c "${frameless[@]}" -D_GNU_SOURCE -fno-toplevel-reorder
nr=40

# is_recorded NAME: the part on the disk has all calls, so the recorder knows the mappings.
is_recorded() { same "$("$profrep" -fPU "$dir/$1".prof.*.part | sum_samples '')" $nr; }
# copy HOW WHEN OPTION...: records the calls. The program lives until the recorder knows its mappings.
copy()
{
	target "$dir/copied" "$1" "$2" $nr
	trace "$1-$2" --unwind=dwarf -i 1 -e c:getsid "${@:3}"
	echo > "$dir/go"
	wait_for is_recorded "$1-$2"
	finish
}
# complete NAME: how many of the stacks are complete, as the recording says.
complete() { info "$dir/$1.prof" "user stacks" | awk '{print $1, $2, $3}'; }

for how in all middle memfd moved forked; do
	options=()
	[ $how != forked ] || options=(--follow)
	for when in before after; do
		copy $how $when "${options[@]}"
		check "$how, $when the recording has begun: complete stacks" same "$(complete $how-$when)" "$nr of $nr"
		check "$how, $when the recording has begun: functions are named" same \
			"$(hits $how-$when ';_start;.*;main;call_outer;call_inner;getsid ')" $nr
	done
done
for when in before after; do
	copy liar $when
	check "other bytes, $when the recording has begun: no function of the file has its name" same \
		"$(hits liar-$when ';(main|call_outer|call_inner);')" 0
	check "other bytes, $when the recording has begun: the calls are there" same "$(hits liar-$when '[;]getsid ')" $nr
done
plan_end
