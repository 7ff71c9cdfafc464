// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_machine.h"

#include <errno.h>
#include <stdbool.h>

#include "common/minmax.h"
#include "record/machines/java_fields.h"

struct facts {
	const struct machine_memory *memory;
	struct java_facts read;
};

/* Reads the word that a static field is, or a field of the struct at @object. */
static int read_field(const struct facts *f, uint64_t object, enum java_field field,
		      uint64_t *value)
{
	return machine_memory_read(f->memory, object + f->read.fields[field], value,
				   sizeof(*value));
}

static int read_number(const struct facts *f, uint64_t object, enum java_field field,
		       uint32_t *value)
{
	return machine_memory_read(f->memory, object + f->read.fields[field], value,
				   sizeof(*value));
}

/* Heaps with code are smaller than this (ReservedCodeCacheSize). */
#define HEAP_MAX (UINT64_C(4) << 30)

static int read_heap(const struct facts *f, uint64_t heap, struct java_machine *m)
{
	uint64_t memory = heap + f->read.fields[FIELD_HEAP_MEMORY], low, high, map;
	struct java_heap *h;
	uint32_t shift, nr = 0;

	if (read_field(f, memory, FIELD_SPACE_LOW, &low) ||
	    read_field(f, memory, FIELD_SPACE_HIGH, &high) ||
	    read_field(f, heap + f->read.fields[FIELD_HEAP_MAP], FIELD_SPACE_LOW, &map) ||
	    read_number(f, heap, FIELD_HEAP_SHIFT, &shift))
		return -EFAULT;
	if (!low || !map)
		return -EAGAIN;
	if (high <= low || high - low > HEAP_MAX || shift > 16)
		return -ENOTSUP;
	while (nr < MAX_JAVA_HEAPS && m->heaps[nr].low)
		nr++;
	if (nr == MAX_JAVA_HEAPS)
		return -ENOTSUP;
	h = &m->heaps[nr];
	*h = (struct java_heap){.low = low, .high = high, .map = map, .shift = shift};
	m->low = nr ? min_u64(m->low, low) : low;
	m->high = m->high > high ? m->high : high;
	return 0;
}

/* One in version 8, a list of one to three later. */
static int read_heaps(const struct facts *f, struct java_machine *m)
{
	uint64_t list, data, heap;
	uint32_t nr;
	int ret = 0;

	if (read_field(f, 0, f->read.has_field[FIELD_HEAPS] ? FIELD_HEAPS : FIELD_HEAP_8, &list))
		return -EFAULT;
	if (!list)
		return -EAGAIN;
	if (!f->read.has_field[FIELD_HEAPS])
		return read_heap(f, list, m);
	if (read_number(f, list, FIELD_LIST_LENGTH, &nr) ||
	    read_field(f, list, FIELD_LIST_DATA, &data))
		return -EFAULT;
	if (!nr || nr > MAX_JAVA_HEAPS)
		return nr ? -ENOTSUP : -EAGAIN;
	for (uint32_t i = 0; i < nr && !ret; i++) {
		ret = machine_memory_read(f->memory, data + i * sizeof(heap), &heap, sizeof(heap));
		if (!ret)
			ret = read_heap(f, heap, m);
	}
	return ret;
}

/* Until all code of the interpreter is made, its room is larger than the code by more than this. */
#define INTERPRETER_ROOM 4096

/* The first version that gives back room that the interpreter does not need. */
#define GIVES_BACK_ROOM 9

/*
 * Where the interpreter is. It is the last thing that has to be there before Java runs. HotSpot
 * makes it in a large room, and then gives back the room that is left over. Version 8 keeps it.
 */
static int read_interpreter(const struct facts *f, struct java_machine *m)
{
	uint64_t queue, begin;
	uint32_t size, end;

	if (read_field(f, 0, FIELD_INTERPRETER, &queue))
		return -EFAULT;
	if (!queue)
		return -EAGAIN;
	if (read_field(f, queue, FIELD_QUEUE_BEGIN, &begin) ||
	    read_number(f, queue, FIELD_QUEUE_SIZE, &size) ||
	    read_number(f, queue, FIELD_QUEUE_END, &end))
		return -EFAULT;
	if (begin < m->low || begin >= m->high || size > m->high - begin)
		return -ENOTSUP;
	if (m->version >= GIVES_BACK_ROOM && size > end && size - end > INTERPRETER_ROOM)
		return -EAGAIN;
	m->interpreter_begin = begin;
	m->interpreter_size = size;
	return 0;
}

/* The version as the process has it has to be that of the file. */
static int check_version(const struct facts *f, const struct interpreter *in)
{
	uint32_t version;

	if (f->read.has_field[FIELD_VERSION_21]) {
		if (read_number(f, 0, FIELD_VERSION_21, &version))
			return -EFAULT;
		version &= 0xff;
	} else if (!f->read.has_field[FIELD_VERSION] ||
		   read_number(f, 0, FIELD_VERSION, &version)) {
		return -EFAULT;
	}
	/* It is 0 until the machine has begun. */
	if (!version)
		return -EAGAIN;
	return version == in->version ? 0 : -ENOTSUP;
}

/* Copies an offset that has to be below @end. Returns false if it is not. */
static bool put_offset(uint64_t off, uint32_t end, uint8_t *to)
{
	*to = off;
	return off < end;
}

static bool put_blob(const struct facts *f, struct java_machine *m)
{
	const uint64_t *off = f->read.fields;

	m->code_is_offset = !f->read.has_field[FIELD_BLOB_CODE_BEGIN];
	m->complete_bytes = m->version >= 23 ? 2 : 4;
	return put_offset(f->read.sizes[TYPE_BLOCK], 64, &m->block_header) &&
	       put_offset(off[FIELD_BLOB_NAME], JAVA_BLOB_BYTES - 7, &m->blob_name) &&
	       put_offset(off[FIELD_BLOB_FRAME], JAVA_BLOB_BYTES - 3, &m->blob_frame_size) &&
	       put_offset(off[FIELD_BLOB_COMPLETE], JAVA_BLOB_BYTES - 3, &m->blob_complete) &&
	       put_offset(off[m->code_is_offset ? FIELD_BLOB_CODE_OFFSET : FIELD_BLOB_CODE_BEGIN],
			  JAVA_BLOB_BYTES - 7, &m->blob_code_begin) &&
	       put_offset(off[m->code_is_offset ? FIELD_BLOB_DATA_OFFSET : FIELD_BLOB_CODE_END],
			  JAVA_BLOB_BYTES - 7, &m->blob_code_end) &&
	       put_offset(off[FIELD_BLOB_METHOD], JAVA_BLOB_BYTES - 7, &m->blob_method);
}

static bool put_method(const struct facts *f, struct java_machine *m)
{
	const uint64_t *off = f->read.fields;

	return put_offset(off[FIELD_METHOD_CONST], 256, &m->method_const) &&
	       put_offset(off[FIELD_CONST_POOL], JAVA_CONST_WORDS * 8 - 7, &m->const_pool) &&
	       put_offset(off[FIELD_CONST_NAME], JAVA_CONST_WORDS * 8 - 1, &m->const_name) &&
	       put_offset(off[FIELD_CONST_CODE_SIZE], 256, &m->const_code_size) &&
	       put_offset(f->read.sizes[TYPE_CONST_METHOD], 256, &m->const_bytes) &&
	       put_offset(f->read.sizes[TYPE_POOL], 256, &m->pool_bytes) &&
	       put_offset(off[FIELD_POOL_CLASS], 256, &m->pool_class) &&
	       put_offset(off[FIELD_CLASS_NAME], 256, &m->class_name) &&
	       put_offset(off[FIELD_SYMBOL_LENGTH], 256, &m->symbol_length) &&
	       put_offset(off[FIELD_SYMBOL_TEXT], 256, &m->symbol_text);
}

/* Are all fields there that this version has to have? */
static bool has_fields(const struct facts *f)
{
	const bool *has = f->read.has_field;

	for (int i = 0; i < NR_JAVA_WALK_FIELDS; i++) {
		if (i == FIELD_HEAP_8 || i == FIELD_HEAPS || i == FIELD_LIST_LENGTH ||
		    i == FIELD_LIST_DATA || i == FIELD_VERSION || i == FIELD_VERSION_21 ||
		    (i >= FIELD_BLOB_CODE_BEGIN && i <= FIELD_BLOB_DATA_OFFSET))
			continue;
		if (!has[i])
			return false;
	}
	return (has[FIELD_HEAP_8] ||
		(has[FIELD_HEAPS] && has[FIELD_LIST_LENGTH] && has[FIELD_LIST_DATA])) &&
	       ((has[FIELD_BLOB_CODE_BEGIN] && has[FIELD_BLOB_CODE_END]) ||
		(has[FIELD_BLOB_CODE_OFFSET] && has[FIELD_BLOB_DATA_OFFSET])) &&
	       f->read.sizes[TYPE_BLOCK] && f->read.sizes[TYPE_CONST_METHOD] &&
	       f->read.sizes[TYPE_POOL];
}

/* struct PcDesc of pcDesc.hpp, which record/machines/java_scopes.c reads. */
#define PC_BYTES     16
#define PC_SCOPE_OFF 4

/* The offsets in structs are small. */
#define LAYOUT_MAX 4096

/* Copies the offset of @field, which the version has to have. */
static bool put_layout(const struct facts *f, enum java_field field, uint16_t *to)
{
	*to = f->read.fields[field];
	return f->read.has_field[field] && f->read.fields[field] < LAYOUT_MAX;
}

/* Version 8 has an offset where later ones have a pointer. */
static bool put_scopes_in_block(const struct facts *f, struct java_layout *l)
{
	l->scopes_is_offset = !f->read.has_field[FIELD_CODE_SCOPES_POINTER];
	return put_layout(f, FIELD_CODE_DEPENDENCIES, &l->pcs_end) &&
	       put_layout(f,
			  l->scopes_is_offset ? FIELD_CODE_SCOPES_OFFSET
					      : FIELD_CODE_SCOPES_POINTER,
			  &l->scopes) &&
	       put_layout(f, FIELD_CODE_METADATA, &l->metadata);
}

/* From version 25 on, code has its debug information elsewhere. */
static bool put_scopes(const struct facts *f, struct java_layout *l)
{
	if (f->read.sizes[TYPE_PC_DESC] != PC_BYTES || !f->read.has_field[FIELD_PC_OFFSET] ||
	    f->read.fields[FIELD_PC_OFFSET] || !f->read.has_field[FIELD_PC_SCOPE] ||
	    f->read.fields[FIELD_PC_SCOPE] != PC_SCOPE_OFF ||
	    !put_layout(f, FIELD_CODE_COMPILE_ID, &l->compile_id) ||
	    !put_layout(f, FIELD_CODE_PCS, &l->pcs))
		return false;
	if (!put_layout(f, FIELD_CODE_LEVEL, &l->level))
		l->level = 0;
	if (!f->read.has_field[FIELD_CODE_IMMUTABLE])
		return put_scopes_in_block(f, l);
	return put_layout(f, FIELD_CODE_SCOPES_OFFSET, &l->pcs_end) &&
	       put_layout(f, FIELD_CODE_SCOPES_OFFSET, &l->scopes) &&
	       put_layout(f, FIELD_CODE_IMMUTABLE, &l->immutable) && l->immutable &&
	       put_layout(f, FIELD_CODE_IMMUTABLE_BYTES, &l->scopes_end) &&
	       put_layout(f, FIELD_CODE_MUTABLE, &l->mutable) &&
	       put_layout(f, FIELD_CODE_MUTABLE_BYTES, &l->mutable_bytes) &&
	       put_layout(f, FIELD_CODE_RELOCATION_BYTES, &l->relocation_bytes);
}

/* Reads where the machine's code is. All of it has to be there. */
static int read_places(const struct facts *f, struct java_machine *m)
{
	uint64_t call_stub;
	int ret = read_heaps(f, m);

	if (!ret)
		ret = read_interpreter(f, m);
	if (!ret)
		ret = read_field(f, 0, FIELD_CALL_STUB, &call_stub);
	if (!ret)
		m->call_stub_return = call_stub;
	return ret;
}

int java_machine_read(const struct machine_memory *memory, const struct interpreter *in,
		      uint64_t base, struct java_machine *machine, struct java_layout *layout)
{
	struct java_layout l = {0};
	struct java_machine m = {.version = in->version};
	struct facts f = {.memory = memory};
	int ret = java_facts_read(memory, in, base, &f.read);

	if (!ret && !has_fields(&f))
		ret = -ENOTSUP;
	if (!ret)
		ret = check_version(&f, in);
	if (!ret)
		ret = read_places(&f, &m);
	if (!ret && (!put_blob(&f, &m) || !put_method(&f, &m)))
		ret = -ENOTSUP;
	if (ret)
		return ret;
	l.has_lines = put_layout(&f, FIELD_CONST_FLAGS, &l.const_flags) &&
		      put_layout(&f, FIELD_CONST_WORDS, &l.const_words);
	l.has_scopes = put_scopes(&f, &l);
	m.blob_compile_id = l.has_scopes ? l.compile_id : 0;
	*machine = m;
	*layout = l;
	return 0;
}
