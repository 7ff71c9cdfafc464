/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What owns a sample besides its thread: a container, a pod, a unit of systemd, a cgroup, a
 * service, a process. Tables count by owners, and stacks can begin with them.
 */
#ifndef REPORT_VIEW_OWNER_H
#define REPORT_VIEW_OWNER_H

#include "report/model/model.h"
#include "report/text/textbuf.h"

enum owner {
	OWNER_THREAD = 0, /* by its name */
	OWNER_CONTAINER,
	OWNER_POD,
	OWNER_UNIT,
	OWNER_CGROUP,
	OWNER_SERVICE, /* as service_name_put has it */
	OWNER_PROCESS, /* its name and its id: bash/4711 */
	NR_OWNERS,
};

/* The user's words for them. */
extern const char *const owner_words[NR_OWNERS + 1];

/*
 * Appends the @owner, which is no thread, of @process of @model to @out, as it is in the recording.
 * Ids of containers are short. Returns false if there is none, or if it is not known.
 */
bool owner_put(const struct model *model, const struct model_process *process, enum owner owner,
	       struct textbuf *out);

/* Like owner_put, but appends text that is escaped by @mode. */
bool owner_put_escaped(const struct model *model, uint32_t process, enum owner owner,
		       enum text_mode mode, struct textbuf *out);

/* Like owner_put, but appends text that is safe to print, and @none if there is no owner. */
void owner_put_safe(const struct model *model, uint32_t process, enum owner owner, const char *none,
		    struct textbuf *out);

/*
 * Lets the rows of @model begin with their @owner in place of the name of the thread, and adds up
 * those that have become equal. Returns 0 or -ENOMEM.
 */
int owner_lead_rows(struct model *model, enum owner owner);

#endif
