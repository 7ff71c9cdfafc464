// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/without_bpf.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "record/looks/proc_task.h"
#include "record/process/proc_scan.h"
#include "record/sampling/bpf/descendants.h"

/* As the kernel marks the path of a file that was removed. */
#define DELETED " (deleted)"

/* A source_listener's function. The source tells in the order of time. */
static int take_record(void *ctx, const struct sideband_record *record)
{
	struct without_bpf *w = ctx;

	return apply_record(&w->targets, record);
}

static uint64_t hash_mappings(const mapping_vec *mappings, const struct mapped_files *files)
{
	uint64_t hash = 1;

	vec_for_each(mappings, m) {
		const struct mapped_file *file = mapping_file(files, m);
		const uint64_t words[] = {hash, m->start, m->end, m->pgoff};
		const struct build_id *id = mapped_file_build_id(file);

		hash = file_identity_hash(&file->identity, hash_bytes(id->bytes, id->size, 0));
		hash = hash_bytes(words, sizeof(words), hash);
	}
	return hash;
}

/* Tells of a mapping as the side-band would. */
static int tell_mapping(struct without_bpf *w, uint32_t pid, uint64_t time_ns,
			const struct mapping *m, const struct mapped_file *file)
{
	const struct build_id *id = mapped_file_build_id(file);
	char name[PATH_MAX + sizeof(DELETED)];
	struct sideband_record record = {
		.type = SIDEBAND_MMAP,
		.time_ns = time_ns,
		.pid = pid,
		.tid = pid,
		.addr = m->start,
		.size = m->end - m->start,
		.pgoff = m->pgoff,
		.dev_major = major(file->identity.dev),
		.dev_minor = minor(file->identity.dev),
		.inode = file->identity.inode,
		.inode_generation = file->identity.generation,
		.build_id = *id,
		.name = name,
	};

	snprintf(name, sizeof(name), "%s%s", file->path, file->deleted ? DELETED : "");
	return apply_record(&w->targets, &record);
}

/*
 * A source_listener's function. Mappings that have gone stay known until something is mapped at
 * their place: no code runs there.
 */
static int look_at_code(void *ctx, uint32_t pid, uint64_t time_ns, struct source_code *code)
{
	struct without_bpf *w = ctx;
	uint64_t hash, next_look_ns;
	int ret;

	code->has_changed = false;
	if (code->next_look_ns &&
	    look_budget_must_wait(w->looks, proc_owner(pid), code->next_look_ns))
		return 0;
	if (mapped_files_want_sweep(&w->files))
		mapped_files_deinit(&w->files);
	w->files.looker = w->looker;
	ret = proc_scan_mappings(pid, look_budget_begin(w->looks), &w->files, &w->mappings);
	next_look_ns =
		look_budget_end(w->looks, ret == -E2BIG ? proc_owner(pid) : 0, ret == -E2BIG);
	/* Samples bound the number of looks. Only a process with very many mappings must wait. */
	code->next_look_ns = ret == -E2BIG ? next_look_ns : 0;
	if (ret == -ENOMEM)
		return ret;
	hash = hash_mappings(&w->mappings, &w->files);
	if (!w->mappings.nr || hash == code->hash)
		return 0;
	code->hash = hash;
	code->has_changed = true;
	ret = 0;
	vec_for_each(&w->mappings, m)
		if (!ret)
			ret = tell_mapping(w, pid, time_ns, m, mapping_file(&w->files, m));
	return ret;
}

/* A source_listener's function. */
static int find_cgroup(void *ctx, uint32_t pid, uint64_t *id)
{
	struct without_bpf *w = ctx;

	return cgroup_paths_of_process(&w->targets.new_processes->cgroups, pid, id);
}

static int open_source(struct without_bpf *w, struct err *err)
{
	const struct record_options *o = w->options;
	struct source_options options = {
		.kind = w->backend->kind == BACKEND_PERF ? SOURCE_PERF : SOURCE_PTRACE,
		.cpus = w->cpus,
		.event = o->event_text ? &o->event : NULL,
		.freq_hz = o->freq_hz,
		.period = o->period,
		.all = w->backend->all,
		.no_kernel = o->user_only,
		.command_pid = w->command_pid,
		.looker = w->looker,
		.listener = {take_record, look_at_code, find_cgroup, w},
	};

	return source_create(&options, &w->source, err);
}

/* A descendants_fn. */
static int add_followed(void *ctx, uint32_t pid, int pidfd, struct err *err)
{
	struct without_bpf *w = ctx;

	(void)pidfd;
	return source_add(w->source, pid, false, true, err);
}

static int gone(const char *what, uint32_t id, struct err *err)
{
	return err_set(err, -ESRCH, "failed to record %s %u: %s", what, id, strerror(ESRCH));
}

static int add_targets(struct without_bpf *w, struct err *err)
{
	const struct record_options *o = w->options;
	int ret = 0;

	if (w->backend->all)
		return 0;
	vec_for_each(&o->pids, pid)
		if (!ret && (ret = source_add(w->source, *pid, false, o->follow, err)) == -ESRCH)
			ret = gone("process", *pid, err);
	vec_for_each(&o->tids, tid)
		if (!ret && (ret = source_add(w->source, *tid, true, false, err)) == -ESRCH)
			ret = gone("thread", *tid, err);
	if (!ret && o->follow)
		ret = descendants_follow(&o->pids, add_followed, w, err);
	if (!ret && w->command_pid)
		ret = source_add(w->source, w->command_pid, false, true, err);
	return ret;
}

static int begin_source(struct without_bpf *w, struct err *err)
{
	int ret = open_source(w, err);

	return ret ? ret : add_targets(w, err);
}

int without_bpf_begin(struct without_bpf *w, struct err *err)
{
	int ret = begin_source(w, err);

	if (ret == -EMFILE && backend_fall_back(w->options, w->backend)) {
		struct err ignored;

		source_destroy(w->source);
		w->source = NULL;
		/* If it fails, too, the first error is the one that names both ways out. */
		ret = begin_source(w, &ignored) ? ret : 0;
	}
	if (ret || !w->options->kernel_only || source_has_kernel(w->source))
		return ret;
	err_set(err, -EPERM,
		"option -K/--kernel-stacks-only: the kernel lets this user record user space alone");
	return err_hint(err, -EPERM, "set kernel.perf_event_paranoid to 1, or run it as root");
}

int without_bpf_take(struct without_bpf *w, struct err *err)
{
	int ret = source_take(w->source);

	sideband_set_unsent(w->sideband, source_nr_lost(w->source));
	if (ret == -ENOMEM)
		return err_set(err, ret, "failed to record: out of memory");
	return ret ? err_set(err, ret, "failed to take samples: %s", strerror(-ret)) : 0;
}

void without_bpf_end(struct without_bpf *w)
{
	source_destroy(w->source);
	vec_free(&w->mappings);
	mapped_files_deinit(&w->files);
	*w = (struct without_bpf){0};
}
