/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Code that a fuzz target shares with the program that replays its corpus.
 *
 * For the reader (input.c), an input is a recording or a list of sections. A section is u8 type,
 * u24 little-endian length, payload. input.c puts the list into the container, so that mutations
 * reach the tables' decoders instead of ending in zstd. tests/tools/prof_list.c makes such a list
 * of a recording.
 *
 * For unwind tables (table_input.c), an input is an ELF file, or the bytes of a table, whose
 * checksum is put right. Any other input is one byte and the contents of a section, around which an
 * ELF file is made. Bit 0 of the byte chooses .debug_frame, else it is .eh_frame.
 *
 * For the symbols of files (elf_input.c), an input is an ELF file, which is a binary and its own
 * debug file, or else the notes of one.
 *
 * For the sources of names in a file (names_input.c), an input is a list of sections: u8 number of
 * the section, u24 little-endian length, contents. With bit 7 of the number, MiniDebugInfo is
 * packed first.
 *
 * For probes (probes_input.c), an input is an ELF file, the loader's cache (ld.so.cache), or the
 * notes of static probes, around which an ELF file is made.
 *
 * For debug information (dwarf_input.c), an input is an ELF file, or a list of sections: u8 number
 * of the section, u24 little-endian length, contents.
 *
 * For maps (perf_map_input.c, proc_maps_input.c), an input is the text.
 *
 * For HotSpot (java_input.c), an input is one byte and memory, which repeats for ever. Bit 1 of the
 * byte chooses the description of a machine, whose symbols the memory begins with. Else the memory
 * begins with a block of compiled code, as version 17 has it, or with bit 0 version 25.
 *
 * For registered code (registered_input.c), an input is memory, which repeats for ever. It begins
 * with the variable that leads to the list.
 *
 * For functions of interpreted languages (functions_input.c), an input is a struct
 * scoped_function_name, of which zeros follow the last byte.
 *
 * For mangled names (demangle_input.c), an input that begins with '_' is a list of names, one in
 * each line. In any other input, low bytes stand for pieces of the grammars.
 */
#ifndef TESTS_FUZZ_INPUT_H
#define TESTS_FUZZ_INPUT_H

#include <stddef.h>
#include <stdint.h>

/* Reads one input to its end. With @verbose it prints the result. */
void input_run(const uint8_t *data, size_t len, int verbose);

/* Largest number of payload bytes of one input. */
#define INPUT_MAX_BYTES (1u << 20)

#endif
