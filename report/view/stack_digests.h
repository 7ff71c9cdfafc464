/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Digests of the text of stacks. Hits of an event are added up over processes, by the text of their
 * stacks. One function has another frame in each process that has its file elsewhere, and one frame
 * for each address in it. The names of frames decide here, and whatever else the view shows of
 * them.
 *
 * No text is made, because names can be long and stacks many. Nor are frames kept, because
 * addresses make other frames in each process, and a small recording can have very many. A digest
 * has 128 bits and the secret seed of common/hash.h, so no author of a recording can give two
 * stacks one digest.
 */
#ifndef REPORT_VIEW_STACK_DIGESTS_H
#define REPORT_VIEW_STACK_DIGESTS_H

#include "report/model/model.h"
#include "report/symbols/symbolise.h"
#include "report/view/view.h"

/* Compared as bytes. */
struct stack_digest {
	uint64_t halves[2];
};

/* stack_digests_init makes them. */
struct stack_digests {
	const struct model *model;
	const struct symbols *symbols;
	const struct view *view;
	/* By the model's stack. All zero: not made yet. NULL if a digest depends on the process. */
	struct stack_digest *known;
};

/*
 * Prepares digests. All three arguments are borrowed until stack_digests_deinit. Returns 0 or
 * -ENOMEM.
 */
int stack_digests_init(struct stack_digests *digests, const struct model *model,
		       const struct symbols *symbols, const struct view *view);

/* Releases the digests; all-zero ones are fine. */
void stack_digests_deinit(struct stack_digests *digests);

/* Returns the digest of the text that the view shows of the model's @stack in @process. */
struct stack_digest stack_digests_get(struct stack_digests *digests, uint32_t process,
				      uint32_t stack);

#endif
