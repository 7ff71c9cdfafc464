// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/memory_sharers.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "common/hash.h"

/* A process. Sharers have equal mappings, so the kernel need not compare all processes. */
struct candidate {
	uint64_t hash; /* of the mappings */
	uint32_t pid;
};

/*
 * Compares the memories of two processes by the kernel's secret order of them. Processes that may
 * not be looked at differ.
 */
static int compare_memories(uint32_t a, uint32_t b)
{
	switch (syscall(SYS_kcmp, a, b, KCMP_VM, 0, 0)) {
	case 0:
		return 0;
	case 1:
		return -1;
	case 2:
		return 1;
	default:
		return a < b ? -1 : a > b;
	}
}

static int compare_candidates(const void *pa, const void *pb)
{
	const struct candidate *a = pa, *b = pb;

	if (a->hash != b->hash)
		return a->hash < b->hash ? -1 : 1;
	return a->pid == b->pid ? 0 : compare_memories(a->pid, b->pid);
}

static uint64_t hash_mappings(const mapping_vec *mappings)
{
	uint64_t h = mappings->nr;

	vec_for_each(mappings, m) {
		const uint64_t words[] = {m->start, m->end, m->file};

		h = hash_bytes(words, sizeof(words), h);
	}
	return h;
}

int memory_sharers_find(struct address_spaces *spaces)
{
	VEC(struct candidate) all = {0};

	vec_for_each(&spaces->newest, space) {
		const mapping_vec *live = &(*space)->memory->live;

		if (live->nr && vec_push(&all, ((struct candidate){.hash = hash_mappings(live),
								   .pid = (*space)->pid}))) {
			vec_free(&all);
			return -ENOMEM;
		}
	}
	if (all.nr)
		qsort(all.data, all.nr, sizeof(*all.data), compare_candidates);
	for (size_t i = 1; i < all.nr; i++)
		if (!compare_candidates(&all.data[i - 1], &all.data[i]))
			address_spaces_share(spaces, all.data[i].pid, all.data[i - 1].pid,
					     UINT64_MAX);
	vec_free(&all);
	return 0;
}
