/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A defect that a decoder found: an errno and words. The errno tells the kinds apart: -EBADMSG
 * corrupt, -EPROTONOSUPPORT from an unknown version, -ENODATA cut short. The reader puts section
 * and offset before the words.
 */
#ifndef FORMAT_FAULT_H
#define FORMAT_FAULT_H

#include <stdint.h>

struct fault {
	char text[160];
};

/* Words the fault. Returns @code, a negative errno. */
int fault_set(struct fault *fault, int code, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/* Puts "@row @nr: " before the words. Returns @code. */
int fault_in_row(struct fault *fault, int code, const char *row, uint64_t nr);

/* Words a fault with -EBADMSG, the code of nearly all faults. */
#define fault_corrupt(fault, ...) fault_set((fault), -EBADMSG, __VA_ARGS__)

#endif
