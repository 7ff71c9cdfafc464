// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/registered_spaces.h"

#include <errno.h>

#include "common/clock.h"
#include "common/minmax.h"
#include "record/machines/registered_look.h"

/* From a look to the next one; each later pause is twice the last, up to PAUSE_MAX_NS. */
#define PAUSE_NS     (20 * NS_PER_MS)
#define PAUSE_MAX_NS (3600 * NS_PER_S)

/*
 * Finds the table of @code, which is asked for unless nobody has registered any since. The list is
 * in the place of a file. Returns 0 or -ENOMEM.
 */
static int find_table(struct space_maps *u, const struct unwind_process *p,
		      const struct registered_code *code, uint32_t *nr)
{
	const struct mapped_file file = {.path = (char[]){""},
					 .kind = MAPPED_FILE,
					 .identity = {.is_stat = true,
						      .inode = code->seen | 1,
						      .size = p->space_id,
						      .mtime_ns = p->pid,
						      .owner = p->uid}};
	const struct mapping mapping = {.start = code->base};
	const struct file_place place = {.pid = p->pid,
					 .start = code->base,
					 .user = p->uid + 1,
					 .made_by = p->registered.descriptor};
	int ret = file_tables_find(u->tables, &file, &mapping, p->uid, nr);

	if (!ret && u->tables->tables.data[*nr].state == TABLE_NONE)
		ret = file_tables_request(u->tables, *nr, &file, &place);
	return ret;
}

/* Reads the list of @p, and takes its table. *@is_new: that is another one than before. */
static int read_list(struct space_maps *u, struct unwind_process *p, bool *is_new)
{
	const struct machines *machines = &u->tables->interpreters.machines;
	struct space_registered *r = &p->registered;
	struct registered_code code = {.base = r->base};
	uint32_t nr = NO_TABLE;
	int ret = registered_code_ask(u->tables->looker, p->pid, r->descriptor, &code);

	r->is_strange = ret == -ENOTSUP;
	r->is_empty = ret == -ENOENT;
	/* Without an answer, what was known stays. */
	if (ret && ret != -ENOENT)
		return 0;
	if (!ret && find_table(u, p, &code, &nr))
		return -ENOMEM;
	*is_new = nr != r->table;
	if (!*is_new)
		return 0;
	file_tables_use(u->tables, nr);
	file_tables_unuse(u->tables, r->table);
	r->table = nr;
	r->base = code.base;
	r->pause_ns = 0;
	r->is_nameless = false;
	r->is_paid = true;
	if (nr != NO_TABLE && machines->found)
		machines->found(machines->found_ctx, p->pid);
	r->is_paid = false;
	return 0;
}

/*
 * Begins a look at @p. Returns false if there is no time for it: half of that of its user is for
 * programs that begin. It is to be ended in any case.
 */
static bool begin_look(struct look_budget *looks, const struct unwind_process *p)
{
	return look_budget_begin(looks) != LOOK_MAPPINGS_SPENT &&
	       look_budget_haste(looks, p->uid) == LOOK_AT_ONCE;
}

static void end_look(struct look_budget *looks, struct unwind_process *p, bool has_time)
{
	p->registered.budget_ns = look_budget_end(looks, p->uid, !has_time);
	look_budget_charge(looks, p->uid);
}

/* Looks at what @p has registered, if there is time for that. Returns 0 or -ENOMEM. */
static int look(struct space_maps *u, struct look_budget *looks, struct unwind_process *p,
		bool *is_new)
{
	struct space_registered *r = &p->registered;
	bool has_time = begin_look(looks, p);
	int ret = has_time ? read_list(u, p, is_new) : 0;

	end_look(looks, p, has_time);
	r->pause_ns = r->pause_ns ? min_u64(2 * r->pause_ns, PAUSE_MAX_NS) : PAUSE_NS;
	r->next_ns = clock_monotonic_ns() + r->pause_ns;
	return ret;
}

static uint64_t due_ns_of(const struct space_registered *r)
{
	return max_u64(r->next_ns, r->budget_ns);
}

int registered_spaces_look(struct space_maps *u, struct look_budget *looks, u32_vec *stale)
{
	const uint64_t now_ns = clock_monotonic_ns();
	uint64_t due_ns = UINT64_MAX;
	int ret = 0;

	if (now_ns < u->registered_due_ns)
		return 0;
	vec_for_each(&u->processes, p) {
		bool is_new = false;

		if (!p->pid || !p->nr || !p->registered.descriptor || p->registered.is_strange)
			continue;
		if (!ret && now_ns >= due_ns_of(&p->registered))
			ret = look(u, looks, p, &is_new);
		if (!ret && is_new && !p->is_waiting) {
			p->is_waiting = true;
			ret = vec_push(stale, p->pid);
		}
		due_ns = min_u64(due_ns, due_ns_of(&p->registered));
	}
	u->registered_due_ns = due_ns;
	return ret;
}

static int ask_names(const struct space_maps *u, struct unwind_process *p)
{
	struct space_registered *r = &p->registered;
	int ret = registered_code_describe(u->tables->looker, p->pid, r->descriptor);

	r->is_nameless = ret == -ENOENT || ret == -ENOTSUP;
	return ret;
}

int registered_spaces_describe(const struct space_maps *u, struct look_budget *looks, uint32_t pid)
{
	struct unwind_process *p = space_maps_find(u, pid);
	bool has_time;
	int ret;

	if (!p || p->registered.table == NO_TABLE || p->registered.is_nameless)
		return -ENOENT;
	if (p->registered.is_paid)
		return ask_names(u, p);
	if (clock_monotonic_ns() < p->registered.budget_ns)
		return -EAGAIN;
	has_time = begin_look(looks, p);
	ret = has_time ? ask_names(u, p) : -EAGAIN;
	end_look(looks, p, has_time);
	return ret;
}
