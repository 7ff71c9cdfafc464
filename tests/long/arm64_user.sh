#!/usr/bin/env bash
# profrep for arm64 by qemu's emulation of a process: the stored outputs, which are byte for byte those of x86-64, the
# unit tests of the format and of profrep, the stored inputs of fuzzing for the reader, and the tables that profrec makes of
# large libraries. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/arm64.sh
. tests/lib/arm64.sh

need_arm64

# Tests that need no other room, and those of arm64. test_dwarf_lookup has instructions of x86-64, and test_debugfiles
# opens files of /proc that the emulator makes up.
units()
{
	local file
	for file in tests/unit/test_*.c; do
		[[ $file != *_aarch64.c ]] || basename "$file" .c
		grep -q -E '^#include "(report|format)/' "$file" || continue
		grep -q -E '^#include "(bpf|elf|record)/' "$file" || basename "$file" .c
	done | grep -v -x -E 'test_dwarf_lookup|test_debugfiles'
}
mapfile -t units < <(units)
check "there are unit tests" above "${#units[@]}" 30
out=$(realpath --relative-to=. "$BUILD")/arm64
check "profrep and its tests build for arm64" \
	make_arm64 -k -j"$(nproc)" STATIC=1 profrep "${units[@]/#/$out/tests/}" "$out/tests/fuzz_replay_reader" "$out/tests/test_cfi_libdw"

emulate "$BUILD/arm64" profrep tests/fuzz_replay_reader tests/test_cfi_libdw "${units[@]/#/tests/}"
check "the stored outputs are the same" passes env BUILD="$dir/build" bash tests/system/golden.sh
check "all stored outputs were compared" at_least "$(grep -c '^ok' "$dir/log")" 300
check "the reader takes the stored inputs of fuzzing" "$dir/build/tests/fuzz_replay_reader" tests/fuzz/reader/*
for unit in "${units[@]}"; do
	check "$unit" passes tests/lib/check-tap "$dir/build/tests/$unit"
done

compared=$BUILD/arm64/compared
if [ -e "$compared/packages" ] ||
	mk/sysroot "$compared" arm64 libssl3 libllvm14 libstdc++6 libnode108 cpp-12 > "$dir/log" 2>&1; then
	check "tables of arm64's libraries have the rows of libdw" \
		env PROFREC_COMPARE_ROOT="$compared" CK_FORK=no "$dir/build/tests/test_cfi_libdw"
else
	skip "tables of arm64's libraries have the rows of libdw" "$(grep -m 1 '^E:' "$dir/log" || tail -n 1 "$dir/log")"
fi
plan_end
