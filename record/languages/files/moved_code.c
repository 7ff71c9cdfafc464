// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/moved_code.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/languages/files/host_code.h"

/* Interpreters have up to 60 KiB in one function. */
#define FUNCTION_BYTES_MAX (1u << 20)

/*
 * Functions that a function jumps to or calls. Some bytes look like jumps, and lead anywhere.
 * Ruby's largest function calls some 150 others.
 */
#define TARGETS_MAX 512

/* Targets that are looked up. A look-up takes some twenty reads of the file. */
#define LOOKUPS_MAX 4096

/* A moved part is the target of many jumps. */
#define JUMPS_MIN 4

/* The head of .eh_frame_hdr, and its entries, which are relative to it (LSB 5.0, 10.6.2). */
struct header {
	uint8_t version, frame_encoding, count_encoding, table_encoding;
	int32_t frame;
	uint32_t nr;
};

struct entry {
	int32_t begin, description;
};

#define VERSION        1
#define COUNT_ENCODING 0x03 /* udata4 */
#define TABLE_ENCODING 0x3b /* datarel, sdata4 */

struct target {
	uint64_t begin, end;
	uint32_t nr_jumps;
};

struct search {
	const struct dynamic_symbols *symbols;
	uint64_t table; /* .eh_frame_hdr */
	uint32_t nr;
	struct target targets[TARGETS_MAX];
	uint32_t nr_targets;
	uint32_t nr_lookups;
};

static int begin_search(struct search *s, const struct dynamic_symbols *symbols)
{
	struct header header;

	*s = (struct search){.symbols = symbols};
	elf_image_for_each_segment(&symbols->elf, segment) if (segment->p_type == PT_GNU_EH_FRAME)
		s->table = segment->p_vaddr;
	if (!s->table || dynamic_symbols_read(symbols, s->table, &header, sizeof(header)) ||
	    header.version != VERSION || header.count_encoding != COUNT_ENCODING ||
	    header.table_encoding != TABLE_ENCODING)
		return -ENOENT;
	s->nr = header.nr;
	return 0;
}

/* The address at which function number @i begins; 0: there is none. */
static uint64_t function_begin(const struct search *s, uint32_t i)
{
	struct entry entry;

	if (i >= s->nr ||
	    dynamic_symbols_read(s->symbols,
				 s->table + sizeof(struct header) + (uint64_t)i * sizeof(entry),
				 &entry, sizeof(entry)))
		return 0;
	return s->table + (int64_t)entry.begin;
}

/* Finds the bounds of the function at @addr. Returns false if there is no other one after it. */
static bool find_function(const struct search *s, uint64_t addr, struct target *found)
{
	uint32_t low = 0, high = s->nr;

	while (high - low > 1) {
		uint32_t middle = low + (high - low) / 2;

		if (function_begin(s, middle) <= addr)
			low = middle;
		else
			high = middle;
	}
	found->begin = function_begin(s, low);
	found->end = function_begin(s, low + 1);
	return found->begin && found->begin <= addr && addr < found->end;
}

static bool is_code(const struct search *s, uint64_t addr)
{
	elf_image_for_each_segment(
		&s->symbols->elf,
		segment) if (segment->p_type == PT_LOAD && segment->p_flags & PF_X &&
			     addr - segment->p_vaddr < segment->p_filesz) return true;
	return false;
}

/* Notes a jump to @addr; if @is_call, only one to the beginning of a function. */
static void note_jump(struct search *s, uint64_t addr, bool is_call)
{
	struct target new = {.nr_jumps = 1};

	for (uint32_t i = 0; i < s->nr_targets; i++) {
		if (addr >= s->targets[i].begin && addr < s->targets[i].end) {
			s->targets[i].nr_jumps++;
			return;
		}
	}
	if (s->nr_targets == TARGETS_MAX || s->nr_lookups == LOOKUPS_MAX || !is_code(s, addr))
		return;
	s->nr_lookups++;
	if (find_function(s, addr, &new) && (!is_call || new.begin == addr))
		s->targets[s->nr_targets++] = new;
}

/* Notes where the jumps in @code lead that is linked at @vaddr, without calls. */
static void note_jumps(struct search *s, const uint8_t *code, uint64_t size, uint64_t vaddr)
{
	for (uint64_t i = 0; i < size; i += host_code_step) {
		uint64_t target = 0;
		enum host_jump jump = host_jump_at(code + i, size - i, vaddr + i, &target);

		if (jump != HOST_NO_JUMP && jump != HOST_CALL && target - vaddr >= size)
			note_jump(s, target, false);
	}
}

/* Reads the code of @function, which ends with a byte more. Returns NULL if it cannot be had. */
static uint8_t *read_function(const struct dynamic_symbols *symbols, const Elf64_Sym *function)
{
	uint8_t *code =
		function->st_size > FUNCTION_BYTES_MAX ? NULL : malloc(function->st_size + 1);

	if (code && dynamic_symbols_read(symbols, function->st_value, code, function->st_size)) {
		free(code);
		return NULL;
	}
	return code;
}

int moved_code_find(const struct dynamic_symbols *symbols, const Elf64_Sym *function,
		    uint64_t *begin, uint64_t *end)
{
	_cleanup_free_ uint8_t *code = NULL;
	const struct target *most = NULL;
	struct search s;

	if (begin_search(&s, symbols))
		return -ENOENT;
	code = read_function(symbols, function);
	if (!code)
		return -ENOENT;
	note_jumps(&s, code, function->st_size, function->st_value);
	for (uint32_t i = 0; i < s.nr_targets; i++)
		if (s.targets[i].nr_jumps >= JUMPS_MIN &&
		    (!most || s.targets[i].nr_jumps > most->nr_jumps))
			most = &s.targets[i];
	*begin = most ? most->begin : 0;
	*end = most ? most->end : 0;
	return 0;
}

/* Notes the functions at whose beginning a jump or a call of @function leads. */
static int note_calls(struct search *s, const Elf64_Sym *function)
{
	_cleanup_free_ uint8_t *code = read_function(s->symbols, function);

	if (!code)
		return -ENOENT;
	for (uint64_t i = 0; i < function->st_size; i += host_code_step) {
		uint64_t target = 0;
		enum host_jump jump = host_jump_at(code + i, function->st_size - i,
						   function->st_value + i, &target);

		if ((jump == HOST_JUMP || jump == HOST_CALL) &&
		    target - function->st_value >= function->st_size)
			note_jump(s, target, true);
	}
	return 0;
}

int moved_code_find_largest(const struct dynamic_symbols *symbols, const Elf64_Sym *function,
			    Elf64_Sym *found)
{
	struct search s;

	if (begin_search(&s, symbols) || note_calls(&s, function))
		return -ENOENT;
	*found = (Elf64_Sym){0};
	for (uint32_t i = 0; i < s.nr_targets; i++) {
		if (s.targets[i].end - s.targets[i].begin <= found->st_size)
			continue;
		found->st_value = s.targets[i].begin;
		found->st_size = s.targets[i].end - s.targets[i].begin;
	}
	return found->st_size ? 0 : -ENOENT;
}

int moved_code_find_called(const struct dynamic_symbols *symbols, const Elf64_Sym *function,
			   uint64_t other, bool (*is_meant)(const uint8_t *code, uint64_t size),
			   Elf64_Sym *found)
{
	struct search s;
	uint32_t nr = 0;

	if (begin_search(&s, symbols) || note_calls(&s, function))
		return -ENOENT;
	for (uint32_t i = 0; i < s.nr_targets; i++) {
		const Elf64_Sym called = {.st_value = s.targets[i].begin,
					  .st_size = s.targets[i].end - s.targets[i].begin};
		_cleanup_free_ uint8_t *code =
			called.st_value == other ? NULL : read_function(symbols, &called);

		if (!code || !is_meant(code, called.st_size))
			continue;
		*found = called;
		nr++;
	}
	return nr == 1 ? 0 : -ENOENT;
}

int moved_code_find_common(const struct dynamic_symbols *symbols, const Elf64_Sym *a,
			   const Elf64_Sym *b, Elf64_Sym *found)
{
	struct search of_a, of_b;
	uint32_t nr = 0;

	if (begin_search(&of_a, symbols) || begin_search(&of_b, symbols) || note_calls(&of_a, a) ||
	    note_calls(&of_b, b))
		return -ENOENT;
	for (uint32_t i = 0; i < of_a.nr_targets; i++) {
		for (uint32_t k = 0; k < of_b.nr_targets; k++) {
			if (of_a.targets[i].begin != of_b.targets[k].begin)
				continue;
			found->st_value = of_a.targets[i].begin;
			found->st_size = of_a.targets[i].end - found->st_value;
			nr++;
		}
	}
	return nr == 1 ? 0 : -ENOENT;
}
