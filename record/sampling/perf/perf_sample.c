// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/perf/perf_sample.h"

#include <stddef.h>

#include "record/sampling/ptrace/registers.h"

/*
 * The frames of the kernel, after the mark that they are. Returns where the chain ends, or NULL if
 * that is not before @end.
 */
static const uint64_t *take_chain(const uint64_t *chain, const uint64_t *end,
				  struct program_sample *sample)
{
	size_t nr = chain < end ? chain[0] : UINT64_MAX;

	if (nr > (size_t)(end - chain))
		return NULL;
	sample->kernel_frames = chain + 1;
	sample->nr_kernel_frames = nr;
	if (nr && chain[1] == PERF_CONTEXT_KERNEL) {
		sample->kernel_frames++;
		sample->nr_kernel_frames--;
	}
	return chain + 1 + nr;
}

/*
 * Takes registers and copy of the stack. Returns where they end, or NULL if that is not up to @end.
 */
static const uint64_t *take_user(const uint64_t *at, const uint64_t *end,
				 struct program_sample *sample)
{
	uint64_t abi, size;

	if (at >= end)
		return NULL;
	abi = *at++;
	if (abi) {
		if (end - at < registers_perf_nr)
			return NULL;
		registers_from_perf(at, &sample->regs);
		at += registers_perf_nr;
	}
	if (at >= end)
		return NULL;
	size = *at++;
	sample->memory.is_whole = true;
	if (!size)
		return at;
	if (size % sizeof(uint64_t) || size / sizeof(uint64_t) >= (size_t)(end - at))
		return NULL;
	sample->memory.begin = registers_sp(&sample->regs);
	sample->memory.copy = (const char *)at;
	at += size / sizeof(uint64_t);
	sample->memory.nr = *at++;
	sample->memory.is_whole = sample->memory.nr < size;
	return sample->memory.nr <= size ? at : NULL;
}

bool perf_sample_decode(const struct perf_sample_head *record, bool has_chain,
			struct program_sample *sample, uint64_t *cgroup)
{
	const uint64_t *at = (const uint64_t *)(record + 1);
	const uint64_t *end = (const uint64_t *)((const char *)record + record->header.size);

	if (has_chain)
		at = take_chain(at, end, sample);
	if (at)
		at = take_user(at, end, sample);
	if (!at || !cgroup)
		return at;
	if (at < end)
		*cgroup = *at;
	return at < end;
}
