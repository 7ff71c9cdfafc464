#!/usr/bin/env bash
# make release, of the static programs that are there already: what the archive holds, and that make goes on in a build
# directory with the release's tree. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
[ -x "$BUILD/static/profrec" ] || skip_all "there are no static programs (sanitizers need libraries)"
git -c safe.directory='*' rev-parse HEAD > "$dir/log" 2>&1 || skip_all "this is no checkout of git"

makes() { env -u MAKEFLAGS make -s "ARCH=$(uname -m)" "$@" > "$dir/log" 2>&1 || { tail "$dir/log"; return 1; }; }

# It is built where the programs are, so nothing is compiled.
arch=$(dpkg --print-architecture)
mkdir -p "$dir/build/release"
ln -s "$BUILD" "$dir/build/release/$arch"
cleanup_extra() { rm -rf "$BUILD/root"; }
check "a release is made" makes B="$dir/build/$arch" release
archive=$(echo "$dir"/build/profrec-*-linux-*.tar.zst)
check "the archive has its checksum" eval 'cd "$dir/build" && sha256sum --quiet -c "$archive.sha256"'
mkdir "$dir/open" "$dir/root"
check "the archive opens" tar -xf "$archive" --strip-components=1 -C "$dir/open"
check "the archive installs" "$dir/open/install.sh" "$dir/root"
for program in profrec profrep; do
	check "the installed $program runs" same "$("$dir/root/bin/$program" --version)" "$("${!program}" --version)"
done
check "a build directory with the release's tree: make goes on" makes B="$dir/build" help
check "a build directory with the release's tree: make clean takes it away" eval 'makes B="$dir/build" clean && [ ! -e "$dir/build" ]'
plan_end
