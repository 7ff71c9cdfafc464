// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/code_gaps.h"

#include <elf.h>
#include <errno.h>
#include <nettle/sha2.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/search.h"
#include "elf/elf_sections.h"

/* Browsers with all symbols have 60 MB. */
#define SYMBOL_BYTES_MAX (128u << 20)

int code_gaps_add(struct code_frames *frames, uint64_t start, uint64_t end)
{
	const struct code_gap *last =
		frames->gaps.nr ? &frames->gaps.data[frames->gaps.nr - 1] : NULL;
	struct code_gap gap = {.start = start};

	if (end < start || end - start < CODE_GAP_BYTES || end - start > CODE_BYTES_MAX ||
	    (last && start - last->start < last->size))
		return 0;
	gap.size = (uint32_t)(end - start);
	return vec_push(&frames->gaps, gap);
}

static void drop_gaps(struct code_frames *frames)
{
	frames->gaps.nr = frames->bytes.nr = 0;
}

static int read_gap(struct code_frames *frames, const struct elf_image *file, struct code_gap *gap)
{
	uint64_t off;
	int ret;

	if (!elf_image_find_offset(file, gap->start, PF_X, &off))
		return -ENOEXEC;
	ret = vec_reserve(&frames->bytes, gap->size);
	if (!ret)
		ret = elf_image_read(file, off, frames->bytes.data + frames->bytes.nr, gap->size);
	if (ret)
		return ret;
	gap->first = (uint32_t)frames->bytes.nr;
	frames->bytes.nr += gap->size;
	return 0;
}

static bool is_in_gap(const struct code_frames *frames, uint64_t addr)
{
	const struct code_gap *all = frames->gaps.data;
	size_t at = search_first(frames->gaps.nr, i, all[i].start > addr);

	return at && addr - all[at - 1].start < all[at - 1].size;
}

int code_gaps_add_start(struct code_frames *frames, uint64_t addr)
{
	return is_in_gap(frames, addr) ? vec_push(&frames->starts, addr) : 0;
}

/* Keeps the functions of the section of symbols @name that begin in a gap. */
static int read_symbols(struct code_frames *frames, const struct elf_image *file, const char *name)
{
	const Elf64_Shdr *sh = elf_image_find_section(file, name);
	_cleanup_free_ uint8_t *symbols = NULL;
	Elf64_Sym symbol;
	int ret;

	if (!sh || sh->sh_size > SYMBOL_BYTES_MAX)
		return 0;
	ret = elf_image_read_section(file, sh, &symbols);
	for (size_t i = 0; !ret && i < sh->sh_size / sizeof(symbol); i++) {
		memcpy(&symbol, symbols + i * sizeof(symbol), sizeof(symbol));
		if (ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
			ret = code_gaps_add_start(frames, symbol.st_value);
	}
	return ret;
}

/*
 * The first stub of a PLT begins with its section, and no symbol need tell of it. The header of a
 * PLT is known by its code.
 */
static int read_stubs(struct code_frames *frames, const struct elf_image *file)
{
	static const char *const names[] = {".plt", ".plt.sec", ".plt.got", ".iplt"};
	int ret = 0;

	for (size_t i = 0; !ret && i < ARRAY_SIZE(names); i++) {
		const Elf64_Shdr *sh = elf_image_find_section(file, names[i]);

		if (sh)
			ret = code_gaps_add_start(frames, sh->sh_addr);
	}
	return ret;
}

/*
 * Has @file the builtins of V8? They have no unwind information, but frame pointers, by which
 * walks look for functions of JavaScript (bpf/languages/node_frames.h).
 */
static int find_builtins(const struct elf_image *file, bool *has_builtins)
{
	static const char name[] = "Isolate18embedded_blob_code";
	const Elf64_Shdr *sh = elf_image_find_section(file, ".dynstr");
	_cleanup_free_ uint8_t *names = NULL;
	int ret;

	*has_builtins = false;
	if (!sh || sh->sh_size > SYMBOL_BYTES_MAX)
		return 0;
	ret = elf_image_read_section(file, sh, &names);
	if (!ret)
		*has_builtins = memmem(names, sh->sh_size, name, sizeof(name) - 1) != NULL;
	return ret;
}

int code_gaps_read(struct code_frames *frames, int fd)
{
	_cleanup_(elf_image_close) struct elf_image file = {0};
	uint64_t bytes = 0;
	bool has_builtins;
	int ret;

	vec_for_each(&frames->gaps, gap)
		bytes += gap->size;
	if (bytes > CODE_BYTES_MAX)
		drop_gaps(frames);
	if (!frames->gaps.nr)
		return 0;
	ret = elf_sections_open(fd, &file);
	if (!ret)
		ret = find_builtins(&file, &has_builtins);
	if (!ret && has_builtins)
		drop_gaps(frames);
	vec_for_each(&frames->gaps, gap)
		ret = ret ? ret : read_gap(frames, &file, gap);
	if (!ret)
		ret = read_symbols(frames, &file, ".symtab");
	if (!ret)
		ret = read_symbols(frames, &file, ".dynsym");
	if (!ret)
		ret = read_stubs(frames, &file);
	if (ret && ret != -ENOMEM) {
		drop_gaps(frames);
		ret = 0;
	}
	return ret;
}

/* Code of a segment, and which of its addresses may be of functions in gaps. */
struct calls {
	struct code_frames *frames;
	const struct code_segment *segment;
	const uint8_t *code;
	uint64_t first, last; /* of the gaps that code is before and behind */
};

/*
 * Keeps what the instruction at @addr leads to. What is before all code that something tells of, or
 * behind it, may be data, as strings are, of which code takes addresses.
 */
static int take_call(const struct calls *c, uint64_t addr)
{
	const uint64_t off = addr - c->segment->vaddr;
	struct code_state state = code_state_at_entry();
	struct code_step step;

	if (!code_step(c->code + off, c->segment->size - off, addr, &state, &step))
		return 0;
	if (step.flow == CODE_CALLS && step.target)
		return is_in_gap(c->frames, step.target) ? vec_push(&c->frames->taken, step.target)
							 : 0;
	if (step.refers - c->first >= c->last - c->first || !is_in_gap(c->frames, step.refers))
		return 0;
	return vec_push(&c->frames->taken, step.refers);
}

/* Goes over the code in [@start, @end), which is between two gaps. */
static int take_calls(const struct calls *c, uint64_t start, uint64_t end)
{
	const uint32_t bytes = code_insn_bytes();
	int ret = 0;

	start += (bytes - start % bytes) % bytes;
	for (; !ret && start < end; start += bytes)
		ret = take_call(c, start);
	return ret;
}

static int take_calls_of_segment(struct calls *c)
{
	const uint64_t end = c->segment->vaddr + c->segment->size;
	uint64_t at = c->segment->vaddr;
	int ret = 0;

	c->first = c->last = 0;
	vec_for_each(&c->frames->gaps, gap) {
		if (gap->start + gap->size >= end)
			break;
		if (gap->start > c->segment->vaddr) {
			c->first = c->first ? c->first : gap->start;
			c->last = gap->start + gap->size;
		}
	}
	vec_for_each(&c->frames->gaps, gap) {
		if (gap->start < at || gap->start >= end)
			continue;
		ret = ret ? ret : take_calls(c, at, gap->start);
		at = gap->start + gap->size;
	}
	return ret ? ret : take_calls(c, at, end);
}

/* Reads @segment. */
static int read_calls_of(struct code_frames *frames, int fd, const struct code_segment *segment)
{
	_cleanup_free_ uint8_t *code = NULL;
	struct calls calls = {.frames = frames, .segment = segment};

	code = malloc(segment->size + 1);
	if (!code)
		return -ENOMEM;
	if (pread(fd, code, segment->size, (off_t)segment->off) != (ssize_t)segment->size)
		return 0;
	calls.code = code;
	return take_calls_of_segment(&calls);
}

static int compare_addresses(const void *pa, const void *pb)
{
	const uint64_t *a = pa, *b = pb;

	COMPARE(*a, *b);
	return 0;
}

int code_gaps_read_calls(struct code_frames *frames, int fd, const struct code_segment *segments,
			 size_t nr)
{
	uint64_t bytes = 0, *all;
	size_t kept = 0;
	int ret = 0;

	for (size_t i = 0; i < nr; i++)
		bytes += segments[i].size <= CODE_BYTES_MAX ? segments[i].size : CODE_BYTES_MAX + 1;
	if (!code_insn_bytes() || !frames->gaps.nr || bytes > CODE_BYTES_MAX)
		return 0;
	for (size_t i = 0; !ret && i < nr; i++)
		ret = read_calls_of(frames, fd, &segments[i]);
	all = frames->taken.data;
	if (ret || !frames->taken.nr)
		return ret;
	qsort(all, frames->taken.nr, sizeof(*all), compare_addresses);
	for (size_t i = 0; i < frames->taken.nr; i++)
		if (!kept || all[kept - 1] != all[i])
			all[kept++] = all[i];
	frames->taken.nr = kept;
	return 0;
}

void code_gaps_hash(const struct code_frames *frames, uint8_t hash[static CFI_HASH_BYTES])
{
	struct sha256_ctx sha;

	if (!frames->gaps.nr)
		return;
	sha256_init(&sha);
	sha256_update(&sha, CFI_HASH_BYTES, hash);
	sha256_update(&sha, frames->gaps.nr * sizeof(*frames->gaps.data),
		      (const uint8_t *)frames->gaps.data);
	sha256_update(&sha, frames->bytes.nr, frames->bytes.data);
	sha256_update(&sha, frames->starts.nr * sizeof(*frames->starts.data),
		      (const uint8_t *)frames->starts.data);
	sha256_update(&sha, frames->taken.nr * sizeof(*frames->taken.data),
		      (const uint8_t *)frames->taken.data);
	sha256_digest(&sha, CFI_HASH_BYTES, hash);
}
