// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the memory layout of Perl 5.36, or with -DSHORT_CONTEXTS that of 5.30, and subs of known
 * names in known native frames. With an argument it lies in one way:
 *
 *	cycle      the list of contexts is outside of itself
 *	wild       a list leads to memory that is not mapped
 *	huge       names have a gigabyte
 *	many       there are more contexts than memory
 *	escape     names have control characters
 *	loops      there are more loops in the contexts than native frames of the loop
 *
 * Link it with -Wl,--export-dynamic and -pthread.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/programs/burn.h"

/* Types of contexts, with their flags, and of lists of them. */
enum context_type {
	MAIN_LOOP = 7, /* of a loop in the source */
	SUB = 9,
	MANY_SUB = 0x19,
};

enum info_type { INFO_MAIN = 1, INFO_SORT = 3, INFO_OVERLOAD = 5 };

struct name {
	uint32_t hash;
	int32_t length;
	char text[256];
};

struct instruction {
	struct instruction *next;
	uint64_t pad[3];
	uint32_t number, line;
};

struct value {
	void *body;
	uint32_t references, flags;
	void *data;
};

struct package_body {
	uint64_t pad[3], last; /* number of an element */
	struct package_names {
		struct name *name;
		uint64_t more[2];
		uint32_t pad2, nr_names;
	} names; /* or after the elements */
};
_Static_assert(offsetof(struct package_body, names.nr_names) == 0x20 + 0x1c, "as Perl has it");

struct glob_body {
	uint64_t pad[4];
	struct name *name;
	struct value *package;
};

struct glob_data {
	uint64_t pad[7];
	struct value *effective;
};

struct sub_body {
	uint64_t pad[4];
	struct value *package;
	struct instruction *start;
	void *root;
	struct value *glob;
	const char *file;
	uint64_t pad2[2];
	uint32_t pad3, flags;
	uint32_t depth, pad4;
};
_Static_assert(offsetof(struct sub_body, flags) == 0x5c, "as Perl has it");

struct context {
	uint8_t type, pad[15];
	uint64_t pad2[4];
	void *next;
#ifdef SHORT_CONTEXTS
	uint64_t pad3;
#else
	uint64_t pad3[2];
#endif
	struct value *sub;
	uint64_t pad4[3];
};

#define CONTEXTS 8

struct info {
	void *stack;
	struct context *contexts;
	struct info *previous, *after;
	int32_t last, max;
#ifndef SHORT_CONTEXTS
	int32_t last_sub;
#endif
	int32_t type;
	struct context memory[CONTEXTS];
};

#ifdef SHORT_CONTEXTS
#define MINOR         30
#define INFO_AT       0xf0
#define FILE_AT       0x5d0
#define MAIN_AT       0x718
#define BYTES         0xcd0
#define CONTEXT_BYTES 0x60
#define LAST_ELEMENT  7
#define TYPE_AT       0x28
#else
#define MINOR         36
#define INFO_AT       0xe0
#define FILE_AT       0x5c0
#define MAIN_AT       0x708
#define BYTES         0xeb8
#define CONTEXT_BYTES 0x68
#define TYPE_AT       0x2c
#endif
_Static_assert(sizeof(struct context) == CONTEXT_BYTES, "as Perl has it");
_Static_assert(offsetof(struct info, type) == TYPE_AT, "as Perl has it");

static struct info outermost;
static const char *lie = "";

/* Perl's own names, by which the recorder knows it. */
const uint8_t PL_subversion = 99;
#ifdef UNKNOWN_RELEASE
const uint8_t PL_version = 99;
#else
const uint8_t PL_version = MINOR;
#endif
#ifndef WITHOUT_THREADS
pthread_key_t PL_thr_key;
const uint16_t PL_interp_size = BYTES;
static struct {
	char head[INFO_AT];
	struct info *info;
	char pad[FILE_AT - INFO_AT - 8];
	const char *file;
	char pad2[MAIN_AT - FILE_AT - 8];
	struct value *main;
	char rest[BYTES - MAIN_AT - 8];
} data;
#define current_info data.info
#define main_file    data.file
#define main_sub     data.main
#else
struct info *PL_curstackinfo;
const char *PL_origfilename;
struct value *PL_main_cv;
#define current_info PL_curstackinfo
#define main_file    PL_origfilename
#define main_sub     PL_main_cv
#endif
int Perl_runops_standard(int (*body)(void));
int Perl_call_sv(struct value *sub, int (*body)(void));
int Perl_amagic_call(struct value *sub, int (*body)(void));
int perl_run(int (*body)(void));

static struct name *make_name(const char *s)
{
	struct name *n = calloc(1, sizeof(*n));

	strcpy(n->text, s);
	n->length = strcmp(lie, "huge") ? strlen(n->text) : 1 << 30;
	return n;
}

static struct value *make_value(uint32_t type, void *body, void *more)
{
	struct value *v = calloc(1, sizeof(*v));

	v->body = body;
	v->flags = type;
	v->data = more;
	return v;
}

static struct value *make_package(const char *name)
{
	struct package_body *stash = calloc(1, sizeof(*stash));
#ifdef LAST_ELEMENT
	uint64_t *elements =
		calloc(1, (LAST_ELEMENT + 1) * sizeof(*elements) + sizeof(struct package_names));
	struct package_names *names = (struct package_names *)(elements + LAST_ELEMENT + 1);

	stash->last = LAST_ELEMENT;
#else
	uint64_t *elements = NULL;
	struct package_names *names = &stash->names;
#endif
	names->name = make_name(name);
	return make_value(12, stash, elements);
}

static struct value *make_sub(const char *package, const char *name, uint32_t line)
{
	struct glob_body *glob = calloc(1, sizeof(*glob));
	struct sub_body *sub = calloc(1, sizeof(*sub));
	char text[200];

	snprintf(text, sizeof(text), "%s%s", name, strcmp(lie, "escape") ? "" : "\x1b[31m\n;\x07");
	glob->name = make_name(text);
	glob->package = make_package(package);
	sub->start = calloc(1, sizeof(*sub->start));
	sub->start->number = 195;
	sub->start->line = line;
	sub->root = sub->start;
	sub->glob = make_value(9, glob, calloc(1, sizeof(struct glob_data)));
	sub->file = "/srv/lib/fake.pm";
	return make_value(13, sub, NULL);
}

static void push_context(enum context_type type, struct value *sub, void *next)
{
	struct context *c = &current_info->contexts[++current_info->last];

	c->type = type;
	c->sub = sub;
	c->next = next;
}

static void pop_context(void)
{
	current_info->contexts[current_info->last--].sub = NULL;
}

static void push_info(struct info *info, enum info_type type)
{
	*info = (struct info){.previous = current_info, .last = -1, .max = CONTEXTS, .type = type};
	info->contexts = info->memory;
	if (!strcmp(lie, "cycle"))
		info->previous = info;
	if (!strcmp(lie, "wild"))
		*info = (struct info){
			.contexts = (void *)0x123456789000, .last = 2, .max = CONTEXTS};
	if (!strcmp(lie, "many"))
		info->max = info->last = 900000;
	current_info = info;
}

__attribute__((noinline)) int Perl_runops_standard(int (*body)(void))
{
	return body() + 1;
}

__attribute__((noinline)) int Perl_call_sv(struct value *sub, int (*body)(void))
{
	int ret;

	push_context(SUB, sub, NULL);
	ret = Perl_runops_standard(body);
	pop_context();
	return ret + 1;
}

__attribute__((noinline)) int Perl_amagic_call(struct value *sub, int (*body)(void))
{
	int ret;

	push_context(SUB, sub, NULL);
	ret = Perl_runops_standard(body);
	pop_context();
	return ret + 1;
}

__attribute__((noinline)) int perl_run(int (*body)(void))
{
	return Perl_runops_standard(body) + 1;
}

static struct value *outer, *inner, *plus, *compare;

static int burn_inside(void)
{
	BURN_MS(10);
	return 1;
}

/* C code that calls a sub. */
__attribute__((noinline)) static int native_helper(void)
{
	return Perl_call_sv(inner, burn_inside) + 1;
}

/* An eval in a sub that C code has called goes on in a loop of its own. */
__attribute__((noinline)) static int native_catch(void)
{
	return Perl_runops_standard(burn_inside) + 1;
}

__attribute__((noinline)) static int native_eval(void)
{
	return Perl_call_sv(inner, native_catch) + 1;
}

/* An operator that is a sub. */
__attribute__((noinline)) static int native_add(void)
{
	struct info info;
	int ret;

	push_info(&info, INFO_OVERLOAD);
	if (strcmp(lie, "wild") && strcmp(lie, "many"))
		ret = Perl_amagic_call(plus, burn_inside) + 1;
	else
		ret = burn_inside();
	current_info = &outermost;
	return ret;
}

__attribute__((noinline)) static int native_compare(void)
{
	return Perl_runops_standard(burn_inside) + 2;
}

/* One context for all comparisons, of which the loop runs while one does. */
__attribute__((noinline)) static int native_sort(void)
{
	struct info info;
	int ret;

	push_info(&info, INFO_SORT);
	if (strcmp(lie, "wild") && strcmp(lie, "many"))
		push_context(MANY_SUB, compare, NULL);
	ret = native_compare() + burn_inside();
	current_info = &outermost;
	return ret;
}

static int (*native_part)(void);

/* The main program calls a sub, and that calls C code. */
static int run_main(void)
{
	int next, ret;

	push_context(MAIN_LOOP, NULL, NULL);
	push_context(SUB, outer, strcmp(lie, "loops") ? &next : NULL);
	ret = native_part();
	pop_context();
	pop_context();
	return ret;
}

int main(int argc, char **argv)
{
	int (*const parts[])(void) = {native_helper, native_eval, native_add, native_sort};
	int rounds = argc > 1 ? atoi(argv[1]) : 50;

	if (argc > 2)
		lie = argv[2];
#ifndef WITHOUT_THREADS
	pthread_key_create(&PL_thr_key, NULL);
	pthread_setspecific(PL_thr_key, &data);
#endif
	outermost = (struct info){.last = -1, .max = CONTEXTS, .type = INFO_MAIN};
	outermost.contexts = outermost.memory;
	current_info = &outermost;
	main_file = "/srv/bin/fake.pl";
	main_sub = make_sub("main", "", 1);
	((struct sub_body *)main_sub->body)->depth = 1;
	outer = make_sub("K", "outer", 7);
	inner = make_sub("K", "inner", 12);
	plus = make_sub("K", "plus", 15);
	compare = make_sub("main", "compare", 20);
	for (int i = 0; i < rounds; i++) {
		for (size_t part = 0; part < sizeof(parts) / sizeof(*parts); part++) {
			native_part = parts[part];
			perl_run(run_main);
		}
	}
	return 0;
}
