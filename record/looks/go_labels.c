// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/go_labels.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/cursor.h"
#include "common/minmax.h"
#include "record/looks/exported_variable.h"
#include "record/host/host_abi.h"

/* Limits for what a process chooses at will. No real program comes near them. */
#define HEADERS_MAX   64
#define NOTES_BYTES   1024
#define DATA_BYTES    (16u << 20) /* of initialised variables */
#define VERSION_BYTES 64

/*
 * The build information, in the initialised variables (src/debug/buildinfo/buildinfo.go). The
 * version follows, with its length before it.
 */
struct build_info {
	char magic[14];
	uint8_t pointer_bytes, flags;
	uint8_t padding[16];
	uint8_t version[VERSION_BYTES];
};

#define BUILD_MAGIC    "\xff Go buildinf:"
#define BUILD_ALIGN    16
#define VERSION_INLINE 2 /* since 1.18 */

/*
 * By 64-bit words: m of struct g, curg of struct m, labels of struct g (src/runtime/runtime2.go).
 */
static const struct {
	unsigned int minor; /* of this version, and up to the next row */
	struct go_runtime go;
} layouts[] = {
	{19, {48, 192, 360, true}},
	{21, {48, 192, 344, true}},
	{23, {48, 192, 352, true}},
	{24, {48, 192, 352, false}},
	{25, {48, 184, 344, false}},
	{26, {48, 184, 352, false}},
	{28, {0}},
};

int go_labels_layout(const char *text, size_t len, struct go_runtime *go)
{
	static const char begin[] = "go1.";
	unsigned int minor = 0;
	size_t i = strlen(begin), row = ARRAY_SIZE(layouts);

	if (len <= i || memcmp(text, begin, i) != 0)
		return -ENOENT;
	for (; i < len && text[i] >= '0' && text[i] <= '9' && minor < 1000; i++)
		minor = minor * 10 + (text[i] - '0');
	while (row && layouts[row - 1].minor > minor)
		row--;
	if (!row || !layouts[row - 1].go.labels)
		return -ENOENT;
	*go = layouts[row - 1].go;
	return 0;
}

static int read_at(struct resident_memory *memory, uint64_t addr, void *to, size_t len)
{
	return resident_memory_read(memory, addr, to, len) == (long)len ? 0 : -ENOENT;
}

/* Is one of the notes in the segment @p that with Go's build id? */
static bool has_go_note(struct resident_memory *memory, const Elf64_Phdr *p, uint64_t bias)
{
	char bytes[NOTES_BYTES];
	struct cursor c = {.p = (uint8_t *)bytes};

	c.end = c.p + min_u64(p->p_memsz, sizeof(bytes));
	if (read_at(memory, bias + p->p_vaddr, bytes, c.end - c.p))
		return false;
	while (cursor_left(&c) >= sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;
		const uint8_t *name;

		memcpy(&note, cursor_bytes(&c, sizeof(note)), sizeof(note));
		name = cursor_bytes(&c, (note.n_namesz + 3ull) & ~3ull);
		if (!name || !cursor_bytes(&c, (note.n_descsz + 3ull) & ~3ull))
			return false;
		if (note.n_namesz == 4 && !memcmp(name, "Go\0", 4))
			return true;
	}
	return false;
}

/* Finds the build information among the variables of the segment @p, and what it says of labels. */
static int search_version(struct resident_memory *memory, const Elf64_Phdr *p, uint64_t bias,
			  struct go_runtime *go)
{
	const uint64_t begin = bias + p->p_vaddr;
	const uint64_t end = begin + min_u64(p->p_filesz, DATA_BYTES);
	char part[16384];
	struct build_info info;

	for (uint64_t at = begin & ~(BUILD_ALIGN - 1ull); at < end; at += sizeof(part)) {
		const long nr =
			resident_memory_read(memory, at, part, min_u64(end - at, sizeof(part)));

		for (long i = 0; i + BUILD_ALIGN <= nr; i += BUILD_ALIGN) {
			if (memcmp(&part[i], BUILD_MAGIC, sizeof(info.magic)) != 0)
				continue;
			if (read_at(memory, at + i, &info, sizeof(info)) ||
			    !(info.flags & VERSION_INLINE) || info.version[0] >= VERSION_BYTES)
				return -ENOENT;
			return go_labels_layout((const char *)&info.version[1], info.version[0],
						go);
		}
	}
	return -ENOENT;
}

int go_labels_find(struct resident_memory *memory, struct thread_context *found)
{
	const uint64_t base = executable_headers(memory->pid) - sizeof(Elf64_Ehdr);
	Elf64_Ehdr header;
	Elf64_Phdr headers[HEADERS_MAX];
	uint64_t bias = base, variables = 0;
	bool is_go = false;
	int ret = read_at(memory, base, &header, sizeof(header));

	if (ret || memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_machine != HOST_MACHINE ||
	    header.e_phoff != sizeof(header) || header.e_phentsize != sizeof(*headers) ||
	    header.e_phnum > HEADERS_MAX)
		return -ENOENT;
	ret = read_at(memory, base + header.e_phoff, headers, header.e_phnum * sizeof(*headers));
	for (size_t i = header.e_phnum; i-- && !ret;)
		if (headers[i].p_type == PT_LOAD && !headers[i].p_offset)
			bias = base - headers[i].p_vaddr;
	for (size_t i = 0; i < header.e_phnum && !ret; i++) {
		if (headers[i].p_type == PT_TLS)
			variables = headers[i].p_memsz;
		if (headers[i].p_type == PT_NOTE)
			is_go |= has_go_note(memory, &headers[i], bias);
	}
	/* With variables of other languages, the linker may have put them behind Go's. */
	if (ret || !is_go || variables > sizeof(uint64_t))
		return -ENOENT;
	found->offset = HOST_TLS_ABOVE ? HOST_TLS_ABOVE : -(int64_t)sizeof(uint64_t);
	ret = -ENOENT;
	for (size_t i = 0; i < header.e_phnum && ret; i++)
		if (headers[i].p_type == PT_LOAD && headers[i].p_flags & PF_W)
			ret = search_version(memory, &headers[i], bias, &found->go);
	return ret;
}
