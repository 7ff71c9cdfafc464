// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/found_threads.h"

#include <errno.h>
#include <string.h>

#include "bpf/walk/unwind.h"
#include "common/cleanup.h"
#include "common/minmax.h"
#include "record/looks/resident_memory.h"

struct stack_question {
	uint32_t pid;
	uint64_t sp;
};

/* A look_fn. The answer is the copy of the stack, as in struct early_sample. */
static int look_at_stack(struct look *look)
{
	_cleanup_resident_memory_ struct resident_memory memory = RESIDENT_MEMORY_INIT(0);
	struct stack_question q;
	char stack[EARLY_STACK_BYTES];
	long got;
	int ret;

	memcpy(&q, look->question, sizeof(q));
	ret = look_touch(look, look_process(q.pid));
	if (ret)
		return ret;
	memory.pid = q.pid;
	/* The stack may end in the copied range. Then the part before its end is the answer. */
	got = resident_memory_read(&memory, early_stack_begin(q.sp), stack, sizeof(stack));
	if (got < 0)
		return got;
	return look_answer_append(look, stack, got) ? 0 : -ENOBUFS;
}

/* The word at @at of the stack, which is that of the trampoline, as it was without a probe. */
static uint64_t probed_return(const struct found_thread *thread, uint64_t word, uint64_t at)
{
	uint32_t nr = min_u64(thread->nr_calls, PROBED_CALLS_MAX);

	for (uint32_t i = 0; i < nr; i++)
		if (is_return_of_call(thread->calls[i].sp, at))
			return thread->calls[i].address;
	return word;
}

/* Puts the return addresses back that uprobes have replaced. */
static void restore_returns(const struct found_thread *thread, struct early_sample *sample)
{
	const uint64_t begin = early_stack_begin(thread->regs[UNWIND_REG_SP]);
	uint64_t word;

	if (!thread->nr_calls)
		return;
	for (uint32_t at = 0; at + sizeof(word) <= sample->nr_bytes; at += sizeof(word)) {
		memcpy(&word, sample->stack + at, sizeof(word));
		if (PLAIN_RETURN(word) != thread->trampoline)
			continue;
		word = probed_return(thread, word, begin + at);
		memcpy(sample->stack + at, &word, sizeof(word));
	}
}

int found_threads_add(struct looker *looker, const struct found_thread *thread,
		      struct early_samples *early)
{
	const struct stack_question q = {.pid = thread->key.tgid,
					 .sp = thread->regs[UNWIND_REG_SP]};
	const struct look_question question = {
		.fn = look_at_stack, .bytes = &q, .nr = sizeof(q), .fd = -1, .pid = q.pid};
	_cleanup_free_ struct look_answer *answer = malloc(sizeof(*answer));
	_cleanup_free_ struct early_sample *sample = calloc(1, sizeof(*sample));

	if (!answer || !sample)
		return -ENOMEM;
	sample->key = thread->key;
	sample->time_ns = thread->time_ns;
	sample->space_id = thread->space_id;
	sample->set = thread->set;
	memcpy(sample->regs, thread->regs, sizeof(sample->regs));
	if (!looker_ask(looker, &question, answer) && answer->nr <= EARLY_STACK_BYTES) {
		sample->nr_bytes = answer->nr;
		memcpy(sample->stack, answer->bytes, answer->nr);
		restore_returns(thread, sample);
	}
	return early_samples_add(early, sample);
}
