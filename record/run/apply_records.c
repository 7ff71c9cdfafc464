// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/apply_records.h"

#include <sys/sysmacros.h>

#include "common/clock.h"
#include "record/process/replaced_text.h"

static uint64_t realtime_of(uint64_t monotonic_ns)
{
	return clock_realtime_ns() - clock_monotonic_ns() + monotonic_ns;
}

/* Says of a new mapping (NULL: a move) to the unwinder, for all processes that have the memory. */
static int tell_unwinder(const struct record_targets *t, const struct sideband_record *record,
			 const struct mapping *mapping, const struct mapped_file *file)
{
	const struct address_space *space =
		address_spaces_find(t->spaces, record->pid, record->time_ns);
	int ret = unwinder_mapped(t->unwinder, record->pid, mapping, file);

	if (!space || space->memory->nr_users == 1)
		return ret;
	vec_for_each(&t->spaces->newest, other)
		if (!ret && (*other)->memory == space->memory && *other != space)
			ret = unwinder_mapped(t->unwinder, (*other)->pid, mapping, file);
	return ret;
}

/* The process may have ended when its samples are drained, so its names are taken care of now. */
static int watch_mapping(const struct record_targets *t, const struct address_space *space,
			 const struct mapping *mapping, const struct mapped_file *file)
{
	const struct file_place place = address_space_place(space, mapping);
	uint32_t ignored;
	int ret = t->names ? file_names_hold(t->names, file, &place, &ignored) : 0;

	return ret || file->kind != MAPPED_ANON ? ret : jit_watch(t->jit, space);
}

/* Makes @mapping one of a file if it is a copy of the text that it replaces. */
static int find_copy(const struct record_targets *t, const struct sideband_record *record,
		     struct mapping *mapping)
{
	struct address_space *space = address_spaces_find(t->spaces, record->pid, record->time_ns);
	uint32_t text = 0;

	if (mapped_file_is_made_code(mapping_file(&t->spaces->files, mapping)))
		text = replaced_text_find(t->spaces, space, mapping->start, mapping->end);
	return text ? replaced_text_look(t->spaces, t->looks, space, text, mapping) : 0;
}

static int apply_mmap(const struct record_targets *t, const struct sideband_record *record)
{
	struct mapped_files *files = &t->spaces->files;
	struct mapped_file_key key = {
		.path = record->name,
		.build_id = &record->build_id,
		.identity = {.dev = makedev(record->dev_major, record->dev_minor),
			     .inode = record->inode,
			     .generation = record->inode_generation},
	};
	struct mapping mapping = {
		.start = record->addr, .end = record->addr + record->size, .pgoff = record->pgoff};
	const struct file_place place = {.pid = record->pid,
					 .start = mapping.start,
					 .end = mapping.end,
					 .realtime_ns = realtime_of(record->time_ns)};
	const struct mapped_file *file;
	int ret = address_spaces_make_room(t->spaces);

	if (!ret && address_spaces_refuse(t->spaces, record->pid, record->time_ns))
		return tell_unwinder(t, record, NULL, NULL);
	if (!ret)
		ret = mapped_files_look(files, &key, &place, &mapping.file);
	if (ret)
		return ret;
	if (mapping_file(files, &mapping)->kind != MAPPED_FILE)
		mapping.pgoff = 0;
	ret = find_copy(t, record, &mapping);
	if (ret)
		return ret;
	file = mapping_file(files, &mapping);
	ret = address_spaces_map(t->spaces, record->pid, record->time_ns, &mapping);
	if (!ret)
		ret = tell_unwinder(t, record, &mapping, file);
	if (ret || !record->size)
		return ret;
	return watch_mapping(t, address_spaces_find(t->spaces, record->pid, record->time_ns),
			     &mapping, file);
}

static int apply_exec(const struct record_targets *t, const struct sideband_record *record)
{
	struct address_spaces *spaces = t->spaces;
	int ret;

	jit_end(t->jit, address_spaces_find(spaces, record->pid, record->time_ns),
		realtime_of(record->time_ns));
	ret = address_spaces_exec(spaces, record->pid, record->time_ns);
	if (ret)
		return ret;
	address_spaces_name(spaces, record->pid, record->name, record->time_ns);
	return new_processes_begin(t->new_processes,
				   address_spaces_find(spaces, record->pid, record->time_ns));
}

static int apply_fork(const struct record_targets *t, const struct sideband_record *record)
{
	struct address_spaces *spaces = t->spaces;
	struct address_space *child;
	int ret;

	if (record->pid == record->parent_pid)
		return 0; /* the child is a thread */
	ret = address_spaces_fork(spaces, record->pid, record->parent_pid, record->time_ns);
	if (ret)
		return ret;
	child = address_spaces_find(spaces, record->pid, record->time_ns);
	ret = jit_fork(t->jit, address_spaces_find(spaces, record->parent_pid, record->time_ns),
		       child);
	return ret ? ret : new_processes_begin(t->new_processes, child);
}

static int apply_exit(const struct record_targets *t, const struct sideband_record *record)
{
	if (record->pid != record->tid)
		return 0;
	/* Other threads of the process may go on, and write its map. */
	jit_end(t->jit, address_spaces_find(t->spaces, record->pid, record->time_ns), 0);
	address_spaces_exit(t->spaces, record->pid, record->time_ns);
	return unwinder_exited(t->unwinder, record->pid);
}

static int apply_share(const struct record_targets *t, const struct sideband_record *record)
{
	address_spaces_share(t->spaces, record->pid, record->parent_pid, record->time_ns);
	return 0;
}

/* As find_copy, for what has moved to the place of @text. */
static int find_moved_copy(const struct record_targets *t, const struct sideband_record *record,
			   struct address_space *space, uint32_t text)
{
	const struct mapping *m = address_space_lookup(space, record->addr, record->time_ns);
	struct mapping moved;
	int ret;

	if (!m || !mapped_file_is_made_code(mapping_file(&t->spaces->files, m)))
		return 0;
	moved = *m;
	ret = replaced_text_look(t->spaces, t->looks, space, text, &moved);
	return ret ? ret : address_spaces_map(t->spaces, record->pid, record->time_ns, &moved);
}

static int apply_move(const struct record_targets *t, const struct sideband_record *record)
{
	const struct mapped_move move = {
		.time_ns = record->time_ns,
		.old_addr = record->old_addr,
		.old_size = record->old_size,
		.new_addr = record->addr,
		.new_size = record->size,
		.keeps_old = record->keeps_old,
	};
	struct address_space *space = address_spaces_find(t->spaces, record->pid, record->time_ns);
	const uint32_t text =
		replaced_text_find(t->spaces, space, record->addr, record->addr + record->size);
	int ret = address_spaces_move(t->spaces, record->pid, &move);

	if (!ret && text)
		ret = find_moved_copy(t, record, space, text);
	return ret ? ret : tell_unwinder(t, record, NULL, NULL);
}

static int apply_ksymbol(const struct record_targets *t, const struct sideband_record *record)
{
	if (!record->size || !t->ksyms)
		return 0;
	return ksyms_add_bpf(t->ksyms, record->time_ns, record->addr, record->size, record->name);
}

int apply_record(void *ctx, const struct sideband_record *record)
{
	const struct record_targets *t = ctx;

	if (record->type == SIDEBAND_KSYMBOL)
		return apply_ksymbol(t, record);
	/* The task is dead, or the recorder's pid namespace does not show it. */
	if (!record->pid || record->pid == UINT32_MAX)
		return 0;
	/* The program may have met it even so, in a sample that was not counted. */
	if (t->lives && short_lives_pass(t->lives, record))
		return record->type == SIDEBAND_EXIT && record->pid == record->tid
			       ? unwinder_exited(t->unwinder, record->pid)
			       : 0;
	switch (record->type) {
	case SIDEBAND_MMAP:
		return apply_mmap(t, record);
	case SIDEBAND_EXEC:
		return apply_exec(t, record);
	case SIDEBAND_FORK:
		return apply_fork(t, record);
	case SIDEBAND_EXIT:
		return apply_exit(t, record);
	case SIDEBAND_SHARE:
		return apply_share(t, record);
	case SIDEBAND_MOVE:
		return apply_move(t, record);
	default:
		return 0;
	}
}
