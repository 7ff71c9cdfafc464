/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One sample of a process, with all that a walk of its stack reads: registers, the words of memory,
 * the mappings on the way, the rules to unwind by, and the parts of the interpreter's file that
 * describe it. So the walk can be repeated where neither the process nor the file is. As text it
 * has a line for each item, with numbers in base 16:
 *
 *	regs R15 R14 ...                 as in struct user_regs_struct
 *	file NAME SIZE                   the files have numbers from 0 on
 *	slice OFF BYTES                  of the file before; other bytes of it are 0
 *	rule OFF FIELDS                  struct unwind_rule, for one address in the file before
 *	mapping START END PGOFF FILE     FILE is -1 of memory without a file, -2 where it is shared
 *	interpreter FILE BASE            offset 0 of the file would be mapped at BASE
 *	regex START BYTES                code of PCRE2's library
 *	read ADDR BYTES
 */
#ifndef TESTS_SAMPLE_IMAGE_H
#define TESTS_SAMPLE_IMAGE_H

#include <err.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/user.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/vec.h"
#include "record/cfi/unwind_table.h"

/* Bytes from a place on, of a file or of memory. */
struct image_bytes {
	uint64_t at;
	char_vec bytes;
};

typedef VEC(struct image_bytes) image_bytes_vec;

struct image_rule {
	uint64_t off;
	struct unwind_rule rule;
};

struct image_file {
	char name[64];
	uint64_t size;
	image_bytes_vec slices;
	VEC(struct image_rule) rules; /* sorted by offset */
};

#define IMAGE_NO_FILE       UINT32_MAX
#define IMAGE_SHARED_MEMORY (UINT32_MAX - 1)

struct image_mapping {
	uint64_t start, end, pgoff;
	uint32_t file;
};

static inline bool image_mapping_has_file(const struct image_mapping *m)
{
	return m->file < IMAGE_SHARED_MEMORY;
}

struct sample_image {
	struct user_regs_struct regs;
	VEC(struct image_file) files;
	VEC(struct image_mapping) mappings; /* sorted */
	uint32_t interpreter;               /* the file, or IMAGE_NO_FILE */
	uint64_t base;
	uint64_t regex_start, regex_bytes;
	image_bytes_vec reads; /* after image_bytes_sort: sorted, and apart from each other */
};

#define IMAGE_PUSH(v, ...)                                                                         \
	do {                                                                                       \
		if (vec_push(v, ((__typeof__(*(v)->data))__VA_ARGS__)))                            \
			errx(2, "out of memory");                                                  \
	} while (0)

static void image_bytes_add(image_bytes_vec *all, uint64_t at, const void *bytes, size_t nr)
{
	struct image_bytes added = {.at = at};

	if (vec_append(&added.bytes, (const char *)bytes, nr) || vec_push(all, added))
		errx(2, "out of memory");
}

static void image_bytes_free(image_bytes_vec *all)
{
	vec_for_each(all, b)
		vec_free(&b->bytes);
	vec_free(all);
}

static int image_bytes_compare(const void *a, const void *b)
{
	uint64_t x = ((const struct image_bytes *)a)->at, y = ((const struct image_bytes *)b)->at;

	return x < y ? -1 : x > y;
}

/* Sorts by place, and makes one of those that overlap or follow each other. */
static inline void image_bytes_sort(image_bytes_vec *all)
{
	image_bytes_vec merged = {0};

	if (all->nr)
		qsort(all->data, all->nr, sizeof(*all->data), image_bytes_compare);
	vec_for_each(all, b) {
		struct image_bytes *last = merged.nr ? &merged.data[merged.nr - 1] : NULL;
		uint64_t end = last ? last->at + last->bytes.nr : 0;

		if (!last || b->at > end) {
			image_bytes_add(&merged, b->at, b->bytes.data, b->bytes.nr);
		} else if (b->at + b->bytes.nr > end) {
			size_t have = end - b->at;

			if (vec_append(&last->bytes, b->bytes.data + have, b->bytes.nr - have))
				errx(2, "out of memory");
		}
	}
	image_bytes_free(all);
	*all = merged;
}

/* Copies up to @size bytes at @at. Returns their number. */
static size_t image_bytes_copy(const image_bytes_vec *all, uint64_t at, void *to, size_t size)
{
	size_t low = 0, high = all->nr;

	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct image_bytes *b = &all->data[middle];

		if (at < b->at) {
			high = middle;
		} else if (at - b->at >= b->bytes.nr) {
			low = middle + 1;
		} else {
			size_t nr = b->bytes.nr - (at - b->at);

			nr = nr < size ? nr : size;
			memcpy(to, b->bytes.data + (at - b->at), nr);
			return nr;
		}
	}
	return 0;
}

static void sample_image_free(struct sample_image *image)
{
	vec_for_each(&image->files, f) {
		image_bytes_free(&f->slices);
		vec_free(&f->rules);
	}
	vec_free(&image->files);
	vec_free(&image->mappings);
	image_bytes_free(&image->reads);
}

static void image_bytes_print(FILE *f, const char *word, const image_bytes_vec *all)
{
	vec_for_each(all, b) {
		fprintf(f, "%s %" PRIx64 " ", word, b->at);
		vec_for_each(&b->bytes, c)
			fprintf(f, "%02x", (unsigned char)*c);
		fputc('\n', f);
	}
}

/* Fields of a rule as numbers, in the order of the text. */
#define RULE_FIELDS(r)                                                                             \
	(r).cfa, (r).cfa_reg, (r).ra, (r).ra_reg, (r).fp, (r).kept, (unsigned int)(r).cfa_off,     \
		(unsigned int)(r).cfa_add, (unsigned int)(r).fp_off, (unsigned int)(r).kept_off

static void image_file_print(FILE *f, const struct image_file *file)
{
	fprintf(f, "file %s %" PRIx64 "\n", file->name, file->size);
	image_bytes_print(f, "slice", &file->slices);
	vec_for_each(&file->rules, r)
		fprintf(f, "rule %" PRIx64 " %x %x %x %x %x %x %x %x %x %x\n", r->off,
			RULE_FIELDS(r->rule));
}

static void sample_image_print(FILE *f, const struct sample_image *image)
{
	const unsigned long long *regs = (const void *)&image->regs;

	fputs("regs", f);
	for (size_t i = 0; i < sizeof(image->regs) / sizeof(*regs); i++)
		fprintf(f, " %llx", regs[i]);
	fputc('\n', f);
	vec_for_each(&image->files, file)
		image_file_print(f, file);
	vec_for_each(&image->mappings, m)
		fprintf(f, "mapping %" PRIx64 " %" PRIx64 " %" PRIx64 " %d\n", m->start, m->end,
			m->pgoff, (int)m->file);
	if (image->interpreter != IMAGE_NO_FILE)
		fprintf(f, "interpreter %x %" PRIx64 "\n", image->interpreter, image->base);
	if (image->regex_bytes)
		fprintf(f, "regex %" PRIx64 " %" PRIx64 "\n", image->regex_start,
			image->regex_bytes);
	image_bytes_print(f, "read", &image->reads);
}

/* Writes the image, compressed, to the file at @path. */
static inline void sample_image_write(const char *path, const struct sample_image *image)
{
	_cleanup_free_ char *text = NULL, *packed = NULL;
	_cleanup_fclose_ FILE *out = fopen(path, "we");
	size_t size, bound, nr;
	FILE *f = open_memstream(&text, &size);

	if (!out || !f)
		err(2, "%s", path);
	sample_image_print(f, image);
	fclose(f);
	bound = ZSTD_compressBound(size);
	packed = malloc(bound);
	nr = packed ? ZSTD_compress(packed, bound, text, size, 19) : 0;
	if (!nr || ZSTD_isError(nr) || fwrite(packed, 1, nr, out) != nr || fflush(out))
		err(2, "%s", path);
}

/* The rest of the line: bytes in base 16. */
static void image_bytes_parse(image_bytes_vec *all, const char *text)
{
	struct image_bytes b = {0};
	char *hex;

	b.at = strtoull(text, &hex, 16);
	for (hex += *hex == ' '; hex[0] && hex[1]; hex += 2) {
		const char digits[] = {hex[0], hex[1], '\0'};

		IMAGE_PUSH(&b.bytes, (char)strtoul(digits, NULL, 16));
	}
	IMAGE_PUSH(all, b);
}

static bool image_rule_parse(struct image_file *file, const char *text)
{
	unsigned int n[10];
	uint64_t off;

	if (!file || sscanf(text, "%" SCNx64 " %x %x %x %x %x %x %x %x %x %x", &off, &n[0], &n[1],
			    &n[2], &n[3], &n[4], &n[5], &n[6], &n[7], &n[8], &n[9]) != 11)
		return false;
	IMAGE_PUSH(&file->rules, {.off = off,
				  .rule = {.cfa = n[0],
					   .cfa_reg = n[1],
					   .ra = n[2],
					   .ra_reg = n[3],
					   .fp = n[4],
					   .kept = n[5],
					   .cfa_off = (int)n[6],
					   .cfa_add = (int)n[7],
					   .fp_off = (int)n[8],
					   .kept_off = (int)n[9]}});
	return true;
}

static bool image_regs_parse(struct user_regs_struct *regs, char *text)
{
	unsigned long long *to = (void *)regs;

	for (size_t i = 0; i < sizeof(*regs) / sizeof(*to); i++)
		to[i] = strtoull(text, &text, 16);
	return !*text;
}

/* Takes a line of the text. Returns false if it is none. */
static bool image_line_parse(struct sample_image *image, char *line)
{
	struct image_file *file = image->files.nr ? &image->files.data[image->files.nr - 1] : NULL;
	char *text = strchr(line, ' ');
	struct image_file new = {0};
	struct image_mapping m;

	if (!text)
		return false;
	*text++ = '\0';
	if (!strcmp(line, "regs"))
		return image_regs_parse(&image->regs, text);
	if (!strcmp(line, "file")) {
		if (sscanf(text, "%63s %" SCNx64, new.name, &new.size) != 2)
			return false;
		IMAGE_PUSH(&image->files, new);
		return true;
	}
	if (!strcmp(line, "mapping")) {
		if (sscanf(text, "%" SCNx64 " %" SCNx64 " %" SCNx64 " %d", &m.start, &m.end,
			   &m.pgoff, (int *)&m.file) != 4)
			return false;
		IMAGE_PUSH(&image->mappings, m);
		return true;
	}
	if (!strcmp(line, "interpreter"))
		return sscanf(text, "%x %" SCNx64, &image->interpreter, &image->base) == 2;
	if (!strcmp(line, "regex"))
		return sscanf(text, "%" SCNx64 " %" SCNx64, &image->regex_start,
			      &image->regex_bytes) == 2;
	if (!strcmp(line, "rule"))
		return image_rule_parse(file, text);
	if (!strcmp(line, "read"))
		image_bytes_parse(&image->reads, text);
	else if (!strcmp(line, "slice") && file)
		image_bytes_parse(&file->slices, text);
	else
		return false;
	return true;
}

/* Largest image as text. */
#define IMAGE_TEXT_MAX (16u << 20)

static inline void sample_image_read(const char *path, struct sample_image *image)
{
	_cleanup_free_ char *packed = malloc(IMAGE_TEXT_MAX), *text = malloc(IMAGE_TEXT_MAX + 1);
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	size_t nr;

	if (!f || !packed || !text)
		err(2, "%s", path);
	nr = ZSTD_decompress(text, IMAGE_TEXT_MAX, packed, fread(packed, 1, IMAGE_TEXT_MAX, f));
	if (ZSTD_isError(nr))
		errx(2, "%s: %s", path, ZSTD_getErrorName(nr));
	text[nr] = '\0';
	image->interpreter = IMAGE_NO_FILE;
	for (char *line = text, *end; *line; line = end) {
		end = line + strcspn(line, "\n");
		if (*end)
			*end++ = '\0';
		if (!image_line_parse(image, line))
			errx(2, "%s: not a line of an image: %.40s", path, line);
	}
	vec_for_each(&image->mappings, m)
		if (image_mapping_has_file(m) && m->file >= image->files.nr)
			errx(2, "%s: there is no file %u", path, m->file);
	if (image->interpreter != IMAGE_NO_FILE && image->interpreter >= image->files.nr)
		errx(2, "%s: there is no file %u", path, image->interpreter);
}

/* A file with the slices and nothing else. */
static int image_file_open(const struct image_file *file)
{
	int fd = memfd_create(file->name, MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, (off_t)file->size))
		err(2, "%s", file->name);
	vec_for_each(&file->slices, s)
		if (pwrite(fd, s->bytes.data, s->bytes.nr, (off_t)s->at) != (ssize_t)s->bytes.nr)
			err(2, "%s", file->name);
	return fd;
}

static uint32_t image_table_rule(struct unwind_table *table, const struct unwind_rule *rule)
{
	for (uint32_t i = 0; i < table->nr_rules; i++)
		if (!memcmp(&table->rules[i], rule, sizeof(*rule)))
			return i;
	table->rules[table->nr_rules] = *rule;
	return table->nr_rules++;
}

/* Makes the unwind table of the file, which knows the addresses of the rules and no other. */
static void image_file_table(const struct image_file *file, struct unwind_table *table)
{
	uint64_t end = file->rules.nr ? file->rules.data[file->rules.nr - 1].off + 1 : 0;
	const struct image_rule *r = file->rules.data;
	uint32_t nr = (end + UNWIND_PAGE_SIZE - 1) / UNWIND_PAGE_SIZE;

	*table = (struct unwind_table){
		.nr_pages = nr,
		.pages = calloc(nr + 1, sizeof(*table->pages)),
		.rows = calloc(nr + 2 * file->rules.nr + 1, sizeof(*table->rows)),
		.rules = calloc(file->rules.nr + 1, sizeof(*table->rules)),
		.nr_rules = 1,
	};
	if (!table->pages || !table->rows || !table->rules)
		errx(2, "out of memory");
	for (uint64_t page = 0; page < nr; page++) {
		uint32_t first = table->nr_rows, last = 0;

		table->rows[table->nr_rows++] = UNWIND_ROW(0, UNWIND_NO_RULE);
		for (; r < file->rules.data + file->rules.nr && r->off >> UNWIND_PAGE_SHIFT == page;
		     r++) {
			uint32_t off = r->off % UNWIND_PAGE_SIZE;

			/* A row at the same place takes the place of the one before. */
			table->nr_rows -= off == last;
			table->rows[table->nr_rows++] =
				UNWIND_ROW(off, image_table_rule(table, &r->rule));
			last = off + 1;
			if (last < UNWIND_PAGE_SIZE)
				table->rows[table->nr_rows++] = UNWIND_ROW(last, UNWIND_NO_RULE);
		}
		table->pages[page] = (struct unwind_page){first, table->nr_rows - first};
	}
}

#endif
