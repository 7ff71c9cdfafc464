// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/session.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>

#include "record/system/cpus.h"
#include "record/sampler/descendants.h"
#include "record/system/privilege.h"
#include "record/process/proc_scan.h"
#include "record/sampler/sampler_load.h"
#include "record/output/progress.h"
#include "record/system/stack_depth.h"

static int out_of_memory(struct session *s)
{
	return err_set(s->err, -ENOMEM, "failed to record: out of memory");
}

/* The CPUs to sample: those asked for, ascending, or all that are online. */
static int choose_cpus(struct session *s)
{
	const u32_vec *wanted = &s->options->cpus;
	int ret = cpus_online(&s->online, s->err);

	for (size_t i = 0; !ret && i < s->online.nr; i++)
		if ((!wanted->nr || cpus_has(wanted, s->online.data[i])) &&
		    vec_push(&s->cpus, s->online.data[i]))
			ret = out_of_memory(s);
	if (ret || !wanted->nr || s->cpus.nr == wanted->nr)
		return ret;
	vec_for_each(wanted, cpu)
		if (!cpus_has(&s->online, *cpu))
			return err_set(s->err, -ENODEV, "failed to record CPU %u: it is not online",
				       *cpu);
	return 0;
}

static int open_sideband(struct session *s)
{
	int ret = sideband_create(&s->online, &s->sideband, s->err);

	if (!ret && sideband_buffer_bytes(s->sideband) < SIDEBAND_BUFFER_BYTES &&
	    !s->options->quiet)
		fprintf(stderr,
			"profrec: buffers for mappings hold %zu KiB instead of %u, and may overflow when many processes start (kernel.perf_event_mlock_kb, or CAP_IPC_LOCK is missing)\n",
			sideband_buffer_bytes(s->sideband) >> 10, SIDEBAND_BUFFER_BYTES >> 10);
	return ret;
}

static int open_events(struct session *s)
{
	const struct record_options *o = s->options;
	struct events_options options = {
		.event = o->event_text ? &o->event : NULL,
		.freq_hz = o->freq_hz,
		.period = o->period,
	};

	return events_open(&s->events, &s->cpus, &options, s->err);
}

static int load_sampler(struct session *s)
{
	const struct record_options *o = s->options;
	struct sampler_options options = {
		.filters = &s->filters,
		.cpus = &s->cpus,
		.events = &s->events,
		.stack_storage = o->stack_storage,
		.hash_storage = o->hash_storage,
		.max_depth = s->max_depth,
		.no_user = o->kernel_only,
		.no_kernel = o->user_only,
		.include_idle = o->include_idle,
		.unwind = s->unwinder != NULL,
	};

	return sampler_create(&options, &s->sampler, s->err);
}

static int scan_processes(struct session *s)
{
	unsigned int nr_hidden;
	int ret = proc_scan(&s->spaces, &s->filters.scan, &nr_hidden, s->err);

	if (!ret && nr_hidden && !privilege_has(CAP_SYS_PTRACE) && !s->options->quiet)
		fprintf(stderr,
			"profrec: frames of %u processes that ran before will be unknown: their mappings are hidden (CAP_SYS_PTRACE is missing)\n",
			nr_hidden);
	return ret;
}

/* Starts the command and begins to follow what is to be followed. */
static int follow(struct session *s)
{
	int ret = 0;

	if (s->filters.follow)
		ret = sampler_attach_follower(s->sampler, s->err);
	if (!ret && s->options->follow)
		ret = descendants_follow(&s->options->pids, s->sampler, s->err);
	if (ret || !s->options->command)
		return ret;
	ret = command_start(&s->command, s->options->command, s->err);
	if (!ret)
		ret = sampler_follow(s->sampler, s->command.pidfd, s->err);
	return ret == -ESRCH
		       ? err_set(s->err, ret, "failed to follow the command: %s", strerror(-ret))
		       : ret;
}

/* The child that makes tables is to inherit as little as can be: this comes first. */
static int choose_unwinding(struct session *s)
{
	const struct record_options *o = s->options;

	if (o->unwind == UNWIND_FP || o->kernel_only)
		return 0;
	if (sampler_can_unwind()) {
		int ret = unwinder_create(s->max_depth, o->unwind_cache, &s->unwinder, s->err);

		if (ret)
			return ret;
		ret = unwinder_may_keep(s->unwinder);
		if (ret && !o->quiet)
			fprintf(stderr,
				"profrec: unwind tables are read from '%s', but not kept there: %s\n",
				o->unwind_cache, strerror(-ret));
		return 0;
	}
	if (o->unwind == UNWIND_DWARF)
		return err_set(
			s->err, -EOPNOTSUPP,
			"failed to unwind by tables: it needs Linux 5.17, and privileges to load BPF programs");
	return 0;
}

static int begin_unwinding(struct session *s)
{
	struct unwind_maps maps;

	if (!s->unwinder)
		return 0;
	sampler_unwind_maps(s->sampler, &maps);
	return unwinder_begin(s->unwinder, &maps, &s->spaces, &s->vdso, s->err);
}

int session_init(struct session *s, const struct record_options *options, struct err *err)
{
	int ret;

	*s = (struct session){.options = options, .err = err};
	jit_init(&s->jit);
	ret = filters_open(&s->filters, options, err);
	if (!ret)
		ret = stack_depth_choose(options->max_depth, stack_depth_limit(), &s->max_depth,
					 err);
	if (!ret)
		ret = choose_unwinding(s);
	return ret ? ret : choose_cpus(s);
}

/*
 * Takes the side-band's records out of the buffers, to be applied later. On a busy host these fill
 * up while the recorder starts; and a wakeup from before a buffer was watched is lost, as perf_poll
 * gives it once only, so that one which is full by then would never wake the recorder again.
 */
static int empty_buffers(struct session *s)
{
	return session_apply_records(s, 0);
}

int session_prepare(struct session *s)
{
	int ret = open_sideband(s);

	if (!ret)
		ret = open_events(s);
	if (!ret)
		ret = load_sampler(s);
	if (!ret && !s->unwinder && s->options->unwind == UNWIND_AUTO && !s->options->kernel_only &&
	    !s->options->quiet)
		fprintf(stderr,
			"profrec: stacks are walked along frame pointers: unwinding by tables needs Linux 5.17\n");
	if (!ret)
		ret = empty_buffers(s);
	if (!ret)
		ret = scan_processes(s);
	if (!ret && (jit_watch_all(&s->jit, &s->spaces) || vdso_load(&s->vdso)))
		ret = out_of_memory(s);
	if (!ret)
		ret = begin_unwinding(s);
	return ret ? ret : follow(s);
}

int session_start(struct session *s)
{
	int ret = sampler_attach(s->sampler, &s->events, s->err);

	if (!ret && s->options->command)
		ret = command_go(&s->command, s->options->command[0], s->err);
	if (!ret && !s->options->user_only && ksyms_begin(&s->ksyms))
		ret = out_of_memory(s);
	if (!ret && s->ksyms.restricted && !s->options->quiet)
		fprintf(stderr,
			"profrec: kernel addresses are hidden (%s): kernel frames stay unknown\n",
			privilege_hides_kallsyms());
	return ret ? ret : empty_buffers(s);
}

void session_stop(struct session *s)
{
	events_disable(&s->events);
	if (s->events.is_tracepoint)
		sampler_detach(s->sampler); /* its program does not heed the event */
}

static int apply_mmap(struct session *s, const struct sideband_record *record)
{
	struct address_spaces *spaces = &s->spaces;
	struct mapped_file_key key = {
		.path = record->name,
		.build_id = &record->build_id,
		.inode = record->inode,
	};
	struct mapping mapping = {
		.start = record->addr, .end = record->addr + record->size, .pgoff = record->pgoff};
	int ret = mapped_files_get(&spaces->files, &key, &mapping.file);

	if (ret)
		return ret;
	if (spaces->files.files.data[mapping.file].kind != MAPPED_FILE)
		mapping.pgoff = 0;
	ret = address_spaces_map(spaces, record->pid, record->time_ns, &mapping);
	if (!ret && s->unwinder)
		ret = unwinder_mapped(s->unwinder, record->pid, &mapping,
				      &spaces->files.files.data[mapping.file]);
	if (ret || spaces->files.files.data[mapping.file].kind != MAPPED_ANON || !record->size)
		return ret;
	return jit_watch(&s->jit, address_spaces_find(spaces, record->pid, record->time_ns));
}

static int apply_exec(struct session *s, const struct sideband_record *record)
{
	int ret;

	jit_end(&s->jit, address_spaces_find(&s->spaces, record->pid, record->time_ns));
	ret = address_spaces_exec(&s->spaces, record->pid, record->time_ns);
	if (ret)
		return ret;
	address_spaces_name(&s->spaces, record->pid, record->name, record->time_ns);
	return new_processes_add(&s->new_processes,
				 address_spaces_find(&s->spaces, record->pid, record->time_ns));
}

static int apply_fork(struct session *s, const struct sideband_record *record)
{
	struct address_space *child;
	int ret;

	if (record->pid == record->parent_pid)
		return 0; /* a thread */
	ret = address_spaces_fork(&s->spaces, record->pid, record->parent_pid, record->time_ns);
	if (ret)
		return ret;
	child = address_spaces_find(&s->spaces, record->pid, record->time_ns);
	ret = jit_fork(&s->jit,
		       address_spaces_find(&s->spaces, record->parent_pid, record->time_ns), child);
	return ret ? ret : new_processes_add(&s->new_processes, child);
}

static int apply_exit(struct session *s, const struct sideband_record *record)
{
	if (record->pid != record->tid)
		return 0;
	jit_end(&s->jit, address_spaces_find(&s->spaces, record->pid, record->time_ns));
	address_spaces_exit(&s->spaces, record->pid, record->time_ns);
	return s->unwinder ? unwinder_exited(s->unwinder, record->pid) : 0;
}

/* A sideband_fn. */
static int apply_record(void *ctx, const struct sideband_record *record)
{
	struct session *s = ctx;

	/* Of tasks that the recorder's pid namespace does not show, or that are dead. */
	if (record->type != SIDEBAND_KSYMBOL && (!record->pid || record->pid == UINT32_MAX))
		return 0;
	switch (record->type) {
	case SIDEBAND_MMAP:
		return apply_mmap(s, record);
	case SIDEBAND_EXEC:
		return apply_exec(s, record);
	case SIDEBAND_FORK:
		return apply_fork(s, record);
	case SIDEBAND_EXIT:
		return apply_exit(s, record);
	case SIDEBAND_KSYMBOL:
		if (record->size && !s->options->user_only)
			return ksyms_add_bpf(&s->ksyms, record->time_ns, record->addr, record->size,
					     record->name);
		return 0;
	}
	return 0;
}

int session_apply_records(struct session *s, uint64_t until_ns)
{
	int ret = sideband_read(s->sideband, until_ns, apply_record, s);

	if (!ret)
		ret = new_processes_read(&s->new_processes, &s->spaces);
	if (ret == -ENOMEM)
		return out_of_memory(s);
	return ret ? err_set(s->err, ret, "failed to read the side-band: %s", strerror(-ret)) : 0;
}

/*
 * An event ends with its CPU, and is not there again when that comes back. To open one takes
 * capabilities that have been given up.
 */
int session_watch_cpus(struct session *s)
{
	u32_vec now = {0};
	size_t nr = s->changed_cpus.nr;
	int ret = 0;

	/* If the list cannot be read any more, that is no reason to end. */
	if (!cpus_online(&now, NULL))
		ret = cpus_compare(&s->online, &now, &s->changed_cpus);
	for (; !s->options->quiet && nr < s->changed_cpus.nr; nr++)
		progress_cpu(s->changed_cpus.data[nr], cpus_has(&now, s->changed_cpus.data[nr]));
	vec_free(&now);
	return ret ? out_of_memory(s) : 0;
}

int session_unwind(struct session *s)
{
	int ret = s->unwinder ? unwinder_work(s->unwinder) : 0;

	return ret ? out_of_memory(s) : 0;
}

int session_forget(struct session *s, uint64_t time_ns)
{
	int ret = address_spaces_forget(&s->spaces, time_ns, proc_is_gone);

	return ret ? ret : jit_forget(&s->jit, &s->spaces);
}

void session_deinit(struct session *s)
{
	unwinder_destroy(s->unwinder);
	sampler_destroy(s->sampler);
	events_close(&s->events);
	filters_close(&s->filters);
	sideband_destroy(s->sideband);
	command_close(&s->command);
	address_spaces_deinit(&s->spaces);
	new_processes_deinit(&s->new_processes);
	vdso_deinit(&s->vdso);
	jit_deinit(&s->jit);
	ksyms_deinit(&s->ksyms);
	vec_free(&s->online);
	vec_free(&s->cpus);
	vec_free(&s->changed_cpus);
}
