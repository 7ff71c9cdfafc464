/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The functions of a page, each once for all recordings in it. A function is what a picture shows
 * as one frame: its text, its module, its place in the source and its kind tell it apart from
 * others.
 */
#ifndef REPORT_HTML_PAGE_FUNCTIONS_H
#define REPORT_HTML_PAGE_FUNCTIONS_H

#include <stdint.h>

#include "report/view/source.h"
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
	/* A function of a language that an interpreter runs: of the first of the languages. */
	PAGE_LANGUAGE,
};

/* The last kind stands for all languages beyond. */
#define PAGE_LANGUAGES_MAX 32

/* Bytes of all names of a page. Many lines of a hostile recording can share a long path. */
#define PAGE_NAMES_MAX (UINT64_C(256) << 20)

struct page_function {
	uint32_t text, module; /* in strings, safe to print */
	/* The place in the source: path is in strings, "" or line 0 are not known. */
	uint32_t path, line;
	uint8_t kind; /* enum page_kind; PAGE_LANGUAGE + a number in languages */
};

/* page_functions_init makes them. */
struct page_functions {
	struct string_set strings;
	VEC(struct page_function) items;
	VEC(uint32_t) languages; /* short names, in strings */
	struct index index;
	struct textbuf scratch;
};

/* Makes an empty set. Returns 0 or -ENOMEM. */
int page_functions_init(struct page_functions *functions);

/* Releases the set; an all-zero set is fine. */
void page_functions_deinit(struct page_functions *functions);

/* Finds or adds the function of a text, which is safe to print. Returns 0, -ENOMEM or -E2BIG. */
int page_functions_add(struct page_functions *functions, const char *text, enum page_kind kind,
		       uint32_t *id);

/*
 * Sorts the functions by text, module, place in the source and kind. Their numbers become their
 * places in this order. Sets *@new_ids to the new number of each old one; the caller frees it.
 * Returns 0 or -ENOMEM.
 */
int page_functions_sort(struct page_functions *functions, uint32_t **new_ids);

/* The functions of the frames and threads of one recording. Those of a frame are looked up once. */
struct source_functions {
	struct page_functions *functions;
	struct labels *labels;
	uint32_t *frames;    /* [(frame * NR_FRAME_PLACES + place) * 2 + is_kernel]: in parts */
	VEC(uint32_t) parts; /* functions of frames, the innermost first */
};

/* Both arguments are borrowed until source_functions_deinit. Returns 0 or -ENOMEM. */
int source_functions_init(struct source_functions *known, struct page_functions *functions,
			  struct source *source);

void source_functions_deinit(struct source_functions *known);

/*
 * Finds the functions of a frame of the model: several, if functions were inlined there. Returns 0,
 * -ENOMEM or -E2BIG. Sets *@parts to labels_nr_parts functions, the innermost first, until the next
 * call.
 */
int source_functions_of_frame(struct source_functions *known, uint32_t frame,
			      enum frame_place place, bool is_kernel, const uint32_t **parts);

/* Finds the function that stands for threads, as labels_thread names them. Returns as above. */
int source_function_of_thread(struct source_functions *known, uint32_t comm, uint32_t tid,
			      uint32_t *id);

#endif
