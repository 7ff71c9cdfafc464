// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Compares the names that a recording carries with those that profrep finds with the file at hand.
 *
 * carried_names FILE...
 *
 * It takes the places at which the symbols and the functions of each ELF file change: the first and
 * the last byte, the bytes beside them, the middle of functions and of gaps. The name child's own
 * code is asked about parts of the places, as recordings ask, and the symbols of all answers are
 * put together. Then
 * - each place that was asked about must have the name and the start that the file gives it;
 * - no other place may have a name where the file has none.
 * Prints a line for each difference, then "FILES PLACES NAMES", and exits with 1 if there was one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/parse.h"
#include "elf/elf_entries.h"
#include "elf/elf_names.h"
#include "elf/minidebug.h"
#include "record/symbols/known_names.h"
#include "record/symbols/names_answer.h"

/* Places of a file. Of larger ones, every second or third one is taken, and so on. */
#define PLACES_MAX (256u << 10)

/* Places of one request, whose names fit into an answer. */
#define ASKED_MAX 4096

/* The parts of the places that are asked about: one of so many. */
static const unsigned int parts[] = {97, 13, 2};

/* Differences of a file that are printed. */
#define SHOWN_MAX 5

struct file_test {
	const char *path;
	struct elf_file elf;
	u64_vec places;         /* file offsets, sorted, each once */
	struct range_hit *hits; /* what the file says of each place */
	bool *is_asked;
	struct known_names known;
	unsigned int nr_shown, nr_wrong;
};

static unsigned long nr_files, nr_places, nr_names, nr_wrong;

static void check(int ret, const char *what, const char *path)
{
	if (!ret)
		return;
	fprintf(stderr, "carried_names: failed to %s '%s': %s\n", what, path, strerror(-ret));
	exit(2);
}

static int compare_u64(const void *a, const void *b)
{
	COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
	return 0;
}

static void sort_unique(u64_vec *v)
{
	size_t nr = 0;

	if (v->nr)
		qsort(v->data, v->nr, sizeof(*v->data), compare_u64);
	vec_for_each(v, p)
		if (!nr || v->data[nr - 1] != *p)
			v->data[nr++] = *p;
	v->nr = nr;
}

static void push(struct file_test *t, u64_vec *v, uint64_t value)
{
	check(vec_push(v, value) ? -ENOMEM : 0, "read", t->path);
}

/* The starts and ends of the symbols of @elf, whatever their types. */
static void add_edges(struct file_test *t, struct elf_file *elf, u64_vec *edges)
{
	for (size_t i = 1; i < elf->sections.nr; i++) {
		const struct elf_section *section = &elf->sections.data[i];
		struct elf_bytes symbols;
		GElf_Sym sym;

		if (section->is_exec) {
			push(t, edges, section->vaddr);
			push(t, edges, section->vaddr + section->size);
		}
		if (section->type != SHT_SYMTAB && section->type != SHT_DYNSYM)
			continue;
		symbols = elf_file_section_bytes(elf, i);
		for (size_t n = 0; symbols.data && elf_symbol_at(elf, symbols, n, &sym); n++) {
			if (GELF_ST_TYPE(sym.st_info) == STT_OBJECT || sym.st_shndx == SHN_UNDEF)
				continue;
			push(t, edges, sym.st_value);
			push(t, edges, sym.st_value + sym.st_size);
		}
	}
}

/* The file offset of @addr, if code is there. */
static bool find_offset(const struct elf_file *elf, uint64_t addr, uint64_t *off)
{
	uint64_t vaddr;

	vec_for_each(&elf->segments, s) {
		if (!s->is_exec || addr < s->vaddr || addr - s->vaddr >= s->file_size)
			continue;
		*off = addr - s->vaddr + s->off;
		return elf_file_vaddr(elf, *off, &vaddr) && vaddr == addr;
	}
	return false;
}

static void add_place(struct file_test *t, uint64_t addr)
{
	uint64_t off;

	if (find_offset(&t->elf, addr, &off))
		push(t, &t->places, off);
}

/* Around each edge, and between it and the next one: in functions, in gaps, in PLTs. */
static void add_places(struct file_test *t, const u64_vec *edges)
{
	size_t step = edges->nr * 6 / PLACES_MAX + 1;

	for (size_t i = 0; i < edges->nr; i += step) {
		uint64_t at = edges->data[i];

		for (int near = -1; near <= 1; near++)
			add_place(t, at + near);
		if (i + 1 == edges->nr)
			continue;
		for (unsigned int n = 1; n < 4; n++)
			add_place(t, at + (edges->data[i + 1] - at) / 4 * n);
	}
	sort_unique(&t->places);
}

static void choose_places(struct file_test *t)
{
	_cleanup_(elf_file_close) struct elf_file mini = {.fd = -1};
	u64_vec edges = {0};
	bool has_mini;

	add_edges(t, &t->elf, &edges);
	check(minidebug_open(&t->elf, &mini, &has_mini), "unpack", t->path);
	if (has_mini)
		add_edges(t, &mini, &edges);
	sort_unique(&edges);
	add_places(t, &edges);
	vec_free(&edges);
}

static void ask_worker(struct file_test *t, u64_vec *offsets)
{
	int memory;

	if (!offsets->nr)
		return;
	check(names_answer_make(t->elf.fd, offsets->data, offsets->nr, &memory), "look into",
	      t->path);
	check(lseek(memory, 0, SEEK_SET) ? -errno : 0, "read", t->path);
	check(known_names_add(&t->known, memory, offsets), "read", t->path);
	close(memory);
	vec_clear(offsets);
}

/* Asks the code of the name child about one of @part places. */
static void ask(struct file_test *t, unsigned int part)
{
	u64_vec offsets = {0};

	for (size_t i = rand() % part; i < t->places.nr; i += 1 + rand() % (2 * part - 1)) {
		if (!t->is_asked[i])
			push(t, &offsets, t->places.data[i]);
		t->is_asked[i] = true;
		if (offsets.nr == ASKED_MAX)
			ask_worker(t, &offsets);
	}
	ask_worker(t, &offsets);
	vec_free(&offsets);
}

static bool is_same_name(const struct range *a, const struct range *b)
{
	return a->len == b->len && !memcmp(a->name, b->name, a->len);
}

static const char *shown(const struct range *range)
{
	static char texts[2][128];
	static unsigned int at;
	char *text = texts[at++ % 2];

	if (!range)
		return "nothing";
	snprintf(text, sizeof(texts[0]), "'%.*s' at 0x%llx",
		 (int)(range->len > 80 ? 80 : range->len), range->name,
		 (unsigned long long)range->start);
	return text;
}

static void judge(struct file_test *t, size_t i, const struct range *carried)
{
	const struct range *own = t->hits[i].range;
	struct range at_off = own ? *own : (struct range){0};
	bool is_right;

	at_off.start += t->places.data[i] - t->hits[i].addr;
	if (t->is_asked[i])
		is_right = !own ? !carried
				: carried && is_same_name(own, carried) &&
					   at_off.start == carried->start;
	else
		is_right = !carried || !carried->len || (own && own->len);
	if (is_right)
		return;
	t->nr_wrong++;
	if (t->nr_shown++ < SHOWN_MAX)
		printf("%s: offset 0x%llx%s: the file says %s, the recording %s\n", t->path,
		       (unsigned long long)t->places.data[i], t->is_asked[i] ? "" : " (not asked)",
		       shown(own ? &at_off : NULL), shown(carried));
}

static void compare(struct file_test *t)
{
	const struct known_names *known = &t->known;
	_cleanup_free_ struct range *ranges = calloc(known->symbols.nr + 1, sizeof(*ranges));
	_cleanup_free_ struct range_hit *hits = calloc(t->places.nr + 1, sizeof(*hits));

	check(ranges && hits ? 0 : -ENOMEM, "read", t->path);
	for (size_t i = 0; i < known->symbols.nr; i++) {
		const struct known_symbol *symbol = &known->symbols.data[i];

		ranges[i] =
			(struct range){.start = symbol->off,
				       .size = symbol->size,
				       .len = symbol->len,
				       .name = symbol->len ? known->bytes.data + symbol->name : ""};
	}
	for (size_t i = 0; i < t->places.nr; i++)
		hits[i].addr = t->places.data[i];
	check(ranges_resolve(ranges, known->symbols.nr, hits, t->places.nr), "read", t->path);
	for (size_t i = 0; i < t->places.nr; i++)
		judge(t, i, hits[i].range);
	nr_names += known->symbols.nr;
}

static int compare_by_tag(const void *a, const void *b)
{
	const struct range_hit *x = a, *y = b;

	COMPARE(x->tag, y->tag);
	return 0;
}

static void test_file(struct file_test *t)
{
	_cleanup_(elf_names_deinit) struct elf_names names = {0};

	choose_places(t);
	t->hits = calloc(t->places.nr + 1, sizeof(*t->hits));
	t->is_asked = calloc(t->places.nr + 1, sizeof(*t->is_asked));
	check(t->hits && t->is_asked ? 0 : -ENOMEM, "read", t->path);
	for (size_t i = 0; i < t->places.nr; i++) {
		t->hits[i].tag = i;
		elf_file_vaddr(&t->elf, t->places.data[i], &t->hits[i].addr);
	}
	range_hits_sort(t->hits, t->places.nr);
	check(elf_names_resolve(&names, &t->elf, NULL, t->hits, t->places.nr), "read", t->path);
	qsort(t->hits, t->places.nr, sizeof(*t->hits), compare_by_tag);
	for (size_t i = 0; i < sizeof(parts) / sizeof(*parts); i++)
		ask(t, parts[i]);
	compare(t);
	nr_files++;
	nr_places += t->places.nr;
	nr_wrong += t->nr_wrong;
	if (t->nr_wrong > SHOWN_MAX)
		printf("%s: %u differences\n", t->path, t->nr_wrong);
	free(t->hits);
	free(t->is_asked);
	vec_free(&t->places);
	known_names_deinit(&t->known);
}

int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		struct file_test t = {.path = argv[i]};
		int fd = open(argv[i], O_RDONLY | O_CLOEXEC);

		check(fd < 0 ? -errno : 0, "open", argv[i]);
		if (elf_file_open(&t.elf, fd, NULL))
			continue;
		srand(1);
		test_file(&t);
		elf_file_close(&t.elf);
	}
	printf("%lu %lu %lu\n", nr_files, nr_places, nr_names);
	return nr_wrong != 0;
}
