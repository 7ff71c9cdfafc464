/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A page of HTML that shows recordings. It is whole in itself: the viewer's script and style are in
 * it, and a policy lets the browser run nothing else and ask nobody. Names are in the packed data,
 * which the script reads; nothing of them is markup but in the table for readers without a script.
 */
#ifndef REPORT_HTML_PAGE_H
#define REPORT_HTML_PAGE_H

#include "report/html/page_profile.h"

/* Chooses the look of names in pictures, as far as the user did not. */
void page_choose_names(struct view *view);

/*
 * Prints a page with the @nr @profiles, whose parts have their sources and events. Returns 0, or a
 * negative errno: -ENOMEM, -E2BIG for more nodes than a page can show. @profiles are the caller's
 * to release in both cases.
 */
int page_print(struct textbuf *out, struct page_profile *profiles, size_t nr);

#endif
