/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads frames of interpreters that keep them one after the other, with callers at lower addresses:
 * CPython from 3.11 on, and PHP. A read of many bytes costs as much as one of few. So the program
 * reads the memory before a frame with it, and finds the callers there.
 */
#ifndef BPF_LANGUAGES_FRAME_WINDOW_H
#define BPF_LANGUAGES_FRAME_WINDOW_H

#include <stdbool.h>

#include "bpf/languages/interpreters.h"
#include "bpf/languages/languages.h"

/* Frames that begin so near to each other may follow each other. */
#define NEAR_BYTES 512

/* Is the frame at @frame, of @bytes, in the window? Then it is the one at hand. */
static __always_inline bool find_frame(struct frame_window *w, __u64 frame, __u32 bytes)
{
	w->at = frame - w->begin;
	return w->nr_bytes && frame - w->begin <= w->nr_bytes - bytes;
}

/*
 * Reads the frame at @frame, of @bytes. If it is the first one and the frames @do_follow each
 * other, or if it is near to the one that was read last, reads all memory before it on its page for
 * which there is room. Returns false if the frame cannot be read.
 */
static __always_inline bool read_frame(struct frame_window *w, __u64 frame, __u32 bytes,
				       bool do_follow)
{
	__u64 begin = frame;
	__u32 nr = bytes;

	if (find_frame(w, frame, bytes))
		return true;
	if (w->nr_bytes ? w->begin - frame < NEAR_BYTES : do_follow) {
		nr += frame % PAGE_BYTES;
		if (nr > sizeof(w->words))
			nr = sizeof(w->words);
		begin -= nr - bytes;
	}
	w->begin = begin;
	w->nr_bytes = nr;
	w->at = frame - begin;
	barrier_var(nr); /* the verifier does not know what the compiler has found out */
	return nr <= sizeof(w->words) && !read_user(w->words, nr, begin);
}

/* The bytes of the frame at hand at offset @off. They are within the window in any case. */
static __always_inline const void *frame_part(const struct frame_window *w, __u8 off)
{
	return (const char *)w->words + ((w->at + off) & (sizeof(w->words) - 1));
}

static __always_inline __u64 frame_word(const struct frame_window *w, __u8 off)
{
	return *(const __u64 *)frame_part(w, off);
}

#endif
