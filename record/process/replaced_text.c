// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/replaced_text.h"

#include <errno.h>

#include "common/clock.h"
#include "record/looks/proc_task.h"
#include "record/process/proc_scan.h"

uint32_t replaced_text_find(const struct address_spaces *spaces, const struct address_space *space,
			    uint64_t start, uint64_t end)
{
	const mapping_vec *live = space ? &space->memory->live : NULL;
	const struct mapping *m;
	size_t at = live ? mappings_position(live, start) : 0;

	if (!live || at == live->nr || live->data[at].start >= end)
		return 0;
	m = &live->data[at];
	if (m->text)
		return m->text;
	return mapping_file(&spaces->files, m)->kind == MAPPED_FILE &&
			       !mapped_file_is_made_code(mapping_file(&spaces->files, m))
		       ? m->file + 1
		       : 0;
}

/* Is what the looker tells of now the file of then? The process may run another program by now. */
static bool is_file_of_then(const struct mapped_file *then, const struct mapped_file *now)
{
	const struct build_id *id = mapped_file_build_id(then);

	if (now->kind != MAPPED_FILE)
		return false;
	return build_id_is_none(id) ? file_identity_equal(&then->identity, &now->identity)
				    : build_id_equal(id, mapped_file_build_id(now));
}

/* The live mapping that @mapping repeats, if it is known to be a copy of @text. */
static const struct mapping *find_known(const struct address_space *space, uint32_t text,
					const struct mapping *mapping)
{
	const struct mapping *m = mappings_find(&space->memory->live, mapping->start);

	return m && m->text == text && m->file == text - 1 && m->end >= mapping->end ? m : NULL;
}

/* Looks whether @mapping is a copy. Returns whether it is, with *@pgoff, or -ENOMEM. */
static int look(struct address_spaces *spaces, const struct address_space *space, uint32_t text,
		const struct mapping *mapping, uint64_t *pgoff)
{
	mapping_vec found = {0};
	int ret = proc_scan_mapping_at(space->pid, mapping->start, &spaces->files, &found);
	const struct mapping *m = mappings_find(&found, mapping->start);
	bool is_copy = m && m->end >= mapping->end &&
		       is_file_of_then(&spaces->files.files.data[text - 1],
				       mapping_file(&spaces->files, m));

	if (is_copy)
		*pgoff = m->pgoff + (mapping->start - m->start);
	vec_free(&found);
	return ret == -ENOMEM ? ret : is_copy;
}

/*
 * As look, within the budget. Returns -EAGAIN when the process has to wait, which is found out
 * before its user: there may be any number of records.
 */
static int look_within(struct address_spaces *spaces, struct look_budget *looks,
		       struct address_space *space, uint32_t text, const struct mapping *mapping,
		       uint64_t *pgoff)
{
	uint32_t uid;
	int ret;

	if (!looks)
		return look(spaces, space, text, mapping, pgoff);
	if (clock_monotonic_ns() < space->next_look_ns)
		return -EAGAIN;
	uid = proc_owner(space->pid);
	if (look_budget_haste(looks, uid) == LOOK_NEVER) {
		look_budget_leave_out(looks, uid);
		return -EAGAIN;
	}
	look_budget_begin(looks);
	ret = look(spaces, space, text, mapping, pgoff);
	space->next_look_ns = look_budget_end(looks, uid, false);
	look_budget_charge(looks, uid);
	return ret;
}

int replaced_text_look(struct address_spaces *spaces, struct look_budget *looks,
		       struct address_space *space, uint32_t text, struct mapping *mapping)
{
	const struct mapping *known = find_known(space, text, mapping);
	int ret = look_within(spaces, looks, space, text, mapping, &mapping->pgoff);

	mapping->text = text;
	if (ret == -EAGAIN && known)
		mapping->pgoff = known->pgoff + (mapping->start - known->start);
	if (ret == 1 || (ret == -EAGAIN && known))
		mapping->file = text - 1;
	return ret == -ENOMEM ? ret : 0;
}
