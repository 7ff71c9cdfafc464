/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes a recording again, with symbols that were found afterwards. */
#ifndef REPORT_PACK_PACK_H
#define REPORT_PACK_PACK_H

#include "format/reader.h"
#include "report/model/model.h"
#include "report/symbols/found_symbols.h"
#include "report/text/textbuf.h"

/*
 * Copies the recording of @reader to @out. Each epoch gets those symbols of @found whose object, as
 * @model has it, is not in an earlier epoch. Bounds of functions that have a name now are left out.
 * A recording without an end stays one. Returns 0, or an error of the reader or the writer.
 */
int pack_recording(struct prof_reader *reader, const struct model *model,
		   const struct found_symbols *found, struct textbuf *out);

#endif
