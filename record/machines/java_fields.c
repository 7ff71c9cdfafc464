// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/java_fields.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "bpf/host_arch.h"
#include "common/cleanup.h"
#include "common/minmax.h"

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

int java_facts_read(const struct machine_memory *memory, const struct interpreter *in,
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
