// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/java_machines.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/unwind/java_memory.h"

struct machine_question {
	uint32_t pid;
	uint32_t reserved;
	uint64_t base;
	struct interpreter in;
};

/* A look_fn. The answer is a struct java_process. */
static int look_at_machine(struct look *look)
{
	struct machine_question q;
	struct java_process process = {.pid = 0};
	struct java_memory memory;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	memory = java_memory_of(&q.pid);
	process.pid = q.pid;
	ret = look_touch(look, look_process(q.pid));
	if (!ret)
		ret = java_machine_read(&memory, &q.in, q.base, &process.machine, &process.layout);
	if (ret)
		return ret;
	return look_answer_append(look, &process, sizeof(process)) ? 0 : -ENOBUFS;
}

bool java_machines_put(struct java_machines *j, uint32_t pid, const struct interpreter *in,
		       uint64_t base)
{
	const struct machine_question q = {.pid = pid, .base = base, .in = *in};
	const struct look_question question = {
		.fn = look_at_machine, .bytes = &q, .nr = sizeof(q), .fd = -1};
	_cleanup_free_ struct look_answer *answer = malloc(sizeof(*answer));
	struct java_process process;

	if (!answer || looker_ask(j->looker, &question, answer) || answer->nr != sizeof(process))
		return false;
	memcpy(&process, answer->bytes, sizeof(process));
	java_machines_remove(j, pid);
	if (vec_reserve(&j->processes, 1) ||
	    bpf_map_update_elem(j->map, &pid, &process.machine, BPF_ANY))
		return false;
	return !vec_push(&j->processes, process);
}

const struct java_process *java_machines_find(const struct java_machines *j, uint32_t pid)
{
	vec_for_each(&j->processes, process)
		if (process->pid == pid)
			return process;
	return NULL;
}

void java_machines_remove(struct java_machines *j, uint32_t pid)
{
	struct java_process *process = (struct java_process *)java_machines_find(j, pid);

	if (!process)
		return;
	*process = j->processes.data[--j->processes.nr];
	bpf_map_delete_elem(j->map, &pid);
}

void java_machines_deinit(struct java_machines *j)
{
	vec_free(&j->processes);
}
