// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The offsets of a struct stand together, after its size. But each version adds fields, and nothing
 * says where a struct begins. So the structs are found, in their order, by what they have in all
 * versions: fields that begin them, or the offsets of the version before.
 */
#include "record/languages/files/python_offsets.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

/* 3.13 has 70 words. What follows them is other data of the runtime. */
#define OFFSET_WORDS 160

/* The BPF program reads thread states and frames up to here. */
#define STATE_WORD_MAX 176
#define FRAME_OFF_MAX  (PYTHON_FRAME_BYTES - 1)

/* Pointers to frames in a thread state, at most. 3.13 has one. */
#define THREAD_FRAMES_MAX 6

struct offset_words {
	uint64_t words[OFFSET_WORDS];
	size_t at; /* structs before it have been found */
};

/* Moves on to the next place where @nr words are as those of @wanted. Returns false if none is. */
static bool find_words(struct offset_words *o, const uint64_t *wanted, size_t nr)
{
	for (; o->at + nr <= OFFSET_WORDS; o->at++)
		if (!memcmp(o->words + o->at, wanted, nr * sizeof(*wanted)))
			return true;
	return false;
}

/*
 * PyThreadState: size, prev, next, interp, current_frame, perhaps other frames, thread_id,
 * native_thread_id. The last two follow each other, and do not follow the frames.
 */
static bool read_thread_state(struct offset_words *o, struct python_layout *layout)
{
	static const uint64_t links[] = {0, 8, 16};
	const uint64_t *w;

	if (!find_words(o, links, 3) || o->at + 5 + THREAD_FRAMES_MAX > OFFSET_WORDS)
		return false;
	w = o->words + o->at + 3;
	layout->tstate_frame = w[0];
	o->at += 4;
	for (size_t i = 1; i < THREAD_FRAMES_MAX; i++) {
		if (w[i + 1] != w[i] + 8 || w[i] == w[i - 1] + 8)
			continue;
		layout->tstate_thread = w[i];
		return w[0] <= STATE_WORD_MAX && w[i] <= STATE_WORD_MAX && w[0] % 8 + w[i] % 8 == 0;
	}
	return false;
}

/* _PyInterpreterFrame: size, previous, f_executable, instr_ptr, localsplus, owner. */
static bool read_frame(struct offset_words *o, struct python_layout *layout)
{
	const uint64_t links[] = {layout->frame_next, layout->frame_code};

	for (; find_words(o, links, 2); o->at++) {
		const uint64_t *w = o->words + o->at;

		if (o->at + 5 > OFFSET_WORDS)
			return false;
		/* Its last member is an array of one element. */
		if (w[-1] != w[3] + 8)
			continue;
		layout->frame_owner = w[4];
		o->at += 5;
		return w[4] <= FRAME_OFF_MAX;
	}
	return false;
}

/*
 * PyCodeObject: co_filename, co_name, co_qualname, co_linetable, co_firstlineno. Its other members
 * that are used are not among the offsets, and are where they were if these are.
 */
static bool has_same_code(struct offset_words *o, const struct python_layout *layout)
{
	const uint64_t code[] = {layout->code_file, layout->code_name - 8u, layout->code_name,
				 layout->code_name + 8u, layout->code_line};

	return find_words(o, code, 5);
}

/* PyUnicodeObject: state, length, sizeof(PyASCIIObject). The hash is between length and state. */
static bool has_same_text(struct offset_words *o, const struct python_layout *layout)
{
	const uint64_t text[] = {layout->text_length + 16u, layout->text_length,
				 layout->text_ascii};

	return find_words(o, text, 3);
}

int python_offsets_apply(const struct dynamic_symbols *symbols, uint64_t runtime,
			 struct python_layout *layout)
{
	struct python_layout read = *layout;
	struct offset_words o = {0};

	if (dynamic_symbols_read(symbols, runtime + sizeof(struct python_offsets_head), o.words,
				 sizeof(o.words)))
		return -ENOENT;
	if (!read_thread_state(&o, &read) || !read_frame(&o, &read) || !has_same_code(&o, &read) ||
	    !has_same_text(&o, &read))
		return -ENOENT;
	*layout = read;
	return 0;
}
