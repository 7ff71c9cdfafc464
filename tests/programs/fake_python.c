// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the memory layout of CPython 3.12, and functions of known names in known native frames. With
 * an argument it lies in one way:
 *
 *	cycle    the chain of frames never ends
 *	wild     the chain leads to memory that is not mapped
 *	huge     names have a gigabyte
 *	escape   names have control characters
 *	other    the thread state is of another thread
 *	mark     the mark is in no native frame
 *	unnamed  the inner function runs in others whose names are not mapped
 *	release  the version is one that nobody knows
 *	flood    each millisecond a hundred other functions run, of 65536 that have long names
 *
 * With "perf" it does not lie, and calls functions through a stub in anonymous memory, as CPython
 * does with -X perf. With "stub" the bytes of the stub are others, and so is its frame.
 *
 * Link it with -Wl,--export-dynamic -lpthread.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/programs/burn.h"
#include "marks.h"

#define KEY_OFFSET 1548

/* CPython's own names, by which the recorder knows it. */
char _PyRuntime[4096] __attribute__((aligned(16)));
#ifdef UNKNOWN_RELEASE
const uint32_t Py_Version = 0x03630000 | 0xf0;
#else
const uint32_t Py_Version = 0x030c07f0;
#endif
void *PyEval_EvalFrameEx(void *state, void *frame);

struct text {
	char head[16];
	uint64_t length, hash;
	uint32_t state;
	char pad[4];
	char characters[256];
};

struct code {
	char head[48];
	uint32_t flags, more[4];
	uint32_t line;
	char pad[20];
	uint32_t version;
	char pad2[16];
	struct text *file, *name, *qualname;
	char end[16];
};
_Static_assert(offsetof(struct code, line) == 68, "as CPython has it");
_Static_assert(offsetof(struct code, version) == 92, "as CPython has it");
_Static_assert(offsetof(struct code, qualname) == 128, "as CPython has it");

struct frame {
	struct code *code;
	struct frame *previous;
	char pad[54];
	uint8_t owner;
	char end[9];
};
_Static_assert(offsetof(struct frame, owner) == 70, "as CPython has it");

struct list {
	struct frame *current;
	struct list *previous;
};

struct state {
	char head[56];
	struct list *list;
	char pad[72];
	pthread_t thread;
	char end[64];
};
_Static_assert(offsetof(struct state, thread) == 136, "as CPython has it");

static struct list list;
static struct state state = {.list = &list};
static const char *lie = "";

#define COMPACT_ASCII (1 << 2 | 1 << 5 | 1 << 6)

static struct text *make_text(const char *s)
{
	struct text *t = calloc(1, sizeof(*t));

	t->length = strcmp(lie, "huge") ? strlen(s) : 1ul << 30;
	t->state = COMPACT_ASCII;
	strcpy(t->characters, s);
	return t;
}

static struct code *make_code(const char *name, uint32_t line)
{
	static uint32_t version;
	struct code *c = calloc(1, sizeof(*c));
	char text[128];

	snprintf(text, sizeof(text), "%s%s", name, strcmp(lie, "escape") ? "" : "\x1b[31m\n;\x07");
	c->line = line;
	c->version = ++version;
	c->file = make_text("/srv/fake.py");
	c->name = c->qualname = make_text(text);
	return c;
}

/* More than the names whose failures end the search of a stack. */
#define NR_UNNAMED 6

/* Functions of a stack, and of the flood. */
#define NR_FRAMES 100
#define NR_FLOOD  65536

static struct code *outer, *middle, *inner[NR_UNNAMED];

/* Runs the functions, the last of which is the innermost, and then calls @body. */
__attribute__((noinline)) static int evaluate(struct code **functions, int nr, int (*body)(void))
{
	struct frame shim = {.previous = list.current, .owner = 3};
	struct frame frames[NR_FRAMES] = {0};
	struct frame *caller = strcmp(lie, "mark") ? &shim : NULL;
	int ret;

	if (!caller) {
		caller = calloc(1, sizeof(*caller));
		*caller = shim;
	}
	for (int i = 0; i < nr; i++) {
		frames[i] = (struct frame){.code = functions[i], .previous = caller};
		caller = &frames[i];
	}
	if (!strcmp(lie, "cycle"))
		frames[0].previous = &frames[nr - 1];
	if (!strcmp(lie, "wild"))
		frames[0].previous = (struct frame *)0x123456789000;
	list.current = caller;
	ret = body();
	list.current = shim.previous;
	return ret + 1;
}

typedef int evaluate_fn(struct code **functions, int nr, int (*body)(void));
typedef int stub_fn(struct code **functions, int nr, int (*body)(void), evaluate_fn *evaluate);

static stub_fn *stub;

/* The stub is in anonymous memory, and no table knows it. */
static void make_stub(void)
{
	/* sub $0x8,%rsp; call *%rcx; add $0x8,%rsp; ret */
	static const unsigned char bytes[] = {0x48, 0x83, 0xec, 0x08, 0xff, 0xd1,
					      0x48, 0x83, 0xc4, 0x08, 0xc3};
	unsigned char *p =
		mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED)
		exit(1);
	memcpy(p, bytes, sizeof(bytes));
	if (!strcmp(lie, "stub"))
		p[3] = p[9] = 0x18;
	if (mprotect(p, 4096, PROT_READ | PROT_EXEC))
		exit(1);
	*(void **)&stub = p;
}

static int evaluate_by_stub(struct code **functions, int nr, int (*body)(void))
{
	return stub ? stub(functions, nr, body, evaluate) : evaluate(functions, nr, body);
}

static int burn_inside(void)
{
	if (!marks_left)
		BURN_MS(20);
	mark();
	return 1;
}

static int burn_shortly(void)
{
	BURN_MS(1);
	mark();
	return 1;
}

/* Runs other functions all the time. */
__attribute__((noinline)) static int flood(void)
{
	static struct code *all[NR_FLOOD];
	char name[128];
	uint32_t next = 0;

	memset(name, 'n', sizeof(name));
	for (int i = 0; i < NR_FLOOD; i++) {
		snprintf(name + 100, sizeof(name) - 100, "%d", i);
		all[i] = make_code(name, i);
	}
	for (;; next = (next + NR_FRAMES) % (NR_FLOOD - NR_FRAMES))
		evaluate(all + next, NR_FRAMES, burn_shortly);
	return 1;
}

__attribute__((noinline)) static int native_helper(void)
{
	return evaluate_by_stub(inner, strcmp(lie, "unnamed") ? 1 : NR_UNNAMED, burn_inside) + 1;
}

void *PyEval_EvalFrameEx(void *unused, void *frame)
{
	struct code *functions[] = {outer, middle};

	(void)unused, (void)frame;
	if (!strcmp(lie, "flood"))
		return (void *)(intptr_t)flood();
	return (void *)(intptr_t)evaluate_by_stub(functions, 2, native_helper);
}

/* Functions that nobody has seen yet, as after each reload of a module. */
static void make_functions(void)
{
	outer = make_code("outer", 3);
	middle = make_code("K.middle", 7);
	for (int i = 0; i < NR_UNNAMED; i++) {
		inner[i] = make_code("inner", 12);
		if (!strcmp(lie, "unnamed"))
			inner[i]->qualname = (struct text *)0x123456789000;
	}
}

int main(int argc, char **argv)
{
	int seconds_fifths = argc > 1 ? atoi(argv[1]) : 50;
	pthread_key_t key;
	uint32_t words[2] = {1};

	if (argc > 2)
		lie = argv[2];
	if (!strcmp(lie, "perf") || !strcmp(lie, "stub"))
		make_stub();
	make_functions();
	pthread_key_create(&key, NULL);
	words[1] = key;
	memcpy(_PyRuntime + KEY_OFFSET - sizeof(uint32_t), words, sizeof(words));
	state.thread = pthread_self() + (strcmp(lie, "other") ? 0 : 64);
	pthread_setspecific(key, &state);
	for (int i = 0; i < seconds_fifths; i++) {
		PyEval_EvalFrameEx(NULL, NULL);
		if (marks_left)
			make_functions();
	}
	return 0;
}
