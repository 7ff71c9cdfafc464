// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/sampler_load.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "bpf/made/language_machines.h"
#include "bpf/shared.h"
#include "bpf/walk/unwind.h"
#include "bpf/keyed_hash.h"
#include "common/cleanup.h"
#include "common/minmax.h"
#include "record/sampling/program/maps.h"
#include "record/sampling/program/program.h"
#include "record/sampling/bpf/memory_watch.h"
#include "record/sampling/program/skeleton.h"
#include "record/host/open_files.h"
#include "record/host/privilege.h"
#include "record/shares/owner_ids.h"

/* The program wakes the recorder when a set is this full. The rest is room until the swap. */
#define WATERMARK_PERCENT 50

/* The kernel's errno for what it does not support (include/linux/errno.h), which errno.h lacks. */
#define ENOTSUPP 524

/* The first warning of libbpf, for the message: the errno alone rarely tells why a load failed. */
static char libbpf_text[256];

static int keep_libbpf_text(enum libbpf_print_level level, const char *fmt, va_list ap)
{
	if (level == LIBBPF_WARN && !libbpf_text[0]) {
		vsnprintf(libbpf_text, sizeof(libbpf_text), fmt, ap);
		libbpf_text[strcspn(libbpf_text, "\n")] = '\0';
	}
	return 0;
}

/* The inode number of the initial pid namespace is fixed. Ids there need no translation. */
#define PROC_PID_INIT_INO 0xEFFFFFFCU /* include/linux/proc_ns.h */

static void set_pidns(struct profrec_bpf *bpf)
{
	struct stat st;

	if (stat("/proc/self/ns/pid", &st) || (uint32_t)st.st_ino == PROC_PID_INIT_INO)
		return;
	bpf->rodata->pidns_inum = st.st_ino;
	bpf->rodata->pidns_dev = st.st_dev;
}

static uint32_t watermark_of(uint64_t entries)
{
	uint64_t n = entries * WATERMARK_PERCENT / 100;

	return n ? n : 1;
}

/* Threads that wait at one time, at most. 11 MB of kernel memory. */
#define WAITING_THREADS 65536

/* The sizes that a map has when it is loaded. 0 leaves a size alone. */
struct map_size {
	struct bpf_map *map;
	uint32_t max_entries;
	uint32_t value_size;
};

static int set_map_sizes(const struct map_size *sizes, size_t nr)
{
	int ret = 0;

	for (size_t i = 0; !ret && i < nr; i++) {
		if (sizes[i].max_entries)
			ret = bpf_map__set_max_entries(sizes[i].map, sizes[i].max_entries);
		if (!ret && sizes[i].value_size)
			ret = bpf_map__set_value_size(sizes[i].map, sizes[i].value_size);
	}
	return ret;
}

static int set_sizes(struct profrec_bpf *bpf, const struct sampler_options *options,
		     const struct set_sizes *set)
{
	uint32_t most = max_u64(options->depth.most, options->label_sets ? LABEL_FRAMES_MAX : 0);
	uint32_t nr_levels = options->has_hits ? NR_LEVELS : 1;
	uint32_t nr_keys = max_u64(HASH_NR_STACK_KEYS(most),
				   HASH_NR_WORD_KEYS(sizeof(struct count_key) / sizeof(uint64_t)));
	const struct map_size sizes[] = {
		{bpf->maps.stack_slots, NR_SETS * set->nr_stack_slots, 0},
		{bpf->maps.stack_lines, NR_SETS * set->max_lines, 0},
		{bpf->maps.count_slots, NR_SETS * set->nr_count_slots, 0},
		{bpf->maps.slice_changes, NR_SETS * max_u64(set->max_changes, 1), 0},
		{bpf->maps.buffers, nr_levels * 2, STACK_LINES(most) * sizeof(struct stack_line)},
		{bpf->maps.walk_memories, nr_levels, 0},
		{bpf->maps.submissions, nr_levels, 0},
		{bpf->maps.early_notes, nr_levels, 0},
		{bpf->maps.totals, NR_SETS * options->nr_events, 0},
		{bpf->maps.hits, options->nr_events, 0},
		{bpf->maps.weights, options->nr_events, 0},
		{bpf->maps.costs, options->nr_events, 0},
		{bpf->maps.waiting, options->off_cpu.is_on ? WAITING_THREADS : 1, 0},
		{bpf->maps.hash_keys, 0, nr_keys * sizeof(struct hash_key)},
	};

	bpf->rodata->max_stacks = set->max_stacks;
	bpf->rodata->max_lines = set->max_lines;
	bpf->rodata->max_stack_lines = STACK_LINES(most);
	bpf->rodata->max_counts = set->max_counts;
	bpf->rodata->nr_stack_slots = set->nr_stack_slots;
	bpf->rodata->nr_count_slots = set->nr_count_slots;
	bpf->rodata->stack_watermark = watermark_of(set->max_stacks);
	bpf->rodata->line_watermark = watermark_of(set->max_lines);
	bpf->rodata->count_watermark = watermark_of(set->max_counts);
	bpf->rodata->max_changes = set->max_changes;
	bpf->rodata->change_watermark = watermark_of(set->max_changes);
	bpf->rodata->max_depth = options->depth.most;
	bpf->rodata->helper_depth = options->depth.of_helper;
	return set_map_sizes(sizes, ARRAY_SIZE(sizes));
}

#define UNWIND_WANTS_BYTES (64u << 10)

/*
 * Room for early samples: for each CPU at least, for all together at least and at most. A program
 * that begins has hundreds of hits before its tables are made, but few samples.
 */
#define EARLY_CPU_BYTES  (256u << 10)
#define EARLY_MIN_BYTES  (1u << 20)
#define EARLY_HITS_BYTES (4u << 20)
#define EARLY_MAX_BYTES  (16u << 20)

/* A ring buffer's size is a power of two. */
static uint32_t early_bytes(size_t nr_cpus, bool has_hits)
{
	uint32_t bytes = has_hits ? EARLY_HITS_BYTES : EARLY_MIN_BYTES;

	while (bytes < EARLY_MAX_BYTES && bytes < nr_cpus * EARLY_CPU_BYTES)
		bytes *= 2;
	return bytes;
}

static int set_unwinding(struct profrec_bpf *bpf, const struct sampler_options *options)
{
	uint32_t own_mappings = libbpf_num_possible_cpus() * NR_LEVELS;
	bool find_files = options->hits[HIT_USER_CALL];
	const struct map_size sizes[] = {
		{bpf->maps.unwind_spaces, UNWIND_MAX_SPACES, 0},
		{bpf->maps.unwind_mappings, UNWIND_MAX_MAPPINGS + own_mappings, 0},
		{bpf->maps.unwind_files, find_files ? UNWIND_MAX_FILES : 1, 0},
		{bpf->maps.unwind_pages, UNWIND_MAX_PAGES, 0},
		{bpf->maps.unwind_rules, UNWIND_MAX_RULES, 0},
		{bpf->maps.known_rules, UNWIND_KNOWN_RULES, 0},
		{bpf->maps.unwind_wants, UNWIND_WANTS_BYTES, 0},
		{bpf->maps.early_samples, early_bytes(options->cpus->nr, options->has_hits), 0},
	};

	bpf->rodata->unwind_by_tables = true;
	bpf->rodata->find_files = find_files;
	return set_map_sizes(sizes, ARRAY_SIZE(sizes));
}

/* Names that the recorder has not taken yet. */
#define FUNCTION_NAMES_BYTES (512u << 10)

static int set_languages(struct profrec_bpf *bpf, const struct sampler_options *options)
{
	const struct map_size sizes[] = {
		{bpf->maps.interpreters, MAX_INTERPRETERS, 0},
		{bpf->maps.interpreter_files, MAX_INTERPRETERS, 0},
		{bpf->maps.language_stacks, options->has_hits ? NR_LEVELS : 1,
		 LANGUAGE_STACK_SIZE(options->depth.most)},
		{bpf->maps.seen_functions, MAX_SEEN_FUNCTIONS, 0},
		{bpf->maps.function_names, FUNCTION_NAMES_BYTES, 0},
		{bpf->maps.java_machines, MAX_MACHINES, 0},
		{bpf->maps.beam_machines, MAX_MACHINES, 0},
	};

	bpf->rodata->walk_languages = true;
	return set_map_sizes(sizes, ARRAY_SIZE(sizes));
}

static int set_labels(struct profrec_bpf *bpf, const struct sampler_options *options)
{
	const struct map_size sizes[] = {
		{bpf->maps.thread_contexts, UNWIND_MAX_SPACES, 0},
		{bpf->maps.label_scratches, options->has_hits ? NR_LEVELS : 1, 0},
	};

	bpf->rodata->take_labels = true;
	bpf->rodata->take_traces = options->traces;
	bpf->rodata->max_label_sets = options->label_sets;
	memcpy((void *)(uintptr_t)bpf->rodata->label_names, options->label_names,
	       sizeof(bpf->rodata->label_names));
	return set_map_sizes(sizes, ARRAY_SIZE(sizes));
}

static int set_filters(struct profrec_bpf *bpf, const struct filters *f)
{
	int ret = 0;

	set_pidns(bpf);
	bpf->rodata->filter_ids = f->ids->nr > 0;
	bpf->rodata->ids_are_threads = f->ids_are_threads;
	bpf->rodata->follow_forks = f->follow;
	bpf->rodata->filter_comm = f->options.comm != NULL;
	if (f->options.comm)
		strncpy((char *)(uintptr_t)bpf->rodata->wanted_comm, f->options.comm,
			COMM_SIZE - 1);
	bpf->rodata->filter_uid = f->options.uid != FILTERS_ANY_UID;
	bpf->rodata->wanted_uid = f->options.uid;
	bpf->rodata->wanted_mntns = f->mntns_inum;
	bpf->rodata->filter_cgroup = f->cgroup_fd >= 0;
	bpf->rodata->wanted_cgroup = f->cgroup_id;
	bpf->rodata->filter_cgroup_ids = f->cgroup_map_fd >= 0;
	bpf->rodata->filter_mntns_ids = f->mntns_map_fd >= 0;
	if (f->ids->nr)
		ret = ret ?: bpf_map__set_max_entries(bpf->maps.ids, f->ids->nr);
	if (f->cgroup_map_fd >= 0)
		ret = ret ?: bpf_map__reuse_fd(bpf->maps.cgroup_ids, f->cgroup_map_fd);
	if (f->mntns_map_fd >= 0)
		ret = ret ?: bpf_map__reuse_fd(bpf->maps.mntns_ids, f->mntns_map_fd);
	return ret;
}

/* Numbers of enum bpf_attach_type (include/uapi/linux/bpf.h, Linux 5.18 and 6.6). */
#define TRACE_KPROBE_MULTI 42
#define TRACE_UPROBE_MULTI 48

static void choose_programs(struct profrec_bpf *bpf, const struct sampler_options *options)
{
	bool is_tracepoint = options->events->is_tracepoint;
	bool is_by_entry = options->entry_btf_id != 0;

	bpf_program__set_autoload(bpf->progs.take_sample, options->events->nr && !is_tracepoint);
	bpf_program__set_autoload(bpf->progs.count_tracepoint,
				  is_tracepoint || options->hits[HIT_TRACEPOINT]);
	bpf_program__set_autoload(bpf->progs.sum_tracepoint,
				  options->hits[HIT_WEIGHTED_TRACEPOINT]);
	bpf_program__set_autoload(bpf->progs.count_kernel_call,
				  options->hits[HIT_KERNEL_CALL] && !is_by_entry);
	bpf_program__set_autoload(bpf->progs.count_kernel_entry, is_by_entry);
	bpf_program__set_autoload(bpf->progs.count_user_call, options->hits[HIT_USER_CALL]);
	if (options->kernel_way == KERNEL_BY_MULTI)
		bpf_program__set_expected_attach_type(bpf->progs.count_kernel_call,
						      TRACE_KPROBE_MULTI);
	if (options->has_user_multi)
		bpf_program__set_expected_attach_type(bpf->progs.count_user_call,
						      TRACE_UPROBE_MULTI);
}

static void choose_weights(struct profrec_bpf *bpf, const struct sampler_options *options)
{
	bpf->rodata->has_weights =
		options->weights != NULL || options->off_cpu.is_on || options->may_shed;
	for (uint32_t i = 0; options->weights && i < options->nr_events; i++) {
		const struct weight *w = &options->weights[i];

		if (w->source == WEIGHT_FIELD && w->at + w->size > bpf->rodata->fields_end)
			bpf->rodata->fields_end = w->at + w->size;
	}
}

/* The descriptor of a map of the programs. */
static int fd_of(const struct sampler_options *options, const struct profrec_bpf *bpf,
		 const struct bpf_map *map)
{
	return options->is_own ? program_map_fd(bpf, map) : bpf_map__fd(map);
}

static int fill_weights(const struct profrec_bpf *bpf, const struct sampler_options *options,
			struct err *err)
{
	for (uint32_t i = 0; options->weights && i < options->nr_events; i++)
		if (map_update(fd_of(options, bpf, bpf->maps.weights), &i, &options->weights[i],
			       BPF_ANY))
			return err_set(err, -errno, "failed to set a weight: %m");
	return 0;
}

static void set_off_cpu(struct profrec_bpf *bpf, const struct off_cpu_options *options)
{
	bpf_program__set_autoload(bpf->progs.switch_threads, options->is_on);
	bpf_program__set_autoload(bpf->progs.find_waiting, options->is_on);
	bpf_program__set_autoload(bpf->progs.note_waker, options->takes_wakers);
	bpf->rodata->take_wakers = options->takes_wakers;
	bpf->rodata->off_cpu_event = options->event;
	bpf->rodata->off_cpu_by_state = options->by_state;
	bpf->rodata->min_wait_ns = options->min_ns;
	bpf->rodata->max_wait_ns = options->max_ns ? options->max_ns : UINT64_MAX;
}

/* Chooses the CPUs whose waits count. */
static void set_wait_cpus(struct profrec_bpf *bpf, const struct sampler_options *options)
{
	bpf->rodata->wait_cpus_chosen = options->has_chosen_cpus;
	vec_for_each(options->cpus, cpu)
		if (*cpu < WAIT_CPUS_MAX)
			bpf->rodata->wait_cpus[*cpu / 64] |= UINT64_C(1) << *cpu % 64;
}

static int configure_programs(struct profrec_bpf *bpf, const struct sampler_options *options,
			      const struct set_sizes *set)
{
	int ret;

	bpf->rodata->walk_by_program = options->is_own || options->unwind || sampler_can_unwind();
	bpf->rodata->take_user = !options->no_user;
	bpf->rodata->take_kernel = !options->no_kernel;
	bpf->rodata->include_idle = options->include_idle;
	bpf->rodata->keep_tids = options->keep_tids;
	bpf->rodata->slice_ns = options->slice_ns;
	bpf->rodata->include_idle_hits = options->include_idle || options->has_hits;
	bpf->rodata->nr_events = options->nr_events;
	bpf->rodata->sample_event = options->sample_event;
	bpf->rodata->may_nest = options->has_hits;
	bpf->rodata->choose_cpus = options->has_chosen_cpus;
	bpf->rodata->hit_period = options->hit_period;
	bpf->rodata->measures_cost = options->measures_cost;
	bpf->rodata->measures_samples = options->measures_cost && options->events->period;
	bpf->rodata->may_shed = options->may_shed;
	bpf->rodata->sample_weight = options->sample_weight;
	choose_programs(bpf, options);
	choose_weights(bpf, options);
	memcpy((void *)(uintptr_t)bpf->rodata->owner_ranges, owner_ranges_read,
	       sizeof(bpf->rodata->owner_ranges));
	set_off_cpu(bpf, &options->off_cpu);
	set_wait_cpus(bpf, options);
	bpf_program__set_autoload(bpf->progs.follow_child, options->filters->follow);
	if (!options->is_own)
		memory_watch_choose(bpf);
	ret = set_sizes(bpf, options, set);
	if (!ret && options->unwind)
		ret = set_unwinding(bpf, options);
	if (!ret && options->unwind && options->languages)
		ret = set_languages(bpf, options);
	if (!ret && options->unwind && options->label_sets)
		ret = set_labels(bpf, options);
	return ret ? ret : set_filters(bpf, options->filters);
}

/* May the kernel be too old, or lack an option? Other errors are those of the moment. */
static bool is_unknown_to_kernel(int code)
{
	static const int codes[] = {-EINVAL, -ENOENT, -ESRCH, -ENOSYS, -EOPNOTSUPP, -ENOTSUPP};

	for (size_t i = 0; i < ARRAY_SIZE(codes); i++)
		if (code == codes[i])
			return true;
	return false;
}

static int load_programs(struct profrec_bpf *bpf, const struct sampler_options *options,
			 const struct set_sizes *set, struct err *err)
{
	int ret = configure_programs(bpf, options, set);

	if (ret)
		return err_set(err, ret, "failed to configure the BPF maps: %s", strerror(-ret));
	if (options->is_own) {
		ret = program_begin(bpf);
		return ret ? err_set(err, ret, "failed to make the maps: %s", strerror(-ret)) : 0;
	}
	ret = profrec_bpf__load(bpf);
	if (!ret)
		return 0;
	err_set(err, ret, "failed to load the BPF programs: %s%s%s%s", strerror(-ret),
		libbpf_text[0] ? " (" : "", libbpf_text, libbpf_text[0] ? ")" : "");
	if (ret == -EPERM || ret == -EACCES)
		return privilege_explain(ret, err);
	if (ret == -ENOMEM || ret == -E2BIG)
		return err_hint(
			err, ret,
			"lower --stack-storage-size, --hash-storage-size or --max-stack-depth, or the memory cgroup's limit is too low");
	if (!is_unknown_to_kernel(ret))
		return ret;
	/* libbpf asks the kernel what it knows, and takes a lack of descriptors for a no. */
	if (open_files_are_few()) {
		open_files_explain(-EMFILE, err);
		return ret;
	}
	if (access("/sys/kernel/btf/vmlinux", R_OK))
		return err_hint(
			err, ret,
			"/sys/kernel/btf/vmlinux cannot be read: recording needs Linux 5.15 or later with CONFIG_DEBUG_INFO_BTF");
	return err_hint(err, ret, "recording needs Linux 5.15 or later with CONFIG_BPF_EVENTS");
}

static int fill_hash_keys(const struct profrec_bpf *bpf, const struct sampler_options *options,
			  struct err *err)
{
	const size_t size = bpf_map__value_size(bpf->maps.hash_keys);
	_cleanup_free_ char *keys = malloc(size);
	uint32_t zero = 0;

	if (!keys)
		return err_set(err, -ENOMEM, "failed to make the keys of hashes: out of memory");
	for (size_t have = 0; have < size;) {
		ssize_t got = getrandom(keys + have, size - have, 0);

		if (got < 0)
			return err_set(err, -errno, "failed to make the keys of hashes: %m");
		have += got;
	}
	if (map_update(fd_of(options, bpf, bpf->maps.hash_keys), &zero, keys, BPF_ANY))
		return err_set(err, -errno, "failed to fill BPF map 'hash_keys': %m");
	return 0;
}

static int set_ids(const struct profrec_bpf *bpf, const struct sampler_options *options,
		   struct err *err)
{
	const u32_vec *ids = options->filters->ids;

	vec_for_each(ids, id) {
		uint8_t wanted = 1;

		if (map_update(fd_of(options, bpf, bpf->maps.ids), id, &wanted, BPF_ANY))
			return err_set(err, -errno, "failed to select process %u: %m", *id);
	}
	return 0;
}

static int set_cgroup(const struct profrec_bpf *bpf, const struct sampler_options *options,
		      struct err *err)
{
	int fd = options->filters->cgroup_fd;
	uint32_t zero = 0;

	if (fd >= 0 && map_update(fd_of(options, bpf, bpf->maps.cgroups), &zero, &fd, BPF_ANY))
		return err_set(err, -errno, "failed to select the cgroup: %m");
	return 0;
}

bool sampler_can_unwind(void)
{
	return libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_loop, NULL) == 1 &&
	       libbpf_probe_bpf_helper(BPF_PROG_TYPE_PERF_EVENT, BPF_FUNC_task_pt_regs, NULL) == 1;
}

static int open_programs(struct profrec_bpf **bpf, struct err *err)
{
	char reason[128];
	int ret;

	/* doc/debugging.md, "The log of the BPF verifier" */
	if (!secure_getenv("PROFREC_LIBBPF_LOG"))
		libbpf_set_print(keep_libbpf_text);
	*bpf = profrec_bpf__open();
	if (*bpf)
		return 0;
	ret = -errno;
	libbpf_strerror(ret, reason, sizeof(reason)); /* libbpf has errnos of its own */
	return err_set(err, ret, "failed to open the BPF programs: %s", reason);
}

/* Opens and loads the programs, and keeps the one of fentry for copies. */
static int open_and_load(const struct sampler_options *options, struct entry_programs *entries,
			 const struct set_sizes *sizes, struct profrec_bpf **bpf, struct err *err)
{
	int number = 0, ret;

	if (options->entry_btf_id)
		number = entry_programs_register(entries, options->entry_btf_id);
	if (number < 0)
		return err_set(err, number, "failed to open the BPF programs: %s",
			       strerror(-number));
	ret = open_programs(bpf, err);
	if (!ret)
		ret = load_programs(*bpf, options, sizes, err);
	if (number)
		entry_programs_unregister(number);
	return ret;
}

void sampler_choose_sizes(const struct sampler_options *options, struct set_sizes *sizes)
{
	set_memory_choose(options->stack_storage, options->hash_storage, options->depth.most,
			  sizes);
	if (options->no_slices)
		sizes->max_changes = 0;
}

int sampler_load(const struct sampler_options *options, struct entry_programs *entries,
		 struct profrec_bpf **bpf, struct err *err)
{
	struct profrec_bpf *b = NULL;
	struct set_sizes set;
	int ret;

	sampler_choose_sizes(options, &set);
	ret = open_and_load(options, entries, &set, &b, err);
	if (!ret)
		ret = fill_hash_keys(b, options, err);
	if (!ret)
		ret = fill_weights(b, options, err);
	if (!ret)
		ret = set_ids(b, options, err);
	if (!ret)
		ret = set_cgroup(b, options, err);
	if (ret) {
		profrec_bpf__destroy(b);
		return ret;
	}
	*bpf = b;
	return 0;
}
