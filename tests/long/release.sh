#!/usr/bin/env bash
# make dist and make release: the same bytes from two clones in different directories, and an archive whose programs record
# and report where there is nothing else. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
git -c safe.directory='*' rev-parse HEAD > "$dir/log" 2>&1 || skip_all "this is no checkout of git"

# release_in DIRECTORY: of the last commit, in a clone there.
release_in()
{
	git -c safe.directory='*' clone -q . "$1" > "$dir/log" 2>&1 && make -s -C "$1" dist release > "$dir/log" 2>&1 ||
		{ tail -n 20 "$dir/log"; return 1; }
}

check "a release" release_in "$dir/one"
check "another one elsewhere" eval 'umask 077; TZ=Asia/Tokyo release_in "$dir/another/place"'
for archive in "$dir"/one/build/*.tar.*; do
	check "the same bytes: ${archive##*/}" cmp "$archive" "$dir/another/place/build/${archive##*/}"
done
archive=$(echo "$dir"/one/build/profrec-*-linux-*.tar.zst)
check "the checksum" eval 'cd "${archive%/*}" && sha256sum --quiet -c "${archive##*/}.sha256"'

mkdir -p "$dir/root"/{proc,sys,tmp} "$dir/open"
check "it opens" eval 'zstd -dc "$archive" | tar -xf - --strip-components=1 -C "$dir/open"'
check "it installs" eval '"$dir/open/install.sh" "$dir/root" > "$dir/installed"'
check "and says what" same "$(sort "$dir/installed")" "$(find "$dir/root" -type f | sort)"
check "what is linked in is listed" same "$(grep -c '^Relationship: SPDXRef-prof.* STATIC_LINK' "$dir/open/sbom.spdx")" 15
for program in profrec profrep; do
	check "$program: below 4 MiB" at_most "$(stat -c %s "$dir/root/bin/$program")" $((4 << 20))
done

need_bpf
build "$dir/root/bin/short" short.c -static
# shellcheck disable=SC2016 # the shell that is started expands it
alone()
{
	unshare --mount sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /sys "$0/sys" && exec chroot "$0" "$@"' \
		"$dir/root" "$@"
}
check "it records where there is nothing else" alone /bin/profrec -q -F 999 -o /tmp/x.prof -- /bin/short 300
check "and reports" contains "$(alone /bin/profrep -f /tmp/x.prof)" ";burn_shortly"
plan_end
