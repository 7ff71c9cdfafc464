// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/thread_context.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/looks/exported_variable.h"
#include "record/looks/go_labels.h"
#include "record/looks/process_context.h"

#define VARIABLE "otel_thread_ctx_v1"

struct thread_question {
	uint32_t pid;
	struct seen_context seen;
	struct label_keys keys;
};

/* How a look ended. It has a result of its own, because an answer with an error is empty. */
struct thread_answer {
	int result;
	struct seen_context seen;
	struct thread_context found;
};

static bool has_keys(const struct thread_context *context)
{
	for (size_t i = 0; i < LABEL_NAMES_MAX; i++)
		if (context->keys[i])
			return true;
	return false;
}

static int find_variable(struct resident_memory *memory, struct thread_context *found)
{
	struct exported_variable variable;
	int ret = exported_variable_find(memory, VARIABLE, &variable);

	if (ret)
		return ret;
	found->offset = variable.offset;
	found->block = variable.block;
	found->block_bytes = variable.block_bytes;
	return 0;
}

static int look_for_context(const struct thread_question *q, struct thread_answer *answer)
{
	_cleanup_resident_memory_ struct resident_memory memory = RESIDENT_MEMORY_INIT(q->pid);
	struct process_context context = {.addr = q->seen.addr};
	int ret = process_context_fetch(&memory, &context);

	if (ret)
		return ret;
	if (context.addr == q->seen.addr && context.published_ns == q->seen.published_ns)
		return -EALREADY;
	if (!process_context_keys(context.message, context.nr, &q->keys, answer->found.keys) ||
	    !(q->keys.has_traces || has_keys(&answer->found)))
		ret = -ENOENT;
	else
		ret = find_variable(&memory, &answer->found);
	/* A file with the variable may be loaded later. */
	if (!ret)
		answer->seen = (struct seen_context){.addr = context.addr,
						     .published_ns = context.published_ns};
	return ret;
}

static int look_for_go(const struct thread_question *q, struct thread_answer *answer)
{
	_cleanup_resident_memory_ struct resident_memory memory = RESIDENT_MEMORY_INIT(q->pid);
	int ret;

	memset(&answer->found, 0, sizeof(answer->found));
	ret = go_labels_find(&memory, &answer->found);
	answer->seen.is_go = !ret;
	return ret;
}

/* A look_fn. */
static int answer_thread_context(struct look *look)
{
	struct thread_question q;
	struct thread_answer answer = {0};
	int ret;

	memcpy(&q, look->question, sizeof(q));
	answer.seen = q.seen;
	ret = look_touch(look, look_process(q.pid));
	if (ret)
		return ret;
	answer.result = look_for_context(&q, &answer);
	if (answer.result == -ENOENT)
		answer.result = look_for_go(&q, &answer);
	look_answer_append(look, &answer, sizeof(answer));
	return 0;
}

int thread_context_find(struct looker *looker, uint32_t pid, const struct label_keys *keys,
			struct seen_context *seen, struct thread_context *found)
{
	struct thread_question q = {.pid = pid, .seen = *seen, .keys = *keys};
	const struct look_question question = {
		.fn = answer_thread_context, .bytes = &q, .nr = sizeof(q), .fd = -1, .pid = pid};
	struct look_answer answer;
	struct thread_answer got;
	int ret;

	if (seen->is_go)
		return -EALREADY;
	ret = looker_ask(looker, &question, &answer);
	if (ret)
		return ret;
	if (answer.nr != sizeof(got))
		return -EIO;
	memcpy(&got, answer.bytes, sizeof(got));
	*seen = got.seen;
	*found = got.found;
	return got.result;
}
