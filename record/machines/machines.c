// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/machines.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/machines/process_reads.h"
#include "record/maps/maps.h"

struct machine_question {
	uint32_t pid;
	uint32_t kind;
	uint64_t base;
	struct interpreter in;
};

/* A look_fn. The answer is a struct machine. */
static int look_at_machine(struct look *look)
{
	_cleanup_resident_memory_ struct resident_memory pages = RESIDENT_MEMORY_INIT(0);
	struct machine_memory memory = machine_memory_of(&pages);
	struct machine_question q = {0};
	struct machine machine;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	pages.pid = q.pid;
	memset(&machine, 0, sizeof(machine));
	machine.pid = q.pid;
	machine.kind = q.kind;
	ret = look_touch(look, look_process(q.pid));
	if (!ret)
		ret = machine_kinds[q.kind].read(&memory, &q.in, q.base, &machine);
	if (ret)
		return ret;
	return look_answer_append(look, &machine, sizeof(machine)) ? 0 : -ENOBUFS;
}

/* Others may lose their room. Returns 0, -ENOSPC or -ENOMEM. */
static int take_room(struct machines *m, const struct machine_owner *owner)
{
	uint32_t loser;
	int ret;

	while ((ret = shares_take(&m->shares, owner->item, owner->uid, 1, owner->use, &loser)) ==
		       -ENOSPC &&
	       loser != SHARES_NO_ITEM)
		m->lost(m->ctx, loser);
	return ret;
}

int machines_put(struct machines *m, const struct machine_owner *owner)
{
	const struct machine_question q = {.pid = owner->pid,
					   .kind = machine_kind_of(owner->interpreter->language),
					   .base = owner->base,
					   .in = *owner->interpreter};
	const struct look_question question = {
		.fn = look_at_machine, .bytes = &q, .nr = sizeof(q), .fd = -1, .pid = owner->pid};
	_cleanup_free_ struct look_answer *answer = malloc(sizeof(*answer));
	struct machine machine;
	int ret = answer ? looker_ask(m->looker, &question, answer) : -ENOMEM;

	if (ret)
		return ret;
	if (answer->nr != sizeof(machine))
		return -EIO;
	memcpy(&machine, answer->bytes, sizeof(machine));
	machine.pid = owner->pid;
	machine.kind = q.kind;
	machine.item = owner->item;
	machines_remove(m, owner->pid);
	ret = vec_reserve(&m->processes, 1) ? -ENOMEM : take_room(m, owner);
	if (!ret && map_update(m->maps[q.kind], &owner->pid, &machine.java, BPF_ANY)) {
		shares_give(&m->shares, owner->item);
		ret = -ENOMEM;
	}
	return ret ? ret : vec_push(&m->processes, machine);
}

static struct machine *find(const struct machines *m, uint32_t pid)
{
	vec_for_each(&m->processes, machine)
		if (machine->pid == pid)
			return machine;
	return NULL;
}

const struct machine *machines_find(const struct machines *m, uint32_t pid, uint32_t kind)
{
	const struct machine *machine = find(m, pid);

	return machine && machine->kind == kind ? machine : NULL;
}

void machines_remove(struct machines *m, uint32_t pid)
{
	struct machine *machine = find(m, pid);

	if (!machine)
		return;
	map_delete(m->maps[machine->kind], &pid);
	shares_give(&m->shares, machine->item);
	*machine = m->processes.data[--m->processes.nr];
}

void machines_deinit(struct machines *m)
{
	shares_deinit(&m->shares);
	vec_free(&m->processes);
}
