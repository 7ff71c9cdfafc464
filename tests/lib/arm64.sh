# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/lib/tap.sh, and who sources this
# What the tests need that build programs for arm64, and run them by an emulator. Source it after tests/lib/tap.sh.

# make_arm64 TARGET...: as a user's make would, whatever the one was told that runs the tests. The names of targets are
# those that the lists of headers have.
make_arm64()
{
	env -u MAKEFLAGS -u MAKELEVEL -u MFLAGS make ARCH=arm64 B="$(realpath --relative-to=. "$BUILD")/arm64" "$@"
}

# need_arm64 [SERIES...]: skips all without a compiler and libraries, and, for an emulated machine, without the emulator or
# the kernels of these series. Without SERIES, the emulator is that of processes.
need_arm64()
{
	local tool series why tools=(aarch64-linux-gnu-gcc qemu-aarch64)
	[ $# -eq 0 ] || tools=(aarch64-linux-gnu-gcc qemu-system-aarch64 cpio xz base64)
	for tool in "${tools[@]}"; do
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

# emulate DIRECTORY PROGRAM...: what was built for arm64 in the directory, as programs of this machine in $dir/build. profrep
# is static: for others, the emulator finds files of the sysroot in place of this machine's.
emulate()
{
	local from=$1 program words
	shift
	mkdir -p "$dir/build/tests"
	cp "$BUILD/tests/prof_make" "$dir/build/tests/"
	for program; do
		words="-L '$sysroot' '$from/$program'"
		[ "$program" != profrep ] || words="'$from/static/profrep'"
		printf '#!/bin/sh\nexec qemu-aarch64 %s "$@"\n' "$words" > "$dir/build/$program"
		chmod +x "$dir/build/$program"
	done
}

# passes COMMAND...: a test that prints TAP, whose failures are shown.
passes()
{
	"$@" > "$dir/log" 2>&1
	grep -q '^ok' "$dir/log" && ! grep -A 8 '^not ok' "$dir/log"
}
