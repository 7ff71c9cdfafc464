// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the memory layout of Ruby 3.3, and functions of known names in known native frames. With an
 * argument it lies in one way:
 *
 *	endless    the frames have no end
 *	wild       frames lead to memory that is not mapped
 *	huge       names have a gigabyte
 *	escape     names have control characters
 *	array      a file is an array that holds itself
 *	loops      there are more loops in the frames than native frames of the loop
 *	elsewhere  the native stack is said to be elsewhere
 *	context    the context is no context
 *
 * Link it with -Wl,--export-dynamic.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "tests/programs/burn.h"

/* Ruby's own names, by which the recorder knows it. */
#ifdef UNKNOWN_RELEASE
const char ruby_version[16] = "9.9.9";
#else
const char ruby_version[16] = "3.3.99";
#endif
struct context;
struct context *rb_thread_current(void);
int rb_vm_exec(int (*body)(void));

/* Functions of Ruby that do nothing but read a field. */
__asm__(".globl rb_iseq_label, rb_iseq_first_lineno\n"
	".type rb_iseq_label, @function\n"
	".type rb_iseq_first_lineno, @function\n"
	"rb_iseq_label: mov 16(%rdi), %rax\n"
	"	mov 80(%rax), %rax\n"
	"	ret\n"
	"rb_iseq_first_lineno: mov 16(%rdi), %rax\n"
#ifdef OTHER_LINES
	"	mov 96(%rax), %rax\n"
#else
	"	movslq 88(%rax), %rax\n"
#endif
	"	lea 1(%rax,%rax), %rax\n"
	"	ret\n"
	".zero 16\n");

#define STRING 5
#define ARRAY  7
#define FAR    0x2000

struct text {
	uint64_t flags, class, length;
	union {
		char near[16];
		const char *far;
	};
};

struct array {
	uint64_t flags, class;
	void *elements[2];
};

struct body {
	char head[64];
	void *file;
	void *base_name;
	struct text *name;
	int32_t line, end;
};
_Static_assert(offsetof(struct body, name) == 80, "as Ruby has it");

struct function {
	uint64_t flags, class;
	struct body *body;
};

#define METHOD 0x11110001
#define C_CODE 0x55550081
#define DUMMY  0x79990001
#define FINISH 0x20

struct frame {
	const void *pc, *sp;
	struct function *function;
	uint64_t self;
	const uint64_t *flags;
	uint64_t block, jit;
};
_Static_assert(sizeof(struct frame) == 56, "as Ruby has it");

struct context {
	void *stack;
	uint64_t stack_words;
	struct frame *frame;
	char pad[128];
	char *machine_begin, *machine_end;
	uint64_t machine_bytes;
	char end[16];
};
_Static_assert(offsetof(struct context, machine_begin) == 152, "as Ruby has it");

#define NR_FRAMES 64
#define NR_MANY   1000000

static const char *lie = "";
static _Thread_local struct context *current;
static struct context context;
static struct frame frames[NR_FRAMES];
static const uint64_t dummy_flags = DUMMY | FINISH, c_flags = C_CODE, method_flags = METHOD,
		      finish_flags = METHOD | FINISH;
static struct function *file_code, *middle, *inner;

struct context *rb_thread_current(void)
{
	return current;
}

static bool is_lie(const char *name)
{
	return !strcmp(lie, name);
}

static struct text *make_text(const char *s)
{
	struct text *t = calloc(1, sizeof(*t));

	t->flags = STRING;
	t->length = strlen(s);
	if (t->length < sizeof(t->near) && !is_lie("huge")) {
		strcpy(t->near, s);
		return t;
	}
	t->flags |= FAR;
	t->far = strcpy(calloc(1, 4096), s);
	if (is_lie("huge"))
		t->length = 1ul << 30;
	return t;
}

static struct function *make_function(const char *name, int line)
{
	struct function *f = calloc(1, sizeof(*f));
	struct array *file = calloc(1, sizeof(*file));
	char text[128];

	snprintf(text, sizeof(text), "%s%s", name, is_lie("escape") ? "\x1b[31m\n;\x07" : "");
	f->body = calloc(1, sizeof(*f->body));
	f->body->name = make_text(text);
	f->body->line = line;
	file->flags = ARRAY | FAR;
	file->elements[0] = is_lie("array") ? (void *)file : make_text("/srv/fake.rb");
	file->elements[1] = make_text("/somewhere/else/fake.rb");
	f->body->file = file;
	return f;
}

static void push_frame(struct function *function, const uint64_t *flags)
{
	struct frame new = {.pc = function, .function = function, .flags = flags};
	struct frame *frame = current->frame - 1;

	*frame = new;
	__asm__ volatile("" ::: "memory");
	current->frame = frame;
}

static void pop_frame(void)
{
	current->frame++;
	__asm__ volatile("" ::: "memory");
}

__attribute__((noinline)) int rb_vm_exec(int (*body)(void))
{
	return body() + 1;
}

static int burn_inside(void)
{
	BURN_MS(10);
	return 1;
}

/* Functions in C have frames, but no functions. */
__attribute__((noinline)) static int native_helper(void)
{
	int ret;

	push_frame(NULL, &c_flags);
	push_frame(inner, &finish_flags);
	if (is_lie("wild"))
		current->frame[1].flags = (const uint64_t *)0x123456789000,
		current->frame[1].pc = current->frame[1].function = (void *)0x123456789000;
	ret = rb_vm_exec(burn_inside) + 1;
	pop_frame();
	pop_frame();
	return ret;
}

/* The innermost function has left the frames, and its loop has not ended. */
__attribute__((noinline)) static int native_return(void)
{
	int ret;

	pop_frame();
	ret = burn_inside();
	push_frame(middle, &finish_flags);
	return ret + 1;
}

__attribute__((noinline)) static int native_call(void)
{
	int ret;

	push_frame(middle, &finish_flags);
	ret = rb_vm_exec(native_return) + 1;
	pop_frame();
	return ret;
}

/* A function has begun, and its loop has not. */
__attribute__((noinline)) static int native_begin(void)
{
	int ret;

	push_frame(inner, &finish_flags);
	BURN_MS(10);
	ret = 1;
	pop_frame();
	return ret;
}

static void run_file(int (*body)(void))
{
	push_frame(file_code, is_lie("loops") ? &method_flags : &finish_flags);
	push_frame(middle, &method_flags);
	for (int i = 0; is_lie("loops") && i < 3; i++)
		push_frame(middle, &finish_flags);
	rb_vm_exec(body);
	for (int i = 0; is_lie("loops") && i < 3; i++)
		pop_frame();
	pop_frame();
	pop_frame();
}

/* The frames are at the end of @nr, of which those before the last are the outermost one's. */
static void begin_frames(struct frame *all, uint32_t nr, char *machine_begin)
{
	for (uint32_t i = NR_FRAMES / 2; i < nr; i++)
		all[i] = (struct frame){.pc = middle, .function = middle, .flags = &finish_flags};
	all[nr - 1] = (struct frame){.pc = middle, .function = middle, .flags = &dummy_flags};
	context.stack = all;
	context.stack_words = (uint64_t)nr * sizeof(*all) / 8;
	context.frame = all + NR_FRAMES / 2;
	if (nr == NR_FRAMES)
		context.frame = all + nr - 1;
	context.machine_begin = machine_begin;
	context.machine_bytes = 1 << 20;
	if (is_lie("elsewhere"))
		context.machine_begin -= 1ul << 30;
	current = is_lie("context") ? (struct context *)0x123456789000 : &context;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 50;
	struct frame *all = frames;
	uint32_t nr = NR_FRAMES;
	char here;

	if (argc > 2)
		lie = argv[2];
	file_code = make_function("<main>", 1);
	middle = make_function("middle", 7);
	inner = make_function("block in a method with a long name", 12);
	if (is_lie("endless")) {
		nr = NR_MANY;
		all = mmap(NULL, nr * sizeof(*all), PROT_READ | PROT_WRITE,
			   MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (all == MAP_FAILED)
			return 1;
	}
	begin_frames(all, nr, &here + 4096);
	for (int i = 0; i < rounds && !is_lie("context"); i++) {
		run_file(native_helper);
		run_file(native_begin);
		run_file(native_call);
	}
	for (int i = 0; i < rounds && is_lie("context"); i++)
		rb_vm_exec(burn_inside);
	return 0;
}
