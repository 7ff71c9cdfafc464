/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of functions of Go, as versions lay them out, and files around them. */
#ifndef TESTS_MADE_GO_TABLE_H
#define TESTS_MADE_GO_TABLE_H

#include "tests/unit/go_elf.h"

#define TEXT CODE_VADDR

/* Of the host's instructions. */
#ifdef BPF_HOST_ARCH_AARCH64_H
#define QUANTUM 4
#else
#define QUANTUM 1
#endif

/* A function in the table, at TEXT + @off up to the next one. */
struct spec {
	uint32_t off;
	const char *name;
	uint8_t flags;
	const uint8_t *program;
	size_t size; /* of it; 0: the function has none */
};

struct layout {
	uint32_t magic;
	bool is_old, has_line;
};

static const struct layout layouts[] = {
	{0xfffffffa, true, false}, {0xfffffff0, false, false}, {0xfffffff1, false, true}};

#define NEWEST &layouts[2]

/* The parts of a table: names, programs, functions with their records. */
struct parts {
	frames names, programs, functions;
};

static inline void put_record(struct parts *p, const struct layout *l, const struct spec *spec)
{
	frames *f = &p->functions;

	put_number(f, (l->is_old ? TEXT : 0) + spec->off, l->is_old ? 8 : 4);
	put_number(f, p->names.nr, 4);
	put_number(f, 0, 8);
	put_number(f, spec->size ? p->programs.nr : 0, 4);
	put_number(f, 0, 8);
	put_number(f, 0, 8);
	put_number(f, 0, l->has_line ? 4 : 0);
	put_u8(f, 0);
	put_u8(f, spec->flags);
	put_number(f, 0, 2);
	put(&p->names, spec->name, strlen(spec->name) + 1);
	put(&p->programs, spec->program, spec->size);
	put_u8(&p->programs, 0);
}

static inline frames make_table(const struct layout *l, const struct spec *specs, size_t nr,
				uint32_t end)
{
	size_t header = l->is_old ? 64 : 72, number = l->is_old ? 8 : 4;
	size_t record = 4 * 10 + (l->is_old ? 4 : 0) + (l->has_line ? 4 : 0);
	struct parts p = {0};
	frames f = {0};

	put_u8(&p.programs, 0);
	for (size_t i = 0; i <= nr; i++) {
		put_number(&p.functions, (l->is_old ? TEXT : 0) + (i < nr ? specs[i].off : end),
			   number);
		if (i < nr)
			put_number(&p.functions, (2 * nr + 1) * number + i * record, number);
	}
	for (size_t i = 0; i < nr; i++)
		put_record(&p, l, &specs[i]);
	put_number(&f, l->magic, 4);
	put(&f, (const uint8_t[]){0, 0, QUANTUM, 8}, 4);
	put_number(&f, nr, 8);
	put_number(&f, 0, 8);
	if (!l->is_old)
		put_number(&f, TEXT, 8);
	put_number(&f, header, 8);
	put_number(&f, 0, 8);
	put_number(&f, 0, 8);
	put_number(&f, header + p.names.nr, 8);
	put_number(&f, header + p.names.nr + p.programs.nr, 8);
	put(&f, p.names.data, p.names.nr);
	put(&f, p.programs.data, p.programs.nr);
	put(&f, p.functions.data, p.functions.nr);
	vec_free(&p.names);
	vec_free(&p.programs);
	vec_free(&p.functions);
	return f;
}

#define PROGRAM(...)                                                                               \
	.program = (const uint8_t[]){__VA_ARGS__}, .size = sizeof((const uint8_t[]){__VA_ARGS__})

/* Differences: values twice, odd if negative, and bytes of code. The first value is from -1 on. */
#define LEAF PROGRAM(2, 0x40)

#endif
