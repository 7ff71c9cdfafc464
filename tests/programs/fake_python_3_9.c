// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the memory layout of CPython 3.9, and functions of known names, each in a native frame of the
 * interpreter's loop. With an argument, the list of frames has the last two functions alone:
 *
 *	suspended  the last one is a generator that waits
 *	parted     the others are another list's, as those of a greenlet
 *
 * Link it with -Wl,--export-dynamic -lpthread.
 */
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/programs/burn.h"

#define KEY_OFFSET 588

/* CPython's own names, by which the recorder knows it. */
char _PyRuntime[656] __attribute__((aligned(16)));
void PyFrame_GetCode(void);
void *PyEval_EvalFrameEx(void *state, void *frame);

struct text {
	char head[16];
	uint64_t length, hash;
	uint32_t state;
	char pad[12];
	char characters[64];
};

struct code {
	char head[36];
	uint32_t flags, line;
	char pad[60];
	struct text *file, *name;
	char end[64];
};
_Static_assert(offsetof(struct code, name) == 112, "as CPython has it");

struct frame {
	char head[24];
	struct frame *back;
	struct code *code;
	char pad[32];
	void **top;
	char end[64];
};
_Static_assert(offsetof(struct frame, top) == 72, "as CPython has it");

struct state {
	char head[24];
	struct frame *frame;
	char pad[144];
	pthread_t thread;
	char end[64];
};
_Static_assert(offsetof(struct state, thread) == 176, "as CPython has it");

static struct state state;
static struct frame frames[3]; /* of outer, middle, inner */

#define COMPACT_ASCII (1 << 2 | 1 << 5 | 1 << 6)

static struct text *make_text(const char *s)
{
	struct text *t = calloc(1, sizeof(*t));

	t->length = strlen(s);
	t->state = COMPACT_ASCII;
	strcpy(t->characters, s);
	return t;
}

static void make_frame(struct frame *f, const char *name, uint32_t line)
{
	f->code = calloc(1, sizeof(*f->code));
	f->code->line = line;
	f->code->file = make_text("/srv/fake.py");
	f->code->name = make_text(name);
}

typedef int body_fn(void);

/* The loop: runs the function of @f, which calls @body. */
__attribute__((noinline)) int _PyEval_EvalFrameDefault(struct frame *f, body_fn *body)
{
	int ret;

	state.frame = f;
	ret = body();
	state.frame = f->back;
	return ret + 1;
}

static int burn_inside(void)
{
	BURN_MS(20);
	return 1;
}

__attribute__((noinline)) static int native_helper(void)
{
	return _PyEval_EvalFrameDefault(&frames[2], burn_inside) + 1;
}

static int run_middle(void)
{
	return _PyEval_EvalFrameDefault(&frames[1], native_helper) + 1;
}

void *PyEval_EvalFrameEx(void *unused, void *f)
{
	(void)unused;
	return (void *)(intptr_t)_PyEval_EvalFrameDefault(f, run_middle);
}

void PyFrame_GetCode(void)
{
}

int main(int argc, char **argv)
{
	int seconds_fiftieths = argc > 1 ? atoi(argv[1]) : 50;
	const char *lie = argc > 2 ? argv[2] : "";
	pthread_key_t key;
	uint32_t words[2] = {1};

	make_frame(&frames[0], "outer", 3);
	make_frame(&frames[1], "middle", 7);
	make_frame(&frames[2], "inner", 12);
	frames[2].back = &frames[1];
	frames[1].back = *lie ? NULL : &frames[0];
	if (!strcmp(lie, "suspended"))
		frames[1].top = (void **)&frames[1].end;
	pthread_key_create(&key, NULL);
	words[1] = key;
	memcpy(_PyRuntime + KEY_OFFSET - sizeof(uint32_t), words, sizeof(words));
	state.thread = pthread_self();
	pthread_setspecific(key, &state);
	for (int i = 0; i < seconds_fiftieths; i++)
		PyEval_EvalFrameEx(NULL, &frames[0]);
	return 0;
}
