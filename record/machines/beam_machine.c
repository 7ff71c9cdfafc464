// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/beam_machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "bpf/host_arch.h"
#include "common/minmax.h"
#include "record/machines/beam_lines.h"
#include "record/languages/files/beam_releases.h"

/* Modules, and functions of one, at most. Real programs have some thousands. */
#define MODULES_MAX   (1u << 16)
#define FUNCTIONS_MAX (1u << 16)

/* The lists of modules, each of this many words: modules, their number, and two of no interest. */
#define LISTS          3
#define LIST_WORDS     4
#define LIST_AFTER_SUM 8 /* the first list is after the word that beam_symbols.c finds */

/* Offsets of all known releases. */
#define FUNCTION_NAME     16 /* module, name and arity */
#define ATOM_SEGMENTS     120
#define ATOM_BYTES        24
#define ATOM_TEXT         32
#define SCHEDULER_PROCESS 168
#define PROCESS_STACK     0x58
#define PROCESS_FRAME     0x60 /* rbp, in frames with frame pointers */

/* An atom's number is above its tag, and a segment of the table has 1024. */
#define ATOM_TAG      0x3f
#define ATOM_IS_ATOM  0x0b
#define ATOM_SHIFT    6
#define SEGMENT_SHIFT 10
#define SEGMENTS_MAX  (1u << 20)

/* A string of bits begins with a header of the kind BITS and with its length in bits. */
#define VALUE_TAG    3
#define VALUE_IS_BOX 2
#define BITS_MASK    0x3f
#define BITS         0x20

/*
 * Shared code of EXIT_BYTES before the first module has the functions of a module of its own. A
 * list of modules has gaps where modules were. At most GAPS_MAX of them are looked at.
 */
#define EXIT_BYTES 0x1000
#define GAPS_MAX   64

/* Shared code, and in it the scheduler's loop, which begins with an instruction of ROOM_BYTES. */
#define SHARED_BYTES 0x2000
#define MAIN_BYTES   0x400
#define ROOM_BYTES   7

static int read_at(const struct machine_memory *memory, uint64_t addr, void *buf, size_t len)
{
	return machine_memory_read(memory, addr, buf, len);
}

/* A list of modules, sorted by address. */
struct module_list {
	uint64_t at, nr;
};

struct module {
	uint64_t begin, end;
};

static int read_list_at(const struct machine_memory *memory, const struct beam_tables *tables,
			uint32_t at, struct module_list *list)
{
	if (read_at(memory, tables->ranges + UINT64_C(8) * LIST_WORDS * at, list, sizeof(*list)))
		return -EFAULT;
	return list->nr && list->nr <= MODULES_MAX ? 0 : -ENOENT;
}

/* Finds the list that is in force. */
static int read_list(const struct machine_memory *memory, const struct beam_tables *tables,
		     struct module_list *list)
{
	uint32_t active;

	if (read_at(memory, tables->active_code, &active, sizeof(active)))
		return -EFAULT;
	return active < LISTS ? read_list_at(memory, tables, active, list) : -ENOENT;
}

/* Finds the last module that begins at or below @pc, or the first one. *@at is its number. */
static int find_module(const struct machine_memory *memory, const struct module_list *list,
		       uint64_t pc, uint64_t *at, struct module *module)
{
	uint64_t low = 0, nr = list->nr;

	while (nr > 1) {
		uint64_t half = nr / 2;

		if (read_at(memory, list->at + (low + half) * sizeof(*module), module,
			    sizeof(*module)))
			return -EFAULT;
		if (module->begin <= pc)
			low += half;
		nr -= half;
	}
	*at = low;
	return read_at(memory, list->at + low * sizeof(*module), module, sizeof(*module));
}

/* Finds the function of @module that has @pc. */
static int find_function(const struct machine_memory *memory, const struct beam_tables *tables,
			 const struct module *module, uint64_t pc, struct beam_code *code)
{
	uint64_t list = module->begin + tables->functions, have, last;
	uint32_t nr;

	*code = (struct beam_code){.begin = module->begin, .end = module->end};
	if (read_at(memory, module->begin, &nr, sizeof(nr)))
		return -EFAULT;
	if (!nr || nr > FUNCTIONS_MAX)
		return -ENOENT;
	code->nr = nr;
	if (read_at(memory, list, &code->function, sizeof(code->function)) ||
	    read_at(memory, list + UINT64_C(8) * nr, &last, sizeof(last)))
		return -EFAULT;
	if (pc < code->function || pc >= last)
		return -ENOENT;
	while (nr > 1) {
		uint32_t half = nr / 2;

		if (read_at(memory, list + UINT64_C(8) * (code->index + half), &have, sizeof(have)))
			return -EFAULT;
		if (have <= pc) {
			code->index += half;
			code->function = have;
		}
		nr -= half;
	}
	return 0;
}

/* Finds where the @length bytes of an atom's text are, which is the value *@at. */
static int find_bits(const struct machine_memory *memory, uint16_t length, uint64_t *at)
{
	struct {
		uint64_t header, nr;
	} bits;
	uint64_t box = *at & ~(uint64_t)VALUE_TAG;

	if ((*at & VALUE_TAG) != VALUE_IS_BOX)
		return -ENOENT;
	if (read_at(memory, box, &bits, sizeof(bits)))
		return -EFAULT;
	if ((bits.header & BITS_MASK) != BITS || bits.nr != UINT64_C(8) * length)
		return -ENOENT;
	*at = box + sizeof(bits);
	return 0;
}

static int read_atom(const struct machine_memory *memory, const struct beam_tables *tables,
		     uint64_t atom, struct language_text *text)
{
	uint64_t nr = atom >> ATOM_SHIFT, segments, segment, at, bytes;
	uint16_t length;
	int ret;

	if ((atom & ATOM_TAG) != ATOM_IS_ATOM || nr >> SEGMENT_SHIFT >= SEGMENTS_MAX)
		return -ENOENT;
	if (read_at(memory, tables->atoms + ATOM_SEGMENTS, &segments, sizeof(segments)) ||
	    read_at(memory, segments + 8 * (nr >> SEGMENT_SHIFT), &segment, sizeof(segment)) ||
	    read_at(memory, segment + 8 * (nr & ((1u << SEGMENT_SHIFT) - 1)), &at, sizeof(at)) ||
	    read_at(memory, at + ATOM_BYTES, &length, sizeof(length)) ||
	    read_at(memory, at + ATOM_TEXT, &bytes, sizeof(bytes)))
		return -EFAULT;
	ret = tables->atoms_are_values ? find_bits(memory, length, &bytes) : 0;
	if (ret)
		return ret;
	*text = (struct language_text){.nr_bytes = min_u64(length, NAME_BYTES),
				       .is_cut = length > NAME_BYTES};
	return read_at(memory, bytes, text->bytes, text->nr_bytes);
}

/* "/3" comes after the name, which is cut if there is no room. */
static void append_arity(struct language_text *name, uint32_t arity)
{
	char text[16];
	uint32_t nr = snprintf(text, sizeof(text), "/%u", arity & 0xff);

	name->nr_bytes = min_u64(name->nr_bytes, NAME_BYTES - nr);
	memcpy(name->bytes + name->nr_bytes, text, nr);
	name->nr_bytes += nr;
	name->is_cut = 0;
}

/* Is the code at the address of @word still that of the word? */
static int check_word(const struct machine_memory *memory, uint64_t word)
{
	__u64 code[2];

	if (read_at(memory, word_addr(word), code, sizeof(code)))
		return -EFAULT;
	return beam_word_of(word_addr(word), code) == word ? 0 : -ENOENT;
}

int beam_function_read(const struct machine_memory *memory, const struct beam_tables *tables,
		       uint64_t word, struct machine_function *function)
{
	struct machine_function read;
	struct {
		uint64_t module, name;
		uint32_t arity, reserved;
	} info;
	struct module_list list;
	struct module module;
	struct beam_code code;
	/* Of a call, the address is that after it. The functions begin with a description. */
	uint64_t at, pc = word_addr(word) - 1;
	int ret = check_word(memory, word);

	memset(&read, 0, sizeof(read));
	if (!ret)
		ret = read_list(memory, tables, &list);
	if (!ret)
		ret = find_module(memory, &list, pc, &at, &module);
	if (!ret && (pc < module.begin || pc >= module.end))
		ret = -ENOENT;
	if (!ret)
		ret = find_function(memory, tables, &module, pc, &code);
	if (!ret)
		ret = read_at(memory, code.function + FUNCTION_NAME, &info, sizeof(info));
	if (!ret)
		ret = read_atom(memory, tables, info.module, &read.class);
	if (!ret)
		ret = read_atom(memory, tables, info.name, &read.name);
	if (!ret && tables->lines)
		beam_line_read(memory, &code, tables->lines, &read);
	/* Nobody has loaded other code there meanwhile. */
	if (!ret)
		ret = check_word(memory, word);
	if (ret)
		return ret;
	append_arity(&read.name, info.arity);
	*function = read;
	return 0;
}

/*
 * Looks for the scheduler's loop in the code from @begin up to the code to which processes return.
 */
static int find_main_from(const struct machine_memory *memory, uint64_t begin,
			  struct beam_machine *machine)
{
	static const uint8_t align[] = {0x48, 0x83, 0xe4, 0xc0}, jump[] = {0xff, 0xe0};
	static const uint8_t restore[] = {0x49, 0x8b, 0x65, PROCESS_STACK};
	uint8_t code[SHARED_BYTES];
	size_t nr = machine->normal_exit - begin;
	const uint8_t *main, *end;

	if (nr > sizeof(code) || read_at(memory, begin, code, nr))
		return -EFAULT;
	main = memmem(code, nr, align, sizeof(align));
	if (!main || main - code < ROOM_BYTES || main[-ROOM_BYTES] != 0x48 ||
	    main[1 - ROOM_BYTES] != 0x81)
		return -ENOTSUP;
	end = memmem(main, min_u64(code + nr - main, MAIN_BYTES), jump, sizeof(jump));
	if (!end || !memmem(main, end - main, restore, sizeof(restore)))
		return -ENOTSUP;
	machine->main = begin + (main - code) - ROOM_BYTES;
	machine->main_end = begin + (end - code);
	return 0;
}

/*
 * Finds the scheduler's loop, and sees that it restores the stack of a process as expected. It
 * makes room for the registers, aligned to lines of the cache, and ends where it jumps into Erlang.
 */
static int find_main(const struct machine_memory *memory, struct beam_machine *machine)
{
	uint64_t page = machine->normal_exit & -(uint64_t)PAGE_BYTES;
	int ret = find_main_from(memory, page, machine);

	return ret == -ENOTSUP ? find_main_from(memory, page - PAGE_BYTES, machine) : ret;
}

/*
 * Shared code ends where the first module of @list begins. It begins at most SHARED_BYTES before
 * the scheduler's loop, and after the module before it. Where there is less, nothing runs.
 */
static int find_shared(const struct machine_memory *memory, const struct module_list *list,
		       struct beam_machine *machine)
{
	uint64_t at, low = 0;
	struct module module;
	int ret = find_module(memory, list, machine->normal_exit, &at, &module);

	if (!ret && module.begin <= machine->normal_exit) {
		low = module.end;
		if (at + 1 == list->nr)
			return -ENOTSUP;
		ret = read_at(memory, list->at + (at + 1) * sizeof(module), &module,
			      sizeof(module));
	}
	if (ret)
		return ret;
	if (low > machine->normal_exit || module.begin <= machine->normal_exit ||
	    module.begin - machine->normal_exit > SHARED_BYTES)
		return -ENOTSUP;
	ret = find_main(memory, machine);
	machine->shared_end = module.begin;
	machine->shared = machine->main - SHARED_BYTES > low ? machine->main - SHARED_BYTES : low;
	return ret;
}

static bool is_atom(const struct machine_memory *memory, const struct beam_tables *tables,
		    uint64_t atom, const char *name)
{
	struct language_text text;

	return !read_atom(memory, tables, atom, &text) && text.nr_bytes == strlen(name) &&
	       !memcmp(text.bytes, name, text.nr_bytes);
}

/*
 * Looks for the address to which processes return in the code straight before @end. It is that of
 * erts_beamasm:normal_exit/0, and the code of a function follows its module, name and arity.
 */
static int find_exit_before(const struct machine_memory *memory, const struct beam_tables *tables,
			    uint64_t end, struct beam_machine *machine)
{
	uint64_t code[EXIT_BYTES / 8];

	if (read_at(memory, end - EXIT_BYTES, code, sizeof(code)))
		return -ENOTSUP;
	for (size_t i = 0; i + 3 < EXIT_BYTES / 8; i++) {
		if (code[i + 2] || (code[i] & ATOM_TAG) != ATOM_IS_ATOM ||
		    !is_atom(memory, tables, code[i + 1], "normal_exit") ||
		    !is_atom(memory, tables, code[i], "erts_beamasm"))
			continue;
		machine->normal_exit = end - EXIT_BYTES + (i + 3) * sizeof(code[0]);
		return 0;
	}
	return -ENOTSUP;
}

/* Looks for it before the modules of @list that have a gap before them. */
static int find_exit(const struct machine_memory *memory, const struct beam_tables *tables,
		     const struct module_list *list, struct beam_machine *machine)
{
	uint64_t low = 0, nr_gaps = 0;
	struct module module;

	for (uint64_t i = 0; i < list->nr && nr_gaps < GAPS_MAX; i++, low = module.end) {
		if (read_at(memory, list->at + i * sizeof(module), &module, sizeof(module)) ||
		    module.begin < low)
			return -ENOTSUP;
		if (module.begin - low < EXIT_BYTES)
			continue;
		nr_gaps++;
		if (!find_exit_before(memory, tables, module.begin, machine))
			return 0;
	}
	return -ENOTSUP;
}

/*
 * The scheduler's loop begins with where the registers are. Later it loads the number of the list
 * in force, unless the process is traced, and with frame pointers rbp as well as rsp.
 */
static int read_main(const struct machine_memory *memory, struct beam_tables *tables,
		     struct beam_machine *machine)
{
	/* mov [rdi], rsp; lea rbx, [rsp + n] */
	const uint8_t registers[] = {0x48, 0x89, 0x27, 0x48,
				     0x8d, 0x5c, 0x24, machine->registers_base};
	/* mov rdi, the variable's address; mov esi, LISTS; mov r12d, [rdi] */
	static const uint8_t load[] = {0xbe, LISTS, 0, 0, 0, 0x44, 0x8b, 0x27};
	static const uint8_t frame[] = {0x49, 0x8b, 0x6d, PROCESS_FRAME};
	uint8_t code[MAIN_BYTES];
	size_t nr = machine->main_end - machine->main, before = 2 + sizeof(tables->active_code);
	const uint8_t *at;

	if (nr > sizeof(code) || read_at(memory, machine->main, code, nr))
		return -EFAULT;
	at = memmem(code, nr, load, sizeof(load));
	if (!at || (size_t)(at - code) < before || at[-(long)before] != 0x48 ||
	    at[1 - (long)before] != 0xbf || !memmem(code, nr, registers, sizeof(registers)))
		return -ENOTSUP;
	memcpy(&tables->active_code, at - sizeof(tables->active_code), sizeof(tables->active_code));
	machine->has_frame_pointers = memmem(code, nr, frame, sizeof(frame)) != NULL;
	return 0;
}

/* Describes a machine without symbols: any list of modules leads to its shared code. */
static int find_machine(const struct machine_memory *memory, struct beam_tables *tables,
			struct beam_machine *machine)
{
	int ret = -EAGAIN;

	for (uint32_t i = 0; i < LISTS; i++) {
		struct module_list list;

		if (read_list_at(memory, tables, i, &list))
			continue;
		ret = find_exit(memory, tables, &list, machine);
		if (!ret)
			ret = find_shared(memory, &list, machine);
		if (!ret)
			return read_main(memory, tables, machine);
	}
	return ret;
}

/* Describes a machine whose symbols @in has. */
static int read_machine(const struct machine_memory *memory, const struct interpreter *in,
			uint64_t base, struct beam_tables *tables, struct beam_machine *machine)
{
	struct module_list list;
	uint32_t layout;
	int ret;

	tables->active_code = base + in->beam.active_code;
	if (read_at(memory, base + in->beam.frame_layout, &layout, sizeof(layout)) ||
	    read_at(memory, base + in->beam.normal_exit, &machine->normal_exit,
		    sizeof(machine->normal_exit)))
		return -EFAULT;
	machine->has_frame_pointers = layout != 0;
	if (!machine->normal_exit)
		return -EAGAIN;
	ret = read_list(memory, tables, &list);
	if (ret)
		return ret == -ENOENT ? -EAGAIN : ret;
	return find_shared(memory, &list, machine);
}

int beam_machine_read(const struct machine_memory *memory, const struct interpreter *in,
		      uint64_t base, struct beam_machine *machine, struct beam_tables *tables)
{
	const struct beam_release *release = beam_release_find(in->version);

	if (!release)
		return -ENOTSUP;
	*tables = (struct beam_tables){.functions = release->functions,
				       .lines = release->lines,
				       .atoms_are_values = release->atoms_are_values,
				       .ranges = base + in->beam.ranges + LIST_AFTER_SUM,
				       .atoms = base + in->beam.atoms};
	*machine = (struct beam_machine){.registers_base = release->registers_base,
					 .scheduler_process = SCHEDULER_PROCESS,
					 .process_stack = PROCESS_STACK};
	if (read_at(memory, base + in->beam.key, &machine->key, sizeof(machine->key)))
		return -EFAULT;
	return release->has_symbols ? read_machine(memory, in, base, tables, machine)
				    : find_machine(memory, tables, machine);
}
