// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/java_machine.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/minmax.h"

/* Real ones have some 850 fields and 800 types. */
#define ENTRIES_MAX 4096

/* Bytes of an entry, and of the name of a type or a field, that are looked at. */
#define ENTRY_BYTES 64
#define TEXT_BYTES  48

/* The fields that a walk needs. Names changed from version to version. */
enum field {
	HEAPS,
	LIST_LENGTH,
	LIST_DATA,
	HEAP_MEMORY,
	HEAP_MAP,
	HEAP_SHIFT,
	SPACE_LOW,
	SPACE_HIGH,
	INTERPRETER,
	QUEUE_BEGIN,
	QUEUE_SIZE,
	QUEUE_END,
	CALL_STUB,
	VERSION,
	VERSION_21,
	BLOB_NAME,
	BLOB_FRAME,
	BLOB_COMPLETE,
	BLOB_CODE_BEGIN,
	BLOB_CODE_END,
	BLOB_CODE_OFFSET,
	BLOB_DATA_OFFSET,
	BLOB_METHOD,
	METHOD_CONST,
	CONST_POOL,
	CONST_NAME,
	CONST_CODE_SIZE,
	POOL_CLASS,
	CLASS_NAME,
	SYMBOL_LENGTH,
	SYMBOL_TEXT,
	NR_WALK_FIELDS,
	/* Those of struct java_layout. A version has some of them. */
	CONST_FLAGS = NR_WALK_FIELDS,
	CONST_WORDS,
	PC_OFFSET,
	PC_SCOPE,
	CODE_COMPILE_ID,
	CODE_PCS,
	CODE_DEPENDENCIES,
	CODE_SCOPES_POINTER,
	CODE_SCOPES_OFFSET,
	CODE_METADATA,
	CODE_IMMUTABLE,
	CODE_IMMUTABLE_BYTES,
	CODE_MUTABLE,
	CODE_MUTABLE_BYTES,
	CODE_RELOCATION_BYTES,
	NR_FIELDS,
};

static const struct {
	const char *type, *name;
	enum field field;
} fields[] = {
	{"CodeCache", "_heaps", HEAPS},
	{"GenericGrowableArray", "_len", LIST_LENGTH},
	{"GrowableArrayBase", "_len", LIST_LENGTH},
	{"GrowableArray<int>", "_data", LIST_DATA},
	{"CodeHeap", "_memory", HEAP_MEMORY},
	{"CodeHeap", "_segmap", HEAP_MAP},
	{"CodeHeap", "_log2_segment_size", HEAP_SHIFT},
	{"VirtualSpace", "_low_boundary", SPACE_LOW},
	{"VirtualSpace", "_high_boundary", SPACE_HIGH},
	{"AbstractInterpreter", "_code", INTERPRETER},
	{"StubQueue", "_stub_buffer", QUEUE_BEGIN},
	{"StubQueue", "_buffer_limit", QUEUE_SIZE},
	{"StubQueue", "_queue_end", QUEUE_END},
	{"StubRoutines", "_call_stub_return_address", CALL_STUB},
	{"Abstract_VM_Version", "_vm_major_version", VERSION},
	{"JDK_Version", "_current", VERSION_21},
	{"CodeBlob", "_name", BLOB_NAME},
	{"CodeBlob", "_frame_size", BLOB_FRAME},
	{"CodeBlob", "_frame_complete_offset", BLOB_COMPLETE},
	{"CodeBlob", "_code_begin", BLOB_CODE_BEGIN},
	{"CodeBlob", "_code_end", BLOB_CODE_END},
	{"CodeBlob", "_code_offset", BLOB_CODE_OFFSET},
	{"CodeBlob", "_data_offset", BLOB_DATA_OFFSET},
	{"CompiledMethod", "_method", BLOB_METHOD},
	{"nmethod", "_method", BLOB_METHOD},
	{"Method", "_constMethod", METHOD_CONST},
	{"ConstMethod", "_constants", CONST_POOL},
	{"ConstMethod", "_name_index", CONST_NAME},
	{"ConstMethod", "_code_size", CONST_CODE_SIZE},
	{"ConstantPool", "_pool_holder", POOL_CLASS},
	{"Klass", "_name", CLASS_NAME},
	{"Symbol", "_length", SYMBOL_LENGTH},
	{"Symbol", "_body[0]", SYMBOL_TEXT},
	{"Symbol", "_body", SYMBOL_TEXT},
	{"ConstMethod", "_flags", CONST_FLAGS},
	{"ConstMethod", "_flags._flags", CONST_FLAGS},
	{"ConstMethod", "_constMethod_size", CONST_WORDS},
	{"PcDesc", "_pc_offset", PC_OFFSET},
	{"PcDesc", "_scope_decode_offset", PC_SCOPE},
	{"nmethod", "_compile_id", CODE_COMPILE_ID},
	{"nmethod", "_scopes_pcs_offset", CODE_PCS},
	{"nmethod", "_dependencies_offset", CODE_DEPENDENCIES},
	{"CompiledMethod", "_scopes_data_begin", CODE_SCOPES_POINTER},
	{"nmethod", "_scopes_data_offset", CODE_SCOPES_OFFSET},
	{"nmethod", "_metadata_offset", CODE_METADATA},
	{"nmethod", "_immutable_data", CODE_IMMUTABLE},
	{"nmethod", "_immutable_data_size", CODE_IMMUTABLE_BYTES},
	{"CodeBlob", "_mutable_data", CODE_MUTABLE},
	{"CodeBlob", "_mutable_data_size", CODE_MUTABLE_BYTES},
	{"CodeBlob", "_relocation_size", CODE_RELOCATION_BYTES},
};

enum type { BLOCK, CONST_METHOD, POOL, PC_DESC, NR_TYPES };

static const char *const types[NR_TYPES] = {
	[BLOCK] = "HeapBlock",
	[CONST_METHOD] = "ConstMethod",
	[POOL] = "ConstantPool",
	[PC_DESC] = "PcDesc",
};

/* HotSpot's arrays have thousands of entries with texts, in some 200 pages. So pages are kept. */
#define PAGE_BYTES UINT64_C(4096)
#define NR_PAGES   256

struct kept_pages {
	uint64_t addr[NR_PAGES]; /* of a page; 0: none */
	uint8_t bytes[NR_PAGES][PAGE_BYTES];
};

struct facts {
	const struct java_memory *memory;
	struct kept_pages *pages;
	/* Their values. Strides and offsets lie within an entry. */
	uint64_t symbols[NR_JAVA_SYMBOLS];
	uint64_t fields[NR_FIELDS]; /* offset; of static fields the address */
	uint64_t sizes[NR_TYPES];
	bool has_field[NR_FIELDS];
};

int java_memory_read(const struct java_memory *m, uint64_t addr, void *buf, size_t len)
{
	return m->read(m->ctx, addr, buf, len) == (long)len ? 0 : -EFAULT;
}

/* The page at @addr, which is its first byte; NULL if not all of it can be read. */
static const uint8_t *find_page(const struct facts *f, uint64_t addr)
{
	struct kept_pages *pages = f->pages;
	size_t i = addr / PAGE_BYTES % NR_PAGES;

	if (pages->addr[i] == addr && addr)
		return pages->bytes[i];
	pages->addr[i] = 0;
	if (java_memory_read(f->memory, addr, pages->bytes[i], PAGE_BYTES))
		return NULL;
	pages->addr[i] = addr;
	return pages->bytes[i];
}

/* As a java_read_fn, but keeps the pages. */
static long read_kept(const struct facts *f, uint64_t addr, void *buf, size_t len)
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
static int read_text(const struct facts *f, uint64_t addr, char text[TEXT_BYTES])
{
	long nr = addr ? read_kept(f, addr, text, TEXT_BYTES - 1) : 0;

	text[nr > 0 ? nr : 0] = '\0';
	return nr > 0 ? 0 : -EFAULT;
}

static int read_symbols(struct facts *f, const struct interpreter *in, uint64_t base)
{
	for (int i = 0; i < NR_JAVA_SYMBOLS; i++) {
		int ret = java_memory_read(f->memory, base + in->java[i], &f->symbols[i],
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
static int read_entry(const struct facts *f, uint64_t addr, size_t len, uint64_t name_off,
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
static int note_field(struct facts *f, const char *type, const uint64_t *entry)
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
		f->fields[fields[i].field] = address ? address : offset;
		f->has_field[fields[i].field] = true;
	}
	return 0;
}

static int read_fields(struct facts *f)
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

static int read_types(struct facts *f)
{
	uint64_t at = f->symbols[JAVA_TYPES], entry[ENTRY_BYTES / 8] = {0};
	char type[TEXT_BYTES];
	int ret = 0;

	for (int i = 0; i < ENTRIES_MAX; i++, at += f->symbols[JAVA_TYPE_STRIDE]) {
		ret = read_entry(f, at, f->symbols[JAVA_TYPE_STRIDE], f->symbols[JAVA_TYPE_NAME],
				 entry, type);
		if (ret)
			break;
		for (int k = 0; k < NR_TYPES; k++)
			if (strcmp(types[k], type) == 0)
				f->sizes[k] = entry_word(entry, f->symbols[JAVA_TYPE_SIZE]);
	}
	return ret < 0 ? ret : 0;
}

/* Reads the word that a static field is, or a field of the struct at @object. */
static int read_field(const struct facts *f, uint64_t object, enum field field, uint64_t *value)
{
	return java_memory_read(f->memory, object + f->fields[field], value, sizeof(*value));
}

static int read_number(const struct facts *f, uint64_t object, enum field field, uint32_t *value)
{
	return java_memory_read(f->memory, object + f->fields[field], value, sizeof(*value));
}

/* Heaps with code are smaller than this (ReservedCodeCacheSize). */
#define HEAP_MAX (UINT64_C(4) << 30)

static int read_heap(const struct facts *f, uint64_t heap, struct java_machine *m)
{
	uint64_t memory = heap + f->fields[HEAP_MEMORY], low, high, map;
	struct java_heap *h;
	uint32_t shift, nr = 0;

	if (read_field(f, memory, SPACE_LOW, &low) || read_field(f, memory, SPACE_HIGH, &high) ||
	    read_field(f, heap + f->fields[HEAP_MAP], SPACE_LOW, &map) ||
	    read_number(f, heap, HEAP_SHIFT, &shift))
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

/* A list of one to three. */
static int read_heaps(const struct facts *f, struct java_machine *m)
{
	uint64_t list, data, heap;
	uint32_t nr;
	int ret = 0;

	if (read_field(f, 0, HEAPS, &list))
		return -EFAULT;
	if (!list)
		return -EAGAIN;
	if (read_number(f, list, LIST_LENGTH, &nr) || read_field(f, list, LIST_DATA, &data))
		return -EFAULT;
	if (!nr || nr > MAX_JAVA_HEAPS)
		return nr ? -ENOTSUP : -EAGAIN;
	for (uint32_t i = 0; i < nr && !ret; i++) {
		ret = java_memory_read(f->memory, data + i * sizeof(heap), &heap, sizeof(heap));
		if (!ret)
			ret = read_heap(f, heap, m);
	}
	return ret;
}

/* The room for the interpreter's code is larger than the code by so much until all is made. */
#define INTERPRETER_ROOM 4096

/*
 * Where the interpreter is. It is the last thing that has to be there before Java runs. HotSpot
 * makes it in a large room, and then gives back the room that is left over.
 */
static int read_interpreter(const struct facts *f, struct java_machine *m)
{
	uint64_t queue, begin;
	uint32_t size, end;

	if (read_field(f, 0, INTERPRETER, &queue))
		return -EFAULT;
	if (!queue)
		return -EAGAIN;
	if (read_field(f, queue, QUEUE_BEGIN, &begin) || read_number(f, queue, QUEUE_SIZE, &size) ||
	    read_number(f, queue, QUEUE_END, &end))
		return -EFAULT;
	if (begin < m->low || begin >= m->high || size > m->high - begin)
		return -ENOTSUP;
	if (size > end && size - end > INTERPRETER_ROOM)
		return -EAGAIN;
	m->interpreter_begin = begin;
	m->interpreter_size = size;
	return 0;
}

/* The version as the process has it has to be that of the file. */
static int check_version(const struct facts *f, const struct interpreter *in)
{
	uint32_t version;

	if (f->has_field[VERSION_21]) {
		if (read_number(f, 0, VERSION_21, &version))
			return -EFAULT;
		version &= 0xff;
	} else if (!f->has_field[VERSION] || read_number(f, 0, VERSION, &version)) {
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
	const uint64_t *off = f->fields;

	m->code_is_offset = !f->has_field[BLOB_CODE_BEGIN];
	m->complete_bytes = m->version >= 23 ? 2 : 4;
	return put_offset(f->sizes[BLOCK], 64, &m->block_header) &&
	       put_offset(off[BLOB_NAME], JAVA_BLOB_BYTES - 7, &m->blob_name) &&
	       put_offset(off[BLOB_FRAME], JAVA_BLOB_BYTES - 3, &m->blob_frame_size) &&
	       put_offset(off[BLOB_COMPLETE], JAVA_BLOB_BYTES - 3, &m->blob_complete) &&
	       put_offset(off[m->code_is_offset ? BLOB_CODE_OFFSET : BLOB_CODE_BEGIN],
			  JAVA_BLOB_BYTES - 7, &m->blob_code_begin) &&
	       put_offset(off[m->code_is_offset ? BLOB_DATA_OFFSET : BLOB_CODE_END],
			  JAVA_BLOB_BYTES - 7, &m->blob_code_end) &&
	       put_offset(off[BLOB_METHOD], JAVA_BLOB_BYTES - 7, &m->blob_method);
}

static bool put_method(const struct facts *f, struct java_machine *m)
{
	const uint64_t *off = f->fields;

	return put_offset(off[METHOD_CONST], 256, &m->method_const) &&
	       put_offset(off[CONST_POOL], JAVA_CONST_WORDS * 8 - 7, &m->const_pool) &&
	       put_offset(off[CONST_NAME], JAVA_CONST_WORDS * 8 - 1, &m->const_name) &&
	       put_offset(off[CONST_CODE_SIZE], 256, &m->const_code_size) &&
	       put_offset(f->sizes[CONST_METHOD], 256, &m->const_bytes) &&
	       put_offset(f->sizes[POOL], 256, &m->pool_bytes) &&
	       put_offset(off[POOL_CLASS], 256, &m->pool_class) &&
	       put_offset(off[CLASS_NAME], 256, &m->class_name) &&
	       put_offset(off[SYMBOL_LENGTH], 256, &m->symbol_length) &&
	       put_offset(off[SYMBOL_TEXT], 256, &m->symbol_text);
}

/* Are all fields there that this version has to have? */
static bool has_fields(const struct facts *f)
{
	const bool *has = f->has_field;

	for (int i = 0; i < NR_WALK_FIELDS; i++) {
		if (i == VERSION || i == VERSION_21 ||
		    (i >= BLOB_CODE_BEGIN && i <= BLOB_DATA_OFFSET))
			continue;
		if (!has[i])
			return false;
	}
	return ((has[BLOB_CODE_BEGIN] && has[BLOB_CODE_END]) ||
		(has[BLOB_CODE_OFFSET] && has[BLOB_DATA_OFFSET])) &&
	       f->sizes[BLOCK] && f->sizes[CONST_METHOD] && f->sizes[POOL];
}

/* struct PcDesc of pcDesc.hpp, which record/languages/java_scopes.c reads. */
#define PC_BYTES     16
#define PC_SCOPE_OFF 4

/* The offsets in structs are small. */
#define LAYOUT_MAX 4096

/* Copies the offset of @field, which the version has to have. */
static bool put_layout(const struct facts *f, enum field field, uint16_t *to)
{
	*to = f->fields[field];
	return f->has_field[field] && f->fields[field] < LAYOUT_MAX;
}

/* From version 25 on, code has its debug information elsewhere. */
static bool put_scopes(const struct facts *f, struct java_layout *l)
{
	if (f->sizes[PC_DESC] != PC_BYTES || !f->has_field[PC_OFFSET] || f->fields[PC_OFFSET] ||
	    !f->has_field[PC_SCOPE] || f->fields[PC_SCOPE] != PC_SCOPE_OFF ||
	    !put_layout(f, CODE_COMPILE_ID, &l->compile_id) || !put_layout(f, CODE_PCS, &l->pcs))
		return false;
	if (!f->has_field[CODE_IMMUTABLE])
		return put_layout(f, CODE_DEPENDENCIES, &l->pcs_end) &&
		       put_layout(f, CODE_SCOPES_POINTER, &l->scopes) &&
		       put_layout(f, CODE_METADATA, &l->metadata);
	return put_layout(f, CODE_SCOPES_OFFSET, &l->pcs_end) &&
	       put_layout(f, CODE_SCOPES_OFFSET, &l->scopes) &&
	       put_layout(f, CODE_IMMUTABLE, &l->immutable) && l->immutable &&
	       put_layout(f, CODE_IMMUTABLE_BYTES, &l->scopes_end) &&
	       put_layout(f, CODE_MUTABLE, &l->mutable) &&
	       put_layout(f, CODE_MUTABLE_BYTES, &l->mutable_bytes) &&
	       put_layout(f, CODE_RELOCATION_BYTES, &l->relocation_bytes);
}

/* Reads where fields are and how large types are. */
static int read_facts(struct facts *f, const struct interpreter *in, uint64_t base)
{
	int ret = read_symbols(f, in, base);

	if (!ret)
		ret = read_fields(f);
	if (!ret)
		ret = read_types(f);
	return !ret && !has_fields(f) ? -ENOTSUP : ret;
}

/* Reads where the machine's code is. All of it has to be there. */
static int read_places(const struct facts *f, struct java_machine *m)
{
	uint64_t call_stub;
	int ret = read_heaps(f, m);

	if (!ret)
		ret = read_interpreter(f, m);
	if (!ret)
		ret = read_field(f, 0, CALL_STUB, &call_stub);
	if (!ret)
		m->call_stub_return = call_stub;
	return ret;
}

int java_machine_read(const struct java_memory *memory, const struct interpreter *in, uint64_t base,
		      struct java_machine *machine, struct java_layout *layout)
{
	_cleanup_free_ struct kept_pages *pages = calloc(1, sizeof(*pages));
	struct java_layout l = {0};
	struct java_machine m = {.version = in->version};
	struct facts f = {.memory = memory, .pages = pages};
	int ret = pages ? read_facts(&f, in, base) : -ENOMEM;

	if (!ret)
		ret = check_version(&f, in);
	if (!ret)
		ret = read_places(&f, &m);
	if (!ret && (!put_blob(&f, &m) || !put_method(&f, &m)))
		ret = -ENOTSUP;
	if (ret)
		return ret;
	l.has_lines = put_layout(&f, CONST_FLAGS, &l.const_flags) &&
		      put_layout(&f, CONST_WORDS, &l.const_words);
	l.has_scopes = put_scopes(&f, &l);
	m.blob_compile_id = l.has_scopes ? l.compile_id : 0;
	*machine = m;
	*layout = l;
	return 0;
}
