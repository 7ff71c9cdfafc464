#!/usr/bin/env bash
# A process in a container whose main thread has ended: files and names, by another thread. Hits are known, exactly.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
[ "$(id -u)" -eq 0 ] || skip_all "only root can change the root directory"
unshare --mount true 2> /dev/null || skip_all "mount namespaces are refused"
need_bpf

build "$dir/leaderless" leaderless.c "${frameless[@]}"
# Nobody else sees the files at their paths.
mkdir -p "$dir/root/own" "$dir/seen"
mv "$dir/leaderless" "$dir/root/own/leaderless"
for library in $(ldd "$dir/root/own/leaderless" | grep -o '/[^ ]*') "$("$cc" -print-file-name=libgcc_s.so.1)"; do
	mkdir -p "$dir/root/${library%/*}"
	cp "$library" "$dir/root/$library"
done
rm -f "$dir/go" "$dir/pid" && mkfifo "$dir/go"
# shellcheck disable=SC2016
unshare --mount sh -c 'mount --bind "$0/root" "$0/seen" && exec chroot "$0/seen" /own/leaderless 500' "$dir" \
	<> "$dir/go" > "$dir/pid" &
wait_for test -s "$dir/pid"
target=$(head -n 1 "$dir/pid")
# Others may go on a moment before it counts as ended.
check "the main thread has ended" wait_for is_state "$target" Z
trace ended -e /own/leaderless:own_function
echo > "$dir/go"
wait_for has_text called "$dir/pid"
kill -INT $recorder
wait $recorder
echo > "$dir/go"
wait "$target"
check "complete stacks" same "$(info "$dir/ended.prof" "user stacks")" "500 of 500 hits complete (100.00 %)"
check "names of functions" same "$(hits ended '^leaderless;.*;call;own_function ')" 500
check "the executable" contains "$("$profrep" processes "$dir/ended.prof")" /own/leaderless
plan_end
