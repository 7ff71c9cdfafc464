/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Has tables made of the code that processes register while they run
 * (record/machines/registered_code.h). Nothing says when a process registers more. So the recorder
 * looks when the process has new mappings, or had samples, and then less and less often. The list
 * of a process that registers nothing is empty: many programs have a library of LLVM that they do
 * not use so. There, samples bring one look.
 */
#ifndef RECORD_UNWIND_REGISTERED_SPACES_H
#define RECORD_UNWIND_REGISTERED_SPACES_H

#include "record/looks/look_budget.h"
#include "record/unwind/space_maps.h"

/*
 * Looks at the processes for which it is time. Those with other code than before are waiting from
 * now on, and are pushed to @stale: their mappings have other tables. Returns 0 or -ENOMEM.
 */
int registered_spaces_look(struct space_maps *spaces, struct look_budget *looks, u32_vec *stale);

/*
 * Has the looker tell the names of what @pid has registered (registered_code_describe). That is a
 * look, too, or a part of one that has found another list, and costs the user of the process as
 * much. Returns -EAGAIN if there is no time for it now, and -ENOENT without asking where there are
 * no names.
 */
int registered_spaces_describe(const struct space_maps *spaces, struct look_budget *looks,
			       uint32_t pid);

#endif
