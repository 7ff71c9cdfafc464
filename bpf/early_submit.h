/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Hands early samples to the recorder: the registers, a copy of the stack, and the functions of
 * interpreted languages that the program has found. The heap that they are found in will have
 * changed when the recorder walks the copy.
 */
#ifndef BPF_EARLY_SUBMIT_H
#define BPF_EARLY_SUBMIT_H

#include <stdbool.h>
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/depth_limit.h"
#include "bpf/kernel.h"
#include "bpf/shared.h"
#include "bpf/user_stack.h"

struct functions_copy {
	struct early_sample *sample;
	const struct language_stack *s;
};

static long copy_word(__u32 i, struct functions_copy *copy)
{
	if (i >= EARLY_WORDS || i >= max_depth || i >= copy->s->nr_words)
		return 1;
	copy->sample->words[i] = copy->s->words[i];
	return 0;
}

static long copy_segment(__u32 i, struct functions_copy *copy)
{
	if (i >= EARLY_SEGMENTS || i >= copy->s->nr_segments)
		return 1;
	copy->sample->segments[i] = copy->s->segments[i];
	return 0;
}

/*
 * Copies the functions that were found for this sample. Of a long list, those that are left out are
 * the outermost ones. They have no place then.
 */
static __always_inline void copy_functions(struct early_sample *sample, __u32 level)
{
	struct functions_copy copy = {.sample = sample};
	const struct language_stack *s;

	sample->nr_words = sample->nr_segments = 0;
	sample->loops.code.loop_bytes = 0;
	if (!walk_languages)
		return;
	copy.s = s = bpf_map_lookup_elem(&language_stacks, &level);
	if (!s || !s->nr_words)
		return;
	bpf_loop(EARLY_WORDS, copy_word, &copy, 0);
	bpf_loop(EARLY_SEGMENTS, copy_segment, &copy, 0);
	sample->nr_words = s->nr_words < EARLY_WORDS ? s->nr_words : EARLY_WORDS;
	sample->nr_segments = s->nr_segments < EARLY_SEGMENTS ? s->nr_segments : EARLY_SEGMENTS;
	sample->loops = s->loops;
}

/*
 * Hands an early sample of @level to the recorder. @stack is the id by which a later count refers
 * to its user stack; STACK_NONE: the sample is counted with @weight. Returns false if the ring
 * buffer has no room; then nothing has happened.
 */
static __always_inline bool submit_early(struct task_struct *task, const struct count_key *key,
					 __u64 stack, __u64 weight, __u32 set, __u64 space_id,
					 __u64 now_ns, __u32 level)
{
	struct early_sample *sample = bpf_ringbuf_reserve(&early_samples, sizeof(*sample), 0);
	__u64 page;
	__u32 nr;

	if (!sample)
		return false;
	sample->key = *key;
	sample->key.user_stack = stack;
	sample->weight = weight;
	sample->time_ns = now_ns;
	sample->space_id = space_id;
	sample->set = set;
	copy_functions(sample, level);
	load_regs(sample->regs, (struct pt_regs *)bpf_task_pt_regs(task));
	/* A read that meets the end of the stack fails as a whole, so pages are read one by one. */
	page = early_stack_begin(sample->regs[UNWIND_RSP]);
	nr = (sample->regs[UNWIND_RSP] - 128) & (EARLY_PAGE_BYTES - 1);
	sample->nr_bytes = 0;
	if (!bpf_probe_read_user(sample->stack + nr, EARLY_PAGE_BYTES - nr, (void *)(page + nr))) {
		for (nr = EARLY_PAGE_BYTES; nr < EARLY_STACK_BYTES; nr += EARLY_PAGE_BYTES)
			if (bpf_probe_read_user(sample->stack + nr, EARLY_PAGE_BYTES,
						(void *)(page + nr)))
				break;
		sample->nr_bytes = nr;
	}
	bpf_ringbuf_submit(sample, 0);
	return true;
}

#endif
