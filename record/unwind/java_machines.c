// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/java_machines.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/unwind/process_reads.h"

struct machine_question {
	uint32_t pid;
	uint32_t reserved;
	uint64_t base;
	struct interpreter in;
};

/* The answer: that of the question's language. */
union machine_answer {
	struct java_process java;
	struct beam_process beam;
};

static int read_machine(const struct machine_question *q, union machine_answer *answer)
{
	struct machine_memory memory = machine_memory_of(&q->pid);

	memset(answer, 0, sizeof(*answer));
	if (q->in.language == LANGUAGE_BEAM) {
		answer->beam.pid = q->pid;
		return beam_machine_read(&memory, &q->in, q->base, &answer->beam.machine,
					 &answer->beam.tables);
	}
	answer->java.pid = q->pid;
	return java_machine_read(&memory, &q->in, q->base, &answer->java.machine,
				 &answer->java.layout);
}

/* A look_fn. The answer is a union machine_answer. */
static int look_at_machine(struct look *look)
{
	struct machine_question q;
	union machine_answer answer;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	ret = look_touch(look, look_process(q.pid));
	if (!ret)
		ret = read_machine(&q, &answer);
	if (ret)
		return ret;
	return look_answer_append(look, &answer, sizeof(answer)) ? 0 : -ENOBUFS;
}

static int put_java(struct java_machines *j, const struct java_process *process)
{
	if (vec_reserve(&j->processes, 1) ||
	    bpf_map_update_elem(j->map, &process->pid, &process->machine, BPF_ANY))
		return -ENOMEM;
	return vec_push(&j->processes, *process);
}

static int put_beam(struct java_machines *j, const struct beam_process *process)
{
	if (vec_reserve(&j->beam_processes, 1) ||
	    bpf_map_update_elem(j->beam_map, &process->pid, &process->machine, BPF_ANY))
		return -ENOMEM;
	return vec_push(&j->beam_processes, *process);
}

int java_machines_put(struct java_machines *j, uint32_t pid, const struct interpreter *in,
		      uint64_t base)
{
	const struct machine_question q = {.pid = pid, .base = base, .in = *in};
	const struct look_question question = {
		.fn = look_at_machine, .bytes = &q, .nr = sizeof(q), .fd = -1};
	_cleanup_free_ struct look_answer *answer = malloc(sizeof(*answer));
	union machine_answer machine;
	int ret = answer ? looker_ask(j->looker, &question, answer) : -ENOMEM;

	if (ret)
		return ret;
	if (answer->nr != sizeof(machine))
		return -EIO;
	memcpy(&machine, answer->bytes, sizeof(machine));
	java_machines_remove(j, pid);
	return in->language == LANGUAGE_BEAM ? put_beam(j, &machine.beam)
					     : put_java(j, &machine.java);
}

const struct java_process *java_machines_find(const struct java_machines *j, uint32_t pid)
{
	vec_for_each(&j->processes, process)
		if (process->pid == pid)
			return process;
	return NULL;
}

const struct beam_process *java_machines_find_beam(const struct java_machines *j, uint32_t pid)
{
	vec_for_each(&j->beam_processes, process)
		if (process->pid == pid)
			return process;
	return NULL;
}

void java_machines_remove(struct java_machines *j, uint32_t pid)
{
	struct java_process *java = (struct java_process *)java_machines_find(j, pid);
	struct beam_process *beam = (struct beam_process *)java_machines_find_beam(j, pid);

	if (java) {
		*java = j->processes.data[--j->processes.nr];
		bpf_map_delete_elem(j->map, &pid);
	}
	if (beam) {
		*beam = j->beam_processes.data[--j->beam_processes.nr];
		bpf_map_delete_elem(j->beam_map, &pid);
	}
}

void java_machines_deinit(struct java_machines *j)
{
	vec_free(&j->processes);
	vec_free(&j->beam_processes);
}
