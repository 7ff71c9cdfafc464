// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/machines/machines.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "record/machines/process_reads.h"
#include "record/sampling/program/maps.h"

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
	if (!ret)
		ret = vec_push(&m->processes, machine);
	if (!ret && m->found)
		m->found(m->found_ctx, owner->pid);
	return ret;
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

/* Describes the code of the machine in a file in memory. */
static int describe(struct look *look, const struct machine *machine)
{
	_cleanup_resident_memory_ struct resident_memory pages = RESIDENT_MEMORY_INIT(machine->pid);
	struct machine_memory memory = machine_memory_of(&pages);
	_cleanup_close_ int fd = memfd_create("made-code", MFD_CLOEXEC);
	int copy = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 0), ret;
	FILE *out = copy < 0 ? NULL : fdopen(copy, "w");

	if (!out) {
		ret = -errno;
		cleanup_close(&copy);
		return ret;
	}
	ret = machine_kinds[machine->kind].describe(&memory, machine, out);
	if (fclose(out) && !ret)
		ret = -EIO;
	if (!ret)
		look->answer_fd = TAKE_FD(fd);
	return ret;
}

/* A look_fn. */
static int look_at_made_code(struct look *look)
{
	struct machine machine;
	int ret;

	if (look->nr_question != sizeof(machine))
		return -EBADMSG;
	memcpy(&machine, look->question, sizeof(machine));
	ret = look_touch(look, look_process(machine.pid));
	return ret ? ret : describe(look, &machine);
}

int machines_describe(const struct machines *m, uint32_t pid)
{
	const struct machine *machine = find(m, pid);
	const struct look_question question = {.fn = look_at_made_code,
					       .bytes = machine,
					       .nr = sizeof(*machine),
					       .fd = -1,
					       .pid = pid};
	_cleanup_free_ struct look_answer *answer = NULL;
	int ret, fd;

	if (!machine || !machine_kinds[machine->kind].describe)
		return -ENOENT;
	answer = malloc(sizeof(*answer));
	ret = answer ? looker_ask(m->looker, &question, answer) : -ENOMEM;
	if (ret)
		return ret;
	fd = TAKE_FD(answer->fd);
	return fd < 0 ? -ENOENT : fd;
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
