/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a page, each once for all recordings in it. A function is what a picture shows
 * as one frame: its text, its module and its kind tell it apart from others.
 */
#ifndef REPORT_HTML_PAGE_FUNCTIONS_H
#define REPORT_HTML_PAGE_FUNCTIONS_H

#include <stdint.h>

#include "report/print/source.h"
#include "report/text/string_set.h"
#include "report/text/textbuf.h"

/* The kinds have colours of their own. report/html/colors.js has the same order. */
enum page_kind {
	PAGE_THREAD,  /* the name of a thread, on which its stacks stand */
	PAGE_USER,    /* a function of a file */
	PAGE_KERNEL,  /* of the kernel, a module or a BPF program */
	PAGE_JIT,     /* code that a process made for itself */
	PAGE_INLINED, /* a function that the compiler put into its caller */
	PAGE_UNNAMED, /* a frame without a name */
	PAGE_MARK,    /* no function: a stack that was missed, the line above a waker */
	PAGE_SCRIPT,  /* a function of a language that an interpreter runs */
};

struct page_function {
	uint32_t text, module; /* in strings, safe to print */
	uint8_t kind;          /* enum page_kind */
};

/* page_functions_init makes them. */
struct page_functions {
	struct string_set strings;
	VEC(struct page_function) items;
	struct index index;
	struct textbuf scratch;
};

/* Makes an empty set. Returns 0 or -ENOMEM. */
int page_functions_init(struct page_functions *functions);

/* Releases the set; an all-zero set is fine. */
void page_functions_deinit(struct page_functions *functions);

/* Finds or adds the function of these texts, which are safe to print. Returns 0 or -ENOMEM. */
int page_functions_add(struct page_functions *functions, const char *text, const char *module,
		       enum page_kind kind, uint32_t *id);

/*
 * Sorts the functions by text, module and kind. Their numbers become their places in this order.
 * Sets *@new_ids to the new number of each old one; the caller frees it. Returns 0 or -ENOMEM.
 */
int page_functions_sort(struct page_functions *functions, uint32_t **new_ids);

/* The functions of the frames and threads of one recording, each looked up once. */
struct source_functions {
	struct page_functions *functions;
	struct labels *labels;
	uint32_t *frames; /* [(frame * NR_FRAME_PLACES + place) * 2 + is_kernel] */
	uint32_t *comms;  /* by string of the model */
};

/* Both arguments are borrowed until source_functions_deinit. Returns 0 or -ENOMEM. */
int source_functions_init(struct source_functions *known, struct page_functions *functions,
			  struct source *source);

void source_functions_deinit(struct source_functions *known);

/* Finds the function of a frame of the model. Returns 0 or -ENOMEM. */
int source_function_of_frame(struct source_functions *known, uint32_t frame, enum frame_place place,
			     bool is_kernel, uint32_t *id);

/* Finds the function that stands for threads of a name. Returns 0 or -ENOMEM. */
int source_function_of_thread(struct source_functions *known, uint32_t comm, uint32_t *id);

#endif
