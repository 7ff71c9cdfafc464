/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the subs of Perl that the current thread runs. Perl keeps contexts in lists, from the
 * innermost to the outermost: of subs, formats, evals, loops and blocks (cop.h). C code that calls
 * a sub for Perl, as for a sort, a tied variable or an operator, begins a list of its own, a
 * stackinfo. All memory belongs to the process, which can write anything there: loops are bounded,
 * and reads may fail.
 *
 * A perl with threads keeps its data under a key of thread-specific data. One without threads has
 * global variables, and runs in the main thread of the process.
 *
 * Contexts have no address on the native stack. But they say which of them a loop of the
 * interpreter has begun with, so bpf/languages/perl_places.h finds their place.
 */
#ifndef BPF_LANGUAGES_PERL_FRAMES_H
#define BPF_LANGUAGES_PERL_FRAMES_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_core_read.h>
#include <bpf/bpf_helpers.h>

#include "bpf/walk/depth_limit.h"
#include "bpf/languages/interpreters.h"
#include "bpf/kernel.h"
#include "bpf/languages/languages.h"
#include "bpf/languages/loop_segments.h"
#include "bpf/languages/met_functions.h"
#include "bpf/languages/perl_names.h"
#include "bpf/languages/seen_functions.h"

/* Of a list of contexts, struct stackinfo, the numbers of words. */
enum perl_stackinfo_word {
	PERL_INFO_CONTEXTS = 1,
	PERL_INFO_PREVIOUS = 2,
	PERL_INFO_LAST = 4, /* the number of the innermost context, and that of the last there is */
	PERL_INFO_TYPE = 5, /* in the upper half, or in the lower one of a short list */
};

#define PERL_INFO_SORT    3       /* the type of a list for a sort, PERLSI_SORT */
#define PERL_CONTEXTS_MAX 1000000 /* there is no memory for more */

/* Of a context, struct context, the numbers of words. */
enum perl_context_word {
	PERL_CONTEXT_TYPE = 0,
	PERL_CONTEXT_RETURN = 6, /* the instruction to go on with; 0: the loop ends */
	PERL_CONTEXT_SUB = 9,    /* of a short one, the word before */
};

/* Types of contexts, and flags that belong to them. */
#define PERL_TYPE(word)  ((word)&0xf)
#define PERL_NULL        0 /* the block of a sort */
#define PERL_SUB         9
#define PERL_FORMAT      10
#define PERL_EVAL        11
#define PERL_DEFER       13
#define PERL_IS_MULTIPLE 0x10 /* of a sub: one context for many calls */
#define PERL_IS_REGEX    0x40 /* of a sub: code in a regular expression, */
#define PERL_IS_FAKE     0x80 /* which is a part of the sub around it */
#define PERL_IS_TEXT     0x20 /* of an eval: of a text */

/* Contexts that are looked at, and lists of them. */
#define MAX_PERL_CONTEXTS 2048

/* Pointers alone, as they cannot be in the map. */
struct perl_context {
	const struct interpreter *in;
	struct language_stack *s;
	__u32 level;
};

/* How a segment of subs has begun. */
enum perl_segment {
	PERL_SEGMENT_PLAIN,  /* otherwise */
	PERL_SEGMENT_CALLED, /* C code has called a sub */
	PERL_SEGMENT_MANY,   /* C code calls a sub or a block many times */
};

/* The words since the last segment's end, up to number @end, belong to one loop. */
static __always_inline void end_perl_segment(struct language_stack *s, __u32 end,
					     enum perl_segment kind)
{
	__u32 i = s->nr_segments;

	if (i >= MAX_PERL_SEGMENTS) {
		s->loops.is_whole = 0;
		return;
	}
	s->loops.perl.called |= (__u64)(kind == PERL_SEGMENT_CALLED) << i;
	s->loops.perl.many |= (__u64)(kind == PERL_SEGMENT_MANY) << i;
	s->segments[i].mark = 0;
	s->segments[i].end = end;
	s->nr_segments = i + 1;
}

/* A sub that C code called has been found, and the one outside of it is no block that called it. */
static __always_inline void end_perl_pending(struct language_stack *s)
{
	if (s->perl.has_pending)
		end_perl_segment(s, s->perl.pending, PERL_SEGMENT_CALLED);
	s->perl.has_pending = 0;
}

/* Reads the sub at @addr. Returns 0, 1 if there is no sub, or a negative errno. */
static __always_inline long read_perl_sub(struct perl_walk *p, __u64 addr)
{
	__u64 *head = p->part; /* the body; the number of references and flags */

	if (!addr)
		return 1;
	if (read_user(head, 2 * sizeof(*head), addr))
		return -EFAULT;
	if (PERL_VALUE_TYPE(head[1]) != PERL_VALUE_SUB &&
	    PERL_VALUE_TYPE(head[1]) != PERL_VALUE_FORMAT)
		return 1;
	return read_user(p->sub, sizeof(p->sub), head[0]);
}

/*
 * Adds the sub at hand. Closures of one sub share its instructions, whose address stands for them.
 */
static __always_inline void push_perl_sub(struct perl_context *w, __u64 addr, bool is_main)
{
	struct perl_walk *p = &w->s->perl;
	__u64 h = p->sub[PERL_SUB_NAME] * 3 ^ p->sub[PERL_SUB_ROOT] * 5;

	if (!(perl_sub_flags(p) & PERL_SUB_IS_C) && p->sub[PERL_SUB_START])
		addr = p->sub[PERL_SUB_START];
	p->function.word = LANGUAGE_WORD(LANGUAGE_PERL, SPREAD_HASH(h, WORD_CHECK_BITS), addr);
	if (word_addr(p->function.word) < NR_NOTES)
		return;
	if (!is_word_known(w->s, &p->function))
		send_perl_function(w->level, is_main);
	push_loop_word(w->s, p->function.word);
}

/*
 * Adds the sub at @addr. While Perl makes a context or takes it away, it has none. Returns false if
 * it cannot be read.
 */
static __always_inline bool take_perl_sub(struct perl_context *w, __u64 addr)
{
	long ret;

	if (w->s->nr_words >= max_depth)
		return true;
	ret = read_perl_sub(&w->s->perl, addr);
	if (!ret)
		push_perl_sub(w, addr, false);
	return ret >= 0;
}

/* Reads the list of contexts at @addr. Returns false if there is none. */
static __always_inline bool enter_perl_stackinfo(struct perl_context *w, __u64 addr)
{
	struct perl_walk *p = &w->s->perl;
	__u64 *words = p->part;
	__s32 last, max;

	if (!addr || read_user(words, sizeof(p->part), addr))
		return false;
	last = words[PERL_INFO_LAST];
	max = words[PERL_INFO_LAST] >> 32;
	if (last < -1 || last > max || max > PERL_CONTEXTS_MAX)
		return false;
	p->stackinfo = addr;
	p->contexts = words[PERL_INFO_CONTEXTS];
	p->previous = words[PERL_INFO_PREVIOUS];
	p->type = words[PERL_INFO_TYPE] >> (w->in->perl.is_short ? 0 : 32);
	p->nr_contexts = last + 1;
	p->nr_read = 0;
	return true;
}

/* The main program is the outermost sub, and has a name while it runs. */
static __always_inline void end_perl_main(struct perl_context *w)
{
	struct perl_walk *p = &w->s->perl;
	__u64 addr = read_user_word(p->interpreter_at + w->in->perl.main_sub);

	if (!read_perl_sub(p, addr) && (__u32)p->sub[PERL_SUB_DEPTH])
		push_perl_sub(w, addr, true);
	end_perl_segment(w->s, w->s->nr_words, PERL_SEGMENT_PLAIN);
}

/* Goes on to the list outside of the one at hand. Returns 1 if it was the outermost one, or -1. */
static __always_inline long leave_perl_stackinfo(struct perl_context *w)
{
	struct perl_walk *p = &w->s->perl;

	end_perl_pending(w->s);
	if (p->previous)
		return enter_perl_stackinfo(w, p->previous) ? 0 : -1;
	end_perl_main(w);
	return 1;
}

/* The next context, of those that are read together. NULL: it cannot be read. */
static __always_inline const __u64 *next_perl_context(struct perl_context *w)
{
	struct perl_walk *p = &w->s->perl;
	__u32 nr_words = w->in->perl.is_short ? PERL_SHORT_CONTEXT_WORDS : PERL_CONTEXT_WORDS;
	__u32 size = nr_words * sizeof(__u64), at = --p->nr_contexts, nr;

	if (!p->nr_read || at < p->first_read) {
		p->first_read = at < PERL_CONTEXTS ? 0 : at + 1 - PERL_CONTEXTS;
		nr = at + 1 - p->first_read;
		barrier_var(nr); /* the verifier does not know what the compiler has found out */
		if (nr > PERL_CONTEXTS ||
		    read_user(p->words, nr * size, p->contexts + (__u64)p->first_read * size))
			return NULL;
		p->nr_read = 1;
	}
	at -= p->first_read;
	return at < PERL_CONTEXTS ? p->words + at * nr_words : NULL;
}

/* The sub of a context. */
static __always_inline __u64 perl_context_sub(const struct perl_context *w, const __u64 *context)
{
	return w->in->perl.is_short ? context[PERL_CONTEXT_SUB - 1] : context[PERL_CONTEXT_SUB];
}

/*
 * A sub's context. If it was called by C code, or by the last instruction of a block, it says so.
 */
static __always_inline bool take_perl_call(struct perl_context *w, const __u64 *context)
{
	struct language_stack *s = w->s;
	__u64 type = context[PERL_CONTEXT_TYPE], next = context[PERL_CONTEXT_RETURN];

	if (type & PERL_IS_REGEX)
		s->perl.has_pending = 0;
	end_perl_pending(s);
	if (!(type & PERL_IS_FAKE) && !take_perl_sub(w, perl_context_sub(w, context)))
		return false;
	if (next)
		return true;
	if (type & PERL_IS_MULTIPLE) {
		end_perl_segment(s, s->nr_words, PERL_SEGMENT_MANY);
	} else {
		s->perl.pending = s->nr_words;
		s->perl.has_pending = 1;
	}
	return true;
}

/* Takes a context that may be a sub's. Returns false if that cannot be read. */
static __always_inline bool take_perl_context(struct perl_context *w)
{
	struct language_stack *s = w->s;
	struct perl_walk *p = &s->perl;
	const __u64 *context = next_perl_context(w);
	__u64 type;

	if (!context)
		return false;
	type = context[PERL_CONTEXT_TYPE];
	switch (PERL_TYPE(type)) {
	case PERL_SUB:
		return take_perl_call(w, context);
	case PERL_FORMAT:
		end_perl_pending(s);
		return take_perl_sub(w, perl_context_sub(w, context));
	case PERL_EVAL:
		end_perl_pending(s);
		if (type & PERL_IS_TEXT && !context[PERL_CONTEXT_RETURN])
			end_perl_segment(s, s->nr_words, PERL_SEGMENT_PLAIN);
		return true;
	case PERL_NULL:
		if (p->nr_contexts || p->type != PERL_INFO_SORT)
			return true;
		break;
	case PERL_DEFER:
		break;
	default:
		return true;
	}
	/* A block that a loop has begun with. It may have called the last sub at its end. */
	p->has_pending = 0;
	end_perl_segment(s, s->nr_words,
			 PERL_TYPE(type) == PERL_NULL ? PERL_SEGMENT_MANY : PERL_SEGMENT_PLAIN);
	return true;
}

/* Takes a context, or leaves their list. bpf_loop ends when this returns 1. */
static long collect_perl_context(__u32 i, struct perl_context *w)
{
	long ret;

	if (w->s->perl.nr_contexts)
		ret = take_perl_context(w) ? 0 : -1;
	else
		ret = leave_perl_stackinfo(w);
	if (ret >= 0)
		return ret;
	push_loop_note(w->s, LANGUAGE_PERL, NOTE_UNREADABLE);
	w->s->loops.is_whole = 0;
	return 1;
}

/* Is interpreter data at @addr? Then the list of contexts is the one at hand. */
static __always_inline bool enter_perl(struct perl_context *w, __u64 addr)
{
	if (!addr)
		return false;
	w->s->perl.interpreter_at = addr;
	return enter_perl_stackinfo(w, read_user_word(addr + w->in->perl.stackinfo));
}

/*
 * Finds the data of the current thread's interpreter, whose runtime is at @runtime, for the walk of
 * @level. Returns 0 if there are none.
 */
__verified_once int find_perl_data(__u32 interpreter, __u64 runtime, __u32 level)
{
	struct perl_context w = {
		.in = interpreter_of(interpreter),
		.s = language_stack_of(level),
	};
	struct task_struct *task = bpf_get_current_task_btf();
	__u64 ids = bpf_get_current_pid_tgid(), fs;
	__u32 key;

	if (!walk_languages || !w.in || !w.s)
		return 0;
	if (!w.in->perl.has_threads)
		return (__u32)ids == ids >> 32 && enter_perl(&w, runtime);
	if (!has_thread_pointer(task) || read_user(&key, sizeof(key), runtime) || key >= MAX_KEY)
		return 0;
	fs = thread_pointer(task);
#pragma unroll
	for (__u32 i = 0; i < NR_C_LIBRARIES; i++)
		if (enter_perl(&w, thread_value(fs, key, i)))
			return 1;
	return 0;
}

/* The code of the file whose offset 0 would be at @base. */
static __always_inline void find_perl_code(struct language_loops *loops,
					   const struct perl_functions *file, __u64 base)
{
	loops->code = (struct language_code){.loop = base + file->loop};
	loops->code.loop_bytes = file->loop_bytes;
	loops->perl.called = loops->perl.many = 0;
	loops->perl.call = base + file->call;
	loops->perl.call_bytes = file->call_bytes;
	loops->perl.overload = base + file->overload;
	loops->perl.overload_bytes = file->overload_bytes;
	loops->perl.main = base + file->main;
	loops->perl.main_bytes = file->main_bytes;
	loops->made_bytes = loops->made_is_core = 0;
	loops->has_unknown = loops->is_own_stack = loops->is_exact = 0;
	loops->is_whole = loops->is_perl = 1;
}

/*
 * Collects the Perl subs of the current thread in the language stack of @level, which is empty.
 * @interpreter is the number of that of its process. Returns the number of words.
 */
__verified_once int collect_perl(__u32 interpreter, __u64 base, __u64 space_id, __u32 tgid,
				 __u32 level)
{
	struct perl_context w = {
		.in = interpreter_of(interpreter),
		.s = language_stack_of(level),
		.level = level,
	};
	struct perl_walk *p;

	if (!walk_languages || !w.in || !w.s || w.in->language != LANGUAGE_PERL)
		return 0;
	p = &w.s->perl;
	if (!find_perl_data(interpreter, base + w.in->runtime, level))
		return 0;
	p->tgid = tgid;
	p->interpreter = interpreter;
	p->has_pending = 0;
	p->function.space_id = space_id;
	find_perl_code(&w.s->loops, &w.in->perl.functions, base);
	if (bpf_loop(MAX_PERL_CONTEXTS, collect_perl_context, &w, 0) == MAX_PERL_CONTEXTS)
		w.s->loops.is_whole = 0; /* there are more */
	w.s->loops.nr_segments = w.s->nr_segments;
	return w.s->nr_words;
}

#endif
