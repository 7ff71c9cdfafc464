// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampler/sampler.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "profrec.skel.h"
#include "record/system/cpus.h"
#include "record/system/privilege.h"
#include "record/sampler/sampler_load.h"

/*
 * Elements fetched by one system call of a drain. A batch must hold a whole hash bucket, or the
 * kernel returns -ENOSPC; buckets hold one element on average.
 */
#define STACK_BATCH 128
#define COUNT_BATCH 512

struct sampler {
	struct profrec_bpf *bpf;
	struct ring_buffer *wakeups;
	VEC(struct bpf_link *) links;
	uint32_t active;
	char *stack_values; /* struct stack_entry, each of stack_size bytes */
	size_t stack_size;
	uint64_t *stack_keys;
	struct count_value *count_values;
	struct count_key *count_keys;
	u32_vec possible; /* CPUs */
	/* For each of them: */
	struct totals *set_totals;  /* of one set, as read */
	struct totals *zero_totals; /* what empties it */
	struct totals *totals;      /* of the drained sets, since they were last asked for */
	uint64_t taken;             /* of all drained sets */
};

static int ignore_wakeup(void *ctx, void *data, size_t size)
{
	(void)ctx, (void)data, (void)size;
	return 0;
}

static int alloc_batches(struct sampler *c)
{
	c->stack_values = calloc(STACK_BATCH, c->stack_size);
	c->stack_keys = calloc(STACK_BATCH, sizeof(*c->stack_keys));
	c->count_values = calloc(COUNT_BATCH, sizeof(*c->count_values));
	c->count_keys = calloc(COUNT_BATCH, sizeof(*c->count_keys));
	return c->stack_values && c->stack_keys && c->count_values && c->count_keys ? 0 : -ENOMEM;
}

/* A program on a tracepoint asks this whether its CPU is sampled. */
static int set_hits(struct sampler *c, const u32_vec *cpus, struct err *err)
{
	_cleanup_free_ struct hit_state *states = calloc(c->possible.nr, sizeof(*states));
	uint32_t zero = 0;
	size_t i;

	if (!states)
		return err_set(err, -ENOMEM, "failed to select the CPUs: out of memory");
	vec_for_each(cpus, cpu)
		if (cpus_find(&c->possible, *cpu, &i))
			states[i].is_sampled = 1;
	if (bpf_map_update_elem(bpf_map__fd(c->bpf->maps.hits), &zero, states, BPF_ANY))
		return err_set(err, -errno, "failed to select the CPUs: %m");
	return 0;
}

static int alloc_totals(struct sampler *c, struct err *err)
{
	int ret = cpus_possible(&c->possible, err);

	if (ret)
		return ret;
	c->set_totals = calloc(c->possible.nr, sizeof(*c->set_totals));
	c->zero_totals = calloc(c->possible.nr, sizeof(*c->zero_totals));
	c->totals = calloc(c->possible.nr, sizeof(*c->totals));
	if (!c->set_totals || !c->zero_totals || !c->totals)
		return err_set(err, -ENOMEM, "failed to load the BPF programs: out of memory");
	return 0;
}

int sampler_create(const struct sampler_options *options, struct sampler **sampler, struct err *err)
{
	struct sampler *c = calloc(1, sizeof(*c));
	int ret;

	if (c)
		c->stack_size = STACK_ENTRY_SIZE(options->max_depth);
	if (!c || alloc_batches(c)) {
		sampler_destroy(c);
		return err_set(err, -ENOMEM, "failed to load the BPF programs: out of memory");
	}
	ret = alloc_totals(c, err);
	if (!ret)
		ret = sampler_load(options, &c->bpf, err);
	if (!ret)
		ret = set_hits(c, options->cpus, err);
	if (!ret) {
		c->wakeups = ring_buffer__new(bpf_map__fd(c->bpf->maps.wakeups), ignore_wakeup,
					      NULL, NULL);
		if (!c->wakeups)
			ret = err_set(err, -errno, "failed to map the wakeup buffer: %m");
	}
	if (ret) {
		sampler_destroy(c);
		return ret;
	}
	*sampler = c;
	return 0;
}

void sampler_destroy(struct sampler *c)
{
	if (!c)
		return;
	sampler_detach(c);
	vec_free(&c->links);
	ring_buffer__free(c->wakeups);
	profrec_bpf__destroy(c->bpf);
	free(c->stack_values);
	free(c->stack_keys);
	free(c->count_values);
	free(c->count_keys);
	free(c->set_totals);
	free(c->zero_totals);
	free(c->totals);
	vec_free(&c->possible);
	free(c);
}

int sampler_follow(struct sampler *c, int pidfd, struct err *err)
{
	uint8_t mark = 1;

	if (bpf_map_update_elem(bpf_map__fd(c->bpf->maps.followed), &pidfd, &mark, BPF_ANY))
		return errno == ESRCH ? -ESRCH
				      : err_set(err, -errno, "failed to follow a process: %m");
	return 0;
}

uint64_t sampler_unfollowed(const struct sampler *c)
{
	return __atomic_load_n(&c->bpf->bss->nr_unmarked, __ATOMIC_RELAXED);
}

static int attach_one(struct sampler *c, struct bpf_program *prog, int event_fd, struct err *err)
{
	/* A link closes the descriptor that it was made of: it gets one of its own. */
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
	if (vec_push(&c->links, link)) {
		bpf_link__destroy(link);
		return err_set(err, -ENOMEM, "failed to attach the sampler: out of memory");
	}
	return 0;
}

int sampler_attach_follower(struct sampler *c, struct err *err)
{
	return attach_one(c, c->bpf->progs.follow_child, -1, err);
}

int sampler_attach(struct sampler *c, const struct events *events, struct err *err)
{
	struct bpf_program *prog =
		events->is_tracepoint ? c->bpf->progs.take_sample_hit : c->bpf->progs.take_sample;
	int ret = 0;

	for (size_t i = 0; i < events->nr && !ret; i++)
		if (events->fds[i] >= 0)
			ret = attach_one(c, prog, events->fds[i], err);
	return ret;
}

void sampler_detach(struct sampler *c)
{
	vec_for_each(&c->links, link)
		bpf_link__destroy(*link);
	vec_clear(&c->links);
}

void sampler_unwind_maps(const struct sampler *c, struct unwind_maps *maps)
{
	*maps = (struct unwind_maps){
		.spaces = bpf_map__fd(c->bpf->maps.unwind_spaces),
		.mappings = bpf_map__fd(c->bpf->maps.unwind_mappings),
		.pages = bpf_map__fd(c->bpf->maps.unwind_pages),
		.rules = bpf_map__fd(c->bpf->maps.unwind_rules),
		.segments = bpf_map__fd(c->bpf->maps.unwind_segments),
		.wants = bpf_map__fd(c->bpf->maps.unwind_wants),
		.early = bpf_map__fd(c->bpf->maps.early_samples),
	};
}

int sampler_wakeup_fd(const struct sampler *c)
{
	return ring_buffer__epoll_fd(c->wakeups);
}

void sampler_clear_wakeups(struct sampler *c)
{
	ring_buffer__consume(c->wakeups);
}

int sampler_swap(struct sampler *c, uint64_t *swap_ns, struct err *err)
{
	struct bpf_map *rest = c->active ? c->bpf->maps.stacks1 : c->bpf->maps.stacks0;
	uint32_t rest_index = c->active;
	int rest_fd = bpf_map__fd(rest);
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	c->active = !c->active;
	__atomic_store_n(&c->bpf->bss->active_set, c->active, __ATOMIC_SEQ_CST);
	/* The same map is put into its place again: what counts is that the kernel waits. */
	if (bpf_map_update_elem(bpf_map__fd(c->bpf->maps.stack_sets), &rest_index, &rest_fd,
				BPF_ANY))
		return err_set(err, -errno, "failed to swap the BPF maps: %m");
	*swap_ns = now.tv_sec * UINT64_C(1000000000) + now.tv_nsec;
	return 0;
}

uint32_t sampler_set_at_rest(const struct sampler *c)
{
	return !c->active;
}

/* Reads and deletes all elements of @map in batches, @each for every batch. */
static int drain_map(struct bpf_map *map, void *keys, void *values, uint32_t batch,
		     int (*each)(const struct sampler *, const struct sampler_sink *, uint32_t),
		     const struct sampler *c, const struct sampler_sink *sink, struct err *err)
{
	uint64_t position = 0; /* the kernel's cursor, a bucket number */
	bool first = true;

	for (;;) {
		uint32_t n = batch;
		int failed =
			bpf_map_lookup_and_delete_batch(bpf_map__fd(map), first ? NULL : &position,
							&position, keys, values, &n, NULL);
		int code = failed ? -errno : 0;

		if (code && code != -ENOENT)
			return err_set(err, code, "failed to drain BPF map '%s': %s",
				       bpf_map__name(map), strerror(-code));
		code = each(c, sink, n);
		if (code)
			return code;
		if (failed)
			return 0; /* -ENOENT: that was the last batch */
		first = false;
	}
}

static int each_stack(const struct sampler *c, const struct sampler_sink *sink, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		const void *value = c->stack_values + i * c->stack_size;
		int ret = sink->stack(sink->ctx, c->stack_keys[i], value);

		if (ret)
			return ret;
	}
	return 0;
}

static int each_count(const struct sampler *c, const struct sampler_sink *sink, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++) {
		int ret = sink->count(sink->ctx, &c->count_keys[i], &c->count_values[i]);

		if (ret)
			return ret;
	}
	return 0;
}

static void add_totals(struct totals *to, const struct totals *from)
{
	const uint64_t *f = (const uint64_t *)from;
	uint64_t *t = (uint64_t *)to;

	for (size_t i = 0; i < sizeof(*to) / sizeof(uint64_t); i++)
		t[i] += f[i];
}

static int read_set_totals(const struct sampler *c, uint32_t set, struct err *err)
{
	if (bpf_map_lookup_elem(bpf_map__fd(c->bpf->maps.totals), &set, c->set_totals))
		return err_set(err, -errno, "failed to read the totals: %m");
	return 0;
}

static int drain_totals(struct sampler *c, uint32_t set, struct err *err)
{
	int ret = read_set_totals(c, set, err);

	if (ret)
		return ret;
	if (bpf_map_update_elem(bpf_map__fd(c->bpf->maps.totals), &set, c->zero_totals, BPF_ANY))
		return err_set(err, -errno, "failed to drain the totals: %m");
	for (size_t i = 0; i < c->possible.nr; i++) {
		add_totals(&c->totals[i], &c->set_totals[i]);
		c->taken += c->set_totals[i].taken;
	}
	return 0;
}

int sampler_drain(struct sampler *c, const struct sampler_sink *sink, struct err *err)
{
	uint32_t rest = !c->active;
	struct bpf_map *stacks = rest ? c->bpf->maps.stacks1 : c->bpf->maps.stacks0;
	struct bpf_map *counts = rest ? c->bpf->maps.counts1 : c->bpf->maps.counts0;
	int ret;

	ret = drain_map(stacks, c->stack_keys, c->stack_values, STACK_BATCH, each_stack, c, sink,
			err);
	if (!ret)
		ret = drain_map(counts, c->count_keys, c->count_values, COUNT_BATCH, each_count, c,
				sink, err);
	if (!ret)
		ret = drain_totals(c, rest, err);
	memset(&c->bpf->bss->set_states[rest], 0, sizeof(c->bpf->bss->set_states[rest]));
	return ret;
}

void sampler_take_totals(struct sampler *c, struct totals *totals, const u32_vec *cpus,
			 uint64_t *cpu_taken)
{
	size_t at;

	*totals = (struct totals){0};
	for (size_t i = 0; i < c->possible.nr; i++)
		add_totals(totals, &c->totals[i]);
	for (size_t i = 0; i < cpus->nr; i++)
		cpu_taken[i] =
			cpus_find(&c->possible, cpus->data[i], &at) ? c->totals[at].taken : 0;
	memset(c->totals, 0, c->possible.nr * sizeof(*c->totals));
}

int sampler_taken(const struct sampler *c, uint64_t *taken, struct err *err)
{
	uint64_t sum = c->taken;

	for (uint32_t set = 0; set < NR_SETS; set++) {
		int ret = read_set_totals(c, set, err);

		if (ret)
			return ret;
		for (size_t i = 0; i < c->possible.nr; i++)
			sum += c->set_totals[i].taken;
	}
	*taken = sum;
	return 0;
}
