# SPDX-License-Identifier: GPL-2.0-or-later
# Fuzzing of everything that reads bytes of others. FUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION makes the reader of
# recordings take every CRC for right.

FUZZ_CFLAGS := -std=gnu17 -O1 -g $(WARN) -fno-omit-frame-pointer -fsanitize=fuzzer,address,undefined \
	-fno-sanitize-recover=all
FUZZ_COMMON := tests/fuzz/budget.c $(COMMON_SRC)
FUZZ_ARCH   := elf/arch.c elf/aarch64.c elf/x86_64.c
FUZZ_SECTIONS := elf/elf_image.c elf/elf_sections.c elf/eh_frame.c elf/go_table.c $(FUZZ_ARCH)
FUZZ_NAMES  := reader table elf names dwarf probes perf_map proc_maps java beam registered functions demangle \
	interpreters

# The sources and libraries of each target.
FUZZ_reader    := tests/fuzz/input.c $(FORMAT_SRC) $(FUZZ_COMMON)
FUZZ_table     := tests/fuzz/table_input.c tests/fuzz/made_elf.c $(filter record/cfi/%,$(RECORD_SRC)) $(FUZZ_SECTIONS) $(FUZZ_COMMON)
FUZZ_elf       := tests/fuzz/elf_input.c $(FUZZ_COMMON) \
	$(ELF_SRC) $(addprefix report/files/,candidate.c debugfiles.c fetcher.c kernel_paths.c)
FUZZ_names     := tests/fuzz/names_input.c tests/fuzz/made_elf.c $(FUZZ_COMMON) $(ELF_SRC)
FUZZ_probes    := tests/fuzz/probes_input.c tests/fuzz/made_elf.c $(FUZZ_COMMON) record/proc/proc_maps.c record/proc/proc_path.c $(FUZZ_SECTIONS) elf/unpack_xz.c \
	$(addprefix record/probes/,debug_symbols.c library.c mapped_code.c name_vec.c pattern.c usdt.c user_functions.c user_places.c) \
	$(filter record/cfi/%,$(RECORD_SRC))
FUZZ_dwarf     := tests/fuzz/dwarf_input.c $(FUZZ_COMMON) $(FUZZ_SECTIONS) elf/elffile.c elf/mapped_bytes.c $(wildcard report/dwarf/*.c) \
	report/symbols/debug_info.c report/symbols/section_bytes.c report/text/string_set.c
FUZZ_perf_map  := tests/fuzz/perf_map_input.c record/symbols/perf_map.c record/looks/user_mount.c $(FUZZ_COMMON)
FUZZ_java      := tests/fuzz/java_input.c $(addprefix record/machines/java_,lines.c machine.c methods.c scopes.c) \
	$(FUZZ_COMMON)
FUZZ_beam      := tests/fuzz/beam_input.c record/machines/beam_lines.c \
	record/machines/beam_machine.c record/languages/files/beam_releases.c $(filter record/languages/files/host_code_%,$(RECORD_SRC)) $(FUZZ_ARCH) $(FUZZ_COMMON)
FUZZ_registered := tests/fuzz/registered_input.c record/machines/registered_code.c $(filter record/cfi/%,$(RECORD_SRC)) \
	$(FUZZ_SECTIONS) $(FUZZ_COMMON)
FUZZ_functions := tests/fuzz/functions_input.c record/languages/source_function.c $(FUZZ_COMMON)
FUZZ_proc_maps := tests/fuzz/proc_maps_input.c record/proc/proc_maps.c $(FUZZ_COMMON)
FUZZ_demangle  := tests/fuzz/demangle_input.c report/demangle/demangle.c report/demangle/demangler.c \
	report/demangle/short_name.c report/demangle/lasting_name.c report/text/string_set.c $(FUZZ_COMMON)
FUZZ_interpreters := tests/fuzz/interpreters_input.c tests/fuzz/made_elf.c $(FUZZ_COMMON) $(FUZZ_ARCH) elf/elf_image.c \
	$(addprefix record/languages/,interpreter_search.c language_table.c) $(filter record/languages/files/%,$(RECORD_SRC))

FUZZ_LIBS_reader   := -lzstd
FUZZ_LIBS_table    := -lz -lzstd -lnettle
FUZZ_LIBS_elf      := -lelf -lz -lzstd -llzma
FUZZ_LIBS_names    := -lelf -lz -llzma
FUZZ_LIBS_probes   := -llzma -lz -lzstd -lnettle
FUZZ_LIBS_dwarf    := -lelf -lz -lzstd -pthread
FUZZ_LIBS_registered := -lz -lzstd -lnettle
FUZZ_LIBS_demangle := -liberty

fuzz: $(FUZZ_NAMES:%=$(B)/fuzz_%) ## build the libFuzzer targets (needs clang)

$(B)/fuzz_reader: CPPFLAGS += -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
# Each input would have all its room for code walked, which is 0.1 s.
$(B)/fuzz_table: CPPFLAGS += -DCODE_BYTES_MAX=0x4000u

.SECONDEXPANSION:
$(FUZZ_NAMES:%=$(B)/fuzz_%): $(B)/fuzz_%: tests/fuzz/target.c $$(FUZZ_$$*) \
		$(wildcard tests/fuzz/*.h common/*.h elf/*.h format/*.h record/*/*.h record/*/*/*.h report/*/*.h bpf/*.h bpf/*/*.h) $(B)/commit.h
	@mkdir -p $(@D)
	$(call msg,CC)
	$(Q)$(CLANG) $(CPPFLAGS) $(FUZZ_CFLAGS) -o $@ $(filter %.c,$^) $(FUZZ_LIBS_$*)

# Unless SAN chooses others, what replays the stored inputs has both sanitizers in every build but those for other
# architectures, because the libraries of these lack them. Those of clang know more than those of gcc, such as offsets to
# null pointers, but are a package of their own. It is not optimised, because that costs more time than it saves. Its
# reader, too, takes every CRC for right.
REPLAY_OWN    := $(if $(SAN)$(SYSROOT),,own)
REPLAY_SAN    := $(if $(REPLAY_OWN),-fsanitize=address$(comma)undefined)
REPLAY_CC      = $(if $(and $(REPLAY_OWN),$(wildcard $(REPLAY_RT))),$(CLANG),$(CC))
REPLAY_RT     := $(shell $(CLANG) -print-resource-dir 2> /dev/null)/lib/*/libclang_rt.asan*
REPLAY_CFLAGS := -std=gnu17 -O0 -g1 $(WARN) -Werror=implicit -fno-strict-aliasing -fno-omit-frame-pointer \
	$(REPLAY_SAN) -fno-sanitize-recover=all -U_FORTIFY_SOURCE
replay_obj     = $(patsubst %.c,$(B)/$(if $(REPLAY_OWN),replay/)%.o,$(1))

$(B)/replay/format/%.o: CPPFLAGS += -DFUZZING_BUILD_MODE_UNSAFE_FOR_PRODUCTION
$(B)/replay/record/cfi/%.o: CPPFLAGS += -DCODE_BYTES_MAX=0x4000u
$(B)/replay/common/command_line.o: $(B)/commit.h

$(B)/replay/%.o: %.c
	@mkdir -p $(@D)
	$(call msg,CC)
	$(Q)$(REPLAY_CC) $(CPPFLAGS) $(REPLAY_CFLAGS) -MMD -MP -c -o $@ $<

$(FUZZ_NAMES:%=$(B)/tests/fuzz_replay_%): $(B)/tests/fuzz_replay_%: \
		$$(call replay_obj,tests/fuzz/replay.c $$(FUZZ_$$*))
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(REPLAY_CC) $(LDFLAGS) $(REPLAY_SAN) -o $@ $^ $(FUZZ_LIBS_$*)

tests-build: $(FUZZ_NAMES:%=$(B)/tests/fuzz_replay_%)

.PHONY: fuzz
