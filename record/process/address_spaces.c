// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/address_spaces.h"

#include <errno.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "common/minmax.h"

#define STILL_MAPPED UINT64_MAX

/* The time of a sample may be so much before the record of its mapping. */
#define OUT_OF_ORDER_NS NS_PER_MS

static struct address_space **find_slot(const struct address_spaces *spaces, uint32_t pid)
{
	index_for_each(&spaces->by_pid, hash_u64(pid), i)
		if (spaces->newest.data[i]->pid == pid)
			return &spaces->newest.data[i];
	return NULL;
}

/* Lets go of the live mappings, which others may go on to share. */
static void release_live(struct address_space *space)
{
	if (space->share && --space->share->nr_users) {
		space->live = (mapping_vec){0};
	} else {
		free(space->share);
		vec_free(&space->live);
	}
	space->share = NULL;
}

/* Gives @space live mappings of its own, before they change. Returns 0 or -ENOMEM. */
static int own_live(struct address_space *space)
{
	mapping_vec copy = {0};

	if (!space->share)
		return 0;
	if (space->share->nr_users > 1 && vec_append(&copy, space->live.data, space->live.nr))
		return -ENOMEM;
	if (space->share->nr_users > 1) {
		release_live(space);
		space->live = copy;
	}
	free(space->share);
	space->share = NULL;
	return 0;
}

/*
 * The child has the mappings of its parent. They share the memory: a process that forks has any
 * number of mappings, and most children exec soon.
 */
static int share_live(struct address_space *parent, struct address_space *child)
{
	if (!parent->share)
		parent->share = calloc(1, sizeof(*parent->share));
	if (!parent->share)
		return -ENOMEM;
	if (!parent->share->nr_users)
		parent->share->nr_users = 1;
	parent->share->nr_users++;
	child->share = parent->share;
	child->live = parent->live;
	return 0;
}

static void space_destroy(struct address_space *space)
{
	release_live(space);
	vec_free(&space->ended);
	free(space);
}

/* Adds a new address space of @pid before its older ones. */
static int space_create(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns,
			struct address_space **ret_space)
{
	struct address_space **slot = find_slot(spaces, pid);
	struct address_space *space = calloc(1, sizeof(*space));
	int ret;

	if (!space)
		return -ENOMEM;
	*space = (struct address_space){
		.pid = pid, .begin_ns = time_ns, .generation = spaces->next_generation};
	if (slot) {
		space->older = *slot;
		*slot = space;
		spaces->nr_ended++;
	} else {
		ret = index_push(&spaces->by_pid, &spaces->newest, hash_u64(pid), space);
		if (ret) {
			free(space);
			return ret;
		}
	}
	spaces->next_generation++;
	*ret_space = space;
	return 0;
}

struct address_space *address_spaces_find(const struct address_spaces *spaces, uint32_t pid,
					  uint64_t time_ns)
{
	struct address_space **slot = find_slot(spaces, pid);
	struct address_space *space = slot ? *slot : NULL;

	while (space && space->begin_ns > time_ns && space->older)
		space = space->older;
	return space;
}

bool address_spaces_has(const struct address_spaces *spaces, uint32_t pid, uint64_t generation)
{
	const struct address_space *space = address_spaces_find(spaces, pid, UINT64_MAX);

	while (space && space->generation != generation)
		space = space->older;
	return space;
}

int address_spaces_get(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns,
		       struct address_space **space)
{
	struct address_space *found = address_spaces_find(spaces, pid, time_ns);

	if (!found)
		return space_create(spaces, pid, 0, space);
	*space = found;
	return 0;
}

/* Ends the part of live mapping @at that [start, end) covers. Keeps the parts beside it. */
static int end_overlap(struct address_space *space, size_t at, const struct mapping *by)
{
	struct mapping old = space->live.data[at], part = old;
	int ret;

	part.start = max_u64(old.start, by->start);
	part.end = min_u64(old.end, by->end);
	part.pgoff = old.pgoff + (part.start - old.start);
	part.end_ns = by->begin_ns;
	ret = vec_push(&space->ended, part);
	if (ret)
		return ret;
	mappings_remove(&space->live, at);
	if (old.end > part.end) {
		struct mapping right = old;

		right.start = part.end;
		right.pgoff += right.start - old.start;
		ret = mappings_insert(&space->live, at, &right);
	}
	if (!ret && old.start < part.start) {
		struct mapping left = old;

		left.end = part.start;
		ret = mappings_insert(&space->live, at, &left);
	}
	return ret;
}

/* The scan of /proc and the side-band may both tell of one mapping, each in its own way. */
static bool is_same_mapping(const struct mapped_files *files, const struct mapping *a,
			    const struct mapping *b)
{
	return a->start == b->start && a->end == b->end && a->pgoff == b->pgoff &&
	       mapped_files_are_same(mapping_file(files, a), mapping_file(files, b));
}

static int space_map(const struct mapped_files *files, struct address_space *space,
		     const struct mapping *mapping)
{
	size_t at = mappings_position(&space->live, mapping->start);

	if (at < space->live.nr && is_same_mapping(files, &space->live.data[at], mapping))
		return 0;
	if (own_live(space))
		return -ENOMEM;
	while (at < space->live.nr && space->live.data[at].start < mapping->end) {
		bool has_left = space->live.data[at].start < mapping->start;
		int ret = end_overlap(space, at, mapping);

		if (ret)
			return ret;
		at += has_left;
	}
	return mappings_insert(&space->live, at, mapping);
}

int address_spaces_map(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns,
		       const struct mapping *mapping)
{
	struct mapping m = *mapping;
	struct address_space *space;
	size_t nr_ended;
	int ret;

	if (m.start >= m.end)
		return 0;
	ret = address_spaces_get(spaces, pid, time_ns, &space);
	if (ret)
		return ret;
	m.begin_ns = time_ns;
	m.end_ns = STILL_MAPPED;
	nr_ended = space->ended.nr;
	ret = space_map(&spaces->files, space, &m);
	spaces->nr_ended += space->ended.nr - nr_ended;
	return ret;
}

int address_spaces_trust(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns)
{
	struct address_space *space;
	int ret = address_spaces_get(spaces, pid, time_ns, &space);

	if (ret || space->complete)
		return ret;
	space->complete = true;
	space->complete_ns = time_ns;
	return 0;
}

int address_spaces_exec(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns)
{
	struct address_space *space;
	int ret = space_create(spaces, pid, time_ns, &space);

	if (!ret)
		space->complete = true;
	return ret;
}

void address_spaces_name(struct address_spaces *spaces, uint32_t pid, const char *name,
			 uint64_t time_ns)
{
	struct address_space *space = address_spaces_find(spaces, pid, time_ns);
	size_t len = strnlen(name, sizeof(space->name) - 1);

	if (!space)
		return;
	memcpy(space->name, name, len);
	space->name[len] = '\0';
}

int address_spaces_fork(struct address_spaces *spaces, uint32_t pid, uint32_t parent,
			uint64_t time_ns)
{
	struct address_space *from = address_spaces_find(spaces, parent, time_ns);
	struct address_space *space;
	int ret = space_create(spaces, pid, time_ns, &space);

	if (ret || !from)
		return ret;
	space->complete = from->complete;
	space->complete_ns = from->complete_ns;
	memcpy(space->name, from->name, sizeof(space->name));
	return share_live(from, space);
}

void address_spaces_distrust(struct address_spaces *spaces)
{
	for (size_t i = 0; i < spaces->newest.nr; i++)
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older)
			s->complete = false, s->doubtful = true;
}

void address_spaces_exit(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns)
{
	struct address_space *space = address_spaces_find(spaces, pid, time_ns);

	if (space && !space->exited_ns) {
		space->exited_ns = time_ns;
		spaces->nr_exited++;
	}
}

/*
 * May @live, which begins after @time_ns, have been in force before its record says? The times of
 * samples and records may be out of order by a hair. While mappings are missing, /proc tells of
 * them late, and there is no better match.
 */
static bool may_be_older(const struct address_space *space, const struct mapping *live,
			 uint64_t time_ns)
{
	return !space->complete || time_ns < space->complete_ns ||
	       live->begin_ns - time_ns <= OUT_OF_ORDER_NS;
}

const struct mapping *address_space_lookup(const struct address_space *space, uint64_t addr,
					   uint64_t time_ns)
{
	const struct mapping *live = mappings_find(&space->live, addr);

	if (live && live->begin_ns <= time_ns)
		return live;
	vec_for_each(&space->ended, m)
		if (m->start <= addr && addr < m->end && m->begin_ns <= time_ns &&
		    time_ns < m->end_ns)
			return m;
	return live && may_be_older(space, live, time_ns) ? live : NULL;
}

/*
 * For the scan of /proc all files were mapped at one time. Then it is the lowest file, because
 * programs lie there.
 */
static const struct mapping *first_file(const struct address_spaces *spaces,
					const mapping_vec *mappings, const struct mapping *first)
{
	vec_for_each(mappings, m) {
		if (mapping_file(&spaces->files, m)->kind != MAPPED_FILE)
			continue;
		if (!first || m->begin_ns < first->begin_ns ||
		    (m->begin_ns == first->begin_ns && m->start < first->start))
			first = m;
	}
	return first;
}

const char *address_space_exe(const struct address_spaces *spaces,
			      const struct address_space *space)
{
	const struct mapping *first = first_file(spaces, &space->live, NULL);

	first = first_file(spaces, &space->ended, first);
	return first ? mapping_file(&spaces->files, first)->path : NULL;
}

bool address_space_has_changed(const struct address_space *space, uint64_t from_ns, uint64_t to_ns)
{
	vec_for_each(&space->ended, m)
		if (m->end_ns > from_ns && m->end_ns <= to_ns)
			return true;
	return false;
}

static void forget_mappings(struct address_space *space, uint64_t time_ns)
{
	size_t nr = 0;

	vec_for_each(&space->ended, m)
		if (m->end_ns >= time_ns)
			space->ended.data[nr++] = *m;
	space->ended.nr = nr;
}

/*
 * Frees the spaces older than @space that ended before @time_ns. A space ends when a newer one
 * begins.
 */
static void forget_older(struct address_spaces *spaces, struct address_space *space,
			 uint64_t time_ns)
{
	for (; space->older; space = space->older) {
		struct address_space *next;

		if (space->begin_ns >= time_ns)
			continue;
		for (struct address_space *old = space->older; old; old = next) {
			next = old->older;
			spaces->nr_exited -= !!old->exited_ns;
			space_destroy(old);
		}
		space->older = NULL;
		return;
	}
}

static bool is_over(const struct address_space *space, uint64_t time_ns,
		    bool (*is_gone)(uint32_t pid))
{
	bool may_be_over = space->doubtful || (space->exited_ns && space->exited_ns < time_ns);

	return may_be_over && !space->older && is_gone(space->pid);
}

static int rebuild_pid_index(struct address_spaces *spaces)
{
	index_clear(&spaces->by_pid);
	for (size_t i = 0; i < spaces->newest.nr; i++) {
		int ret = index_insert(&spaces->by_pid, hash_u64(spaces->newest.data[i]->pid), i);

		if (ret)
			return ret;
	}
	return 0;
}

static void mark_files(const mapping_vec *mappings, bool *used)
{
	vec_for_each(mappings, m)
		used[m->file] = true;
}

static void move_files(const mapping_vec *mappings, const uint32_t *moved)
{
	vec_for_each(mappings, m)
		m->file = moved[m->file];
}

/* Live mappings that several spaces share are moved once. */
static void move_live_files(struct address_space *space, const uint32_t *moved)
{
	if (space->share && space->share->is_moved)
		return;
	move_files(&space->live, moved);
	if (space->share)
		space->share->is_moved = true;
}

static int sweep_files(struct address_spaces *spaces)
{
	bool *used = calloc(spaces->files.files.nr, sizeof(*used));
	uint32_t *moved = calloc(spaces->files.files.nr, sizeof(*moved));
	int ret = used && moved ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < spaces->newest.nr; i++) {
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older) {
			mark_files(&s->live, used);
			mark_files(&s->ended, used);
		}
	}
	if (!ret)
		mapped_files_sweep(&spaces->files, used, moved);
	for (size_t i = 0; !ret && i < spaces->newest.nr; i++) {
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older) {
			move_live_files(s, moved);
			move_files(&s->ended, moved);
		}
	}
	for (size_t i = 0; !ret && i < spaces->newest.nr; i++)
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older)
			if (s->share)
				s->share->is_moved = false;
	free(used);
	free(moved);
	return ret;
}

int address_spaces_forget(struct address_spaces *spaces, uint64_t time_ns,
			  bool (*is_gone)(uint32_t pid))
{
	size_t nr = 0;
	int ret = 0;

	spaces->nr_ended = 0;
	for (size_t i = 0; i < spaces->newest.nr; i++) {
		struct address_space *space = spaces->newest.data[i];

		forget_older(spaces, space, time_ns);
		if (is_over(space, time_ns, is_gone)) {
			spaces->nr_exited -= !!space->exited_ns;
			space_destroy(space);
			continue;
		}
		space->doubtful = false;
		for (struct address_space *s = space; s; s = s->older)
			forget_mappings(s, time_ns);
		spaces->newest.data[nr++] = space;
	}
	if (nr != spaces->newest.nr) {
		spaces->newest.nr = nr;
		ret = rebuild_pid_index(spaces);
	}
	if (!ret && mapped_files_want_sweep(&spaces->files))
		ret = sweep_files(spaces);
	return ret;
}

void address_spaces_deinit(struct address_spaces *spaces)
{
	for (size_t i = 0; i < spaces->newest.nr; i++) {
		struct address_space *next;

		for (struct address_space *s = spaces->newest.data[i]; s; s = next) {
			next = s->older;
			space_destroy(s);
		}
	}
	vec_free(&spaces->newest);
	index_deinit(&spaces->by_pid);
	mapped_files_deinit(&spaces->files);
}
