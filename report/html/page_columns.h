/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The trees and functions of a page as bytes. Numbers stand in columns of equal meaning, as varints
 * (seven bits a byte, the low ones first), because DEFLATE packs such columns well.
 * report/html/profile.js reads them. A section is its length in bytes, a varint, and the bytes.
 *
 * Of the functions: a section with the texts, one a line, and one with the kind of each. Then the
 * modules, one a line, and the number of each function's module; then the paths of source files,
 * one a line, the number of each function's path, and the line of each function.
 *
 * Of a profile, by node in the order of the page:
 *
 *	pops       levels to go up from the node before, to the parent
 *	codes      0: a function that has not followed this parent's function yet; else 1 + its
 *	           place among those that have
 *	low        the low byte of the function of each code 0
 *	high       the rest of it: bytes that look random do not spoil the code of others
 *	nr_cells   cells of each node; a node without a child has one more
 *	processes  of each cell
 *	slots      of each cell, minus the slot before it in the node
 *	counts     of each cell
 *
 * A function calls few others, so most codes are small.
 */
#ifndef REPORT_HTML_PAGE_COLUMNS_H
#define REPORT_HTML_PAGE_COLUMNS_H

#include "report/html/page_profile.h"

/* Appends a section with the bytes of @bytes. */
void page_print_section(struct textbuf *out, const struct textbuf *bytes);

/* Appends the sections of the functions, which are sorted. Returns 0 or -ENOMEM. */
int page_print_functions(struct textbuf *out, const struct page_functions *functions);

/* Appends the sections of @profile, which is sorted. Returns 0 or -ENOMEM. */
int page_print_profile(struct textbuf *out, const struct page_profile *profile,
		       const struct page_functions *functions);

#endif
