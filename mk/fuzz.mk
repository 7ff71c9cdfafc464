# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzing of the reader and of unwind tables. FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION makes the reader
# take every CRC for right.

FUZZ_CFLAGS := -std=gnu17 -O1 -g $(WARN) -fno-omit-frame-pointer
FUZZ_SRC    := tests/fuzz/target.c tests/fuzz/input.c
FUZZ_LIB    := $(FORMAT_SRC) $(COMMON_SRC)
TABLE_SRC   := $(wildcard record/cfi/*.c) $(COMMON_SRC)
TABLE_LIBS  := -lz -lzstd

fuzz-reader: $(B)/fuzz_reader ## build the libFuzzer target of the reader (needs clang)

$(B)/fuzz_reader: $(FUZZ_SRC) $(FUZZ_LIB) $(wildcard format/*.h tests/fuzz/*.h)
	@mkdir -p $(@D)
	$(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-o $@ $(FUZZ_SRC) $(FUZZ_LIB) -lzstd

fuzz-table: $(B)/fuzz_table ## build that of unwind tables

$(B)/fuzz_table: tests/fuzz/target.c tests/fuzz/table_input.c $(TABLE_SRC) $(wildcard record/cfi/*.h bpf/*.h)
	@mkdir -p $(@D)
	$(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) \
		-fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all \
		-o $@ $(filter %.c,$^) $(TABLE_LIBS)

$(B)/tests/fuzz_replay_table: $(call obj,tests/fuzz/replay.c tests/fuzz/table_input.c $(TABLE_SRC))
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ $(TABLE_LIBS)

$(B)/tests/fuzz_replay: $(call obj,tests/fuzz/replay.c tests/fuzz/input.c $(FUZZ_LIB))
	@mkdir -p $(@D)
	$(CC) $(LDFLAGS) -o $@ $^ -lzstd

tests-build: $(B)/tests/fuzz_replay $(B)/tests/fuzz_replay_table

.PHONY: fuzz-reader fuzz-table
