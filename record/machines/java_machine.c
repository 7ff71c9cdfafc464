// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/host_arch.h"
#include "bpf/languages/languages.h"
#include "common/cleanup.h"
#include "common/minmax.h"
#include "record/machines/machine_memory.h"

/*
 * Reads how HotSpot describes its own data for debuggers (vmStructs.hpp): two arrays with the
 * offsets of fields, the addresses of variables and the sizes of types. The process may write
 * anything into them: what is read is bounded. Runs in the looker.
 */

/* The fields that a walk needs. Names changed from version to version. */
enum java_field {
	FIELD_HEAP_8,
	FIELD_HEAPS,
	FIELD_LIST_LENGTH,
	FIELD_LIST_DATA,
	FIELD_HEAP_MEMORY,
	FIELD_HEAP_MAP,
	FIELD_HEAP_SHIFT,
	FIELD_SPACE_LOW,
	FIELD_SPACE_HIGH,
	FIELD_INTERPRETER,
	FIELD_QUEUE_BEGIN,
	FIELD_QUEUE_SIZE,
	FIELD_QUEUE_END,
	FIELD_CALL_STUB,
	FIELD_VERSION,
	FIELD_VERSION_21,
	FIELD_BLOB_NAME,
	FIELD_BLOB_FRAME,
	FIELD_BLOB_COMPLETE,
	FIELD_BLOB_CODE_BEGIN,
	FIELD_BLOB_CODE_END,
	FIELD_BLOB_CODE_OFFSET,
	FIELD_BLOB_DATA_OFFSET,
	FIELD_BLOB_METHOD,
	FIELD_METHOD_CONST,
	FIELD_CONST_POOL,
	FIELD_CONST_NAME,
	FIELD_CONST_CODE_SIZE,
	FIELD_POOL_CLASS,
	FIELD_CLASS_NAME,
	FIELD_SYMBOL_LENGTH,
	FIELD_SYMBOL_TEXT,
	NR_JAVA_WALK_FIELDS,
	/* Those of struct java_layout. A version has some of them. */
	FIELD_CONST_FLAGS = NR_JAVA_WALK_FIELDS,
	FIELD_CONST_WORDS,
	FIELD_PC_OFFSET,
	FIELD_PC_SCOPE,
	FIELD_CODE_COMPILE_ID,
	FIELD_CODE_LEVEL,
	FIELD_CODE_PCS,
	FIELD_CODE_DEPENDENCIES,
	FIELD_CODE_SCOPES_POINTER,
	FIELD_CODE_SCOPES_OFFSET,
	FIELD_CODE_METADATA,
	FIELD_CODE_IMMUTABLE,
	FIELD_CODE_IMMUTABLE_BYTES,
	FIELD_CODE_MUTABLE,
	FIELD_CODE_MUTABLE_BYTES,
	FIELD_CODE_RELOCATION_BYTES,
	NR_JAVA_FIELDS,
};

enum java_type { TYPE_BLOCK, TYPE_CONST_METHOD, TYPE_POOL, TYPE_PC_DESC, NR_JAVA_TYPES };

struct java_facts {
	uint64_t fields[NR_JAVA_FIELDS]; /* offset; of static fields the address */
	uint64_t sizes[NR_JAVA_TYPES];   /* in bytes; 0: there is no such type */
	bool has_field[NR_JAVA_FIELDS];
};

/* Real ones have some 850 fields and 800 types. */
#define ENTRIES_MAX 4096

/* Bytes of an entry, and of the name of a type or a field, that are looked at. */
#define ENTRY_BYTES 64
#define TEXT_BYTES  48

static const struct {
	const char *type, *name;
	enum java_field field;
} fields[] = {
	{"CodeCache", "_heap", FIELD_HEAP_8},
	{"CodeCache", "_heaps", FIELD_HEAPS},
	{"GenericGrowableArray", "_len", FIELD_LIST_LENGTH},
	{"GrowableArrayBase", "_len", FIELD_LIST_LENGTH},
	{"GrowableArray<int>", "_data", FIELD_LIST_DATA},
	{"CodeHeap", "_memory", FIELD_HEAP_MEMORY},
	{"CodeHeap", "_segmap", FIELD_HEAP_MAP},
	{"CodeHeap", "_log2_segment_size", FIELD_HEAP_SHIFT},
	{"VirtualSpace", "_low_boundary", FIELD_SPACE_LOW},
	{"VirtualSpace", "_high_boundary", FIELD_SPACE_HIGH},
	{"AbstractInterpreter", "_code", FIELD_INTERPRETER},
	{"StubQueue", "_stub_buffer", FIELD_QUEUE_BEGIN},
	{"StubQueue", "_buffer_limit", FIELD_QUEUE_SIZE},
	{"StubQueue", "_queue_end", FIELD_QUEUE_END},
	{"StubRoutines", "_call_stub_return_address", FIELD_CALL_STUB},
	{"Abstract_VM_Version", "_vm_major_version", FIELD_VERSION},
	{"JDK_Version", "_current", FIELD_VERSION_21},
	{"CodeBlob", "_name", FIELD_BLOB_NAME},
	{"CodeBlob", "_frame_size", FIELD_BLOB_FRAME},
	{"CodeBlob", "_frame_complete_offset", FIELD_BLOB_COMPLETE},
	{"CodeBlob", "_code_begin", FIELD_BLOB_CODE_BEGIN},
	{"CodeBlob", "_code_end", FIELD_BLOB_CODE_END},
	{"CodeBlob", "_code_offset", FIELD_BLOB_CODE_OFFSET},
	{"CodeBlob", "_data_offset", FIELD_BLOB_DATA_OFFSET},
	{"CompiledMethod", "_method", FIELD_BLOB_METHOD},
	{"nmethod", "_method", FIELD_BLOB_METHOD},
	{"Method", "_constMethod", FIELD_METHOD_CONST},
	{"ConstMethod", "_constants", FIELD_CONST_POOL},
	{"ConstMethod", "_name_index", FIELD_CONST_NAME},
	{"ConstMethod", "_code_size", FIELD_CONST_CODE_SIZE},
	{"ConstantPool", "_pool_holder", FIELD_POOL_CLASS},
	{"Klass", "_name", FIELD_CLASS_NAME},
	{"Symbol", "_length", FIELD_SYMBOL_LENGTH},
	{"Symbol", "_body[0]", FIELD_SYMBOL_TEXT},
	{"Symbol", "_body", FIELD_SYMBOL_TEXT},
	{"ConstMethod", "_flags", FIELD_CONST_FLAGS},
	{"ConstMethod", "_flags._flags", FIELD_CONST_FLAGS},
	{"ConstMethod", "_constMethod_size", FIELD_CONST_WORDS},
	{"PcDesc", "_pc_offset", FIELD_PC_OFFSET},
	{"PcDesc", "_scope_decode_offset", FIELD_PC_SCOPE},
	{"nmethod", "_compile_id", FIELD_CODE_COMPILE_ID},
	{"nmethod", "_comp_level", FIELD_CODE_LEVEL},
	{"nmethod", "_scopes_pcs_offset", FIELD_CODE_PCS},
	{"nmethod", "_dependencies_offset", FIELD_CODE_DEPENDENCIES},
	{"CompiledMethod", "_scopes_data_begin", FIELD_CODE_SCOPES_POINTER},
	{"nmethod", "_scopes_data_offset", FIELD_CODE_SCOPES_OFFSET},
	{"nmethod", "_metadata_offset", FIELD_CODE_METADATA},
	{"nmethod", "_immutable_data", FIELD_CODE_IMMUTABLE},
	{"nmethod", "_immutable_data_size", FIELD_CODE_IMMUTABLE_BYTES},
	{"CodeBlob", "_mutable_data", FIELD_CODE_MUTABLE},
	{"CodeBlob", "_mutable_data_size", FIELD_CODE_MUTABLE_BYTES},
	{"CodeBlob", "_relocation_size", FIELD_CODE_RELOCATION_BYTES},
};

static const char *const types[NR_JAVA_TYPES] = {
	[TYPE_BLOCK] = "HeapBlock",
	[TYPE_CONST_METHOD] = "ConstMethod",
	[TYPE_POOL] = "ConstantPool",
	[TYPE_PC_DESC] = "PcDesc",
};

/* HotSpot's arrays have thousands of entries with texts, in some 200 pages. So pages are kept. */
#define NR_PAGES 256

struct kept_pages {
	uint64_t addr[NR_PAGES]; /* of a page; 0: none */
	uint8_t bytes[NR_PAGES][PAGE_BYTES];
};

struct arrays {
	const struct machine_memory *memory;
	struct kept_pages *pages;
	/* The values of HotSpot's symbols. Strides and offsets lie within an entry. */
	uint64_t symbols[NR_JAVA_SYMBOLS];
	struct java_facts *facts;
};

/* The page at @addr, which is its first byte; NULL if not all of it can be read. */
static const uint8_t *find_page(const struct arrays *f, uint64_t addr)
{
	struct kept_pages *pages = f->pages;
	size_t i = addr / PAGE_BYTES % NR_PAGES;

	if (pages->addr[i] == addr && addr)
		return pages->bytes[i];
	pages->addr[i] = 0;
	if (machine_memory_read(f->memory, addr, pages->bytes[i], PAGE_BYTES))
		return NULL;
	pages->addr[i] = addr;
	return pages->bytes[i];
}

/* As a machine_read_fn, but keeps the pages. */
static long read_kept(const struct arrays *f, uint64_t addr, void *buf, size_t len)
{
	for (size_t done = 0; done < len;) {
		uint64_t off = (addr + done) % PAGE_BYTES;
		size_t nr = min_u64(len - done, PAGE_BYTES - off);
		const uint8_t *page = find_page(f, addr + done - off);

		if (!page) {
			long rest = f->memory->read(f->memory->ctx, addr + done, (char *)buf + done,
						    len - done);

			return rest < 0 ? (done ? (long)done : rest) : (long)done + rest;
		}
		memcpy((char *)buf + done, page + off, nr);
		done += nr;
	}
	return len;
}

/* Reads a text that may end in less than TEXT_BYTES. A longer one is cut. */
static int read_text(const struct arrays *f, uint64_t addr, char text[TEXT_BYTES])
{
	long nr = addr ? read_kept(f, addr, text, TEXT_BYTES - 1) : 0;

	text[nr > 0 ? nr : 0] = '\0';
	return nr > 0 ? 0 : -EFAULT;
}

static int read_symbols(struct arrays *f, const struct interpreter *in, uint64_t base)
{
	for (int i = 0; i < NR_JAVA_SYMBOLS; i++) {
		int ret = machine_memory_read(f->memory, base + in->java[i], &f->symbols[i],
					      sizeof(uint64_t));

		if (ret)
			return ret;
		if (i != JAVA_FIELDS && i != JAVA_TYPES &&
		    f->symbols[i] > ENTRY_BYTES - (i == JAVA_FIELD_STRIDE || i == JAVA_TYPE_STRIDE
							   ? 0
							   : sizeof(uint64_t)))
			return -ENOTSUP;
	}
	return f->symbols[JAVA_FIELDS] && f->symbols[JAVA_TYPES] ? 0 : -EAGAIN;
}

/* Reads an entry of an array, and the name of its type. Returns 0, 1 at the end, or an error. */
static int read_entry(const struct arrays *f, uint64_t addr, size_t len, uint64_t name_off,
		      uint64_t entry[ENTRY_BYTES / 8], char name[TEXT_BYTES])
{
	uint64_t at;

	if (read_kept(f, addr, entry, len) != (long)len)
		return -EFAULT;
	memcpy(&at, (char *)entry + name_off, sizeof(at));
	return at ? read_text(f, at, name) : 1;
}

static uint64_t entry_word(const uint64_t *entry, uint64_t off)
{
	uint64_t word;

	memcpy(&word, (const char *)entry + off, sizeof(word));
	return word;
}

/* Notes the entry if it is of a field that a walk needs. */
static int note_field(struct arrays *f, const char *type, const uint64_t *entry)
{
	char name[TEXT_BYTES] = "";

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		uint64_t offset = entry_word(entry, f->symbols[JAVA_FIELD_OFFSET]);
		uint64_t address = entry_word(entry, f->symbols[JAVA_FIELD_ADDRESS]);

		if (strcmp(fields[i].type, type) != 0)
			continue;
		if (!name[0] && read_text(f, entry_word(entry, f->symbols[JAVA_FIELD_NAME]), name))
			return -EFAULT;
		if (strcmp(fields[i].name, name) != 0)
			continue;
		f->facts->fields[fields[i].field] = address ? address : offset;
		f->facts->has_field[fields[i].field] = true;
	}
	return 0;
}

static int read_fields(struct arrays *f)
{
	uint64_t at = f->symbols[JAVA_FIELDS], entry[ENTRY_BYTES / 8] = {0};
	char type[TEXT_BYTES];
	int ret = 0;

	for (int i = 0; i < ENTRIES_MAX; i++, at += f->symbols[JAVA_FIELD_STRIDE]) {
		ret = read_entry(f, at, f->symbols[JAVA_FIELD_STRIDE],
				 f->symbols[JAVA_FIELD_TYPE_NAME], entry, type);
		if (!ret)
			ret = note_field(f, type, entry);
		if (ret)
			break;
	}
	return ret < 0 ? ret : 0;
}

static int read_types(struct arrays *f)
{
	uint64_t at = f->symbols[JAVA_TYPES], entry[ENTRY_BYTES / 8] = {0};
	char type[TEXT_BYTES];
	int ret = 0;

	for (int i = 0; i < ENTRIES_MAX; i++, at += f->symbols[JAVA_TYPE_STRIDE]) {
		ret = read_entry(f, at, f->symbols[JAVA_TYPE_STRIDE], f->symbols[JAVA_TYPE_NAME],
				 entry, type);
		if (ret)
			break;
		for (int k = 0; k < NR_JAVA_TYPES; k++)
			if (strcmp(types[k], type) == 0)
				f->facts->sizes[k] = entry_word(entry, f->symbols[JAVA_TYPE_SIZE]);
	}
	return ret < 0 ? ret : 0;
}

/*
 * Reads the arrays of the process whose memory is @memory. Its library is @in, and offset 0 of that
 * file is at @base. Returns 0; -EAGAIN if they are not there yet; -ENOTSUP if their entries have
 * another form; -EFAULT; or -ENOMEM.
 */
static int java_facts_read(const struct machine_memory *memory, const struct interpreter *in,
			   uint64_t base, struct java_facts *facts)
{
	_cleanup_free_ struct kept_pages *pages = calloc(1, sizeof(*pages));
	struct arrays f = {.memory = memory, .pages = pages, .facts = facts};
	int ret = pages ? read_symbols(&f, in, base) : -ENOMEM;

	*facts = (struct java_facts){.has_field = {false}};
	if (!ret)
		ret = read_fields(&f);
	if (!ret)
		ret = read_types(&f);
	return ret;
}

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
