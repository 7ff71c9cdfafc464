#!/usr/bin/env bash
# Programs for arm64 by qemu's emulation of a process, as much as a minute allows: each eighth of the stored outputs, those
# of the recording that was made on arm64, the stored inputs of fuzzing, some unit tests. tests/long/arm64_user.sh has the
# others. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/arm64.sh
. tests/lib/arm64.sh

need_arm64

# Those of arm64 alone, and some that are short.
units=(test_crc32c test_decimal test_hash test_headline test_order test_runtime_stacks)
for file in tests/unit/test_*_aarch64.c; do units+=("$(basename "$file" .c)"); done
replays=()
for path in tests/fuzz/*/; do replays+=("fuzz_replay_$(basename "$path")"); done
programs=("${units[@]}" "${replays[@]}")
# Not optimised, because that costs more time than it saves.
out=$(realpath --relative-to=. "$BUILD")/arm64/quick
check "profrep and tests build for arm64" \
	make_arm64 B="$out" SYSROOT="$sysroot" OPT=-O0 -k -j2 STATIC=1 profrep "${programs[@]/#/$out/tests/}"
emulate "$BUILD/arm64/quick" profrep "${programs[@]/#/tests/}"
check "stored outputs are the same" passes env BUILD="$dir/build" GOLDEN_EACH=8 bash tests/system/golden.sh
check "stored outputs were compared" at_least "$(grep -c '^ok' "$dir/log")" 50
check "outputs of arm64's recording were compared" at_least "$(grep -c '^ok .* arm64' "$dir/log")" 5
for replay in "${replays[@]}"; do
	check "stored inputs: $replay" "$dir/build/tests/$replay" "tests/fuzz/${replay#fuzz_replay_}"/*
done
for unit in "${units[@]}"; do
	check "$unit" passes tests/lib/check-tap "$dir/build/tests/$unit"
done
plan_end
