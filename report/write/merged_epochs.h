/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The model of several recordings as epochs of one. Things that only their own recording tells
 * apart get numbers that are new in the file: processes a generation, and objects without a
 * build-id an instance. So equal numbers of two hosts never meet.
 */
#ifndef REPORT_WRITE_MERGED_EPOCHS_H
#define REPORT_WRITE_MERGED_EPOCHS_H

#include "format/writer.h"
#include "report/model/model.h"

/* The place of a model in the file. */
struct merged_span {
	uint64_t begin_ns, end_ns;
	uint32_t last_number; /* of the processes and objects so far */
};

/*
 * Writes the rows of @model, which model_finish has completed and which keeps slots, as epochs of
 * @span. Time 0 of the model is the begin of @span. Large models become several epochs. Takes
 * numbers from @span. Returns 0, -ENOMEM, -EOVERFLOW if the numbers run out, or the error of the
 * writer.
 */
int merged_epochs_write(struct prof_writer *writer, const struct model *model,
			struct merged_span *span);

#endif
