/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the Python functions of the current thread. CPython keeps them in a list of frames, from
 * the innermost to the outermost, which begins in the thread state. All memory belongs to the
 * process, which can write anything there. So nothing is believed: loops are bounded, reads may
 * fail, and a thread state has to know the thread. A process spoils its own stacks alone.
 *
 * Up to 3.14 the thread state is the value of a key of thread-specific data (pthread_getspecific),
 * and the interpreter's data has the key. Later it is in a variable of the thread. Both hold with
 * and without the interpreter's lock.
 *
 * From 3.10 on, the frames have marks on the native stack (bpf/languages/language_places.h). The
 * functions of 3.9 come to their place by the loops of the interpreter
 * (bpf/languages/loop_places.h).
 */
#ifndef BPF_LANGUAGES_PYTHON_FRAMES_H
#define BPF_LANGUAGES_PYTHON_FRAMES_H

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

/* Of a thread state. No offset that is used is higher, and no thread state is shorter. */
#define STATE_BYTES 184

/* The 8 bytes at offset @off of the thread state that was read. */
static __always_inline __u64 state_word(const struct python_walk *p, __u8 off)
{
	return *(const __u64 *)((const char *)p->window.words + off);
}

/*
 * Reads the thread state at @tstate in one go, because each read has a fixed price. Returns false
 * if it does not say that it is of the thread with thread pointer @fs.
 */
static __always_inline bool read_state(struct python_walk *p, const struct interpreter *in,
				       __u64 fs, __u64 tstate)
{
	p->tstate = tstate;
	return tstate && !read_user(p->window.words, STATE_BYTES, tstate) &&
	       IS_THREAD_SELF(fs, state_word(p, in->python.tstate_thread));
}

/*
 * Reads the state under the key whose place is @place. Three words end with the key. The first one
 * is the state of the thread that has the lock, where a version has it there. The last one begins
 * with "is the key initialised".
 */
static __always_inline bool read_state_of_key(struct python_walk *p, const struct interpreter *in,
					      __u64 fs, __u64 place)
{
	__u64 words[3];
	__u32 key;

	if (read_user(words, sizeof(words), place + sizeof(key) - sizeof(words)))
		return false;
	key = words[2] >> 32;
	if ((__u32)words[2] != 1 || key >= MAX_KEY)
		return false;
	if (in->python.is_locked_known && read_state(p, in, fs, words[0]))
		return true;
#pragma unroll
	for (__u32 i = 0; i < NR_C_LIBRARIES; i++)
		if (read_state(p, in, fs, thread_value(fs, key, i)))
			return true;
	return false;
}

/* Reads the state in the block that the words at @place lead to. */
static __always_inline bool read_state_of_block(struct python_walk *p, const struct interpreter *in,
						__u64 fs, __u64 place)
{
	const __s32 off = in->python.variable;

	return read_state(p, in, fs,
			  read_user_word(block_variable(fs, place, off, true, p->text))) ||
	       read_state(p, in, fs,
			  read_user_word(block_variable(fs, place, off, false, p->text)));
}

/*
 * Reads the current thread's state. Offset 0 of the interpreter's file would be at @base. Returns
 * false if there is none. It is a function of its own so that its part of the stack is free again
 * while frames are collected.
 */
static __noinline bool read_python_state(struct python_walk *p, const struct interpreter *in,
					 __u64 base)
{
	struct task_struct *task = bpf_get_current_task_btf();
	const __u64 place = base + in->runtime + in->python.key;
	__u64 fs;

	if (!has_thread_pointer(task))
		return false; /* another architecture */
	fs = thread_pointer(task);
	if (in->python.thread == PYTHON_THREAD_KEY)
		return read_state_of_key(p, in, fs, place);
	if (in->python.thread == PYTHON_THREAD_BLOCK)
		return read_state_of_block(p, in, fs, place);
	return read_state(p, in, fs, read_user_word(fs + in->python.variable));
}

/* No thread state of any version is longer. */
#define TSTATE_BYTES 512

/*
 * Frames with this owner or a higher one have no function (PyInterpreterFrame.owner, from 3.12 on).
 */
#define OWNER_SHIM 3

/* From 3.14 on, these bits of a pointer to a code object are flags. */
#define CODE_TAGS 3ULL

/* The state of a string object (PyASCIIObject.state), from its kind on. */
#define TEXT_KIND(state) ((state)&7)
#define TEXT_IS_COMPACT  0x08
#define TEXT_IS_ASCII    0x10

/*
 * Reads the string object at @addr, as many characters as there is room for: of a long path the
 * last ones, else the first ones. Returns false if it is no string that can be read.
 */
static __always_inline bool read_text(const struct interpreter *in, struct language_stack *s,
				      __u64 addr, bool is_path, struct language_text *text)
{
	__u64 *head = s->python.text; /* length, hash, state */
	__u64 nr_bytes, state, skip = 0;
	__u32 kind, nr;

	if (read_user(head, sizeof(s->python.text), addr + in->python.text_length))
		return false;
	state = head[2] >> (in->python.text_kind & 31);
	if (!(state & TEXT_IS_COMPACT))
		return false;
	kind = TEXT_KIND(state);
	if (kind != 1 && kind != 2 && kind != 4)
		return false;
	nr_bytes = head[0] < 1ULL << 32 ? head[0] * kind : ~0ULL;
	text->is_cut = nr_bytes > NAME_BYTES;
	if (text->is_cut && is_path && nr_bytes != ~0ULL)
		skip = nr_bytes - NAME_BYTES;
	nr = text->is_cut ? NAME_BYTES : nr_bytes;
	addr += state & TEXT_IS_ASCII ? in->python.text_ascii : in->python.text_other;
	text->kind = kind;
	text->nr_bytes = nr;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	if (nr > NAME_BYTES)
		return false;
	return !nr || !bpf_probe_read_user(text->bytes, nr, (void *)(addr + skip));
}

/*
 * The word at offset @off of a code object of which @code has the words. The verifier has to know
 * that the access is aligned and within them.
 */
static __always_inline __u64 code_word(const struct python_layout *at, const __u64 *code, __u8 off)
{
	__u32 i = (off - at->code_flags + at->code_flags % 8) & 0x78;

	barrier_var(i);
	if (i > (PYTHON_CODE_WORDS - 1) * sizeof(*code))
		return 0;
	return *(const __u64 *)((const char *)code + i);
}

/* The 4 bytes at offset @off, likewise. */
static __always_inline __u32 code_number(const struct python_layout *at, const __u64 *code,
					 __u8 off)
{
	return code_word(at, code, off) >> (off % 8 * 8);
}

/* Reads the parts of the code object at @addr that are used. */
static __always_inline long read_code(const struct python_layout *at, __u64 *code, __u64 addr)
{
	return read_user(code, PYTHON_CODE_WORDS * sizeof(*code),
			 addr + at->code_flags - at->code_flags % 8);
}

/* The word of the function whose code object is at @addr and has @code. */
static __always_inline __u64 python_word(const struct python_layout *at, const __u64 *code,
					 __u64 addr)
{
	__u64 h = code_number(at, code, at->code_line) ^
		  (__u64)code_number(at, code, at->code_flags) << 32;

	h ^= code_word(at, code, at->code_name) * 3 ^ code_word(at, code, at->code_file) * 5;
	if (at->code_version)
		h ^= (__u64)code_number(at, code, at->code_version) << 17;
	return LANGUAGE_WORD(LANGUAGE_PYTHON, SPREAD_HASH(h, WORD_CHECK_BITS), addr);
}

/* Reads the line, the name and the file of the function whose code object the walk has. */
static __always_inline bool read_python_names(const struct interpreter *in,
					      struct language_stack *s, struct function_name *name)
{
	const struct python_layout *at = &in->python;
	const __u64 *code = s->python.code;

	name->line = code_number(at, code, at->code_line);
	return read_text(in, s, code_word(at, code, at->code_name), false, &name->name) &&
	       read_text(in, s, code_word(at, code, at->code_file), true, &name->file);
}

/*
 * Hands the name of function number @i of @level to the recorder. Without room or readable memory
 * nothing happens, and a later sample tries again. Returns 0.
 */
__verified_once int send_python_function(__u32 i, __u32 level)
{
	struct language_stack *s = language_stack_of(level);
	const struct interpreter *in;
	const struct python_layout *at;
	struct function_name *name;
	__u64 *code, word;

	if (!walk_languages || !s || i >= max_depth)
		return 0;
	in = interpreter_of(s->python.interpreter);
	if (!in)
		return 0;
	at = &in->python;
	code = s->python.code;
	word = s->python.function.word = s->words[i];
	if (word_addr(word) < NR_NOTES || is_function_seen(&s->python.function))
		return 0;
	name = begin_name(&s->python.function, s->python.tgid, &s->nr_failures, sizeof(*name));
	if (!name)
		return 0;
	end_name(name,
		 !read_code(at, code, word_addr(word)) &&
			 python_word(at, code, word_addr(word)) == word &&
			 read_python_names(in, s, name),
		 &s->python.function, &s->nr_failures);
	return 0;
}

/* Pointers alone, as they cannot be in the map. */
struct python_context {
	const struct interpreter *in;
	struct language_stack *s;
	__u32 level;
};

/* The words since the last segment's end belong to the native frame with @mark. */
static __always_inline void end_segment(struct python_context *w, __u64 mark)
{
	__u32 i = w->s->nr_segments;

	if (i >= MAX_LANGUAGE_SEGMENTS) {
		w->s->loops.is_whole = 0;
		return;
	}
	w->s->segments[i].mark = mark;
	w->s->segments[i].end = w->s->nr_words;
	w->s->nr_segments = i + 1;
}

/* The chain is broken. The functions that were found have a place if their marks are known. */
static __always_inline long end_unreadable(struct python_context *w)
{
	push_loop_note(w->s, LANGUAGE_PYTHON, NOTE_UNREADABLE);
	w->s->loops.is_whole = 0;
	if (w->s->python.list)
		end_segment(w, w->s->python.list);
	return 1;
}

/* The chain says two things. No function has a place that is certain. */
static __always_inline long end_contradiction(struct python_context *w)
{
	w->s->nr_segments = 0;
	return 1;
}

/* Returns false if there is no function object at @code. */
static __always_inline bool push_function(struct python_context *w, __u64 code)
{
	struct language_stack *s = w->s;
	struct met_function *met = met_function_at(s, code);
	__u64 words[PYTHON_CODE_WORDS]; /* on this stack, where the kernel checks less */

	if (s->nr_words >= max_depth)
		return true;
	if (is_function_met(s, met, code)) {
		push_loop_word(s, met->word);
		return true;
	}
	if (word_addr(code) != code || code < NR_NOTES || read_code(&w->in->python, words, code))
		return false;
	s->python.function.word = python_word(&w->in->python, words, code);
	note_function_met(s, met, s->python.function.word);
	is_word_known(s, &s->python.function);
	push_loop_word(s, s->python.function.word);
	return true;
}

/* Of an element of the list of marks. All offsets that are used are multiples of 8 below. */
#define MARK_WORDS 3

/*
 * Reads the element of the list of marks at hand. *@frame becomes the frame that it has, if the
 * version keeps one there. All is 0 if the element cannot be read.
 */
static __always_inline void read_mark(const struct python_layout *at, struct python_walk *p,
				      __u64 *frame)
{
	__u64 words[MARK_WORDS] = {};
	__u32 next = at->list_next / 8, own = at->list_frame / 8;

	read_user(words, sizeof(words), p->list);
	barrier_var(next); /* the verifier has to know the bounds */
	barrier_var(own);
	p->after = next < MARK_WORDS ? words[next] : 0;
	*frame = own < MARK_WORDS ? words[own] : 0;
}

/*
 * Goes on to the next element of the list of marks. Its innermost frame has to be the next one.
 * Returns false if the list contradicts the frames.
 */
static __always_inline bool step_list(struct python_context *w)
{
	const struct python_layout *at = &w->in->python;
	struct python_walk *p = &w->s->python;
	__u64 frame;

	p->list = p->after;
	if (!p->list)
		return !p->frame;
	read_mark(at, p, &frame);
	if (at->marks == PYTHON_MARK_ENTRY)
		return frame == p->frame;
	/* The outermost element is a part of the thread state, and no function has it. */
	return (p->frame != 0) == (p->list - p->tstate > TSTATE_BYTES);
}

/* Takes the function of a frame. bpf_loop ends when this returns 1. */
static long collect_python_frame(__u32 i, struct python_context *w)
{
	const struct python_layout *at = &w->in->python;
	struct python_walk *p = &w->s->python;
	__u64 frame = p->frame;
	__u8 owner;

	if (!frame)
		return 1;
	if (!read_frame(&p->window, frame, PYTHON_FRAME_BYTES, at->marks >= PYTHON_MARK_ENTRY))
		return end_unreadable(w);
	owner = *(const __u8 *)frame_part(&p->window, at->frame_owner);
	p->frame = frame_word(&p->window, at->frame_next);
	if (at->marks == PYTHON_MARK_SHIM && owner >= OWNER_SHIM) {
		end_segment(w, frame);
		return 0;
	}
	if (!push_function(w, frame_word(&p->window, at->frame_code) & ~CODE_TAGS))
		return end_unreadable(w);
	if (at->marks == PYTHON_MARK_NONE) {
		end_segment(w, 0);
		/* A generator that is to raise an exception, and its list does not go on. */
		if (!p->frame && frame_word(&p->window, at->frame_top))
			return end_contradiction(w);
		return 0;
	}
	if (at->marks == PYTHON_MARK_EACH || (at->marks == PYTHON_MARK_ENTRY && owner)) {
		end_segment(w, p->list);
		if (!step_list(w))
			return end_contradiction(w);
	}
	return 0;
}

/* Hands over the name of function number @i, if that is needed. */
static long name_python_function(__u32 i, struct python_context *w)
{
	send_python_function(i, w->level);
	return w->s->nr_failures >= NAME_FAILURES_MAX;
}

/* Frames that are looked at to find the mark of a segment. */
#define MAX_PYTHON_FRAMES 2048

/*
 * Collects the Python functions of the current thread in the language stack of @level, which is
 * empty. @interpreter is the number of that of its process. Returns the number of words.
 */
__verified_once int collect_python(__u32 interpreter, __u64 base, __u64 space_id, __u32 tgid,
				   __u32 level)
{
	struct python_context w = {
		.in = interpreter_of(interpreter),
		.s = language_stack_of(level),
		.level = level,
	};
	const struct python_layout *at;
	struct python_walk *p;

	if (!walk_languages || !w.in || !w.s || w.in->language != LANGUAGE_PYTHON)
		return 0;
	at = &w.in->python;
	p = &w.s->python;
	if (at->marks == PYTHON_MARK_NONE)
		begin_loops(w.s, &at->code, base);
	if (!read_python_state(p, w.in, base))
		return 0;
	p->tgid = tgid;
	p->window.nr_bytes = 0;
	p->interpreter = interpreter;
	p->function.space_id = space_id;
	p->frame = 0;
	p->list = at->tstate_list ? state_word(p, at->tstate_list) : 0;
	if (p->list)
		read_mark(at, p, &p->frame);
	if (at->tstate_frame)
		p->frame = state_word(p, at->tstate_frame);
	bpf_loop(MAX_PYTHON_FRAMES, collect_python_frame, &w, 0);
	if (w.s->has_unknown)
		bpf_loop(w.s->nr_words, name_python_function, &w, 0);
	w.s->loops.nr_segments = w.s->nr_segments;
	w.s->loops.is_exact = 1;
	return w.s->nr_words;
}

#endif
