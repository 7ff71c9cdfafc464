/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a decoder found wrong: an errno that tells the kinds apart (-EBADMSG corrupt,
 * -EPROTONOSUPPORT from another version, -ENODATA cut short) and words for it. The reader puts
 * section and offset before them.
 */
#ifndef FORMAT_FAULT_H
#define FORMAT_FAULT_H

struct fault {
	char text[160];
};

/* Words the fault; returns @code, a negative errno. */
int fault_set(struct fault *fault, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* The same with -EBADMSG, what nearly every fault is. */
#define fault_corrupt(fault, ...) fault_set((fault), -EBADMSG, __VA_ARGS__)

#endif
