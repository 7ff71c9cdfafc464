// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/rescans.h"

#include <errno.h>

#include "common/clock.h"
#include "common/hash.h"
#include "record/looks/proc_task.h"
#include "record/process/proc_scan.h"

bool rescans_has(const struct rescans *rescans, const struct address_space *space)
{
	index_for_each(&rescans->by_generation, hash_u64(space->generation), i)
		if (rescans->generations.data[i] == space->generation)
			return true;
	return false;
}

/* Can /proc tell more of @space? */
static bool may_help(const struct rescans *rescans, const struct address_spaces *spaces,
		     const struct address_space *space)
{
	if (space->memory->complete || space->memory->is_closed || space->exited_ns ||
	    rescans_has(rescans, space))
		return false;
	/* /proc has the process as it is now, and says nothing of it before an exec. */
	return address_spaces_find(spaces, space->pid, UINT64_MAX) == space;
}

static bool has_unmapped_frame(const struct address_space *space, const struct raw_stack *stack,
			       uint64_t time_ns)
{
	for (size_t i = 0; i < stack->nr_frames; i++)
		if (!address_space_lookup(space, stack_frame_addr(stack->frames[i]), time_ns))
			return true;
	return false;
}

/* The user of the process. One process after the other is asked for, each with many stacks. */
static uint32_t owner_of(struct rescans *rescans, const struct address_space *space)
{
	if (rescans->owned_pid != space->pid) {
		rescans->owned_pid = space->pid;
		rescans->uid = proc_owner(space->pid);
	}
	return rescans->uid;
}

/* Reads the mappings of the process, within the budget. */
static int look(struct rescans *rescans, struct address_spaces *spaces, struct address_space *space)
{
	struct look_budget *looks = rescans->looks;
	/* Mappings that the side-band told of stay in force at the time of the sample. */
	uint64_t now_ns = clock_monotonic_ns();
	int ret;

	if (!looks)
		return proc_scan_process(spaces, space->pid, now_ns, 0);
	ret = proc_scan_process(spaces, space->pid, now_ns, look_budget_begin(looks));
	space->next_look_ns =
		look_budget_end(looks, ret == -E2BIG ? owner_of(rescans, space) : 0, ret == -E2BIG);
	return ret == -E2BIG ? 0 : ret;
}

int rescans_look(struct rescans *rescans, struct address_spaces *spaces,
		 struct address_space *space, const struct raw_stack *stack, uint64_t time_ns)
{
	int ret;

	if (!may_help(rescans, spaces, space) || !has_unmapped_frame(space, stack, time_ns))
		return 0;
	if (rescans->looks && space->next_look_ns &&
	    look_budget_must_wait(rescans->looks, owner_of(rescans, space), space->next_look_ns))
		return 0;
	ret = index_push(&rescans->by_generation, &rescans->generations,
			 hash_u64(space->generation), space->generation);
	return ret ? ret : look(rescans, spaces, space);
}

void rescans_clear(struct rescans *rescans)
{
	vec_clear(&rescans->generations);
	index_clear(&rescans->by_generation);
	rescans->owned_pid = 0; /* another process may have it by the next drain */
}

void rescans_deinit(struct rescans *rescans)
{
	vec_free(&rescans->generations);
	index_deinit(&rescans->by_generation);
}
