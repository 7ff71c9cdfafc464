// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/short_lives.h"

#include "common/hash.h"

/* The life of @pid to which a record of @time_ns belongs, or NULL. */
static struct short_life *find_life(const struct short_lives *l, uint32_t pid, uint64_t time_ns)
{
	index_for_each(&l->by_pid, hash_u64(pid), i) {
		struct short_life *life = &l->lives.data[i];

		if (life->pid == pid && life->begin_ns <= time_ns && time_ns <= life->end_ns)
			return life;
	}
	return NULL;
}

static int note_begin(struct short_lives *l, const struct sideband_record *record)
{
	const struct short_life life = {.pid = record->pid,
					.parent_pid = record->parent_pid,
					.begin_ns = record->time_ns,
					.end_ns = UINT64_MAX};
	struct short_life *before = find_life(l, record->pid, record->time_ns);

	if (record->pid == record->parent_pid)
		return 0; /* a thread */
	/* The record of its end got lost. */
	if (before) {
		before->is_needed = true;
		before->end_ns = record->time_ns - 1;
	}
	return index_push(&l->by_pid, &l->lives, hash_u64(record->pid), life);
}

int short_lives_note(void *lives, const struct sideband_record *record)
{
	struct short_life *life;

	/* The task is dead, or the recorder's pid namespace does not show it. */
	if (!record->pid || record->pid == UINT32_MAX)
		return 0;
	if (record->type == SIDEBAND_FORK)
		return note_begin(lives, record);
	life = record->type == SIDEBAND_KSYMBOL ? NULL
						: find_life(lives, record->pid, record->time_ns);
	if (!life)
		return 0;
	switch (record->type) {
	case SIDEBAND_SHARE:
		life->shares = true;
		break;
	case SIDEBAND_EXEC:
		life->has_exec = true;
		break;
	case SIDEBAND_MMAP:
	case SIDEBAND_MOVE:
		life->is_needed |= life->shares && !life->has_exec;
		break;
	case SIDEBAND_EXIT:
		if (record->pid == record->tid)
			life->end_ns = record->time_ns;
		break;
	default:
		break;
	}
	return 0;
}

void short_lives_need(struct short_lives *l, uint32_t pid)
{
	index_for_each(&l->by_pid, hash_u64(pid), i)
		if (l->lives.data[i].pid == pid)
			l->lives.data[i].is_needed = true;
}

void short_lives_judge(struct short_lives *l, uint64_t known_ns, bool (*is_gone)(uint32_t pid))
{
	vec_for_each(&l->lives, life)
		life->has_child = false;
	/* Children begin after their parents, and are decided first. */
	for (size_t i = l->lives.nr; i-- > 0;) {
		struct short_life *life = &l->lives.data[i], *parent;

		if (!life->is_passed)
			life->is_passed = !life->is_needed && !life->has_child &&
					  life->end_ns <= known_ns && is_gone(life->pid);
		parent = life->is_passed ? NULL : find_life(l, life->parent_pid, life->begin_ns);
		if (parent)
			parent->has_child = true;
	}
}

bool short_lives_pass(const struct short_lives *l, const struct sideband_record *record)
{
	const struct short_life *life = find_life(l, record->pid, record->time_ns);

	return life && life->is_passed;
}

int short_lives_forget(struct short_lives *l, uint64_t until_ns)
{
	size_t nr = 0;
	int ret = 0;

	vec_for_each(&l->lives, life)
		if (life->begin_ns > until_ns || (life->is_passed && life->end_ns > until_ns))
			l->lives.data[nr++] = *life;
	if (nr == l->lives.nr)
		return 0;
	l->lives.nr = nr;
	index_clear(&l->by_pid);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = index_insert(&l->by_pid, hash_u64(l->lives.data[i].pid), i);
	return ret;
}

void short_lives_deinit(struct short_lives *l)
{
	vec_free(&l->lives);
	index_deinit(&l->by_pid);
}
