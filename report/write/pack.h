/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a recording again, with names and lines that were found afterwards. */
#ifndef REPORT_WRITE_PACK_H
#define REPORT_WRITE_PACK_H

#include "format/reader.h"
#include "report/model/model.h"
#include "report/symbols/found_names.h"
#include "report/text/textbuf.h"

/*
 * Copies the recording of @reader to @out. Each epoch gets those names and lines of @found, which
 * is sorted, whose object, as @model has it, is in the epoch. An object with a build-id has them in
 * its first epoch alone. Bounds of functions that have names now are left out. Sets *@nr_short to
 * the number of objects for which an epoch has no room. A recording without an end stays one.
 * Returns 0, or an error of the reader or the writer.
 */
int pack_recording(struct prof_reader *reader, const struct model *model,
		   const struct found_names *found, struct textbuf *out, uint32_t *nr_short);

#endif
