/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The facts that a page shows about its recordings, as JSON. Times are milliseconds. */
#ifndef REPORT_HTML_PAGE_FACTS_H
#define REPORT_HTML_PAGE_FACTS_H

#include "report/html/page_profile.h"

/*
 * Appends an object that describes @nr profiles, and the languages of @functions. Errors are noted
 * in @out.
 */
void page_print_facts(struct textbuf *out, const struct page_profile *profiles, size_t nr,
		      const struct page_functions *functions);

#endif
