#!/usr/bin/env bash
# make dist and make release: the same bytes from two clones in different directories, archives whose programs record and
# report where there is nothing else, and programs for arm64 that do in an emulator what those for amd64 do here. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
git -c safe.directory='*' rev-parse HEAD > "$dir/log" 2>&1 || skip_all "this is no checkout of git"

# Why there is no archive for arm64.
no_arm64=
if [ "$(uname -m)" != x86_64 ]; then
	no_arm64="this is no host of x86-64"
elif ! command -v aarch64-linux-gnu-gcc > /dev/null; then
	no_arm64="aarch64-linux-gnu-gcc is not installed"
elif [ -z "$(tests/fresh/mirror)" ]; then
	no_arm64="no mirror of Debian is known here"
fi

# release_in DIRECTORY [SIGN=KEY]: of the last commit, in a clone there.
release_in()
{
	git -c safe.directory='*' clone -q . "$1" > "$dir/log" 2>&1 &&
		make -s "-j$(nproc)" -C "$@" dist release ${no_arm64:+"ARCH=$(uname -m)"} > "$dir/log" 2>&1 ||
		{ tail -n 20 "$dir/log"; return 1; }
}

check "a release is made" release_in "$dir/one"
sign=
if command -v gpg > /dev/null; then
	export GNUPGHOME=$dir/gnupg
	mkdir -m 700 "$GNUPGHOME"
	cleanup_extra() { gpgconf --kill all; }
	check "a key to sign the release is made" gpg --batch --quiet --passphrase '' --quick-generate-key tester
	sign=SIGN=tester
fi
check "another release is made elsewhere" eval 'umask 077; TZ=Asia/Tokyo release_in "$dir/another/place" $sign'
for archive in "$dir"/one/build/*.tar.*; do
	check "two releases have the same bytes: ${archive##*/}" cmp "$archive" "$dir/another/place/build/${archive##*/}"
done
if [ "$no_arm64" ]; then
	skip "an archive for arm64" "$no_arm64"
	archive=$(echo "$dir"/one/build/profrec-*-linux-*.tar.zst)
else
	archive=$(echo "$dir"/one/build/profrec-*-linux-amd64.tar.zst)
fi
for sum in "$dir"/one/build/*.sha256; do
	check "the checksum: ${sum##*/}" eval 'cd "${sum%/*}" && sha256sum --quiet -c "$sum"'
done

if [ -n "$sign" ]; then
	for signature in "$dir"/another/place/build/*.asc; do
		signed=$(basename "$signature" .asc)
		check "the signature: $signed" gpg --batch --quiet --verify "$signature" "$dir/one/build/$signed"
	done
else
	skip "the signature" "gpg is not installed"
fi

# Outside of a checkout, where git knows none.
names_commit()
{
	mkdir "$dir/sources" && tar -xzf "$1" --strip-components=1 -C "$dir/sources" && make -s -C "$dir/sources" build/commit.h &&
		contains "$(cat "$dir/sources/build/commit.h")" "($(git -c safe.directory='*' describe --always --abbrev=9))"
}
check "the sources know their commit" names_commit "$(echo "$dir"/one/build/profrec-*.tar.gz)"

mkdir -p "$dir/root"/{proc,sys,tmp} "$dir/open"
check "the archive opens" eval 'zstd -dc "$archive" | tar -xf - --strip-components=1 -C "$dir/open"'
check "the archive installs" eval '"$dir/open/install.sh" "$dir/root" > "$dir/installed"'
check "the installer says what it installs" same "$(sort "$dir/installed")" "$(find "$dir/root" -type f | sort)"
# A second time: over a program that runs, and with a relative prefix.
mkfifo "$dir/waits"
"$dir/root/bin/profrep" -f - < "$dir/waits" > /dev/null 2>&1 &
exec 3> "$dir/waits"
runs() { [ "$(readlink "/proc/$1/exe")" = "$dir/root/bin/profrep" ]; }
wait_for runs $!
check "the archive installs over a program that runs" eval 'cd "$dir" && open/install.sh root > again'
exec 3>&-
check "over a program that runs, the installer says the same" same "$(cat "$dir/again")" "$(cat "$dir/installed")"
check "installed units have the paths of the programs" same "$(sed -n 's/^ExecStart=\([^ ]*\) .*/\1/p' "$dir/root/share/doc/profrec/profrec.service")" \
	"$dir/root/bin/profrec"
check "what is linked in is listed" same "$(grep -c '^Relationship: SPDXRef-prof.* STATIC_LINK' "$dir/open/sbom.spdx")" 15
for program in "$dir"/one/build/profrec-*-linux-*/bin/*; do
	check "${program#"$dir/one/build/"}: below 4 MiB" at_most "$(stat -c %s "$program")" $((4 << 20))
done

# outputs_of DIRECTORY PROGRAM...: what this profrep prints for tests/golden/cases, there.
outputs_of()
{
	local place=$1 text name arguments
	shift
	mkdir "$place" && cp -r tests/golden/{cases,src} "$place" || return 1
	for text in tests/golden/*.txt; do
		"$BUILD/tests/prof_make" < "$text" > "$place/$(basename "$text" .txt).prof" || return 1
	done
	printf '%s\n' host-a.prof "" host-b.prof > "$place/names"
	echo > "$place/no-names"
	(
		cd "$place" || exit 1
		while read -r name _ arguments; do
			[[ $name == \#* || -z $name ]] && continue
			# shellcheck disable=SC2086 # words are meant
			"$@" $arguments > "$name.out" 2> "$name.err" < /dev/null
			echo $? > "$name.status"
		done < cases
		same "$(cat basic-folded.status)" 0
	)
}

qemu=$(command -v qemu-aarch64-static || command -v qemu-aarch64)
[ -z "$no_arm64$qemu" ] && no_arm64="neither qemu-aarch64-static nor qemu-aarch64 is installed"
if [ "$no_arm64" ]; then
	skip "the programs for arm64" "$no_arm64"
else
	arm64=${archive%-amd64.tar.zst}-arm64
	for program in profrec profrep; do
		check "arm64: $program --version" same "$("$qemu" "$arm64/bin/$program" --version)" "$("$dir/open/bin/$program" --version)"
	done
	check "arm64: the rest of the archive is the same" eval \
		'same "$(cd "$arm64" && find . -type f ! -path "./bin/*" ! -name sbom.spdx -exec sha256sum {} + | sort)" \
			"$(cd "$dir/open" && find . -type f ! -path "./bin/*" ! -name sbom.spdx -exec sha256sum {} + | sort)"'
	check "amd64: reports of made recordings" outputs_of "$dir/outputs-amd64" "$dir/open/bin/profrep"
	check "arm64: reports of made recordings" outputs_of "$dir/outputs-arm64" "$qemu" "$arm64/bin/profrep"
	check "arm64 and amd64: reports of made recordings are the same" diff -r "$dir/outputs-amd64" "$dir/outputs-arm64"
fi

need_bpf
build "$dir/root/bin/short" short.c -static
# shellcheck disable=SC2016 # the shell that is started expands it
alone()
{
	unshare --mount sh -c 'mount --rbind /proc "$0/proc" && mount --rbind /sys "$0/sys" && exec chroot "$0" "$@"' \
		"$dir/root" "$@"
}
check "the installed profrec records where there is nothing else" \
	alone /bin/profrec -q -F 999 -o /tmp/x.prof -- /bin/short 300
check "the installed profrep reports where there is nothing else" \
	contains "$(alone /bin/profrep -f /tmp/x.prof)" ";burn_shortly"
plan_end
