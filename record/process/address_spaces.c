// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/address_spaces.h"

#include <errno.h>
#include <string.h>

#include "common/hash.h"

#define STILL_MAPPED UINT64_MAX

static struct address_space **find_slot(const struct address_spaces *spaces, uint32_t pid)
{
	index_for_each(&spaces->by_pid, hash_u64(pid), i)
		if (spaces->newest.data[i]->pid == pid)
			return &spaces->newest.data[i];
	return NULL;
}

static void space_destroy(struct address_spaces *spaces, struct address_space *space)
{
	mapped_memory_release(space->memory);
	memory_budget_charge(spaces->memory, sizeof(*space), 0);
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
	*space = (struct address_space){.pid = pid,
					.begin_ns = time_ns,
					.generation = spaces->next_generation,
					.memory = mapped_memory_create(spaces->memory)};
	if (!space->memory) {
		free(space);
		return -ENOMEM;
	}
	memory_budget_charge(spaces->memory, 0, sizeof(*space));
	if (slot) {
		memcpy(space->ancestors, (*slot)->ancestors, sizeof(space->ancestors));
		space->older = *slot;
		*slot = space;
		spaces->nr_ended++;
	} else {
		ret = index_push(&spaces->by_pid, &spaces->newest, hash_u64(pid), space);
		if (ret) {
			space_destroy(spaces, space);
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

/* Counts the mappings of @memory that have ended since there were @before. */
static void count_ended(struct address_spaces *spaces, const struct mapped_memory *memory,
			size_t before)
{
	spaces->nr_ended += memory->ended.nr - before;
	spaces->has_many_ended |= memory->ended.nr >= MAPPED_MEMORY_MAX;
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
	nr_ended = space->memory->ended.nr;
	ret = mapped_memory_map(space->memory, &spaces->files, &m);
	count_ended(spaces, space->memory, nr_ended);
	return ret;
}

int address_spaces_trust(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns)
{
	struct address_space *space;
	int ret = address_spaces_get(spaces, pid, time_ns, &space);

	if (ret || space->memory->complete || space->memory->is_closed)
		return ret;
	space->memory->complete = true;
	space->memory->complete_ns = time_ns;
	return 0;
}

int address_spaces_exec(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns)
{
	struct address_space *space;
	int ret = space_create(spaces, pid, time_ns, &space);

	if (!ret)
		space->memory->complete = true;
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

	if (ret)
		return ret;
	space->ancestors[0] = parent;
	space->ancestors[1] = from ? from->ancestors[0] : 0;
	if (!from)
		return 0;
	memcpy(space->name, from->name, sizeof(space->name));
	return mapped_memory_copy(from->memory, space->memory);
}

void address_spaces_share(struct address_spaces *spaces, uint32_t pid, uint32_t parent,
			  uint64_t time_ns)
{
	struct address_space *from = address_spaces_find(spaces, parent, time_ns);
	struct address_space *space = address_spaces_find(spaces, pid, time_ns);

	if (!from || !space || from->memory == space->memory)
		return;
	mapped_memory_release(space->memory);
	space->memory = from->memory;
	space->memory->nr_users++;
}

int address_spaces_move(struct address_spaces *spaces, uint32_t pid, const struct mapped_move *move)
{
	struct address_space *space;
	size_t nr_ended;
	int ret = address_spaces_get(spaces, pid, move->time_ns, &space);

	if (ret)
		return ret;
	nr_ended = space->memory->ended.nr;
	ret = mapped_memory_move(space->memory, &spaces->files, move);
	count_ended(spaces, space->memory, nr_ended);
	return ret;
}

void address_spaces_distrust(struct address_spaces *spaces)
{
	for (size_t i = 0; i < spaces->newest.nr; i++)
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older)
			s->memory->complete = false, s->doubtful = true;
}

void address_spaces_exit(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns)
{
	struct address_space *space = address_spaces_find(spaces, pid, time_ns);

	if (space && !space->exited_ns) {
		space->exited_ns = time_ns;
		spaces->nr_exited++;
	}
}

const struct mapping *address_space_lookup(const struct address_space *space, uint64_t addr,
					   uint64_t time_ns)
{
	return mapped_memory_lookup(space->memory, addr, time_ns);
}

bool address_space_has_made_code(const struct address_space *space,
				 const struct mapped_files *files)
{
	vec_for_each(&space->memory->live, m)
		if (mapped_file_is_made_code(mapping_file(files, m)))
			return true;
	return false;
}

struct file_place address_space_place(const struct address_space *space,
				      const struct mapping *mapping)
{
	struct file_place place = {.pid = space->pid,
				   .start = mapping->start,
				   .end = mapping->end,
				   .space = space->generation + 1};

	memcpy(place.ancestors, space->ancestors, sizeof(place.ancestors));
	return place;
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
	const struct mapping *first = first_file(spaces, &space->memory->live, NULL);

	first = first_file(spaces, &space->memory->ended, first);
	return first ? mapping_file(&spaces->files, first)->path : NULL;
}

bool address_space_has_changed(const struct address_space *space, uint64_t from_ns, uint64_t to_ns)
{
	return mapped_memory_has_changed(space->memory, from_ns, to_ns);
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
			space_destroy(spaces, old);
		}
		space->older = NULL;
		return;
	}
}

/* Notes whether the process is gone, too. */
static bool is_over(struct address_space *space, uint64_t time_ns, bool (*is_gone)(uint32_t pid))
{
	bool was_gone = space->is_gone;
	bool may_be_over =
		was_gone || space->doubtful || (space->exited_ns && space->exited_ns < time_ns);

	space->is_gone = may_be_over && !space->older && is_gone(space->pid);
	return was_gone && space->is_gone;
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

static int sweep_files(struct address_spaces *spaces)
{
	bool *used = calloc(spaces->files.files.nr, sizeof(*used));
	uint32_t *moved = calloc(spaces->files.files.nr, sizeof(*moved));
	int ret = used && moved ? 0 : -ENOMEM;

	for (size_t i = 0; !ret && i < spaces->newest.nr; i++) {
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older) {
			mapped_memory_mark_files(s->memory, used);
		}
	}
	if (!ret)
		mapped_files_sweep(&spaces->files, used, moved);
	for (size_t i = 0; !ret && i < spaces->newest.nr; i++) {
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older) {
			mapped_memory_move_files(s->memory, moved);
		}
	}
	for (size_t i = 0; !ret && i < spaces->newest.nr; i++)
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older)
			mapped_memory_end_move(s->memory);
	free(used);
	free(moved);
	return ret;
}

/* Closes each memory that weighs @min bytes or more. Returns whether there was one. */
static bool close_heavy(struct address_spaces *spaces, size_t min)
{
	bool was_one = false;

	for (size_t i = 0; i < spaces->newest.nr; i++) {
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older) {
			if (s->memory->is_closed ||
			    mapped_memory_weight(s->memory, &spaces->files) < min)
				continue;
			spaces->nr_left_out += mapped_memory_close(s->memory);
			was_one = true;
		}
	}
	return was_one;
}

/* Below this weight, a memory has a few mappings, and nothing is won. */
#define WEIGHT_MIN 4096

int address_spaces_make_room(struct address_spaces *spaces)
{
	struct memory_budget *memory = spaces->memory;
	int ret = 0;

	if (spaces->is_full || !memory_budget_is_used(memory, MEMORY_MAPPINGS))
		return 0;
	for (size_t min = memory->max_bytes / 8; !ret && min >= WEIGHT_MIN; min /= 2) {
		if (!memory_budget_is_used(memory, MEMORY_MAPPINGS_LOW))
			return 0;
		if (close_heavy(spaces, min))
			ret = sweep_files(spaces);
	}
	spaces->is_full = memory_budget_is_used(memory, MEMORY_MAPPINGS);
	return ret;
}

bool address_spaces_refuse(struct address_spaces *spaces, uint32_t pid, uint64_t time_ns)
{
	struct address_space *space = address_spaces_find(spaces, pid, time_ns);

	if (!spaces->is_full && (!space || !space->memory->is_closed))
		return false;
	spaces->nr_left_out++;
	if (space && !space->memory->is_closed)
		spaces->nr_left_out += mapped_memory_close(space->memory);
	return true;
}

/* When much memory is free again, mappings may be kept again. The next looks find them. */
static void open_again(struct address_spaces *spaces)
{
	spaces->is_full = memory_budget_is_used(spaces->memory, MEMORY_MAPPINGS);
	if (memory_budget_is_used(spaces->memory, MEMORY_RECOVERED))
		return;
	for (size_t i = 0; i < spaces->newest.nr; i++)
		for (struct address_space *s = spaces->newest.data[i]; s; s = s->older)
			mapped_memory_open(s->memory);
}

void address_spaces_limit(struct address_spaces *spaces, struct memory_budget *budget)
{
	spaces->memory = spaces->files.memory = budget;
}

int address_spaces_forget(struct address_spaces *spaces, uint64_t time_ns,
			  bool (*is_gone)(uint32_t pid))
{
	size_t nr = 0;
	int ret = 0;

	spaces->nr_ended = 0;
	spaces->has_many_ended = false;
	for (size_t i = 0; i < spaces->newest.nr; i++) {
		struct address_space *space = spaces->newest.data[i];

		forget_older(spaces, space, time_ns);
		if (is_over(space, time_ns, is_gone)) {
			spaces->nr_exited -= !!space->exited_ns;
			space_destroy(spaces, space);
			continue;
		}
		space->doubtful = false;
		for (struct address_space *s = space; s; s = s->older)
			mapped_memory_forget(s->memory, time_ns);
		spaces->newest.data[nr++] = space;
	}
	if (nr != spaces->newest.nr) {
		spaces->newest.nr = nr;
		ret = rebuild_pid_index(spaces);
	}
	if (!ret && mapped_files_want_sweep(&spaces->files))
		ret = sweep_files(spaces);
	open_again(spaces);
	return ret;
}

void address_spaces_deinit(struct address_spaces *spaces)
{
	for (size_t i = 0; i < spaces->newest.nr; i++) {
		struct address_space *next;

		for (struct address_space *s = spaces->newest.data[i]; s; s = next) {
			next = s->older;
			space_destroy(spaces, s);
		}
	}
	vec_free(&spaces->newest);
	index_deinit(&spaces->by_pid);
	mapped_files_deinit(&spaces->files);
}
