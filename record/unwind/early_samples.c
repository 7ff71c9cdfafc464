// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/early_samples.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The sample whose stack is being walked: what the steps read is its copy. */
static const struct early_sample *walked;

static long unwind_read(void *dst, __u32 size, __u64 addr)
{
	__u64 off = addr - early_stack_begin(walked->regs[UNWIND_RSP]);

	if (off > walked->nr_bytes || size > walked->nr_bytes - off)
		return -1;
	memcpy(dst, walked->stack + off, size);
	return 0;
}

#include "bpf/unwind_step.h"

static size_t size_of(const struct early_sample *sample)
{
	return offsetof(struct early_sample, stack) +
	       (sample->nr_bytes <= EARLY_STACK_BYTES ? sample->nr_bytes : 0);
}

static void release_raw(struct early_samples *early, struct early *e)
{
	if (!e->raw)
		return;
	early->nr_raw--;
	early->raw_bytes -= size_of(e->raw);
	free(e->raw);
	e->raw = NULL;
}

int early_samples_add(struct early_samples *early, const struct early_sample *sample)
{
	struct early new = {.key = sample->key, .time_ns = sample->time_ns, .set = sample->set};
	size_t size = size_of(sample);
	int ret;

	new.raw = malloc(size);
	if (!new.raw)
		return -ENOMEM;
	memcpy(new.raw, sample, size);
	ret = vec_push(&early->samples, new);
	if (ret) {
		free(new.raw);
		return ret;
	}
	early->nr_raw++;
	early->raw_bytes += size;
	return 0;
}

static enum stack_end end_of_walk(enum unwind_end end)
{
	switch (end) {
	case UNWIND_GOES_ON:
		return STACK_END_CUT;
	case UNWIND_AT_ROOT:
		return STACK_END_ROOT;
	case UNWIND_BAD_RULE:
		return STACK_END_BAD_RULE;
	case UNWIND_UNREADABLE:
		return STACK_END_UNREADABLE;
	case UNWIND_NO_TABLE:
		break;
	}
	return STACK_END_NO_TABLE;
}

/* Walks @walked into scratch. Returns 0, -EAGAIN when too little is known, or -ENOMEM. */
static int walk(struct early_samples *early, struct table_maps *store, early_samples_find_fn find,
		void *ctx, bool is_last, enum stack_end *how)
{
	enum unwind_end end = UNWIND_GOES_ON;
	bool by_rbp = false, lacks = false;
	struct unwind_frame f = {0};

	memcpy(f.regs, walked->regs, sizeof(f.regs));
	unwind_begin(&f);
	vec_clear(&early->scratch);
	while (!end && early->scratch.nr < early->max_depth) {
		const struct unwind_rule *rule = NULL;
		struct unwind_mapping mapping = {0};
		uint64_t pc = unwind_lookup_pc(&f);
		int found = find(ctx, walked, pc, &mapping);

		if (found == -ENOMEM)
			return found;
		if (found == 1 && UNWIND_NR_PAGES(mapping.pages))
			rule = table_maps_find(store, &mapping, pc);
		else if (found == 1)
			lacks |= mapping.pages != UNWIND_WITHOUT_TABLE;
		else if (!found && by_rbp) {
			end = UNWIND_NO_TABLE; /* that was no frame pointer */
			break;
		} else {
			/* What runs is mapped, if not where it was when that was looked up. */
			lacks = true;
		}
		if (lacks && !is_last)
			return -EAGAIN;
		if (vec_push(&early->scratch, f.pc))
			return -ENOMEM;
		by_rbp = !rule || rule->cfa == UNWIND_CFA_NONE;
		end = by_rbp ? unwind_step_by_rbp(&f) : unwind_step(&f, rule);
	}
	*how = end_of_walk(end);
	/* What is unreadable may be so because there is no more of the stack; and a root along rbp
	 * may be one because frames were passed over. */
	if (lacks || *how == STACK_END_UNREADABLE)
		*how = STACK_END_EARLY;
	return 0;
}

static int keep(struct early_samples *early, struct early *e)
{
	size_t size = early->scratch.nr * sizeof(*e->frames);

	e->frames = malloc(size ? size : 1);
	if (!e->frames)
		return -ENOMEM;
	memcpy(e->frames, early->scratch.data, size);
	e->nr_frames = early->scratch.nr;
	release_raw(early, e);
	return 0;
}

int early_samples_walk(struct early_samples *early, struct table_maps *store,
		       early_samples_find_fn find, void *ctx, bool is_last)
{
	int ret = 0;

	if (!early->nr_raw)
		return 0;
	vec_for_each(&early->samples, e) {
		if (!e->raw)
			continue;
		walked = e->raw;
		ret = walk(early, store, find, ctx, is_last && e->is_taken, &e->end);
		if (!ret)
			ret = keep(early, e);
		if (ret == -ENOMEM)
			break;
		ret = 0;
	}
	table_maps_unmap(store);
	return ret;
}

static void release(struct early_samples *early, struct early *e)
{
	release_raw(early, e);
	free(e->frames);
}

void early_samples_take(struct early_samples *early, uint32_t set)
{
	vec_for_each(&early->samples, e)
		e->is_taken |= e->set == set;
}

void early_samples_forget(struct early_samples *early)
{
	size_t nr = 0;

	vec_for_each(&early->samples, e) {
		if (e->is_taken)
			release(early, e);
		else
			early->samples.data[nr++] = *e;
	}
	early->samples.nr = nr;
}

void early_samples_deinit(struct early_samples *early)
{
	vec_for_each(&early->samples, e)
		release(early, e);
	vec_free(&early->samples);
	vec_free(&early->scratch);
}
