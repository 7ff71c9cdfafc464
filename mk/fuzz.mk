# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzing of the reader. FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION makes it take every CRC for right.

FUZZ_CFLAGS := -std=gnu17 -O1 -g $(WARN) -fno-omit-frame-pointer
FUZZ_SRC    := tests/fuzz/fuzz_reader.c tests/fuzz/input.c
FUZZ_LIB    := $(FORMAT_SRC) common/index.c

fuzz-reader: $(B)/fuzz_reader ## build the libFuzzer target of the reader (needs clang)

$(B)/fuzz_reader: $(FUZZ_SRC) $(FUZZ_LIB) $(wildcard format/*.h tests/fuzz/*.h)
	@mkdir -p $(@D)
	$(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-o $@ $(FUZZ_SRC) $(FUZZ_LIB) -lzstd

$(B)/tests/fuzz_replay: $(call obj,tests/fuzz/replay.c tests/fuzz/input.c $(FUZZ_LIB))
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lzstd

tests-build: $(B)/tests/fuzz_replay

.PHONY: fuzz-reader
