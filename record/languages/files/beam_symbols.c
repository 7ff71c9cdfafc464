// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Knows the emulator of Erlang, BEAM, by symbols that it exports to its extensions. Runs in the
 * table child.
 *
 * Up to release 27 the emulator exports all of its symbols but those that are static. Two variables
 * are static, and functions that do nothing but use them say where they are:
 *
 *	erts_get_scheduler_data:	mov key(%rip),%edi; jmp ...
 *	erts_ranges_sz:			mov bytes(%rip),%rax; shl $4,%rax; ret
 *
 * The ranges of modules are in a struct right after these bytes (beam_ranges.c).
 *
 * Release 29 exports the functions for its extensions alone. Three of these load what the names
 * above are about:
 *
 *	driver_system_info:	lea text(%rip),%rax; ...	the release, in digits
 *	enif_thread_type:	call erts_get_scheduler_data; ...; mov 0xb0(%rax),%eax
 *	enif_get_atom_length:	...; mov segments(%rip),%rax; ...
 *
 * The code of erts_ranges_sz stands once in the file. The rest is in the memory of the process
 * (beam_machine.c).
 */
#include "record/languages/files/language_files.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/minmax.h"
#include "record/languages/files/beam_releases.h"
#include "record/languages/files/host_code.h"

/* The place of what symbols are about, from where offset 0 of the file would be. 0: unknown. */
static uint32_t to_place(const Elf64_Phdr *code, uint64_t vaddr)
{
	uint64_t place = vaddr - code->p_vaddr + code->p_offset;

	return place > UINT32_MAX ? 0 : place;
}

static uint32_t find_variable(const struct dynamic_symbols *symbols, const Elf64_Phdr *code,
			      const char *name)
{
	Elf64_Sym symbol;

	return dynamic_symbols_find(symbols, name, &symbol) ? 0 : to_place(code, symbol.st_value);
}

/*
 * The address of the variable that the function at @vaddr loads with its first instruction, whose
 * bytes up to the variable's distance are @opcode. Ubuntu's compilers put endbr64 before it. 0: it
 * begins with another one.
 */
static uint64_t find_first_load(const struct dynamic_symbols *symbols, uint64_t vaddr,
				const char *opcode)
{
	static const uint8_t mark[] = {0xf3, 0x0f, 0x1e, 0xfa};
	size_t nr = strlen(opcode);
	uint8_t insn[8];
	int32_t distance;

	if (dynamic_symbols_read(symbols, vaddr, insn, sizeof(mark)))
		return 0;
	if (!memcmp(insn, mark, sizeof(mark)))
		vaddr += sizeof(mark);
	if (dynamic_symbols_read(symbols, vaddr, insn, nr + sizeof(distance)) ||
	    memcmp(insn, opcode, nr) != 0)
		return 0;
	memcpy(&distance, insn + nr, sizeof(distance));
	return vaddr + nr + sizeof(distance) + (int64_t)distance;
}

/* The place of the variable that function @name loads first, as above. 0: unknown. */
static uint32_t find_loaded(const struct dynamic_symbols *symbols, const Elf64_Phdr *code,
			    const char *name, const char *opcode)
{
	uint64_t loaded;
	Elf64_Sym symbol;

	if (dynamic_symbols_find(symbols, name, &symbol))
		return 0;
	loaded = find_first_load(symbols, symbol.st_value, opcode);
	return loaded ? to_place(code, loaded) : 0;
}

/* Bytes of a function for extensions that are looked at. */
#define FUNCTION_BYTES 64

/* From the table of atoms to its segments. */
#define ATOM_SEGMENTS 120

/* Code is read in chunks, up to a limit. The code of the emulator has 4 MiB. */
#define CHUNK_BYTES 16384
#define CODE_MAX    (UINT64_C(64) << 20)

/*
 * The address to which the first instruction of @code with the bytes @opcode leads; 4 bytes follow
 * that are the distance. @code has FUNCTION_BYTES of @vaddr. *@at is where the instruction ends,
 * and to begin with where to look from. 0: there is none.
 */
static uint64_t find_target(const uint8_t code[FUNCTION_BYTES], uint64_t vaddr, const char *opcode,
			    size_t *at)
{
	size_t nr = strlen(opcode);
	const uint8_t *insn = memmem(code + *at, FUNCTION_BYTES - *at, opcode, nr);
	int32_t distance;

	if (!insn || code + FUNCTION_BYTES - insn < (long)(nr + sizeof(distance)))
		return 0;
	memcpy(&distance, insn + nr, sizeof(distance));
	*at = insn - code + nr + sizeof(distance);
	return vaddr + *at + (int64_t)distance;
}

static bool read_function(const struct dynamic_symbols *symbols, const char *name,
			  uint8_t code[FUNCTION_BYTES], uint64_t *vaddr)
{
	Elf64_Sym symbol;

	if (dynamic_symbols_find(symbols, name, &symbol))
		return false;
	*vaddr = symbol.st_value;
	return !dynamic_symbols_read(symbols, symbol.st_value, code, FUNCTION_BYTES);
}

/* As find_release, of a file that tells extensions alone. */
static void find_told_release(const struct dynamic_symbols *symbols, char text[4])
{
	uint8_t code[FUNCTION_BYTES];
	uint64_t vaddr, told;
	size_t at = 0;

	memset(text, 0, 4);
	if (!read_function(symbols, "driver_system_info", code, &vaddr))
		return;
	told = find_target(code, vaddr, "\x48\x8d\x05", &at);
	if (!told || dynamic_symbols_read(symbols, told, text, 3) || text[2] ||
	    strspn(text, "0123456789") != 2)
		memset(text, 0, 4);
}

/* The place of the key, if the scheduler's data are as in the releases before. 0: unknown. */
static uint32_t find_told_key(const struct dynamic_symbols *symbols, const Elf64_Phdr *code)
{
	static const uint8_t type[] = {0x8b, 0x80, 0xb0, 0, 0, 0};
	uint8_t function[FUNCTION_BYTES];
	uint64_t vaddr, to;
	size_t at = 0;

	if (!read_function(symbols, "enif_thread_type", function, &vaddr) ||
	    !memmem(function, sizeof(function), type, sizeof(type)))
		return 0;
	to = find_target(function, vaddr, "\xe8", &at);
	if (to)
		to = find_first_load(symbols, to, "\x8b\x3d");
	return to ? to_place(code, to) : 0;
}

static uint32_t find_told_atoms(const struct dynamic_symbols *symbols, const Elf64_Phdr *code)
{
	uint8_t function[FUNCTION_BYTES];
	uint64_t vaddr, to;
	size_t at = 0;

	if (!read_function(symbols, "enif_get_atom_length", function, &vaddr))
		return 0;
	to = find_target(function, vaddr, "\x48\x8b\x05", &at);
	return to ? to_place(code, to - ATOM_SEGMENTS) : 0;
}

/*
 * The place that erts_ranges_sz loads, of which only the code is known. 0: there is no such code,
 * or it is there more than once.
 */
static uint32_t find_told_ranges(const struct dynamic_symbols *symbols, const Elf64_Phdr *code)
{
	static const uint8_t load[] = {0x48, 0x8b, 0x05}, end[] = {0x48, 0xc1, 0xe0, 0x04, 0xc3};
	const size_t loaded = sizeof(load) + sizeof(int32_t), size = loaded + sizeof(end);
	uint32_t found = 0, nr_found = 0;
	uint8_t chunk[CHUNK_BYTES];

	if (code->p_filesz > CODE_MAX)
		return 0;
	/* What two chunks share is less than a whole one of these functions. */
	for (uint64_t off = 0; off < code->p_filesz; off += CHUNK_BYTES - size + 1) {
		size_t nr = min_u64(CHUNK_BYTES, code->p_filesz - off);

		if (dynamic_symbols_read(symbols, code->p_vaddr + off, chunk, nr))
			return 0;
		for (size_t i = 0; i + size <= nr; i++) {
			uint64_t next = code->p_vaddr + off + i + loaded;
			int32_t distance;

			if (memcmp(chunk + i, load, sizeof(load)) != 0 ||
			    memcmp(chunk + i + loaded, end, sizeof(end)) != 0)
				continue;
			memcpy(&distance, chunk + i + sizeof(load), sizeof(distance));
			found = to_place(code, next + (int64_t)distance);
			nr_found++;
		}
	}
	return nr_found == 1 ? found : 0;
}

/* Is the constant @name, of 4 bytes, @value? */
static bool has_constant(const struct dynamic_symbols *symbols, const char *name, uint32_t value)
{
	Elf64_Sym symbol;
	uint32_t have;

	return !dynamic_symbols_find(symbols, name, &symbol) &&
	       !dynamic_symbols_read(symbols, symbol.st_value, &have, sizeof(have)) &&
	       have == value;
}

/* The release, "25". */
static void find_release(const struct dynamic_symbols *symbols, char text[4])
{
	Elf64_Sym symbol;

	memset(text, 0, 4);
	if (!dynamic_symbols_find(symbols, "etp_otp_release", &symbol) &&
	    !dynamic_symbols_read(symbols, symbol.st_value, text, 3))
		text[strspn(text, "0123456789")] = '\0';
}

/* Does it compile code for the processor, in the usual build? */
static bool is_usual_build(const struct dynamic_symbols *symbols)
{
	return has_constant(symbols, "etp_beamasm", 1) &&
	       has_constant(symbols, "etp_debug_compiled", 0) &&
	       has_constant(symbols, "etp_lock_count", 0) &&
	       has_constant(symbols, "etp_lock_check", 0);
}

/* Returns whether all is found that the walk needs. */
static bool find_exported(const struct dynamic_symbols *symbols, const Elf64_Phdr *code,
			  struct beam_layout *beam)
{
	beam->normal_exit = find_variable(symbols, code, "beam_normal_exit");
	beam->frame_layout = find_variable(symbols, code, "erts_frame_layout");
	beam->active_code = find_variable(symbols, code, "the_active_code_index");
	beam->atoms = find_variable(symbols, code, "erts_atom_table");
	beam->key = find_loaded(symbols, code, "erts_get_scheduler_data", "\x8b\x3d");
	beam->ranges = find_loaded(symbols, code, "erts_ranges_sz", "\x48\x8b\x05");
	return is_usual_build(symbols) && beam->frame_layout && beam->active_code && beam->atoms &&
	       beam->key && beam->ranges;
}

/* As above. */
static bool find_told(const struct dynamic_symbols *symbols, const Elf64_Phdr *code,
		      struct beam_layout *beam)
{
	beam->atoms = find_told_atoms(symbols, code);
	beam->key = find_told_key(symbols, code);
	beam->ranges = find_told_ranges(symbols, code);
	return beam->atoms && beam->key && beam->ranges;
}

void beam_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	struct interpreter in = {.language = LANGUAGE_BEAM};
	const struct beam_release *known;
	bool has_symbols;
	char release[4];

	if (!code)
		return;
	has_symbols = find_variable(symbols, code, "beam_normal_exit") != 0;
	if (!has_symbols && !find_variable(symbols, code, "enif_schedule_nif"))
		return;
	if (has_symbols)
		find_release(symbols, release);
	else
		find_told_release(symbols, release);
	found->language = LANGUAGE_BEAM;
	snprintf(found->name, sizeof(found->name), "BEAM %s%s",
		 release[0] ? release : "without a version", host_without_code);
	in.version = strtoul(release, NULL, 10);
	in.code_off = code->p_offset;
	known = beam_release_find(in.version);
	if (!host_knows_made_code || !known || (known->has_symbols != 0) != has_symbols)
		return;
	if (has_symbols ? find_exported(symbols, code, &in.beam)
			: find_told(symbols, code, &in.beam))
		found->interpreter = in;
}
