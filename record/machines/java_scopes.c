// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_scopes.h"

#include <errno.h>
#include <stdbool.h>

#include "common/minmax.h"
#include "record/machines/unsigned5.h"

/* The debug information of one block of code at most. */
#define CODE_INFO_MAX (16u << 20)

/* A scope begins with three numbers. */
#define SCOPE_BYTES 15

/* The scope at the end of a chain, and of an address that has none. */
#define NO_SCOPE 0

/* An element of the array (pcDesc.hpp). They ascend, and the first and the last mean no address. */
struct pc_desc {
	int32_t off; /* of the address, from the beginning of the code */
	int32_t scope;
	int32_t objects, flags;
};

/* A part of the process's memory. */
struct part {
	uint64_t begin, end;
};

struct block {
	uint64_t method;
	uint8_t level; /* of the compiler; 0: not known */
	uint64_t code_begin;
	struct part pcs, scopes, methods;
};

static int read_at(const struct java_code *c, uint64_t addr, void *buf, size_t len)
{
	return machine_memory_read(c->memory, addr, buf, len);
}

/* Adds the 4 bytes at @off of the block to @base. */
static int read_offset(const struct java_code *c, uint64_t block, uint16_t off, uint64_t base,
		       uint64_t *addr)
{
	uint32_t value;
	int ret = read_at(c, block + off, &value, sizeof(value));

	*addr = base + value;
	return ret;
}

static bool is_part(const struct part *part)
{
	return part->begin && part->begin <= part->end && part->end - part->begin <= CODE_INFO_MAX;
}

static int read_pointer(const struct java_code *c, uint64_t addr, uint64_t *value)
{
	return read_at(c, addr, value, sizeof(*value));
}

/* Up to version 24 all is in the block: ..., methods, scopes, PcDescs, ... */
static int read_parts_in_block(const struct java_code *c, uint64_t at, struct block *b)
{
	const struct java_layout *l = c->layout;

	if (read_offset(c, at, l->pcs, at, &b->pcs.begin) ||
	    read_offset(c, at, l->pcs_end, at, &b->pcs.end) ||
	    (l->scopes_is_offset ? read_offset(c, at, l->scopes, at, &b->scopes.begin)
				 : read_pointer(c, at + l->scopes, &b->scopes.begin)) ||
	    read_offset(c, at, l->metadata, at, &b->methods.begin))
		return -EFAULT;
	b->scopes.end = b->pcs.begin;
	b->methods.end = b->scopes.begin;
	return 0;
}

/* From version 25 on: ..., PcDescs, scopes; and elsewhere: relocations, methods. */
static int read_parts_elsewhere(const struct java_code *c, uint64_t at, struct block *b)
{
	const struct java_layout *l = c->layout;
	uint64_t info, mutable;

	if (read_pointer(c, at + l->immutable, &info) ||
	    read_pointer(c, at + l->mutable, &mutable) ||
	    read_offset(c, at, l->pcs, info, &b->pcs.begin) ||
	    read_offset(c, at, l->pcs_end, info, &b->pcs.end) ||
	    read_offset(c, at, l->scopes, info, &b->scopes.begin) ||
	    read_offset(c, at, l->scopes_end, info, &b->scopes.end) ||
	    read_offset(c, at, l->relocation_bytes, mutable, &b->methods.begin) ||
	    read_offset(c, at, l->mutable_bytes, mutable, &b->methods.end))
		return -EFAULT;
	return 0;
}

int java_scopes_check(const struct java_code *c, const struct java_place *place)
{
	uint32_t compile_id;

	if (read_at(c, place->block + c->layout->compile_id, &compile_id, sizeof(compile_id)))
		return -EFAULT;
	return compile_id == place->compile_id ? 0 : -ESTALE;
}

static int read_block(const struct java_code *c, uint64_t at, struct block *b)
{
	const struct java_machine *m = c->machine;
	int ret = c->layout->immutable ? read_parts_elsewhere(c, at, b)
				       : read_parts_in_block(c, at, b);

	if (!c->layout->level || read_at(c, at + c->layout->level, &b->level, sizeof(b->level)))
		b->level = 0;
	if (!ret)
		ret = read_pointer(c, at + m->blob_method, &b->method);
	if (!ret && m->code_is_offset)
		ret = read_offset(c, at, m->blob_code_begin, at, &b->code_begin);
	else if (!ret)
		ret = read_pointer(c, at + m->blob_code_begin, &b->code_begin);
	if (ret)
		return ret;
	return is_part(&b->pcs) && is_part(&b->scopes) && is_part(&b->methods) ? 0 : -EBADMSG;
}

/* Finds the first element at or after @off. *@nr is its number. Returns 0 or an error. */
static int find_pc(const struct java_code *c, const struct block *b, int32_t off, uint32_t *nr,
		   struct pc_desc *found)
{
	uint32_t first = 0, left = (b->pcs.end - b->pcs.begin) / sizeof(*found);

	*found = (struct pc_desc){.off = -1};
	while (left) {
		uint32_t half = left / 2;
		struct pc_desc pc;
		int ret = read_at(c, b->pcs.begin + (uint64_t)(first + half) * sizeof(pc), &pc,
				  sizeof(pc));

		if (ret)
			return ret;
		if (pc.off >= off) {
			*found = pc;
			left = half;
		} else {
			first += half + 1;
			left -= half + 1;
		}
	}
	*nr = first;
	return found->off >= off ? 0 : -ENOENT;
}

/* Reads the scope at @off, and goes on to its caller's. */
static int read_scope(const struct java_code *c, const struct block *b, uint32_t *off,
		      struct java_scope *scope)
{
	uint64_t left = b->scopes.end - b->scopes.begin;
	uint32_t caller, method, index;
	uint8_t bytes[SCOPE_BYTES];
	struct unsigned5 in;
	size_t nr;

	if (*off >= left)
		return -EBADMSG;
	nr = min_u64(left - *off, sizeof(bytes));
	if (read_at(c, b->scopes.begin + *off, bytes, nr))
		return -EFAULT;
	in = unsigned5_of(bytes, bytes + nr, c->machine->version);
	if (!unsigned5_read(&in, &caller) || !unsigned5_read(&in, &method) ||
	    !unsigned5_read(&in, &index))
		return -EBADMSG;
	/* Methods count from 1. HotSpot writes the caller's scope first. */
	if (!method || method > (b->methods.end - b->methods.begin) / sizeof(uint64_t) ||
	    caller >= *off)
		return -EBADMSG;
	*off = caller;
	scope->index = (int32_t)index - 1;
	return read_pointer(c, b->methods.begin + (method - 1) * sizeof(uint64_t), &scope->method);
}

/* Reads the scopes of an element, the innermost first. Returns their number or an error. */
static int read_chain(const struct java_code *c, const struct block *b, const struct pc_desc *pc,
		      struct java_scope scopes[JAVA_MAX_SCOPES])
{
	uint32_t off = pc->scope;
	int nr = 0;

	if (pc->off < 0 || pc->scope == NO_SCOPE)
		return -ENOENT;
	while (off != NO_SCOPE) {
		int ret = nr < JAVA_MAX_SCOPES ? read_scope(c, b, &off, &scopes[nr]) : -EBADMSG;

		if (ret)
			return ret;
		nr++;
	}
	return scopes[nr - 1].method == b->method ? nr : -EBADMSG;
}

/*
 * Leaves the scopes of @scopes, the outermost ones, that @others have, too. Where both have called
 * from different places of one method, nobody knows the bytecode of that method, or its callees.
 */
static int keep_common(struct java_scope *scopes, int nr, const struct java_scope *others,
		       int nr_others)
{
	int common = 0;

	while (common < nr && common < nr_others) {
		struct java_scope *a = &scopes[nr - 1 - common];
		const struct java_scope *b = &others[nr_others - 1 - common];

		if (a->method != b->method)
			break;
		common++;
		if (a->index != b->index) {
			a->index = -1;
			break;
		}
	}
	for (int i = 0; i < common; i++)
		scopes[i] = scopes[nr - common + i];
	return common;
}

/* Levels of C1; above is C2 (compilerDefinitions.hpp). */
#define LEVEL_C1_FIRST 1
#define LEVEL_C1_LAST  3

/*
 * The leaf is between two elements. In code of C1, fast paths have no element, and slow paths stand
 * at the end in an order of their own. So the elements around a leaf there may both be of a method
 * that does not run, and only the method of the code is certain.
 */
static int find_between(const struct java_code *c, const struct block *b, uint32_t nr_pc,
			struct java_scope scopes[JAVA_MAX_SCOPES], int nr)
{
	struct java_scope others[JAVA_MAX_SCOPES];
	struct pc_desc before;
	int nr_others;

	if (!nr_pc || (b->level >= LEVEL_C1_FIRST && b->level <= LEVEL_C1_LAST))
		return -ENOENT;
	if (read_at(c, b->pcs.begin + (uint64_t)(nr_pc - 1) * sizeof(before), &before,
		    sizeof(before)))
		return -EFAULT;
	nr_others = read_chain(c, b, &before, others);
	return nr_others < 0 ? nr_others : keep_common(scopes, nr, others, nr_others);
}

/* Finds the scopes at @off of the code. Returns their number or an error. */
static int find_scopes(const struct java_code *c, const struct block *b, int32_t off,
		       struct java_scope scopes[JAVA_MAX_SCOPES])
{
	struct pc_desc pc;
	uint32_t nr_pc;
	int nr, ret = find_pc(c, b, off, &nr_pc, &pc);

	if (ret)
		return ret;
	nr = read_chain(c, b, &pc, scopes);
	return nr > 0 && pc.off != off ? find_between(c, b, nr_pc, scopes, nr) : nr;
}

int java_scopes_find(const struct java_code *code, const struct java_place *place,
		     struct java_scope scopes[JAVA_MAX_SCOPES])
{
	struct block b;
	int nr, ret = code->layout->has_scopes ? java_scopes_check(code, place) : -ENOENT;

	if (!ret)
		ret = read_block(code, place->block, &b);
	if (!ret && place->pc - b.code_begin > CODE_INFO_MAX)
		ret = -EBADMSG;
	if (ret)
		return ret;
	nr = find_scopes(code, &b, (int32_t)(place->pc - b.code_begin), scopes);
	if (nr <= 0) {
		scopes[0] = (struct java_scope){.method = b.method, .index = -1};
		nr = 1;
	}
	/* The memory may have come to hold other code meanwhile. */
	ret = java_scopes_check(code, place);
	return ret ? ret : nr;
}
