// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/node_inlined.h"

#include <errno.h>

#include "common/minmax.h"
#include "record/machines/node_functions.h"

/*
 * Code begins at a multiple of 64 (src/common/globals.h, kCodeAlignment), after a header that leads
 * to its Code, and the Code says where the code begins and how long it is. So the first place
 * before an address where both agree is the beginning of the code there.
 */
#define CODE_ALIGN   64
#define CODE_MAX     (256u << 10)
#define SEARCH_BYTES 4096
#define HEADER_MAX   128

#define CODE_WORDS 9 /* of a Code. All offsets into it are below */

/*
 * Elements of a DeoptimizationData (src/objects/deoptimization-data.h), as older versions count
 * them.
 */
enum deopt_element {
	DEOPT_NR_FUNCTIONS = 1,
	DEOPT_LITERALS,
	DEOPT_FUNCTION = 6,
	DEOPT_INLININGS,
	NR_DEOPT_ELEMENTS,
};

/* A position (src/codegen/source-position.h) has the number of the inlining above bit 31. */
#define INLINING_OF(position) ((uint32_t)((position) >> 31) & 0xffff)

/* An element of the array of inlinings, which count from 1. */
struct inlining {
	uint64_t position; /* of the call, in the caller */
	int32_t function;  /* the number of a literal; -1: the function of the code */
	uint32_t reserved;
};

/* The code of a call at most, from its entry in the table of positions to its return address. */
#define CALL_BYTES 128

#define TABLE_MAX     (1u << 20) /* bytes of the table of positions */
#define INLININGS_MAX (1u << 16)

struct code {
	uint64_t at, start, data, positions;
	uint32_t flags, nr_bytes;
};

static int read_at(const struct machine_memory *m, uint64_t addr, void *buf, size_t len)
{
	return machine_memory_read(m, addr, buf, len);
}

/* Is the code of @place still there? Returns 0, -ESTALE or -EFAULT. */
static int check_code(const struct machine_memory *memory, const struct node_place *place)
{
	__u64 code[NODE_CODE_BYTES / 8];

	if (read_at(memory, place->pc - NODE_CODE_BEFORE, code, sizeof(code)))
		return -EFAULT;
	return node_code_check(code) == place->code ? 0 : -ESTALE;
}

static uint64_t word_at(const uint64_t words[CODE_WORDS], uint8_t off)
{
	return off / 8 < CODE_WORDS ? words[off / 8] : 0;
}

static uint32_t number_at(const uint64_t words[CODE_WORDS], uint8_t off)
{
	return word_at(words, off) >> 8 * (off % 8);
}

/* Is @object the Code of the code at @start, and the place @pc in it? */
static bool read_code(const struct machine_memory *m, const struct node_layout *layout,
		      uint64_t object, uint64_t start, uint64_t pc, struct code *code)
{
	uint64_t words[CODE_WORDS];

	if (!NODE_IS_OBJECT(object) || read_at(m, object - NODE_TAG, words, sizeof(words)) ||
	    node_type_of(m, words[0]) != layout->code_type ||
	    (layout->code_is_apart && word_at(words, layout->code_start) != start))
		return false;
	*code = (struct code){.at = object,
			      .start = start,
			      .data = word_at(words, layout->code_data),
			      .positions = word_at(words, layout->code_data + 8),
			      .flags = number_at(words, layout->code_flags),
			      .nr_bytes = number_at(words, layout->code_bytes)};
	return pc - start < code->nr_bytes;
}

/*
 * Finds the code at @pc in the part of memory from @begin on, from its end on. Returns 0, -ENOENT,
 * -E2BIG, or -EFAULT if there is no such memory.
 */
static int search_part(const struct machine_memory *m, const struct node_layout *layout,
		       uint32_t *nr_candidates, uint64_t begin, uint64_t pc, struct code *code)
{
	uint64_t words[(HEADER_MAX + SEARCH_BYTES) / 8] = {0};
	const uint32_t header = layout->code_header / 8;

	/* A header may begin before it, but need not. */
	if (read_at(m, begin, words + HEADER_MAX / 8, SEARCH_BYTES))
		return -EFAULT;
	(void)read_at(m, begin - HEADER_MAX, words, HEADER_MAX);
	for (uint32_t i = SEARCH_BYTES / CODE_ALIGN; i--;) {
		const uint64_t start = begin + (uint64_t)i * CODE_ALIGN;
		const uint32_t at = (HEADER_MAX + i * CODE_ALIGN) / 8 - header;
		const uint64_t object = layout->code_is_apart
						? words[at + 1]
						: start - layout->code_header + NODE_TAG;

		/* Nearly all words there are instructions. */
		if (start > pc || !NODE_IS_OBJECT(words[at]) || words[at] >> USER_ADDRESS_BITS)
			continue;
		if (*nr_candidates >= NODE_LOOK_CANDIDATES)
			return -E2BIG;
		++*nr_candidates;
		if (read_code(m, layout, object, start, pc, code))
			return 0;
	}
	return -ENOENT;
}

static int find_code(const struct machine_memory *m, const struct node_layout *layout,
		     uint32_t *nr_candidates, uint64_t pc, struct code *code)
{
	const uint64_t part = pc & ~(uint64_t)(SEARCH_BYTES - 1);
	int ret = -ENOENT;

	if (layout->code_header < 16 || layout->code_header > HEADER_MAX)
		return -ENOENT;
	for (uint32_t off = 0; off < CODE_MAX && ret == -ENOENT; off += SEARCH_BYTES)
		ret = search_part(m, layout, nr_candidates, part - off, pc, code);
	return ret;
}

/* Bytes of a table, as they are read. */
struct table {
	const struct machine_memory *memory;
	uint64_t at, end;
	uint32_t next, nr;
	uint8_t bytes[512];
};

static bool next_byte(struct table *t, uint8_t *byte)
{
	if (t->next == t->nr) {
		t->next = 0;
		t->nr = min_u64(t->end - t->at, sizeof(t->bytes));
		if (!t->nr || read_at(t->memory, t->at, t->bytes, t->nr))
			return false;
		t->at += t->nr;
	}
	*byte = t->bytes[t->next++];
	return true;
}

/* A number takes 7 bits of each byte, the lowest first. The lowest of all says the sign. */
static bool next_number(struct table *t, int64_t *number)
{
	uint64_t value = 0;
	uint8_t byte = 0x80;

	for (uint32_t shift = 0; byte & 0x80; shift += 7) {
		if (shift > 63 || !next_byte(t, &byte))
			return false;
		value |= (uint64_t)(byte & 0x7f) << shift;
	}
	*number = (int64_t)(value >> 1 ^ -(value & 1));
	return true;
}

/*
 * Goes to the next entry, which is of the instruction at *@at, and of position *@position. Returns
 * 1; 0 at the end; or -EBADMSG.
 */
static int next_entry(struct table *t, const struct node_layout *layout, int64_t *at,
		      uint64_t *position)
{
	int64_t by, more;

	if (t->next == t->nr && t->at == t->end)
		return 0;
	if (!next_number(t, &by))
		return -EBADMSG;
	if (layout->has_position_flags)
		by >>= 1;
	if (by < 0)
		by = -(by + 1);
	if (by > INT32_MAX || !next_number(t, &more))
		return -EBADMSG;
	*at += by;
	*position += (uint64_t)more;
	return 1;
}

/* Bytes of a call by the bytes @code, or 0 if that begins no call. */
static uint32_t call_bytes(const uint8_t *code)
{
	static const uint8_t displacements[] = {0, 1, 4, 0};
	const uint8_t mod = code[1] >> 6, rm = code[1] & 7;

	if (code[0] == 0xe8)
		return 5;
	if (code[0] != 0xff || (code[1] >> 3 & 7) != 2)
		return 0;
	if (mod == 3)
		return 2;
	if (!mod && (rm == 5 || (rm == 4 && (code[2] & 7) == 5)))
		return rm == 4 ? 7 : 6;
	return 2 + (rm == 4) + displacements[mod];
}

/* Do the bytes @code load a word by its offset to r13, where V8 has its roots? */
static bool is_root_load(const uint8_t *code)
{
	return (code[0] & 0xf1) == 0x41 && code[1] == 0x8b && (code[2] & 0xc7) == 0x85;
}

#define ROOT_LOAD_BYTES 7

/*
 * Is the call that returns to @to the first one from @from on? Bytes that look like another call
 * count as one, but for offsets of roots, which stand before most calls in newer versions.
 */
static bool is_first_call(const struct machine_memory *m, uint64_t from, uint64_t to)
{
	uint8_t code[CALL_BYTES + 2] = {0};
	const uint64_t nr = to - from;

	if (nr > CALL_BYTES || read_at(m, from, code, nr))
		return false;
	for (uint32_t i = 0; i < nr; i++) {
		uint32_t bytes = call_bytes(code + i);

		if (bytes)
			return i + bytes == nr;
		if (is_root_load(code + i))
			i += ROOT_LOAD_BYTES - 1;
	}
	return false;
}

/*
 * The position of the call that returns to @off of the code: that of the last entry before it.
 * Usually only calls have entries (kCallSourcePositions), and not all calls. An entry is where the
 * code of a call begins that moves its arguments. So the first call from there on is that of the
 * entry, and the others may be anybody's.
 */
static int find_position(const struct machine_memory *m, const struct node_layout *layout,
			 const struct code *code, uint32_t off, uint64_t *position)
{
	struct table t = {.memory = m, .at = code->positions - NODE_TAG + NODE_ARRAY_HEAD};
	int64_t at = -1, found = -1;
	uint64_t next = 0;
	int ret;

	*position = 0;
	if (!NODE_IS_OBJECT(code->positions))
		return -ENOENT;
	t.end = t.at + node_array_length(m, code->positions - NODE_TAG, TABLE_MAX);
	while ((ret = next_entry(&t, layout, &at, &next)) > 0 && at < off) {
		found = at;
		*position = next;
	}
	if (ret < 0)
		return ret;
	return found >= 0 && is_first_call(m, code->start + found, code->start + off) ? 0 : -ENOENT;
}

/* Reads the first elements of the DeoptimizationData, as older versions count them. */
static int read_data(const struct machine_memory *m, const struct node_layout *layout,
		     uint64_t data, uint64_t elements[NR_DEOPT_ELEMENTS])
{
	uint64_t at = data - NODE_TAG + NODE_ARRAY_HEAD;
	const uint32_t more = layout->is_data_protected ? 8 : 0;

	if (!NODE_IS_OBJECT(data) ||
	    node_array_length(m, data - NODE_TAG, UINT32_MAX) <= NR_DEOPT_ELEMENTS)
		return -ENOENT;
	if (read_at(m, at, elements, 8 * DEOPT_LITERALS) ||
	    read_at(m, at + 8 * DEOPT_LITERALS + more, elements + DEOPT_LITERALS,
		    8 * (NR_DEOPT_ELEMENTS - DEOPT_LITERALS)))
		return -EFAULT;
	/* It is in an object of its own: the map, and the function. */
	if (more &&
	    (!NODE_IS_OBJECT(elements[DEOPT_FUNCTION]) ||
	     read_at(m, elements[DEOPT_FUNCTION] - NODE_TAG + 8, &elements[DEOPT_FUNCTION], 8)))
		return -EFAULT;
	return 0;
}

/* Is @shared the function that the program has seen in the frame? */
static int check_function(const struct machine_memory *m, const struct node_layout *layout,
			  uint64_t shared, const struct node_position *seen)
{
	struct node_function function;
	uint32_t position;
	int ret = node_function_read(m, layout, shared, &function);

	if (!ret)
		ret = node_function_name(m, layout, &function, NULL, &position);
	if (ret)
		return ret;
	return function.script == seen->script && position == seen->position ? 0 : -ESTALE;
}

/* Reads the address of literal @nr, which the array need not keep. */
static int read_literal(const struct machine_memory *m, const uint64_t elements[NR_DEOPT_ELEMENTS],
			int32_t nr, uint64_t *shared)
{
	if (nr == -1) {
		*shared = elements[DEOPT_FUNCTION];
		return 0;
	}
	if (nr < 0 || (uint32_t)nr >= NODE_SMALL_VALUE(elements[DEOPT_NR_FUNCTIONS]) ||
	    !NODE_IS_OBJECT(elements[DEOPT_LITERALS]))
		return -EBADMSG;
	if (read_at(m, elements[DEOPT_LITERALS] - NODE_TAG + NODE_ARRAY_HEAD + UINT64_C(8) * nr,
		    shared, sizeof(*shared)))
		return -EFAULT;
	*shared = (*shared & ~UINT64_C(3)) | NODE_TAG;
	return 0;
}

/* Follows the inlinings from that of @position to the outermost one. */
static int follow(const struct machine_memory *m, const uint64_t elements[NR_DEOPT_ELEMENTS],
		  uint64_t position, uint64_t shared[NODE_MAX_INLINED])
{
	const uint64_t array = elements[DEOPT_INLININGS] - NODE_TAG;
	uint32_t number = INLINING_OF(position), most;
	int nr = 0;

	if (!number)
		return 0;
	if (!NODE_IS_OBJECT(elements[DEOPT_INLININGS]))
		return -EBADMSG;
	most = node_array_length(m, array, INLININGS_MAX * sizeof(struct inlining)) /
	       sizeof(struct inlining);
	while (number) {
		struct inlining inlining;
		int ret;

		if (number > most || nr == NODE_MAX_INLINED)
			return -EBADMSG;
		if (read_at(m, array + NODE_ARRAY_HEAD + (number - 1) * sizeof(inlining), &inlining,
			    sizeof(inlining)))
			return -EFAULT;
		ret = read_literal(m, elements, inlining.function, &shared[nr++]);
		if (ret)
			return ret;
		/* Callers come first. */
		most = number - 1;
		number = INLINING_OF(inlining.position);
	}
	return nr;
}

int node_inlined_find(const struct machine_memory *memory, const struct node_layout *layout,
		      uint32_t *nr_candidates, const struct node_place *place,
		      uint64_t shared[NODE_MAX_INLINED])
{
	uint64_t elements[NR_DEOPT_ELEMENTS], position;
	struct code code, after;
	int nr, ret = check_code(memory, place);

	if (!ret)
		ret = find_code(memory, layout, nr_candidates, place->pc, &code);
	if (!ret && (code.flags & NODE_CODE_KINDS) <= layout->baseline_kind)
		ret = -ENOENT;
	if (!ret)
		ret = read_data(memory, layout, code.data, elements);
	if (!ret)
		ret = check_function(memory, layout, elements[DEOPT_FUNCTION], &place->function);
	if (!ret)
		ret = find_position(memory, layout, &code, place->pc + 1 - code.start, &position);
	if (ret)
		return ret;
	nr = follow(memory, elements, position, shared);
	if (nr < 0)
		return nr;
	/* The memory may have come to hold other code meanwhile. */
	if (!read_code(memory, layout, code.at, code.start, place->pc, &after) ||
	    after.data != code.data || after.positions != code.positions)
		return -ESTALE;
	ret = check_code(memory, place);
	return ret ? ret : nr;
}
