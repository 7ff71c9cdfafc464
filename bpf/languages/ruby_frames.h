/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the Ruby functions of the current thread: methods, blocks, and the code of files and
 * classes. Ruby keeps their frames in an array for each thread and fiber, the innermost one first,
 * to which the execution context leads (vm_core.h). Functions in C that Ruby calls have frames
 * without a name, and native frames show them. All memory belongs to the process, which can write
 * anything there: loops are bounded, and reads may fail.
 *
 * The context is in a variable of the thread, and each thread of Ruby has one, with and without the
 * interpreter's lock. In 2.7 there is one variable for all threads, and it is about the thread that
 * has the lock. The context says where its native stack is, so another thread's sp is not there.
 *
 * A frame has no address on the native stack. But a frame says whether a loop of the interpreter
 * has begun with it, so bpf/languages/loop_places.h finds its place.
 */
#ifndef BPF_LANGUAGES_RUBY_FRAMES_H
#define BPF_LANGUAGES_RUBY_FRAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
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

/* Of an execution context, rb_execution_context_t, the numbers of words. */
enum ruby_context_word {
	RUBY_CONTEXT_STACK = 0, /* of values; the frames are at its end */
	RUBY_CONTEXT_SIZE = 1,  /* in words */
	RUBY_CONTEXT_FRAME = 2, /* the innermost one */
};

/* Of a frame, rb_control_frame_t, the numbers of words. */
enum ruby_frame_word {
	RUBY_FRAME_NEXT = 0,  /* the next instruction, 0: no loop of the interpreter runs it */
	RUBY_FRAME_CODE = 2,  /* 0: of a function in C */
	RUBY_FRAME_FLAGS = 4, /* a pointer to them */
};

/* The flags of a frame (VM_FRAME_MAGIC_DUMMY and others). */
#define RUBY_KIND(flags) ((flags)&0x7fff0001)
#define RUBY_DUMMY       0x79990001 /* the outermost frame, which is none */
#define RUBY_FINISH      0x20       /* a loop of the interpreter has begun with this frame */
#define RUBY_C_FRAME     0x80

/* Of a function's object, rb_iseq_t, and of its body, rb_iseq_constant_body: rb_iseq_location_t. */
#define RUBY_CODE_BODY     16
#define RUBY_BODY_LOCATION 64

/* Of the words there. */
enum ruby_location_word {
	RUBY_LOCATION_FILE = 0,
	RUBY_LOCATION_NAME = 2,
	RUBY_LOCATION_LINE = 3,
};

/* The flags of an object: its type, and whether a string or an array has its contents elsewhere. */
#define RUBY_TYPE(flags)   ((flags)&0x1f)
#define RUBY_STRING        5
#define RUBY_ARRAY         7
#define RUBY_IS_FAR        0x2000 /* of a string; an array of files has them within with it */
#define RUBY_LENGTH(flags) ((flags) >> 14 & 0x1f)

/* Frames that are looked at. */
#define MAX_RUBY_FRAMES 2048

/* The pages of a stack of frames, of which no thread has more. */
#define MAX_RUBY_STACK (1ULL << 30)

/*
 * Finds the length of the string whose head has been read from @addr, and where its characters are.
 */
static __always_inline bool find_ruby_characters(const struct ruby_layout *at,
						 const struct ruby_walk *r, __u64 *addr,
						 __u64 *length)
{
	__u64 flags = r->text[0];

	if (RUBY_TYPE(flags) != RUBY_STRING)
		return false;
	*length = at->has_length || flags & RUBY_IS_FAR ? r->text[2] : RUBY_LENGTH(flags);
	if (flags & RUBY_IS_FAR)
		*addr = r->text[3];
	else
		*addr += at->text;
	return true;
}

/*
 * Reads the string at @addr: of a long path the last bytes, else the first ones. A path may be the
 * first one of two in an array, of which the other one is without symbolic links.
 */
static __always_inline bool read_ruby_string(const struct ruby_layout *at, struct ruby_walk *r,
					     __u64 addr, bool is_path, struct language_text *text)
{
	__u64 length, skip = 0;
	__u32 nr;

	if (read_user(r->text, sizeof(r->text), addr))
		return false;
	if (is_path && RUBY_TYPE(r->text[0]) == RUBY_ARRAY && r->text[0] & RUBY_IS_FAR) {
		addr = r->text[2];
		if (read_user(r->text, sizeof(r->text), addr))
			return false;
	}
	if (!find_ruby_characters(at, r, &addr, &length))
		return false;
	text->is_cut = length > NAME_BYTES;
	if (text->is_cut && is_path)
		skip = length - NAME_BYTES;
	nr = text->is_cut ? NAME_BYTES : length;
	text->kind = 0;
	text->nr_bytes = nr;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	if (nr > NAME_BYTES)
		return false;
	return !nr || !bpf_probe_read_user(text->bytes, nr, (void *)(addr + skip));
}

/* Objects of small numbers are twice the number, and one more. */
static __always_inline __u32 ruby_line(const struct ruby_layout *at, const struct ruby_walk *r)
{
	__u64 line = r->parts[RUBY_LOCATION_LINE];

	return at->is_line_number ? line : line >> 1;
}

/* Hands over the name of the function at hand of @level, as send_python_function does. */
__verified_once int send_ruby_function(__u32 level)
{
	struct language_stack *s = language_stack_of(level);
	const struct interpreter *in;
	struct function_name *name;

	if (!walk_languages || !s)
		return 0;
	in = interpreter_of(s->ruby.interpreter);
	if (!in)
		return 0;
	name = begin_name(&s->ruby.function, s->ruby.tgid, &s->nr_failures, sizeof(*name));
	if (!name)
		return 0;
	name->line = ruby_line(&in->ruby, &s->ruby);
	end_name(name,
		 read_ruby_string(&in->ruby, &s->ruby, s->ruby.parts[RUBY_LOCATION_NAME], false,
				  &name->name) &&
			 read_ruby_string(&in->ruby, &s->ruby, s->ruby.parts[RUBY_LOCATION_FILE],
					  true, &name->file),
		 &s->ruby.function, &s->nr_failures);
	return 0;
}

/* Pointers alone, as they cannot be in the map. */
struct ruby_context {
	const struct interpreter *in;
	struct language_stack *s;
	__u32 level;
};

/* Reads the frame at hand, and those that follow it. Returns false if it cannot be read. */
static __always_inline bool read_ruby_frame(const struct ruby_layout *at, struct ruby_walk *r)
{
	__u64 left = r->end - r->frame;
	__u32 nr = left < sizeof(r->words) ? left : sizeof(r->words);

	r->at = r->frame - r->begin;
	if (r->nr_bytes && r->frame - r->begin + at->frame_bytes <= r->nr_bytes)
		return true;
	r->begin = r->frame;
	r->nr_bytes = nr;
	r->at = 0;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	return nr >= at->frame_bytes && nr <= sizeof(r->words) &&
	       !read_user(r->words, nr, r->frame);
}

/* A word of the frame at hand. What is beyond the frames belongs to the walk's state, too. */
static __always_inline __u64 ruby_frame_word(const struct ruby_walk *r, enum ruby_frame_word i)
{
	return *(const __u64 *)((const char *)r->words + (r->at & (sizeof(r->words) - 1)) + 8 * i);
}

/* Adds the function whose object is at @code. Returns false if there is none. */
static __always_inline bool push_ruby_function(struct ruby_context *w, __u64 code)
{
	struct ruby_walk *r = &w->s->ruby;
	__u64 body = read_user_word(code + RUBY_CODE_BODY), h;

	if (w->s->nr_words >= max_depth)
		return true;
	if (word_addr(body) != body || body < NR_NOTES ||
	    read_user(r->parts, sizeof(r->parts), body + RUBY_BODY_LOCATION))
		return false;
	h = r->parts[RUBY_LOCATION_NAME] * 3 ^ r->parts[RUBY_LOCATION_FILE] * 5;
	h ^= (__u64)ruby_line(&w->in->ruby, r) << 20;
	r->function.word = LANGUAGE_WORD(LANGUAGE_RUBY, SPREAD_HASH(h, WORD_CHECK_BITS), body);
	if (!is_word_known(w->s, &r->function))
		send_ruby_function(w->level);
	push_loop_word(w->s, r->function.word);
	return true;
}

/*
 * Reads the word at @addr of the stack of values for the walk of @level. Returns 0, or another
 * number on failure. It is a function of its own, because its caller's stack has no room.
 */
__verified_once int read_ruby_value(__u64 addr, __u32 level)
{
	struct language_stack *s = language_stack_of(level);

	return s && read_frame(&s->ruby.values, addr, sizeof(__u64), true) ? 0 : -1;
}

/* Takes the function of the frame at hand. Returns false if it cannot be read. */
static __always_inline bool take_ruby_frame(struct ruby_context *w)
{
	struct ruby_walk *r = &w->s->ruby;
	__u64 code, flags, at;

	if (!read_ruby_frame(&w->in->ruby, r))
		return false;
	r->frame += w->in->ruby.frame_bytes;
	code = ruby_frame_word(r, RUBY_FRAME_CODE);
	/* While a library in C begins, a frame without a loop has the library's name. */
	if (!code || !ruby_frame_word(r, RUBY_FRAME_NEXT))
		return true;
	at = ruby_frame_word(r, RUBY_FRAME_FLAGS);
	if (!find_frame(&r->values, at, sizeof(flags)) && read_ruby_value(at, w->level))
		return false;
	flags = frame_word(&r->values, 0);
	if (RUBY_KIND(flags) == RUBY_DUMMY || flags & RUBY_C_FRAME)
		return true;
	if (!push_ruby_function(w, code))
		return false;
	if (flags & RUBY_FINISH)
		end_loop_segment(w->s);
	return true;
}

/* Takes a frame. bpf_loop ends when this returns 1. */
static long collect_ruby_frame(__u32 i, struct ruby_context *w)
{
	struct ruby_walk *r = &w->s->ruby;

	if (r->frame >= r->end)
		return 1;
	if (take_ruby_frame(w)) {
		if (!i)
			r->has_innermost = w->s->nr_words;
		return 0;
	}
	push_loop_note(w->s, LANGUAGE_RUBY, NOTE_UNREADABLE);
	w->s->loops.is_whole = 0;
	return 1;
}

/* Is there an execution context at @addr? Reads it. */
static __always_inline bool is_ruby_context(struct ruby_walk *r, __u64 addr)
{
	const __u64 *c = r->context;
	__u64 begin, size, frame;

	if (!addr || addr & 7 || read_user(r->context, sizeof(r->context), addr))
		return false;
	begin = c[RUBY_CONTEXT_STACK];
	size = c[RUBY_CONTEXT_SIZE];
	frame = c[RUBY_CONTEXT_FRAME];
	if (!begin || begin & 7 || size > MAX_RUBY_STACK / 8)
		return false;
	r->frame = frame;
	r->end = begin + 8 * size;
	return frame >= begin && frame < r->end && !(frame & 7);
}

/* Finds the context of the thread. Offset 0 of the interpreter's file would be at @base. */
static __always_inline bool find_ruby_context(const struct interpreter *in, struct ruby_walk *r,
					      __u64 base, __u64 fs)
{
	const __u64 place = base + in->runtime;
	const __s32 off = in->ruby.variable;
	__u64 words[2];

	if (in->ruby.context == RUBY_CONTEXT_GLOBAL)
		return is_ruby_context(r, read_user_word(place));
	if (in->ruby.context == RUBY_CONTEXT_VARIABLE)
		return is_ruby_context(r, read_user_word(fs + off));
	return is_ruby_context(r, read_user_word(block_variable(fs, place, off, true, words))) ||
	       is_ruby_context(r, read_user_word(block_variable(fs, place, off, false, words)));
}

/* Is @sp on the native stack of the context? */
static __always_inline bool is_on_ruby_stack(const struct ruby_layout *at,
					     const struct ruby_walk *r, __u64 sp)
{
	__u32 i = at->machine_stack / 8;

	/* It grows down from its beginning. */
	return i + 2 < RUBY_CONTEXT_WORDS && r->context[i] - sp <= r->context[i + 2];
}

/*
 * Collects the Ruby functions of the current thread in the language stack of @level, which is
 * empty. @interpreter is the number of that of its process. Returns the number of words.
 */
__verified_once int collect_ruby(__u32 interpreter, __u64 base, __u64 space_id, __u32 tgid,
				 __u32 level)
{
	struct task_struct *task = bpf_get_current_task_btf();
	struct ruby_context w = {
		.in = interpreter_of(interpreter),
		.s = language_stack_of(level),
		.level = level,
	};
	struct ruby_walk *r;
	bool is_here;

	if (!walk_languages || !w.in || !w.s || w.in->language != LANGUAGE_RUBY ||
	    !has_thread_pointer(task))
		return 0;
	r = &w.s->ruby;
	if (!find_ruby_context(w.in, r, base, thread_pointer(task)))
		return 0;
	is_here = is_on_ruby_stack(&w.in->ruby, r,
				   regs_sp((const struct pt_regs *)bpf_task_pt_regs(task)));
	/* The context is another thread's. */
	if (!is_here && w.in->ruby.context == RUBY_CONTEXT_GLOBAL)
		return 0;
	r->nr_bytes = r->values.nr_bytes = 0;
	r->has_innermost = 0;
	r->tgid = tgid;
	r->interpreter = interpreter;
	r->function.space_id = space_id;
	begin_loops(w.s, &w.in->ruby.code, base);
	/* The thread changes to another fiber, whose functions are not of this native stack. */
	w.s->loops.has_unknown = !is_here;
	bpf_loop(MAX_RUBY_FRAMES, collect_ruby_frame, &w, 0);
	w.s->loops.nr_segments = w.s->nr_segments;
	if (r->frame < r->end)
		w.s->loops.is_whole = 0; /* there are more */
	return w.s->nr_words;
}

#endif
