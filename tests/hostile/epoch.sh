#!/usr/bin/env bash
# Programs of another user have stacks whose paths are larger together than a section of a recording may be. The
# recording goes on, and has the samples of others.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
need_bpf
[ "$(uname -m)" = x86_64 ] || skip_all "the stacks are made up for x86-64, this is $(uname -m)"
need_users
build "$dir/paths" paths.c
build "$dir/victim" named.c -DFUNCTION=victim_works -DFRAME=64

begin_recording -F 199 "${marks[@]}" -U --unwind=fp -o "$dir/epoch.prof"
run_marks epoch victim 0 "$dir/victim" victim 100
for nr in 1 2 3; do
	mkdir "$dir/$nr"
	chown 65534 "$dir/$nr"
	setpriv --reuid=65534 --regid=65534 --clear-groups "$dir/paths" "$dir/$nr" > "$dir/$nr.out" &
done
wait_for test -s "$dir/1.out" -a -s "$dir/2.out" -a -s "$dir/3.out"
for _ in 1 2 3; do run_marks epoch victim 0 "$dir/victim" victim 100; done
end_recording
check "the recording ends well" same $? 0
check "the recording is whole" is_complete "$dir/epoch.prof"
check "each sample was counted or is said to be lost" is_accounted "$dir/epoch.prof"
"$profrep" files "$dir/epoch.prof" > "$dir/files"
check "many of the paths were recorded" above "$(grep -c /dddd "$dir/files")" 1000
check "each call of others is there" are_marked epoch victim ';main;victim_works;[^;]*getsid'
plan_end
