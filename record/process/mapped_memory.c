// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/mapped_memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/minmax.h"

#define STILL_MAPPED UINT64_MAX

/* By how much the time of a sample may precede the record of its mapping. */
#define OUT_OF_ORDER_NS NS_PER_MS

/* Charges the bytes of @memory as it is now. Mappings that others share are charged once. */
static void charge(struct mapped_memory *memory)
{
	size_t bytes = sizeof(*memory) + vec_bytes(&memory->ended);

	if (!memory->share)
		bytes += vec_bytes(&memory->live);
	memory_budget_charge(memory->budget, memory->charged, bytes);
	memory->charged = bytes;
}

struct mapped_memory *mapped_memory_create(struct memory_budget *budget)
{
	struct mapped_memory *memory = calloc(1, sizeof(*memory));

	if (!memory)
		return NULL;
	memory->nr_users = 1;
	memory->budget = budget;
	charge(memory);
	return memory;
}

/* The last user of the share lets go of it. NULL is fine. */
static void destroy_share(struct mapped_memory *memory)
{
	if (memory->share)
		memory_budget_charge(memory->budget, memory->share->charged, 0);
	free(memory->share);
	memory->share = NULL;
}

/* Lets go of the live mappings, which others may go on to share. */
static void release_live(struct mapped_memory *memory)
{
	if (memory->share && --memory->share->nr_users) {
		memory->live = (mapping_vec){0};
		memory->share = NULL;
	} else {
		destroy_share(memory);
		vec_free(&memory->live);
	}
}

void mapped_memory_release(struct mapped_memory *memory)
{
	if (!memory || --memory->nr_users)
		return;
	release_live(memory);
	vec_free(&memory->ended);
	memory_budget_charge(memory->budget, memory->charged, 0);
	free(memory);
}

/* Gives @memory live mappings of its own, before they change. Returns 0 or -ENOMEM. */
static int own_live(struct mapped_memory *memory)
{
	mapping_vec copy = {0};

	if (!memory->share)
		return 0;
	if (memory->share->nr_users > 1 && vec_append(&copy, memory->live.data, memory->live.nr))
		return -ENOMEM;
	if (memory->share->nr_users > 1) {
		release_live(memory);
		memory->live = copy;
	} else {
		destroy_share(memory);
	}
	charge(memory);
	return 0;
}

/*
 * The copy shares the list: a process that forks has any number of mappings, and most children exec
 * soon.
 */
int mapped_memory_copy(struct mapped_memory *memory, struct mapped_memory *copy)
{
	if (!memory->share)
		memory->share = calloc(1, sizeof(*memory->share));
	if (!memory->share)
		return -ENOMEM;
	if (!memory->share->nr_users) {
		memory->share->nr_users = 1;
		memory->share->charged = sizeof(*memory->share) + vec_bytes(&memory->live);
		memory_budget_charge(memory->budget, 0, memory->share->charged);
		charge(memory);
	}
	memory->share->nr_users++;
	copy->share = memory->share;
	copy->live = memory->live;
	copy->is_closed = memory->is_closed;
	copy->complete = memory->complete;
	copy->complete_ns = memory->complete_ns;
	return 0;
}

/* The part of @mapping in the range of @in, which overlaps it. */
static struct mapping part_of(const struct mapping *mapping, const struct mapping *in)
{
	struct mapping part = *mapping;

	part.start = max_u64(mapping->start, in->start);
	part.end = min_u64(mapping->end, in->end);
	part.pgoff += part.start - mapping->start;
	return part;
}

/* Ends the part of live mapping @at that @by covers. Keeps the parts beside it. */
static int end_overlap(struct mapped_memory *memory, size_t at, const struct mapping *by)
{
	struct mapping old = memory->live.data[at], part = part_of(&old, by);
	int ret;

	part.end_ns = by->begin_ns;
	ret = vec_push(&memory->ended, part);
	if (ret)
		return ret;
	mappings_remove(&memory->live, at);
	if (old.end > part.end) {
		struct mapping right = old;

		right.start = part.end;
		right.pgoff += right.start - old.start;
		ret = mappings_insert(&memory->live, at, &right);
	}
	if (!ret && old.start < part.start) {
		struct mapping left = old;

		left.end = part.start;
		ret = mappings_insert(&memory->live, at, &left);
	}
	return ret;
}

/* Ends all live mappings in the range of @by, which begins to hold there. Returns 0 or -ENOMEM. */
static int end_range(struct mapped_memory *memory, const struct mapping *by)
{
	size_t at = mappings_position(&memory->live, by->start);

	if (own_live(memory))
		return -ENOMEM;
	while (at < memory->live.nr && memory->live.data[at].start < by->end) {
		bool has_left = memory->live.data[at].start < by->start;
		int ret = end_overlap(memory, at, by);

		if (ret)
			return ret;
		at += has_left;
	}
	return 0;
}

/* Ends all live mappings at @time_ns, and lets the next look find those that are there. */
static int begin_anew(struct mapped_memory *memory, uint64_t time_ns)
{
	if (own_live(memory))
		return -ENOMEM;
	vec_for_each(&memory->live, m)
		m->end_ns = time_ns;
	if (vec_append(&memory->ended, memory->live.data, memory->live.nr))
		return -ENOMEM;
	vec_clear(&memory->live);
	memory->complete = false;
	return 0;
}

/*
 * The scan of /proc and the side-band may both tell of one mapping, each in its own way. A copy of
 * text is another mapping than the text.
 */
static bool is_same_mapping(const struct mapped_files *files, const struct mapping *live,
			    const struct mapping *told)
{
	return live->start == told->start && live->end == told->end && live->pgoff == told->pgoff &&
	       (live->text == told->text || !told->text) &&
	       mapped_files_are_same(mapping_file(files, live), mapping_file(files, told));
}

int mapped_memory_map(struct mapped_memory *memory, const struct mapped_files *files,
		      const struct mapping *mapping)
{
	size_t at = mappings_position(&memory->live, mapping->start);
	int ret;

	if (memory->is_closed ||
	    (at < memory->live.nr && is_same_mapping(files, &memory->live.data[at], mapping)))
		return 0;
	ret = end_range(memory, mapping);
	if (!ret && memory->live.nr >= MAPPED_MEMORY_MAX)
		ret = begin_anew(memory, mapping->begin_ns);
	if (!ret)
		ret = mappings_insert(&memory->live,
				      mappings_position(&memory->live, mapping->start), mapping);
	charge(memory);
	return ret;
}

/* The part of @mapping that moves, as it is afterwards. The last one reaches to the new end. */
static struct mapping moved_part(const struct mapped_files *files, const struct mapped_move *move,
				 const struct mapping *mapping)
{
	const struct mapping from = {.start = move->old_addr,
				     .end = move->old_addr + move->old_size};
	struct mapping part = part_of(mapping, &from);

	if (mapping_file(files, mapping)->kind != MAPPED_FILE)
		part.pgoff = 0;
	if (part.end == from.end && move->new_size > move->old_size)
		part.end = move->old_addr + move->new_size;
	part.end = min_u64(part.end, move->old_addr + move->new_size);
	part.start += move->new_addr - move->old_addr;
	part.end += move->new_addr - move->old_addr;
	part.begin_ns = move->time_ns;
	part.end_ns = STILL_MAPPED;
	return part;
}

/* Lists the mappings that move into @parts, as they are afterwards. Returns 0 or -ENOMEM. */
static int list_moved(const struct mapped_memory *memory, const struct mapped_files *files,
		      const struct mapped_move *move, mapping_vec *parts)
{
	size_t at = mappings_position(&memory->live, move->old_addr);
	const uint64_t old_end = move->old_addr + move->old_size;
	int ret = 0;

	for (; !ret && at < memory->live.nr && memory->live.data[at].start < old_end; at++) {
		struct mapping part = moved_part(files, move, &memory->live.data[at]);

		if (part.start < part.end)
			ret = vec_push(parts, part);
	}
	return ret;
}

int mapped_memory_move(struct mapped_memory *memory, const struct mapped_files *files,
		       const struct mapped_move *move)
{
	struct mapped_move m = *move;
	struct mapping from = {.start = m.old_addr, .begin_ns = m.time_ns};
	const struct mapping to = {
		.start = m.new_addr, .end = m.new_addr + m.new_size, .begin_ns = m.time_ns};
	mapping_vec parts = {0};
	int ret;

	/* Of shared memory, mremap maps a second time as much as the new size says. */
	if (!m.old_size)
		m.old_size = m.new_size;
	from.end = m.old_addr + m.old_size;
	if (to.end < to.start || from.end < from.start)
		return 0;
	ret = list_moved(memory, files, &m, &parts);
	if (!ret && !m.keeps_old)
		ret = end_range(memory, &from);
	if (!ret)
		ret = end_range(memory, &to);
	vec_for_each(&parts, part)
		if (!ret)
			ret = mapped_memory_map(memory, files, part);
	if (!parts.nr)
		memory->complete = false;
	charge(memory);
	vec_free(&parts);
	return ret;
}

/*
 * May @live, which begins after @time_ns, have been in force before its record says? The times of
 * samples and records may be out of order by a hair. While mappings are missing, /proc tells of
 * them late, and there is no better match.
 */
static bool may_be_older(const struct mapped_memory *memory, const struct mapping *live,
			 uint64_t time_ns)
{
	return !memory->complete || time_ns < memory->complete_ns ||
	       live->begin_ns - time_ns <= OUT_OF_ORDER_NS;
}

const struct mapping *mapped_memory_lookup(const struct mapped_memory *memory, uint64_t addr,
					   uint64_t time_ns)
{
	const struct mapping *live = mappings_find(&memory->live, addr);

	if (live && live->begin_ns <= time_ns)
		return live;
	vec_for_each(&memory->ended, m)
		if (m->start <= addr && addr < m->end && m->begin_ns <= time_ns &&
		    time_ns < m->end_ns)
			return m;
	return live && may_be_older(memory, live, time_ns) ? live : NULL;
}

bool mapped_memory_has_changed(const struct mapped_memory *memory, uint64_t from_ns, uint64_t to_ns)
{
	vec_for_each(&memory->ended, m)
		if (m->end_ns > from_ns && m->end_ns <= to_ns)
			return true;
	return false;
}

void mapped_memory_forget(struct mapped_memory *memory, uint64_t time_ns)
{
	size_t nr = 0;

	vec_for_each(&memory->ended, m)
		if (m->end_ns >= time_ns)
			memory->ended.data[nr++] = *m;
	memory->ended.nr = nr;
	if (!nr)
		vec_free(&memory->ended);
	charge(memory);
}

size_t mapped_memory_close(struct mapped_memory *memory)
{
	size_t nr = memory->live.nr;

	release_live(memory);
	vec_free(&memory->ended);
	memory->complete = false;
	memory->is_closed = true;
	charge(memory);
	return nr;
}

void mapped_memory_open(struct mapped_memory *memory)
{
	memory->is_closed = false;
}

size_t mapped_memory_weight(const struct mapped_memory *memory, const struct mapped_files *files)
{
	size_t bytes = vec_bytes(&memory->live) + vec_bytes(&memory->ended);

	vec_for_each(&memory->live, m)
		bytes += strlen(mapping_file(files, m)->path);
	vec_for_each(&memory->ended, m)
		bytes += strlen(mapping_file(files, m)->path);
	return bytes;
}

static void mark_files(const mapping_vec *mappings, bool *used)
{
	vec_for_each(mappings, m) {
		used[m->file] = true;
		if (m->text)
			used[m->text - 1] = true;
	}
}

void mapped_memory_mark_files(const struct mapped_memory *memory, bool *used)
{
	mark_files(&memory->live, used);
	mark_files(&memory->ended, used);
}

static void move_files(const mapping_vec *mappings, const uint32_t *moved)
{
	vec_for_each(mappings, m) {
		m->file = moved[m->file];
		if (m->text)
			m->text = moved[m->text - 1] + 1;
	}
}

void mapped_memory_move_files(struct mapped_memory *memory, const uint32_t *moved)
{
	if (memory->is_moved)
		return;
	memory->is_moved = true;
	move_files(&memory->ended, moved);
	if (memory->share && memory->share->is_moved)
		return;
	move_files(&memory->live, moved);
	if (memory->share)
		memory->share->is_moved = true;
}

void mapped_memory_end_move(struct mapped_memory *memory)
{
	memory->is_moved = false;
	if (memory->share)
		memory->share->is_moved = false;
}
