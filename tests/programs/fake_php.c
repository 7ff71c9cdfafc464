// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the memory layout of PHP 8.2, and functions of known names in known native frames. With an
 * argument it lies in one way:
 *
 *	cycle      the chain of frames never ends
 *	wild       the chain leads to memory that is not mapped
 *	huge       names have a gigabyte
 *	escape     names have control characters
 *	generator  a generator delegates to itself
 *	loops      there are more loops in the chain than native frames of the loop
 *
 * Link it with -Wl,--export-dynamic.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/programs/burn.h"

#define GLOBALS_FRAME 488

#define CALL_TOP  0x20000
#define IS_OBJECT 8

/* PHP's own names, by which the recorder knows it. */
struct frame;
#ifndef WITH_THREADS
struct {
	char head[GLOBALS_FRAME];
	struct frame *current;
	char rest[1304];
} executor_globals;
#define current_frame executor_globals.current
#else
static struct frame *current_frame;
#endif
#ifdef UNKNOWN_RELEASE
const char version[64] = "X-Powered-By: PHP/9.9.9";
#else
const char version[64] = "X-Powered-By: PHP/8.2.99";
#endif
const char build[32] = "API420220829,NTS";
int zend_vm_kind(void);
void zend_objects_destroy_object(struct frame *frame, int (*body)(void));
int execute_ex(struct frame *frame, int (*body)(void));

struct text {
	uint32_t references, type;
	uint64_t hash, length;
	char characters[256];
};

struct class
{
	uint64_t type;
	struct text *name;
};

enum function_type { INTERNAL = 1, USER = 2 };

struct function {
	uint8_t type, pad[3];
	uint32_t flags;
	struct text *name;
	struct class *scope;
	char pad2[64];
	void *code;
	char pad3[56];
	struct text *file;
	uint32_t line;
	char end[28];
};
_Static_assert(offsetof(struct function, code) == 88, "as PHP has it");
_Static_assert(offsetof(struct function, file) == 152, "as PHP has it");

struct frame {
	uint64_t code, call, result;
	struct function *function;
	void *object;
	uint32_t flags, more;
	struct frame *previous;
	uint64_t end[3];
};
_Static_assert(offsetof(struct frame, previous) == 48, "as PHP has it");

struct generator {
	char head[56];
	struct frame *frame;
	char pad[88];
	struct generator *parent;
	char pad2[24];
	struct frame stand_in;
};
_Static_assert(offsetof(struct generator, parent) == 152, "as PHP has it");
_Static_assert(offsetof(struct generator, stand_in) == 184, "as PHP has it");

static const char *lie = "";

static struct text *make_text(const char *s)
{
	struct text *t = calloc(1, sizeof(*t));

	t->length = strcmp(lie, "huge") ? strlen(s) : 1ul << 30;
	strcpy(t->characters, s);
	return t;
}

static struct function *make_function(enum function_type type, const char *class, const char *name,
				      uint32_t line)
{
	struct function *f = calloc(1, sizeof(*f));
	char text[128];

	f->type = type;
	snprintf(text, sizeof(text), "%s%s", name, strcmp(lie, "escape") ? "" : "\x1b[31m\n;\x07");
	if (name[0])
		f->name = make_text(text);
	if (class) {
		f->scope = calloc(1, sizeof(*f->scope));
		f->scope->name = make_text(class);
	}
	if (type == USER) {
		f->code = f;
		f->file = make_text("/srv/fake.php");
		f->line = line;
	}
	return f;
}

int zend_vm_kind(void)
{
	return 4;
}

__attribute__((noinline)) int execute_ex(struct frame *frame, int (*body)(void))
{
	struct frame *before = current_frame;
	int ret;

	current_frame = frame;
	ret = body();
	current_frame = before;
	return ret + 1;
}

__attribute__((noinline)) void zend_objects_destroy_object(struct frame *frame, int (*body)(void))
{
	execute_ex(frame, body);
	__asm__ volatile("");
}

static struct function *file_code, *middle, *internal, *inner, *destructor, *running, *delegating;

static int burn_inside(void)
{
	BURN_MS(10);
	return 1;
}

__attribute__((noinline)) static int native_helper(void)
{
	struct frame frame = {.function = inner, .flags = CALL_TOP, .previous = current_frame};

	if (!strcmp(lie, "cycle"))
		frame.previous = &frame;
	if (!strcmp(lie, "wild"))
		frame.previous = (struct frame *)0x123456789000;
	return execute_ex(&frame, burn_inside) + 1;
}

/* The function of the current frame has ended, and a destructor runs before its loop returns. */
__attribute__((noinline)) static int native_return(void)
{
	struct frame frame = {.function = destructor, .flags = CALL_TOP};

	current_frame = current_frame->previous;
	frame.previous = current_frame;
	zend_objects_destroy_object(&frame, burn_inside);
	return 1;
}

__attribute__((noinline)) static int native_call(void)
{
	struct frame frame = {.function = middle, .flags = CALL_TOP, .previous = current_frame};

	return execute_ex(&frame, native_return) + 1;
}

/* A generator that delegates to another one, which runs. */
__attribute__((noinline)) static int native_resume(void)
{
	struct frame outer = {.function = delegating},
		     frame = {.function = running, .flags = CALL_TOP};
	struct generator inside = {.frame = &frame}, outside = {.frame = &outer, .parent = &inside};

	if (!strcmp(lie, "generator"))
		inside.parent = &outside;
	outside.stand_in =
		(struct frame){.object = &outside, .flags = IS_OBJECT, .previous = current_frame};
	frame.previous = &outside.stand_in;
	return execute_ex(&frame, burn_inside) + 1;
}

/* The code of the file calls a method, and that calls a function in C, which calls @body. */
static void run_file(int (*body)(void))
{
	struct frame file = {.function = file_code, .flags = CALL_TOP};
	struct frame method = {.function = middle, .previous = &file};
	struct frame helper = {.function = internal, .previous = &method};
	struct frame no_loop = {.function = middle, .flags = CALL_TOP, .previous = &file};

	if (!strcmp(lie, "loops")) {
		method.flags = CALL_TOP;
		method.previous = &no_loop;
	}
	execute_ex(&helper, body);
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;

	if (argc > 2)
		lie = argv[2];
	file_code = make_function(USER, NULL, "", 1);
	middle = make_function(USER, "K", "middle", 7);
	internal = make_function(INTERNAL, NULL, "call_back", 0);
	inner = make_function(USER, NULL, "inner", 12);
	destructor = make_function(USER, "K", "__destruct", 15);
	running = make_function(USER, NULL, "running", 20);
	delegating = make_function(USER, NULL, "delegating", 25);
	for (int i = 0; i < rounds; i++) {
		run_file(native_helper);
		run_file(native_call);
		run_file(native_resume);
	}
	return 0;
}
