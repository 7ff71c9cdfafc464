# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/lib/tap.sh, and who sources this
# What the tests on an emulated machine of arm64 need. Source it after tests/lib/tap.sh.

# make_arm64 TARGET...: as a user's make would, whatever the one was told that runs the tests. The names of targets are
# those that the lists of headers have.
make_arm64()
{
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make ARCH=arm64 B="$(realpath --relative-to=. "$BUILD")/arm64" "$@"
}

# need_arm64 SERIES...: skips all without an emulator, a compiler, the kernels of these series, or their libraries.
need_arm64()
{
	local tool series why
	for tool in qemu-system-aarch64 aarch64-linux-gnu-gcc cpio xz base64; do
		command -v $tool > /dev/null || skip_all "no $tool: make deps-long"
	done
	[ "$(uname -m)" = x86_64 ] || skip_all "emulated is arm64 on x86-64, this is $(uname -m)"
	for series; do
		why=$(tests/kernels/fetch "$series" arm64) || skip_all "$why"
	done
	sysroot=$BUILD/arm64/sysroot
	# What mk/cross.mk lists last.
	[ -e "$sysroot/usr/include/elfutils/libdw.h" ] || make_arm64 sysroot > "$dir/log" 2>&1 ||
		skip_all "no sysroot: $(grep -m 1 '^E:' "$dir/log" || tail -n 1 "$dir/log")"
}
