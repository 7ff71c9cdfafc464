// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/session.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/capability.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/run/chosen_events.h"
#include "record/looks/proc_task.h"
#include "record/process/proc_scan.h"
#include "record/sampling/bpf/descendants.h"
#include "record/host/cpus.h"
#include "record/host/privilege.h"
#include "record/host/stack_depth.h"
#include "record/shares/owner_ids.h"
#include "record/unwind/found_threads.h"

/*
 * The longest wait for the unwind tables of files that are mapped already, before sampling begins.
 */
#define TABLES_WAIT_MS 3000

/* The longest wait for those of the probed files. A table takes a second at most, on a CPU. */
#define OWN_TABLES_WAIT_MS 20000

/*
 * Records of the side-band that wait for their turn may take this part of the memory budget. They
 * exist only for a moment, and come on top of it.
 */
#define SIDEBAND_PART 8

/* The kernel has written a record into its buffer within this time. */
#define RECORD_WRITTEN_NS (20 * NS_PER_MS)

/* Some fifty programs that begin. */
#define MANY_RECORDS 500

static int out_of_memory(struct session *s)
{
	return err_set(s->err, -ENOMEM, "failed to record: out of memory");
}

const struct label_keys *session_labels(const struct session *s)
{
	const struct label_keys *keys = &s->options->labels;

	/* Memory of a thread is read as it was at the sample by the kernel's programs alone. */
	return s->is_own || !(keys->nr || keys->has_traces) ? NULL : keys;
}

static int open_filters(struct session *s)
{
	const struct record_options *o = s->options;
	struct filter_options options = {
		.pids = &o->pids,
		.tids = &o->tids,
		.follow_pids = o->follow,
		.has_command = o->command != NULL,
		.comm = o->comm,
		.uid = o->uid,
		.cgroup = o->cgroup,
		.container = o->container,
		.pod = o->pod,
		.unit = o->unit,
		.cgroup_map = o->cgroup_map,
		.mntns = o->mntns,
		.mntns_map = o->mntns_map,
		.min_wait_us = o->min_us,
		.max_wait_us = o->max_us,
	};

	return filters_open(&s->filters, &options, s->err);
}

/* A has_changed_fn. Without memory, nobody knows, and the next read says so. */
static bool has_changed(void *ctx, uint32_t pid)
{
	const struct session *s = ctx;

	if (s->is_own)
		return source_has_changed(s->without.source, pid);
	return sideband_collect(s->sideband) || sideband_has_begun(s->sideband, pid);
}

static int open_sideband(struct session *s)
{
	/* A source tells of processes itself. */
	const u32_vec none = {0};
	int ret = sideband_create(s->is_own ? &none : &s->online, &s->sideband, s->err);

	if (!ret)
		sideband_limit(s->sideband, s->memory.max_bytes / SIDEBAND_PART);
	if (!ret && sideband_buffer_bytes(s->sideband) < SIDEBAND_BUFFER_BYTES)
		progress_note(
			s->progress,
			"buffers for mappings hold %zu KiB instead of %u, and may overflow when many processes start (kernel.perf_event_mlock_kb, or CAP_IPC_LOCK is missing)",
			sideband_buffer_bytes(s->sideband) >> 10, SIDEBAND_BUFFER_BYTES >> 10);
	return ret;
}

static int choose_events(struct session *s)
{
	struct chosen_events chosen = {
		.options = s->options, .filters = &s->filters, .probes = &s->probes, .err = s->err};
	int ret = chosen_events_find(&chosen);

	s->sample_event = chosen.sample_event;
	s->off_cpu = chosen.off_cpu;
	s->nr_events = s->probes.events.nr ? s->probes.events.nr : 1;
	s->overhead = (struct overhead){.limit_percent = s->options->overhead_limit,
					.sheds = s->options->shed,
					.nr_events = s->nr_events};
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

	if (!options_want_samples(o) || s->is_own)
		return 0;
	return events_open(&s->events, &s->cpus, &options, s->err);
}

/* A frequency bounds what samples cost. Hits, and samples of a period, come at any rate. */
static bool may_cost_much(const struct session *s)
{
	return s->options->overhead_limit && (s->probes.events.nr || s->events.period);
}

static int load_sampler(struct session *s)
{
	const struct record_options *o = s->options;
	struct label_name names[LABEL_KEYS_MAX];
	struct sampler_options options = {
		.is_own = s->is_own,
		.filters = &s->filters,
		.cpus = &s->cpus,
		.events = &s->events,
		.nr_events = s->nr_events,
		.sample_event = s->sample_event,
		.sample_weight = o->on_cpu ? NS_PER_S / o->freq_hz : 1,
		.off_cpu = s->off_cpu,
		.has_hits = s->probes.events.nr > 0,
		.has_user_multi = s->probes.has_user_multi,
		.kernel_way = s->probes.kernel_way,
		.entry_btf_id = probes_first_entry(&s->probes),
		.hit_period = o->hit_period,
		.measures_cost = may_cost_much(s),
		.may_shed = o->shed,
		.weights = s->probes.has_weights ? s->probes.weights.data : NULL,
		.has_chosen_cpus = o->cpus.nr > 0,
		.stack_storage = o->stack_storage,
		.no_slices = o->no_slices,
		.slice_ns = o->slice_ns,
		.keep_tids = o->threads || o->pids.nr || o->tids.nr || o->command,
		.hash_storage = o->hash_storage,
		.depth = s->depth,
		.no_user = o->kernel_only,
		.no_kernel = o->user_only,
		.include_idle = o->include_idle,
		.unwind = s->unwinder != NULL,
		.languages = s->options->languages != 0,
		.label_sets = s->unwinder && session_labels(s) ? o->label_sets : 0,
		.traces = o->labels.has_traces,
		.label_names = names,
	};

	label_keys_describe(&o->labels, names);
	memcpy(options.hits, s->probes.hits, sizeof(options.hits));
	return sampler_create(&options, &s->sampler, s->err);
}

/* Comes before the scan of processes, whose later changes must not get lost. */
static int watch_memory(struct session *s)
{
	int ret = sampler_watch_memory(s->sampler, s->sideband, &s->memory_watch, s->err);

	if (!ret && !s->is_own && !s->memory_watch.sees_moves)
		progress_note(
			s->progress,
			"this kernel does not report mremap(): code that a program moves may have the names of what was mapped there before");
	return ret;
}

static int scan_processes(struct session *s)
{
	unsigned int nr_hidden;
	int ret;

	/* The command has mapped nothing of its own yet. */
	if (s->is_own && !s->backend.all && !s->filters.scan.nr)
		return 0;
	ret = proc_scan(&s->spaces, &s->filters.scan, &nr_hidden, s->err);

	if (!ret && nr_hidden && !privilege_has(CAP_SYS_PTRACE))
		progress_note(
			s->progress,
			"frames of %u processes that ran before will be unknown: their mappings are hidden (CAP_SYS_PTRACE is missing)",
			nr_hidden);
	return ret;
}

/* A descendants_fn. */
static int follow_descendant(void *ctx, uint32_t pid, int pidfd, struct err *err)
{
	const struct session *s = ctx;

	(void)pid;
	return sampler_follow(s->sampler, pidfd, FOLLOW_ALL, err);
}

/* Starts the command, and follows it or the processes whose descendants the user wants. */
static int follow_processes(struct session *s)
{
	int ret = 0;

	if (s->is_own)
		return 0;
	if (s->filters.follow)
		ret = sampler_attach_follower(s->sampler, s->err);
	if (!ret && s->options->follow)
		ret = descendants_follow(&s->options->pids, follow_descendant, s, s->err);
	if (ret || !s->options->command)
		return ret;
	ret = command_start(&s->command, s->options->command, s->err);
	if (!ret)
		ret = sampler_follow(s->sampler, s->command.pidfd, FOLLOW_FROM_EXEC, s->err);
	return ret == -ESRCH
		       ? err_set(s->err, ret, "failed to follow the command: %s", strerror(-ret))
		       : ret;
}

static void note_machine(void *session, uint32_t pid)
{
	struct session *s = session;
	const struct address_space *space = address_spaces_find(&s->spaces, pid, UINT64_MAX);

	if (space)
		jit_describe(&s->jit, space);
}

static int create_unwinder(struct session *s)
{
	const char *cache = s->options->unwind_cache;
	const struct unwinder_options options = {.max_depth = s->depth.most,
						 .cache = cache,
						 .looks = &s->looks,
						 .names = s->names,
						 .labels = session_labels(s),
						 .languages = s->options->languages,
						 .machine_found = note_machine,
						 .ctx = s};
	int ret = unwinder_create(&options, &s->unwinder, s->err);
	int reason;

	s->jit.describe = ret ? NULL : unwinder_describe;
	s->jit.ctx = s->unwinder;
	if (!ret && !unwinder_may_keep(s->unwinder, &reason))
		progress_note(s->progress,
			      "unwind tables are read from '%s', but not kept there: %s", cache,
			      strerror(-reason));
	return ret;
}

/* Comes before everything else, so that the child that makes tables inherits little. */
static int choose_unwinding(struct session *s)
{
	const struct record_options *o = s->options;
	bool is_wanted = o->unwind != UNWIND_FP && !o->kernel_only;
	bool by_tables = is_wanted && (s->is_own || sampler_can_unwind());
	int ret =
		stack_depth_choose(o->max_depth, stack_depth_limit(), by_tables, &s->depth, s->err);

	if (ret)
		return ret;
	if (by_tables)
		return create_unwinder(s);
	if ((o->labels.are_chosen && o->labels.nr) || o->traces)
		return err_set(
			s->err, -EOPNOTSUPP,
			"failed to read labels of requests: it needs unwinding by tables, and that Linux 5.17");
	if (is_wanted && o->unwind == UNWIND_DWARF)
		return err_set(
			s->err, -EOPNOTSUPP,
			"failed to unwind by tables: it needs Linux 5.17, and privileges to load BPF programs");
	return 0;
}

/*
 * Processes that begin later call probed functions at once. Asks for the tables of the probed
 * files, and of the libraries that nearly all programs have.
 */
static int request_probed_files(struct session *s)
{
	size_t nr = probes_map_files(&s->probes);
	int ret = nr ? unwinder_request_own(s->unwinder) : 0;

	if (!ret && nr)
		ret = unwinder_wait_own(s->unwinder, OWN_TABLES_WAIT_MS);
	probes_unmap_files(&s->probes);
	return ret;
}

static int begin_unwinding(struct session *s)
{
	struct unwind_maps maps;
	int ret;

	if (!s->unwinder)
		return 0;
	sampler_unwind_maps(s->sampler, &maps);
	ret = unwinder_begin(s->unwinder, &maps, &s->spaces, &s->vdso,
			     s->is_own ? NULL : s->sideband, s->err);
	if (ret)
		return ret;
	ret = request_probed_files(s);
	if (!ret)
		ret = unwinder_request_popular(s->unwinder, &s->spaces);
	return ret ? out_of_memory(s) : 0;
}

int session_init(struct session *s, const struct record_options *options, struct progress *progress,
		 struct err *err)
{
	int ret;

	*s = (struct session){.options = options, .progress = progress, .err = err};
	ret = backend_choose(options, &s->backend, err);
	s->is_own = s->backend.kind != BACKEND_BPF;
	s->keeps_rights = s->is_own && !privilege_has(CAP_SYS_PTRACE);
	s->has_kernel = !options->user_only;
	/* The children have to know them, too. */
	if (!ret && owner_ids_read("/etc/subuid"))
		ret = err_set(err, -ENOMEM, "failed to read /etc/subuid: out of memory");
	/* Early, so that the children inherit little. */
	if (!ret)
		ret = looker_start(s->keeps_rights, &s->looker, err);
	if (!ret && !options->no_names && !options->kernel_only)
		ret = file_names_create(s->looker, &s->names, err);
	jit_init(&s->jit, s->looker);
	s->spaces.files.looker = s->looker;
	look_budget_init(&s->looks, s->looker);
	s->memory.max_bytes = options->max_memory;
	s->new_processes.memory = s->new_processes.cgroups.memory = &s->memory;
	s->new_processes.cgroups.looker = s->new_processes.containers.looker = s->looker;
	s->new_processes.reads_environment = options->service_env;
	s->new_processes.are_told = !s->is_own && cgroup_paths_have_ids();
	s->new_processes.has_changed = has_changed;
	s->new_processes.ctx = s;
	address_spaces_limit(&s->spaces, &s->memory);
	if (!ret)
		ret = open_filters(s);
	if (!ret)
		ret = choose_unwinding(s);
	if (!ret)
		ret = choose_events(s);
	return ret ? ret : cpus_choose(&options->cpus, &s->online, &s->cpus, err);
}

/*
 * Takes the side-band's records out of the buffers, and applies none yet. On a busy host the
 * buffers fill up while the recorder starts. A full buffer would never wake the recorder again:
 * perf_poll reports a wakeup once only, and nobody watched the buffer at that time.
 */
static int empty_buffers(struct session *s)
{
	return session_apply_records(s, 0);
}

/* Who gets the records of processes. */
static void fill_targets(struct session *s, struct record_targets *targets)
{
	*targets = (struct record_targets){
		.spaces = &s->spaces,
		.new_processes = &s->new_processes,
		.jit = &s->jit,
		.unwinder = s->unwinder,
		.names = s->unwinder ? NULL : s->names,
		.ksyms = s->has_kernel ? &s->ksyms : NULL,
		.lives = s->is_own ? NULL : &s->lives,
		.looks = &s->looks,
	};
}

/* Says which way samples are taken, if it is not the usual one. */
static void note_backend(const struct session *s)
{
	if (s->is_own)
		progress_note(s->progress, "recording by %s%s%s (%s%s)",
			      backend_name(s->backend.kind), s->backend.why[0] ? ": " : "",
			      s->backend.why,
			      s->backend.all ? "all processes" : "own processes only",
			      s->has_kernel ? "" : ", user stacks only");
}

static int prepare_source(struct session *s)
{
	int ret = 0;

	if (!s->is_own)
		return 0;
	if (s->options->command)
		ret = command_start(&s->command, s->options->command, s->err);
	if (ret)
		return ret;
	s->without = (struct without_bpf){
		.options = s->options,
		.backend = &s->backend,
		.cpus = &s->cpus,
		.looks = &s->looks,
		.looker = s->looker,
		.sideband = s->sideband,
		.command_pid = s->command.pid,
	};
	/* Threads may end before the source has begun. */
	fill_targets(s, &s->without.targets);
	ret = without_bpf_begin(&s->without, s->err);
	if (ret)
		return ret;
	s->events.event = *source_event(s->without.source);
	s->events.period = s->options->freq_hz ? 0 : s->options->period;
	s->has_kernel = !s->options->user_only && source_has_kernel(s->without.source);
	s->without.targets.ksyms = s->has_kernel ? &s->ksyms : NULL;
	note_backend(s);
	return 0;
}

/* A rings_fn. */
static int take_told(void *ctx, void *data, size_t size)
{
	struct session *s = ctx;
	const struct told_process *told = data;

	if (size < sizeof(*told))
		return 0;
	unwinder_told(s->unwinder, told->tgid);
	return new_processes_tell(&s->new_processes, told);
}

static int watch_processes(struct session *s)
{
	int ret = rings_create(&s->told);

	if (!ret)
		ret = rings_add(s->told, sampler_told_processes(s->sampler), take_told, s);
	return ret ? err_set(s->err, ret, "failed to map the buffer of processes: %s",
			     strerror(-ret))
		   : 0;
}

/*
 * Hits can be a million a second, and only few of them could wait for unwind tables. Code that a
 * process has made has no table, so stacks of it do not wait for its machine. And what waits has no
 * functions of interpreted languages: a short recording of chosen processes would lack them.
 */
static bool needs_tables(const struct session *s)
{
	const struct record_options *o = s->options;

	return s->probes.events.nr || unwinder_has_makers(s->unwinder) || o->pids.nr || o->tids.nr;
}

int session_prepare(struct session *s)
{
	int ret = open_sideband(s);

	if (!ret)
		ret = prepare_source(s);
	if (!ret)
		ret = open_events(s);
	if (!ret)
		ret = load_sampler(s);
	if (!ret)
		ret = watch_processes(s);
	if (!ret && !s->unwinder && s->options->unwind == UNWIND_AUTO && !s->options->kernel_only)
		progress_note(
			s->progress,
			"stacks are walked along frame pointers: unwinding by tables needs Linux 5.17");
	if (!ret)
		ret = watch_memory(s);
	if (!ret)
		ret = empty_buffers(s);
	if (!ret)
		ret = scan_processes(s);
	if (!ret && (jit_watch_all(&s->jit, &s->spaces) || vdso_load(&s->vdso)))
		ret = out_of_memory(s);
	if (!ret)
		ret = begin_unwinding(s);
	if (!ret && needs_tables(s) &&
	    unwinder_wait_popular(s->unwinder, &s->spaces, TABLES_WAIT_MS))
		ret = out_of_memory(s);
	return ret ? ret : follow_processes(s);
}

/* Attaching to thousands of functions takes a while. */
#define MANY_PROBES 1000

/* Has the stack of a thread walked that waits already. */
static int walk_found(void *ctx, const struct found_thread *thread)
{
	struct session *s = ctx;

	if (!s->unwinder || s->nr_found++ >= FOUND_THREADS_MAX)
		return 0;
	return found_threads_add(s->looker, thread, unwinder_early(s->unwinder));
}

static int attach_off_cpu(struct session *s)
{
	int ret = sampler_attach_off_cpu(s->sampler, s->err);

	if (!ret)
		ret = sampler_find_waiting(s->sampler, walk_found, s, s->err);
	return ret == -ENOMEM ? out_of_memory(s) : ret;
}

static int attach_probes(struct session *s)
{
	uint64_t nr = 0;
	int ret;

	vec_for_each(&s->probes.events, event)
		nr += event->nr_probes;
	if (nr >= MANY_PROBES)
		progress_note(s->progress, "attaching to %" PRIu64 " functions", nr);
	ret = probes_attach(&s->probes, s->sampler, s->err);
	if (!ret && s->off_cpu.is_on)
		ret = attach_off_cpu(s);
	return ret;
}

int session_attach(struct session *s)
{
	int ret = attach_probes(s);

	if (ret)
		return ret;
	return s->is_own ? source_start(s->without.source, s->err)
			 : sampler_attach(s->sampler, &s->events, s->err);
}

int session_start(struct session *s)
{
	int ret = 0;

	if (s->options->command)
		ret = command_go(&s->command, s->options->command[0], s->err);
	if (!ret && s->has_kernel && ksyms_begin(&s->ksyms))
		ret = out_of_memory(s);
	if (!ret && s->ksyms.restricted)
		progress_note(s->progress,
			      "kernel addresses are hidden (%s): kernel frames stay unknown",
			      privilege_hides_kallsyms());
	return ret ? ret : empty_buffers(s);
}

void session_stop(struct session *s)
{
	if (s->is_own)
		source_stop(s->without.source);
	events_disable(&s->events);
	probes_detach(&s->probes);
	/* The programs run also when the event is disabled. */
	if (s->events.is_tracepoint || s->off_cpu.is_on)
		sampler_detach(s->sampler);
}

/* Says at once, and not only at the end of a run of months, that mappings begin to be missing. */
static void note_short_memory(struct session *s)
{
	if (s->spaces.nr_left_out && !s->has_noted_memory)
		progress_note(
			s->progress,
			"the memory for mappings is in use (--max-memory): processes with many lose theirs, and their frames will be unknown");
	s->has_noted_memory = s->spaces.nr_left_out;
}

static int side_band_error(struct session *s, int ret)
{
	if (ret == -ENOMEM)
		return out_of_memory(s);
	return ret ? err_set(s->err, ret, "failed to read the side-band: %s", strerror(-ret)) : 0;
}

/* Takes what the program has told of processes. */
static int hear_of_processes(struct session *s)
{
	return rings_consume(s->told) == -ENOMEM ? -ENOMEM : 0;
}

int session_collect_records(struct session *s)
{
	int ret = hear_of_processes(s);

	return side_band_error(s, ret ? ret : sideband_collect(s->sideband));
}

int session_take_samples(struct session *s)
{
	return s->is_own ? without_bpf_take(&s->without, s->err) : 0;
}

bool session_has_many_records(const struct session *s)
{
	return sideband_nr_waiting(s->sideband) >= MANY_RECORDS;
}

/*
 * Finds the processes whose records need not be applied. The program tells of those with samples.
 */
static int find_short_lives(struct session *s)
{
	const uint64_t known_ns = clock_monotonic_ns() - RECORD_WRITTEN_NS;
	int ret = sideband_preview(s->sideband, known_ns, short_lives_note, &s->lives);

	/* Where the buffer of those that are told was full, some may be missing. */
	if (ret || s->new_processes.told.nr >= TOLD_PROCESSES_MAX / 2)
		return ret;
	vec_for_each(&s->new_processes.told, told)
		short_lives_need(&s->lives, told->tgid);
	short_lives_judge(&s->lives, known_ns, proc_is_gone);
	return 0;
}

int session_apply_records(struct session *s, uint64_t until_ns)
{
	struct record_targets targets;
	int ret = memory_watch_read(&s->memory_watch);

	fill_targets(s, &targets);
	if (!ret)
		ret = hear_of_processes(s);
	if (!ret && !s->is_own && until_ns)
		ret = find_short_lives(s);
	if (!ret)
		ret = sideband_read(s->sideband, until_ns, apply_record, &targets);
	if (!ret)
		ret = short_lives_forget(&s->lives, until_ns);
	if (!ret)
		ret = unwinder_walk_known(s->unwinder, &s->spaces, until_ns);
	/* A source tells of processes in the order of the samples. */
	if (!ret)
		ret = new_processes_read(&s->new_processes, &s->spaces,
					 s->is_own ? UINT64_MAX : until_ns);
	note_short_memory(s);
	return side_band_error(s, ret);
}

int session_watch_overhead(struct session *s)
{
	const uint64_t now_ns = clock_monotonic_ns();
	struct overhead_finding found;
	int ret;

	if (!may_cost_much(s))
		return 0;
	ret = overhead_check(&s->overhead, s->sampler, now_ns, &found, s->err);
	if (ret || !found.percent)
		return ret;
	if (found.gap > 1)
		progress_note(
			s->progress,
			"counting took %.1f %% of a CPU: from now on one of about %u hits of '%s' is counted, and stands for all of them",
			found.percent, found.gap, s->probes.events.data[found.event].name);
	else
		progress_note(
			s->progress,
			"counting takes %.1f %% of a CPU, more than --overhead-limit (%" PRIu64
			" %%): --shed counts fewer hits%s",
			found.percent, s->overhead.limit_percent,
			s->off_cpu.is_on ? "" : ", and -c every COUNTth");
	return 0;
}

int session_unwind(struct session *s)
{
	int ret = unwinder_work(s->unwinder);

	if (!ret)
		ret = file_names_work(s->names);
	return ret ? out_of_memory(s) : 0;
}

int session_forget(struct session *s, uint64_t time_ns)
{
	int ret = address_spaces_forget(&s->spaces, time_ns, proc_is_gone);

	if (!ret)
		ret = new_processes_forget(&s->new_processes, &s->spaces);
	return ret ? ret : jit_forget(&s->jit, &s->spaces);
}

void session_deinit(struct session *s)
{
	without_bpf_end(&s->without);
	unwinder_destroy(s->unwinder);
	rings_destroy(s->told);
	memory_watch_end(&s->memory_watch);
	probes_deinit(&s->probes);
	sampler_destroy(s->sampler);
	events_close(&s->events);
	filters_close(&s->filters);
	sideband_destroy(s->sideband);
	command_close(&s->command);
	address_spaces_deinit(&s->spaces);
	new_processes_deinit(&s->new_processes);
	look_budget_deinit(&s->looks);
	short_lives_deinit(&s->lives);
	vdso_deinit(&s->vdso);
	jit_deinit(&s->jit);
	file_names_destroy(s->names);
	looker_destroy(s->looker);
	ksyms_deinit(&s->ksyms);
	vec_free(&s->online);
	vec_free(&s->cpus);
	vec_free(&s->changed_cpus);
}
