// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Up to release 27 the emulator exports all of its symbols but those that are static. Two variables
 * are static, and functions that do nothing but use them say where they are:
 *
 *	erts_get_scheduler_data:	mov key(%rip),%edi; jmp ...
 *	erts_ranges_sz:			mov bytes(%rip),%rax; shl $4,%rax; ret
 *
 * The ranges of modules are in a struct right after these bytes (beam_ranges.c). Release 29 exports
 * the functions for its extensions alone.
 */
#include "record/languages/beam_symbols.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "record/languages/beam_releases.h"

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
 * The place of the variable that the first instruction of function @name loads, whose bytes up to
 * the variable's distance are @opcode. 0: it begins with another one.
 */
static uint32_t find_loaded(const struct dynamic_symbols *symbols, const Elf64_Phdr *code,
			    const char *name, const char *opcode)
{
	size_t nr = strlen(opcode);
	uint8_t insn[8];
	int32_t distance;
	Elf64_Sym symbol;

	if (dynamic_symbols_find(symbols, name, &symbol) ||
	    dynamic_symbols_read(symbols, symbol.st_value, insn, nr + sizeof(distance)) ||
	    memcmp(insn, opcode, nr) != 0)
		return 0;
	memcpy(&distance, insn + nr, sizeof(distance));
	return to_place(code, symbol.st_value + nr + sizeof(distance) + (int64_t)distance);
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

void beam_find(const struct dynamic_symbols *symbols, struct found_interpreter *found)
{
	const Elf64_Phdr *code = dynamic_symbols_code(symbols);
	struct interpreter in = {.language = LANGUAGE_BEAM};
	char release[4];

	if (!code || (!find_variable(symbols, code, "beam_normal_exit") &&
		      !find_variable(symbols, code, "enif_schedule_nif")))
		return;
	find_release(symbols, release);
	found->language = LANGUAGE_BEAM;
	snprintf(found->name, sizeof(found->name), "BEAM %s",
		 release[0] ? release : "without a version");
	in.version = strtoul(release, NULL, 10);
	in.code_off = code->p_offset;
	in.beam.normal_exit = find_variable(symbols, code, "beam_normal_exit");
	in.beam.frame_layout = find_variable(symbols, code, "erts_frame_layout");
	in.beam.active_code = find_variable(symbols, code, "the_active_code_index");
	in.beam.atoms = find_variable(symbols, code, "erts_atom_table");
	in.beam.key = find_loaded(symbols, code, "erts_get_scheduler_data", "\x8b\x3d");
	in.beam.ranges = find_loaded(symbols, code, "erts_ranges_sz", "\x48\x8b\x05");
	if (beam_release_find(in.version) && is_usual_build(symbols) && in.beam.frame_layout &&
	    in.beam.active_code && in.beam.atoms && in.beam.key && in.beam.ranges)
		found->interpreter = in;
}
