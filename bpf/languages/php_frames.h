/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the PHP functions of the current process. PHP keeps them in a list of frames, from the
 * innermost to the outermost, which begins in the executor's globals (zend_compile.h,
 * zend_globals.h). Functions in C that PHP calls have frames, too. All memory belongs to the
 * process, which can write anything there: loops are bounded, and reads may fail.
 *
 * PHP's usual build has one executor for a process, and knows no threads. Programs run it in their
 * main thread. The other threads of such a process have no functions.
 *
 * A frame has no address on the native stack. But the frames say which of them a loop of the
 * interpreter has begun with, so bpf/languages/loop_places.h finds their place.
 */
#ifndef BPF_LANGUAGES_PHP_FRAMES_H
#define BPF_LANGUAGES_PHP_FRAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/walk/depth_limit.h"
#include "bpf/languages/frame_window.h"
#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/languages/languages.h"
#include "bpf/languages/loop_segments.h"
#include "bpf/languages/met_functions.h"
#include "bpf/languages/seen_functions.h"
#include "bpf/languages/send_names.h"

/* Of a frame, struct _zend_execute_data, the numbers of words. */
enum php_frame_word {
	PHP_FRAME_FUNCTION = 3,
	PHP_FRAME_OBJECT = 4, /* of a method or a generator */
	PHP_FRAME_FLAGS = 5,
	PHP_FRAME_NEXT = 6,
};

/* The lowest byte of the flags is the type of the object: IS_OBJECT. */
#define PHP_IS_OBJECT(flags) (((flags)&0xff) == 8)

/* A loop of the interpreter has begun with this frame, ZEND_CALL_TOP. */
#define PHP_CALL_TOP 0x20000

/* Of a function, union _zend_function, the numbers of words. */
enum php_function_word {
	PHP_FUNCTION_HEAD = 0, /* type and flags */
	PHP_FUNCTION_NAME = 1,
	PHP_FUNCTION_SCOPE = 2, /* its class */
};

#define PHP_FUNCTION_HEAD_BYTES 24

/* Types of functions: in C, in PHP, and in the text that eval() was given. */
#define PHP_INTERNAL 1
#define PHP_USER     2
#define PHP_EVAL     4

/* Of a class, struct _zend_class_entry. */
#define PHP_CLASS_NAME 8

/* Of a string, struct _zend_string. */
#define PHP_STRING_LENGTH 16
#define PHP_STRING_TEXT   24

/* Frames that are looked at, and generators. */
#define MAX_PHP_FRAMES 2048

/* Reads the string at @addr: of a long path the last bytes, else the first ones. */
static __always_inline bool read_php_string(struct php_walk *p, __u64 addr, bool is_path,
					    struct language_text *text)
{
	__u64 length, skip = 0;
	__u32 nr;

	if (!addr || read_user(&p->length, sizeof(p->length), addr + PHP_STRING_LENGTH))
		return false;
	length = p->length;
	text->is_cut = length > NAME_BYTES;
	if (text->is_cut && is_path)
		skip = length - NAME_BYTES;
	nr = text->is_cut ? NAME_BYTES : length;
	text->kind = 0;
	text->nr_bytes = nr;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	if (nr > NAME_BYTES)
		return false;
	return !nr ||
	       !bpf_probe_read_user(text->bytes, nr, (void *)(addr + PHP_STRING_TEXT + skip));
}

/* The 8 bytes of the function at hand at offset @off. */
static __always_inline __u64 php_word(const struct php_walk *p, __u32 off)
{
	off /= 8;
	return off < PHP_FUNCTION_WORDS ? p->parts[off] : 0;
}

static __always_inline bool is_php_internal(const struct php_walk *p)
{
	return (p->parts[PHP_FUNCTION_HEAD] & 0xff) == PHP_INTERNAL;
}

static __always_inline bool read_php_names(const struct php_layout *at, struct php_walk *p,
					   struct scoped_function_name *name)
{
	__u64 scope = p->parts[PHP_FUNCTION_SCOPE], text = p->parts[PHP_FUNCTION_NAME];

	name->scope.nr_bytes = name->scope.is_cut = 0;
	if (scope &&
	    !read_php_string(p, read_user_word(scope + PHP_CLASS_NAME), false, &name->scope))
		return false;
	/* The code of a file has no name. */
	name->function.name.nr_bytes = name->function.name.is_cut = 0;
	if (text && !read_php_string(p, text, false, &name->function.name))
		return false;
	name->function.file.nr_bytes = name->function.file.is_cut = 0;
	name->function.line = 0;
	if (is_php_internal(p))
		return true;
	name->function.line = php_word(p, at->function_file + 8);
	return read_php_string(p, php_word(p, at->function_file), true, &name->function.file);
}

/* Hands over the name of the function at hand of @level, as send_python_function does. */
__verified_once int send_php_function(__u32 level)
{
	struct language_stack *s = language_stack_of(level);
	const struct interpreter *in;
	struct scoped_function_name *name;

	if (!walk_languages || !s)
		return 0;
	in = interpreter_of(s->php.interpreter);
	if (!in)
		return 0;
	name = begin_name(&s->php.function, s->php.tgid, &s->nr_failures, sizeof(*name));
	if (name)
		end_name(name, read_php_names(&in->php, &s->php, name), &s->php.function,
			 &s->nr_failures);
	return 0;
}

/* Pointers alone, as they cannot be in the map. */
struct php_context {
	const struct interpreter *in;
	struct language_stack *s;
	__u32 level;
};

/* The frames so far run on a native stack of their own, and were called from another one. */
static __always_inline void end_php_stack(struct language_stack *s)
{
	if (s->loops.is_own_stack)
		return;
	s->loops.is_own_stack = 1;
	s->loops.own_words = s->nr_words;
	s->loops.nr_segments = s->nr_segments;
}

/* Functions in C are not as long, and may lie at the end of mapped memory. */
static __always_inline bool read_php_function(struct php_walk *p, __u64 addr)
{
	return !read_user(p->parts, sizeof(p->parts), addr) ||
	       (!read_user(p->parts, PHP_FUNCTION_HEAD_BYTES, addr) && is_php_internal(p));
}

/*
 * Adds the function at hand, which has been read from @addr. Closures of one function share its
 * instructions, which stand for them.
 */
static __always_inline void push_php_function(struct php_context *w, __u64 addr)
{
	struct php_walk *p = &w->s->php;
	const struct php_layout *at = &w->in->php;
	__u64 h = p->parts[PHP_FUNCTION_NAME] * 3 ^ p->parts[PHP_FUNCTION_SCOPE] * 5;

	if (w->s->nr_words >= max_depth)
		return;
	if (!is_php_internal(p)) {
		/* Closures are objects, each with a copy of its function (ZEND_ACC_CLOSURE). */
		if (p->parts[PHP_FUNCTION_HEAD] >> 32 & 1ULL << at->closure_bit)
			addr = php_word(p, at->function_code);
		h ^= php_word(p, at->function_file) * 7;
		h ^= (__u64)(__u32)php_word(p, at->function_file + 8) << 20;
	}
	p->function.word = LANGUAGE_WORD(LANGUAGE_PHP, SPREAD_HASH(h, WORD_CHECK_BITS), addr);
	if (!is_word_known(w->s, &p->function))
		send_php_function(w->level);
	push_loop_word(w->s, p->function.word);
}

/*
 * Goes on to the next of the generators that delegate to each other. The outermost one is the
 * first, so their frames are noted. The innermost one runs, and has a frame in the list.
 */
static __always_inline void step_php_generator(struct php_context *w)
{
	const struct php_layout *at = &w->in->php;
	struct php_walk *p = &w->s->php;
	__u64 next = read_user_word(p->generator + at->generator_parent), frame;
	__u32 nr = p->nr_delegating;

	frame = read_user_word(p->generator + at->generator_frame);
	/* The one that runs may delegate at this moment. Its frame is in the list already. */
	p->generator = frame == p->inner ? 0 : next;
	if (!p->generator)
		return;
	if (nr < MAX_PHP_GENERATORS) {
		p->delegating[nr] = frame;
		p->nr_delegating = nr + 1;
		return;
	}
	push_loop_note(w->s, LANGUAGE_PHP, NOTE_UNREADABLE); /* those within are left out */
	p->generator = 0;
}

/* Adds the function of the last generator that is noted. */
static __always_inline bool push_php_generator(struct php_context *w)
{
	struct php_walk *p = &w->s->php;
	__u32 last = p->nr_delegating - 1;
	__u64 function;

	p->nr_delegating = last;
	if (last >= MAX_PHP_GENERATORS)
		return false;
	function = read_user_word(p->delegating[last] + 8 * PHP_FRAME_FUNCTION);
	if (!read_php_function(p, function))
		return false;
	push_php_function(w, function);
	return true;
}

/* Takes the function of a frame in the list. Returns false if that cannot be read. */
static __always_inline bool take_php_frame(struct php_context *w)
{
	struct language_stack *s = w->s;
	struct php_walk *p = &s->php;
	__u64 at = p->frame, function, flags, object;

	if (!read_frame(&p->window, at, PHP_FRAME_WORDS * 8, true))
		return false;
	p->frame = frame_word(&p->window, 8 * PHP_FRAME_NEXT);
	function = frame_word(&p->window, 8 * PHP_FRAME_FUNCTION);
	flags = frame_word(&p->window, 8 * PHP_FRAME_FLAGS);
	object = frame_word(&p->window, 8 * PHP_FRAME_OBJECT);
	if (!function) {
		/* A frame that stands for others. */
		if (PHP_IS_OBJECT(flags) && at - object == w->in->php.generator_stand_in)
			p->generator = object;
		return true;
	}
	p->inner = at;
	if (!read_php_function(p, function))
		return false;
	if (is_php_internal(p) && !p->parts[PHP_FUNCTION_NAME]) {
		end_php_stack(s); /* a fiber's first frame */
		return true;
	}
	push_php_function(w, function);
	if (!is_php_internal(p) && flags & PHP_CALL_TOP)
		end_loop_segment(s);
	return true;
}

/* Takes a function. bpf_loop ends when this returns 1. */
static long collect_php_frame(__u32 i, struct php_context *w)
{
	struct php_walk *p = &w->s->php;
	bool is_read = true;

	if (p->generator)
		step_php_generator(w);
	else if (p->nr_delegating)
		is_read = push_php_generator(w);
	else if (p->frame)
		is_read = take_php_frame(w);
	else
		return 1;
	if (is_read)
		return 0;
	push_loop_note(w->s, LANGUAGE_PHP, NOTE_UNREADABLE);
	w->s->loops.is_whole &= w->s->loops.is_own_stack;
	return 1;
}

/*
 * Collects the PHP functions of the current thread in the language stack of @level, which is empty.
 * @interpreter is the number of that of its process. Returns the number of words.
 */
__verified_once int collect_php(__u32 interpreter, __u64 base, __u64 space_id, __u32 tgid,
				__u32 level)
{
	struct php_context w = {
		.in = interpreter_of(interpreter),
		.s = language_stack_of(level),
		.level = level,
	};
	__u64 ids = bpf_get_current_pid_tgid();
	struct php_walk *p;

	if (!walk_languages || !w.in || !w.s || w.in->language != LANGUAGE_PHP ||
	    (__u32)ids != ids >> 32)
		return 0;
	p = &w.s->php;
	p->frame = read_user_word(base + w.in->runtime + w.in->php.globals_frame);
	p->inner = p->generator = p->nr_delegating = 0;
	p->window.nr_bytes = 0;
	p->tgid = tgid;
	p->interpreter = interpreter;
	p->function.space_id = space_id;
	begin_loops(w.s, &w.in->php.code, base);
	bpf_loop(MAX_PHP_FRAMES, collect_php_frame, &w, 0);
	if (!w.s->loops.is_own_stack) {
		w.s->loops.nr_segments = w.s->nr_segments;
		if (p->frame)
			w.s->loops.is_whole = 0; /* there are more */
	}
	return w.s->nr_words;
}

#endif
