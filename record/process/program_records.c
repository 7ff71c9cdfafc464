// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/program_records.h"

#include <errno.h>
#include <unistd.h>

struct program {
	struct mapped_files *files;
	mapping_vec *mappings;
	uint64_t bytes, sampled_bytes; /* of code: so far, and when it was sampled */
	bool has_exec, is_whole;
};

static int add_mapping(struct program *program, const struct sideband_record *record)
{
	const struct mapped_file_key key = {.path = record->name, .build_id = &record->build_id};
	const enum mapped_kind kind = mapped_file_kind(record->name);
	struct mapping mapping = {.start = record->addr,
				  .end = record->addr + record->size,
				  .pgoff = kind == MAPPED_FILE ? record->pgoff : 0};
	size_t at = mappings_position(program->mappings, mapping.start);
	int ret;

	/* What is mapped in the place of other code leaves a part of it. */
	if (kind == MAPPED_ANON || (kind == MAPPED_FILE && build_id_is_none(&record->build_id)) ||
	    mapping.start >= mapping.end ||
	    (at < program->mappings->nr && program->mappings->data[at].start < mapping.end))
		return -ENOENT;
	program->bytes += record->size;
	program->is_whole |= program->bytes == program->sampled_bytes;
	ret = mapped_files_get(program->files, &key, &mapping.file);
	return ret ? ret : mappings_insert(program->mappings, at, &mapping);
}

/* A sideband_fn. */
static int add_record(void *ctx, const struct sideband_record *record)
{
	struct program *program = ctx;

	switch (record->type) {
	case SIDEBAND_EXEC:
		program->has_exec = true;
		return 0;
	case SIDEBAND_MMAP:
		return program->has_exec ? add_mapping(program, record) : -ENOENT;
	case SIDEBAND_FORK: /* of a thread */
		return program->has_exec && record->pid == record->parent_pid ? 0 : -ENOENT;
	case SIDEBAND_EXIT:
		return record->pid == record->tid ? -ENOENT : 0;
	default:
		return -ENOENT;
	}
}

int program_records_read(struct sideband *sideband, uint32_t pid, uint32_t exec_pages,
			 struct mapped_files *files, mapping_vec *mappings)
{
	struct program program = {.files = files,
				  .mappings = mappings,
				  .sampled_bytes = exec_pages * (uint64_t)sysconf(_SC_PAGESIZE)};
	int ret;

	vec_clear(mappings);
	ret = sideband_show_begun(sideband, pid, add_record, &program);
	if (ret)
		return ret;
	return program.is_whole ? 0 : -ENOENT;
}
