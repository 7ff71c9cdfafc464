// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/sampling/program/maps.h"
#include "record/sampling/program/rings.h"
#include "record/sampling/program/program.h"
#include "record/host/cpus.h"
#include "record/host/privilege.h"
#include "record/sampling/bpf/sampler_load.h"
#include "record/sampling/program/skeleton.h"

/*
 * One system call fetches this many elements. A batch must hold a whole hash bucket, or the kernel
 * returns -ENOSPC. A bucket holds one element on average.
 */
#define WAITING_BATCH 1024

/* Records that one read of an iterator fetches. */
#define FOUND_BATCH 64

struct sampler {
	struct profrec_bpf *bpf;
	struct entry_programs entries;
	struct program_state state;
	bool is_own; /* the program runs in the recorder (record/sampling/program/), not in the
			kernel */
	struct rings *wakeups;
	VEC(struct bpf_link *) links;
	uint32_t active; /* number of the set that the programs write to */
	struct set_maps maps;
	u32_vec possible; /* the possible CPUs; the arrays of totals have an element for each */
	uint32_t nr_events;
	struct totals *set_totals;  /* buffer for the totals of one event in one set */
	struct totals *zero_totals; /* all zero, to empty them */
	/* Those of the sets drained since sampler_take_totals, for all CPUs event by event. */
	struct totals *totals;
	uint64_t taken; /* samples of all drained sets */
};

/* The descriptor of a map of the programs. */
static int fd_of(const struct sampler *sampler, const struct bpf_map *map)
{
	return sampler->is_own ? program_map_fd(sampler->bpf, map) : bpf_map__fd(map);
}

static int ignore_wakeup(void *ctx, void *data, size_t size)
{
	(void)ctx, (void)data, (void)size;
	return 0;
}

/* Tells the programs on probes which CPUs the user wants, since they run on all CPUs. */
static int set_hits(struct sampler *sampler, const u32_vec *cpus, struct err *err)
{
	_cleanup_free_ struct hit_state *states = calloc(sampler->possible.nr, sizeof(*states));
	size_t i;

	if (!states)
		return err_set(err, -ENOMEM, "failed to select the CPUs: out of memory");
	vec_for_each(cpus, cpu)
		if (cpus_find(&sampler->possible, *cpu, &i))
			states[i].is_sampled = 1;
	for (uint32_t event = 0; event < sampler->nr_events; event++)
		if (map_update(fd_of(sampler, sampler->bpf->maps.hits), &event, states, BPF_ANY))
			return err_set(err, -errno, "failed to select the CPUs: %m");
	return 0;
}

static int alloc_totals(struct sampler *sampler, struct err *err)
{
	int ret = cpus_possible(&sampler->possible, err);

	if (ret)
		return ret;
	sampler->set_totals = calloc(sampler->possible.nr, sizeof(*sampler->set_totals));
	sampler->zero_totals = calloc(sampler->possible.nr, sizeof(*sampler->zero_totals));
	sampler->totals =
		calloc(sampler->nr_events * sampler->possible.nr, sizeof(*sampler->totals));
	if (!sampler->set_totals || !sampler->zero_totals || !sampler->totals)
		return err_set(err, -ENOMEM, "failed to load the BPF programs: out of memory");
	return 0;
}

static int map_wakeups(struct sampler *sampler, struct err *err)
{
	int ret = rings_create(&sampler->wakeups);

	if (!ret)
		ret = rings_add(sampler->wakeups, fd_of(sampler, sampler->bpf->maps.wakeups),
				ignore_wakeup, NULL);
	return ret ? err_set(err, ret, "failed to map the wakeup buffer: %s", strerror(-ret)) : 0;
}

static void take_maps(struct sampler *sampler, const struct sampler_options *options)
{
	struct profrec_bpf *b = sampler->bpf;

	if (sampler->is_own)
		program_state(&sampler->state);
	else
		sampler->state = (struct program_state){
			.active_set = &b->bss->active_set,
			.set_states = b->bss->set_states,
			.slices_begin_ns = &b->bss->slices_begin_ns,
			.sampling_end_ns = &b->bss->sampling_end_ns,
			.seen_period = &b->bss->seen_period,
			.shed_gaps = b->bss->shed_gaps,
			.nr_unmarked = &b->bss->nr_unmarked,
			.nr_early_refused = &b->bss->nr_early_refused,
			.early_rooms = b->bss->early_rooms,
			.name_rooms = b->bss->name_rooms,
			.named_functions = &b->bss->named_functions,
			.label_rooms = b->bss->label_rooms,
			.nr_other_labels = &b->bss->nr_other_labels,
			.nr_other_traces = &b->bss->nr_other_traces,
		};
	sampler->maps = (struct set_maps){
		.stack_slots = fd_of(sampler, b->maps.stack_slots),
		.stack_lines = fd_of(sampler, b->maps.stack_lines),
		.count_slots = fd_of(sampler, b->maps.count_slots),
		.slice_changes = fd_of(sampler, b->maps.slice_changes),
	};
	sampler_choose_sizes(options, &sampler->maps.sizes);
}

int sampler_create(const struct sampler_options *options, struct sampler **sampler, struct err *err)
{
	struct sampler *created = calloc(1, sizeof(*created));
	int ret;

	if (!created)
		return err_set(err, -ENOMEM, "failed to load the BPF programs: out of memory");
	created->nr_events = options->nr_events;
	created->is_own = options->is_own;
	ret = alloc_totals(created, err);
	if (!ret && created->is_own)
		memory_maps_set_cpus(created->possible.nr);
	if (!ret)
		ret = sampler_load(options, &created->entries, &created->bpf, err);
	if (!ret) {
		take_maps(created, options);
		sampler_end_at(created, UINT64_MAX);
	}
	if (!ret)
		ret = set_hits(created, options->cpus, err);
	if (!ret)
		ret = map_wakeups(created, err);
	if (ret) {
		sampler_destroy(created);
		return ret;
	}
	*sampler = created;
	return 0;
}

void sampler_destroy(struct sampler *sampler)
{
	if (!sampler)
		return;
	sampler_detach(sampler);
	vec_free(&sampler->links);
	rings_destroy(sampler->wakeups);
	entry_programs_deinit(&sampler->entries);
	if (sampler->is_own)
		program_end();
	profrec_bpf__destroy(sampler->bpf);
	free(sampler->set_totals);
	free(sampler->zero_totals);
	free(sampler->totals);
	vec_free(&sampler->possible);
	free(sampler);
}

int sampler_follow(struct sampler *sampler, int pidfd, enum follow_mark how, struct err *err)
{
	uint8_t mark = how;

	if (map_update(fd_of(sampler, sampler->bpf->maps.followed), &pidfd, &mark, BPF_ANY))
		return errno == ESRCH ? -ESRCH
				      : err_set(err, -errno, "failed to follow a process: %m");
	return 0;
}

uint64_t sampler_unfollowed(const struct sampler *sampler)
{
	return *sampler->state.nr_unmarked;
}

uint64_t sampler_early_refused(const struct sampler *sampler)
{
	return *sampler->state.nr_early_refused;
}

uint64_t sampler_other_labels(const struct sampler *sampler)
{
	return *sampler->state.nr_other_labels;
}

uint64_t sampler_other_traces(const struct sampler *sampler)
{
	return *sampler->state.nr_other_traces;
}

static int attach_one(struct sampler *sampler, struct bpf_program *prog, int event_fd,
		      struct err *err)
{
	/* The link closes its descriptor, so give it a duplicate. */
	int fd = event_fd < 0 ? -1 : fcntl(event_fd, F_DUPFD_CLOEXEC, 0);
	struct bpf_link *link = event_fd < 0 ? bpf_program__attach_trace(prog)
					     : bpf_program__attach_perf_event(prog, fd);

	if (!link) {
		int code = -errno;

		cleanup_close(&fd);
		err_set(err, code, "failed to attach BPF program '%s': %s", bpf_program__name(prog),
			strerror(-code));
		return code == -EPERM || code == -EACCES ? privilege_explain(code, err) : code;
	}
	if (vec_push(&sampler->links, link)) {
		bpf_link__destroy(link);
		return err_set(err, -ENOMEM, "failed to attach the sampler: out of memory");
	}
	return 0;
}

int sampler_attach_follower(struct sampler *sampler, struct err *err)
{
	return attach_one(sampler, sampler->bpf->progs.follow_child, -1, err);
}

int sampler_watch_memory(struct sampler *sampler, struct sideband *sideband,
			 struct memory_watch *watch, struct err *err)
{
	if (sampler->is_own)
		return 0;
	return memory_watch_begin(watch, sampler->bpf, sideband, err);
}

int sampler_attach(struct sampler *sampler, const struct events *events, struct err *err)
{
	struct bpf_program *prog = events->is_tracepoint ? sampler->bpf->progs.count_tracepoint
							 : sampler->bpf->progs.take_sample;
	int ret = 0;

	for (size_t i = 0; i < events->nr && !ret; i++)
		if (events->fds[i] >= 0)
			ret = attach_one(sampler, prog, events->fds[i], err);
	return ret;
}

int sampler_attach_off_cpu(struct sampler *sampler, struct err *err)
{
	const struct bpf_program *waker = sampler->bpf->progs.note_waker;
	int ret = 0;

	if (bpf_program__autoload(waker))
		ret = attach_one(sampler, sampler->bpf->progs.note_waker, -1, err);
	return ret ? ret : attach_one(sampler, sampler->bpf->progs.switch_threads, -1, err);
}

int sampler_visit_waiting(struct sampler *sampler,
			  int (*visit)(void *ctx, const struct waiting_thread *thread), void *ctx,
			  struct err *err)
{
	int fd = fd_of(sampler, sampler->bpf->maps.waiting);
	struct waiting_thread *threads = calloc(WAITING_BATCH, sizeof(*threads));
	uint32_t *tids = calloc(WAITING_BATCH, sizeof(*tids)), position = 0;
	bool is_first = true, is_last = false;
	int ret = threads && tids ? 0 : err_set(err, -ENOMEM, "failed to record: out of memory");

	while (!ret && !is_last) {
		uint32_t n = WAITING_BATCH;

		if (bpf_map_lookup_batch(fd, is_first ? NULL : &position, &position, tids, threads,
					 &n, NULL)) {
			is_last = errno == ENOENT;
			if (!is_last)
				ret = err_set(err, -errno,
					      "failed to read the threads that wait: %m");
		}
		for (uint32_t i = 0; i < n && !ret; i++)
			ret = visit(ctx, &threads[i]);
		is_first = false;
	}
	free(threads);
	free(tids);
	return ret;
}

/* Runs the iterator of @link over all tasks. */
static int read_found(int fd, int (*found)(void *ctx, const struct found_thread *thread), void *ctx,
		      struct err *err)
{
	struct found_thread threads[FOUND_BATCH];
	int ret = 0;

	while (!ret) {
		/* The kernel hands out whole records if there is room for one. */
		ssize_t got = read(fd, threads, sizeof(threads));

		if (got < 0 && errno == EAGAIN)
			continue;
		if (got < 0)
			return err_set(err, -errno, "failed to find the threads that wait: %m");
		if (!got)
			return 0;
		for (size_t i = 0; i < got / sizeof(threads[0]) && !ret; i++)
			ret = found(ctx, &threads[i]);
	}
	return ret;
}

int sampler_find_waiting(struct sampler *sampler,
			 int (*found)(void *ctx, const struct found_thread *thread), void *ctx,
			 struct err *err)
{
	struct bpf_link *link = bpf_program__attach_iter(sampler->bpf->progs.find_waiting, NULL);
	_cleanup_close_ int fd = link ? bpf_iter_create(bpf_link__fd(link)) : -1;
	int ret;

	if (fd < 0)
		ret = err_set(err, -errno, "failed to find the threads that wait: %m");
	else
		ret = read_found(fd, found, ctx, err);
	bpf_link__destroy(link);
	return ret;
}

void sampler_count_waiting(struct sampler *sampler, const struct count_key *key)
{
	struct totals *totals = &sampler->totals[key->event * sampler->possible.nr];

	totals->taken++;
	totals->counted++;
	sampler->taken++;
}

int sampler_hit_program(const struct sampler *sampler, enum hit_program which)
{
	const struct bpf_program *const programs[] = {
		[HIT_TRACEPOINT] = sampler->bpf->progs.count_tracepoint,
		[HIT_WEIGHTED_TRACEPOINT] = sampler->bpf->progs.sum_tracepoint,
		[HIT_KERNEL_CALL] = sampler->bpf->progs.count_kernel_call,
		[HIT_USER_CALL] = sampler->bpf->progs.count_user_call,
	};

	return bpf_program__fd(programs[which]);
}

int sampler_copy_entry(struct sampler *sampler, uint32_t btf_id)
{
	return entry_programs_copy(&sampler->entries, btf_id);
}

static uint64_t skipped_hits_of(int prog_fd)
{
	struct bpf_prog_info info = {0};
	uint32_t size = sizeof(info);

	return prog_fd < 0 || bpf_obj_get_info_by_fd(prog_fd, &info, &size) ? 0
									    : info.recursion_misses;
}

uint64_t sampler_skipped_hits(const struct sampler *sampler)
{
	uint64_t skipped = 0;

	for (int i = 0; i < NR_HIT_PROGRAMS && !sampler->is_own; i++)
		skipped += skipped_hits_of(sampler_hit_program(sampler, i));
	vec_for_each(&sampler->entries.copies, fd)
		skipped += skipped_hits_of(*fd);
	return skipped;
}

void sampler_detach(struct sampler *sampler)
{
	vec_for_each(&sampler->links, link)
		bpf_link__destroy(*link);
	vec_clear(&sampler->links);
}

void sampler_unwind_maps(const struct sampler *sampler, struct unwind_maps *maps)
{
	*maps = (struct unwind_maps){
		.spaces = fd_of(sampler, sampler->bpf->maps.unwind_spaces),
		.mappings = fd_of(sampler, sampler->bpf->maps.unwind_mappings),
		.pages = fd_of(sampler, sampler->bpf->maps.unwind_pages),
		.files = fd_of(sampler, sampler->bpf->maps.unwind_files),
		.rules = fd_of(sampler, sampler->bpf->maps.unwind_rules),
		.known_rules = fd_of(sampler, sampler->bpf->maps.known_rules),
		.segments = fd_of(sampler, sampler->bpf->maps.unwind_segments),
		.interpreters = fd_of(sampler, sampler->bpf->maps.interpreters),
		.interpreter_files = fd_of(sampler, sampler->bpf->maps.interpreter_files),
		.seen_functions = fd_of(sampler, sampler->bpf->maps.seen_functions),
		.seen_period = (uint64_t *)sampler->state.seen_period,
		.function_names = fd_of(sampler, sampler->bpf->maps.function_names),
		.java_machines = fd_of(sampler, sampler->bpf->maps.java_machines),
		.beam_machines = fd_of(sampler, sampler->bpf->maps.beam_machines),
		.thread_contexts = fd_of(sampler, sampler->bpf->maps.thread_contexts),
		.wants = fd_of(sampler, sampler->bpf->maps.unwind_wants),
		.early = fd_of(sampler, sampler->bpf->maps.early_samples),
		.early_rooms = sampler->state.early_rooms,
		.name_rooms = sampler->state.name_rooms,
		.named_functions = sampler->state.named_functions,
	};
}

void sampler_cost_maps(const struct sampler *sampler, struct cost_maps *maps)
{
	maps->costs = fd_of(sampler, sampler->bpf->maps.costs);
	maps->gaps = sampler->state.shed_gaps;
	maps->nr_cpus = sampler->possible.nr;
}

int sampler_told_processes(const struct sampler *sampler)
{
	return fd_of(sampler, sampler->bpf->maps.told_processes);
}

int sampler_wakeup_fd(const struct sampler *sampler)
{
	return rings_fd(sampler->wakeups);
}

void sampler_clear_wakeups(struct sampler *sampler)
{
	rings_consume(sampler->wakeups);
}

int sampler_swap(struct sampler *sampler, struct swap *swap, struct err *err)
{
	int fd = fd_of(sampler, sampler->bpf->maps.grace_map);
	uint32_t zero = 0;

	swap->begin_ns = clock_monotonic_ns();
	sampler->active = !sampler->active;
	__atomic_store_n(sampler->state.active_set, sampler->active, __ATOMIC_SEQ_CST);
	swap->end_ns = clock_monotonic_ns();
	/* The kernel then waits for running programs. */
	if (!sampler->is_own &&
	    map_update(fd_of(sampler, sampler->bpf->maps.grace), &zero, &fd, BPF_ANY))
		return err_set(err, -errno, "failed to swap the BPF maps: %m");
	return 0;
}

uint32_t sampler_set_at_rest(const struct sampler *sampler)
{
	return !sampler->active;
}

void sampler_begin_slices(struct sampler *sampler, uint64_t begin_ns)
{
	*sampler->state.slices_begin_ns = begin_ns;
}

void sampler_end_at(struct sampler *sampler, uint64_t end_ns)
{
	*sampler->state.sampling_end_ns = end_ns;
}

static void add_totals(struct totals *to, const struct totals *from)
{
	const uint64_t *f = (const uint64_t *)from;
	uint64_t *t = (uint64_t *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		t[i] += f[i];
}

/* Reads the totals at @at, which is the number of an event in a set. */
static int read_set_totals(const struct sampler *sampler, uint32_t at, struct err *err)
{
	if (map_lookup(fd_of(sampler, sampler->bpf->maps.totals), &at, sampler->set_totals))
		return err_set(err, -errno, "failed to read the totals: %m");
	return 0;
}

static int drain_event_totals(struct sampler *sampler, uint32_t set, uint32_t event,
			      struct err *err)
{
	struct totals *totals = sampler->totals + event * sampler->possible.nr;
	uint32_t at = set * sampler->nr_events + event;
	int ret = read_set_totals(sampler, at, err);

	if (ret)
		return ret;
	if (map_update(fd_of(sampler, sampler->bpf->maps.totals), &at, sampler->zero_totals,
		       BPF_ANY))
		return err_set(err, -errno, "failed to drain the totals: %m");
	for (size_t i = 0; i < sampler->possible.nr; i++) {
		add_totals(&totals[i], &sampler->set_totals[i]);
		sampler->taken += sampler->set_totals[i].taken;
	}
	return 0;
}

static int drain_totals(struct sampler *sampler, uint32_t set, struct err *err)
{
	int ret = 0;

	for (uint32_t event = 0; event < sampler->nr_events && !ret; event++)
		ret = drain_event_totals(sampler, set, event, err);
	return ret;
}

int sampler_drain(struct sampler *sampler, const struct sampler_sink *sink, struct err *err)
{
	uint32_t rest = !sampler->active;
	struct set_state *state = &sampler->state.set_states[rest];
	int ret = set_memory_drain(&sampler->maps, rest, state, sink, err);

	if (!ret)
		ret = drain_totals(sampler, rest, err);
	*state = (struct set_state){.nr_drains = state->nr_drains + 1};
	memset(sampler->state.label_rooms[rest], 0, sizeof(sampler->state.label_rooms[rest]));
	return ret;
}

void sampler_take_totals(struct sampler *sampler, struct totals *totals, const u32_vec *cpus,
			 uint64_t *cpu_taken)
{
	size_t nr = sampler->possible.nr, at;

	memset(totals, 0, sampler->nr_events * sizeof(*totals));
	memset(cpu_taken, 0, cpus->nr * sizeof(*cpu_taken));
	for (uint32_t event = 0; event < sampler->nr_events; event++) {
		const struct totals *of_event = sampler->totals + event * nr;

		for (size_t i = 0; i < nr; i++)
			add_totals(&totals[event], &of_event[i]);
		for (size_t i = 0; i < cpus->nr; i++)
			if (cpus_find(&sampler->possible, cpus->data[i], &at))
				cpu_taken[i] += of_event[at].taken;
	}
	memset(sampler->totals, 0, sampler->nr_events * nr * sizeof(*sampler->totals));
}

int sampler_taken(const struct sampler *sampler, uint64_t *taken, struct err *err)
{
	uint64_t sum = sampler->taken;

	for (uint32_t at = 0; at < NR_SETS * sampler->nr_events; at++) {
		int ret = read_set_totals(sampler, at, err);

		if (ret)
			return ret;
		for (size_t i = 0; i < sampler->possible.nr; i++)
			sum += sampler->set_totals[i].taken;
	}
	*taken = sum;
	return 0;
}
