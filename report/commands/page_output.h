/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file that a page is written to. */
#ifndef REPORT_COMMANDS_PAGE_OUTPUT_H
#define REPORT_COMMANDS_PAGE_OUTPUT_H

#include "report/commands/command_io.h"
#include "report/write/output_file.h"
#include "report/html/page.h"

/*
 * Checks the file that page_output_print is going to write to, by output_file_check. Returns 0 or a
 * negative errno with @err set.
 */
int page_output_check(const struct output_request *request, const char *recording, struct err *err);

/*
 * Writes a page with the @nr @profiles to the file of @request. If that has no name, the name is
 * that of @recording in the working directory, with .html at its end. Returns 0 or a negative errno
 * with @err set.
 */
int page_output_print(struct command_io *io, const struct output_request *request,
		      const char *recording, struct page_profile *profiles, size_t nr,
		      struct err *err);

#endif
