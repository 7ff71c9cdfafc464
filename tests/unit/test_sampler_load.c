// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How options set up the programs. The test sees them (--wrap) where the recorder would run them.
 */
#include "record/sampling/bpf/sampler_load.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <gelf.h>
#include <libelf.h>
#include <string.h>
#include <sys/stat.h>

#include "bpf/shared.h"
#include "bpf/walk/unwind.h"
#include "common/minmax.h"
#include "record/sampling/program/program.h"
#include "record/sampling/program/skeleton.h"
#include "record/shares/owner_ids.h"
#include "tests/unit/suite.h"

#define MB       (UINT64_C(1) << 20)
#define INIT_INO 0xEFFFFFFCu

static u32_vec ids, cpus;
static struct filters filters;
static struct events events;
static struct sampler_options options;
static struct set_sizes sizes;
static struct err err;

typedef typeof(*((struct profrec_bpf *)0)->rodata) settings_of_programs;

/* What the programs were set up with. */
static struct {
	settings_of_programs settings;
	uint32_t ids, waiting, buffers, walk_memories, submissions, early_notes, totals, hits;
	uint32_t weights, costs, stack_slots, stack_lines, count_slots, slice_changes, early;
	uint32_t unwind_files, unwind_spaces, thread_contexts, label_scratches, language_stacks;
	uint32_t buffer_bytes;
	bool take_sample, count_tracepoint, sum_tracepoint, count_kernel_call, count_kernel_entry;
	bool count_user_call, switch_threads, find_waiting, note_waker, follow_child;
	enum bpf_attach_type kernel_attach, user_attach;
} seen;

/* The answers of the kernel, and what libbpf was told. */
static struct {
	int stat_error;
	ino_t pidns;
	int cgroup_map, mntns_map, reuse_error;
} kernel;

int __wrap_program_begin(struct profrec_bpf *bpf);
int __wrap_stat64(const char *path, struct stat *st);
int __wrap_libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id id, const void *opts);
int __wrap_bpf_map__reuse_fd(struct bpf_map *map, int fd);

int __wrap_stat64(const char *path, struct stat *st)
{
	ck_assert_str_eq(path, "/proc/self/ns/pid");
	*st = (struct stat){.st_ino = kernel.pidns, .st_dev = 9};
	return kernel.stat_error;
}

int __wrap_libbpf_probe_bpf_helper(enum bpf_prog_type type, enum bpf_func_id id, const void *opts)
{
	(void)type, (void)id, (void)opts;
	return 0;
}

int __wrap_bpf_map__reuse_fd(struct bpf_map *map, int fd)
{
	if (!strcmp(bpf_map__name(map), "cgroup_ids"))
		kernel.cgroup_map = fd;
	else
		kernel.mntns_map = fd;
	return kernel.reuse_error;
}

static void see_maps(const struct profrec_bpf *b)
{
#define SEE(member, map) seen.member = bpf_map__max_entries(b->maps.map)
	SEE(ids, ids);
	SEE(waiting, waiting);
	SEE(buffers, buffers);
	SEE(walk_memories, walk_memories);
	SEE(submissions, submissions);
	SEE(early_notes, early_notes);
	SEE(totals, totals);
	SEE(hits, hits);
	SEE(weights, weights);
	SEE(costs, costs);
	SEE(stack_slots, stack_slots);
	SEE(stack_lines, stack_lines);
	SEE(count_slots, count_slots);
	SEE(slice_changes, slice_changes);
	SEE(early, early_samples);
	SEE(unwind_files, unwind_files);
	SEE(unwind_spaces, unwind_spaces);
	SEE(thread_contexts, thread_contexts);
	SEE(label_scratches, label_scratches);
	SEE(language_stacks, language_stacks);
#undef SEE
	seen.buffer_bytes = bpf_map__value_size(b->maps.buffers);
}

/* Fails, so that no program is made. */
int __wrap_program_begin(struct profrec_bpf *b)
{
	seen.settings = *b->rodata;
	see_maps(b);
#define SEE(program) seen.program = bpf_program__autoload(b->progs.program)
	SEE(take_sample);
	SEE(count_tracepoint);
	SEE(sum_tracepoint);
	SEE(count_kernel_call);
	SEE(count_kernel_entry);
	SEE(count_user_call);
	SEE(switch_threads);
	SEE(find_waiting);
	SEE(note_waker);
	SEE(follow_child);
#undef SEE
	seen.kernel_attach = bpf_program__expected_attach_type(b->progs.count_kernel_call);
	seen.user_attach = bpf_program__expected_attach_type(b->progs.count_user_call);
	return -EXDEV;
}

static void begin(void)
{
	vec_clear(&ids);
	vec_clear(&cpus);
	memset(&kernel, 0, sizeof(kernel));
	kernel.cgroup_map = kernel.mntns_map = -1;
	filters = (struct filters){.options = {.uid = FILTERS_ANY_UID},
				   .ids = &ids,
				   .cgroup_fd = -1,
				   .cgroup_map_fd = -1,
				   .mntns_map_fd = -1};
	events = (struct events){.nr = 1};
	options = (struct sampler_options){.is_own = true,
					   .filters = &filters,
					   .cpus = &cpus,
					   .events = &events,
					   .nr_events = 1,
					   .depth = {.most = 64, .of_helper = 32},
					   .stack_storage = 1000,
					   .hash_storage = 600};
}

static void end(void)
{
	vec_free(&ids);
	vec_free(&cpus);
}

static void add_cpus(uint32_t first, uint32_t nr)
{
	for (uint32_t i = 0; i < nr; i++)
		ck_assert_int_eq(vec_push(&cpus, first + i), 0);
}

static const settings_of_programs *load(void)
{
	struct entry_programs entries = {0};
	struct profrec_bpf *bpf = NULL;

	memset(&seen, 0, sizeof(seen));
	err = (struct err){0};
	sampler_choose_sizes(&options, &sizes);
	ck_assert_int_eq(sampler_load(&options, &entries, &bpf, &err), -EXDEV);
	ck_assert_str_eq(err.text, "failed to make the maps: Invalid cross-device link");
	ck_assert_ptr_null(bpf);
	entry_programs_deinit(&entries);
	return &seen.settings;
}

START_TEST(without_filters)
{
	const settings_of_programs *s = load();

	ck_assert(!s->filter_ids && !s->ids_are_threads && !s->follow_forks && !s->filter_comm);
	ck_assert(!s->filter_uid && !s->filter_cgroup && !s->filter_cgroup_ids);
	ck_assert(!s->filter_mntns_ids && !seen.follow_child);
	ck_assert_uint_eq(s->wanted_mntns, 0);
	ck_assert_int_eq(kernel.cgroup_map, -1);
	ck_assert_int_eq(kernel.mntns_map, -1);
}
END_TEST

/* Is there a relocation of section @section of the programs to @symbol? */
static bool has_relocation(Elf *elf, Elf_Data *symbols, size_t strings, Elf_Scn *section,
			   const char *symbol)
{
	Elf_Data *data = elf_getdata(section, NULL);
	GElf_Rel rel;
	GElf_Sym sym;

	for (int i = 0; data && gelf_getrel(data, i, &rel); i++)
		if (gelf_getsym(symbols, GELF_R_SYM(rel.r_info), &sym) &&
		    !strcmp(elf_strptr(elf, strings, sym.st_name), symbol))
			return true;
	return false;
}

/* Do the programs read the setting? clang takes one that is not volatile for a constant. */
static bool is_read(Elf *elf, const char *setting)
{
	Elf_Data *symbols = NULL;
	Elf_Scn *section = NULL;
	size_t strings = 0;
	GElf_Shdr header;

	while ((section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_SYMTAB) {
			symbols = elf_getdata(section, NULL);
			strings = header.sh_link;
		}
	while (symbols && (section = elf_nextscn(elf, section)))
		if (gelf_getshdr(section, &header) && header.sh_type == SHT_REL &&
		    has_relocation(elf, symbols, strings, section, setting))
			return true;
	return false;
}

START_TEST(each_setting_is_read)
{
	static const char *const settings[] = {
#define PROGRAM_SETTING(name) #name,
#include "program_settings.h"
#undef PROGRAM_SETTING
	};
	size_t size;
	const void *bytes = profrec_bpf__elf_bytes(&size);
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)(uintptr_t)bytes, size);
	ck_assert_ptr_nonnull(elf);
	for (size_t i = 0; i < ARRAY_SIZE(settings); i++)
		ck_assert_msg(is_read(elf, settings[i]), "%s", settings[i]);
	ck_assert(!is_read(elf, "no_setting"));
	elf_end(elf);
}
END_TEST

START_TEST(the_programs_know_the_ids_of_owners)
{
	owner_ranges_read[0] = (struct owner_range){100000, 65536};
	ck_assert_mem_eq(load()->owner_ranges, owner_ranges_read, sizeof(owner_ranges_read));
	owner_ranges_read[0].nr = 0;
}
END_TEST

START_TEST(filters_of_all_kinds)
{
	const settings_of_programs *s;

	for (uint32_t id = 7; id < 10; id++)
		ck_assert_int_eq(vec_push(&ids, id), 0);
	filters.ids_are_threads = filters.follow = true;
	filters.options.comm = "fifteen bytes k and more"; /* than the kernel keeps */
	filters.options.uid = 0;
	filters.mntns_inum = 12;
	filters.cgroup_fd = 0;
	filters.cgroup_id = 13;
	filters.cgroup_map_fd = 0;
	filters.mntns_map_fd = 1;
	s = load();
	ck_assert(s->filter_ids && s->ids_are_threads && s->follow_forks && s->filter_comm);
	ck_assert(s->filter_uid && s->filter_cgroup && s->filter_cgroup_ids);
	ck_assert(s->filter_mntns_ids && seen.follow_child);
	ck_assert_uint_eq(seen.ids, 3);
	ck_assert_str_eq((const char *)s->wanted_comm, "fifteen bytes k");
	ck_assert_uint_eq(s->wanted_uid, 0);
	ck_assert_uint_eq(s->wanted_mntns, 12);
	ck_assert_uint_eq(s->wanted_cgroup, 13);
	ck_assert_int_eq(kernel.cgroup_map, 0);
	ck_assert_int_eq(kernel.mntns_map, 1);
}
END_TEST

START_TEST(a_map_that_cannot_be_used_again)
{
	struct entry_programs entries = {0};
	struct profrec_bpf *bpf = NULL;

	kernel.reuse_error = -EINVAL;
	filters.cgroup_map_fd = 5;
	filters.mntns_map_fd = 6;
	ck_assert_int_eq(sampler_load(&options, &entries, &bpf, &err), -EINVAL);
	ck_assert_str_eq(err.text, "failed to configure the BPF maps: Invalid argument");
	ck_assert_int_eq(kernel.cgroup_map, 5);
	ck_assert_int_eq(kernel.mntns_map, -1);
}
END_TEST

/* Ids need a translation in a pid namespace of the recorder's own alone. */
START_TEST(pid_namespaces)
{
	kernel.pidns = INIT_INO;
	ck_assert_uint_eq(load()->pidns_inum, 0);
	kernel.pidns = 77;
	ck_assert_uint_eq(load()->pidns_inum, 77);
	ck_assert_uint_eq(seen.settings.pidns_dev, 9);
	kernel.stat_error = -1;
	ck_assert_uint_eq(load()->pidns_inum, 0);
}
END_TEST

/* Half of each room, and one at least, is when the recorder is woken. */
START_TEST(rooms_of_sets)
{
	const settings_of_programs *s = load();

	ck_assert_uint_eq(s->max_stacks, sizes.max_stacks);
	ck_assert_uint_eq(s->max_lines, sizes.max_lines);
	ck_assert_uint_eq(s->max_counts, sizes.max_counts);
	ck_assert_uint_eq(s->max_changes, sizes.max_changes);
	ck_assert_uint_eq(s->nr_stack_slots, sizes.nr_stack_slots);
	ck_assert_uint_eq(s->nr_count_slots, sizes.nr_count_slots);
	ck_assert_uint_eq(s->stack_watermark, sizes.max_stacks / 2);
	ck_assert_uint_eq(s->line_watermark, sizes.max_lines / 2);
	ck_assert_uint_eq(s->count_watermark, sizes.max_counts / 2);
	ck_assert_uint_eq(s->change_watermark, sizes.max_changes / 2);
	ck_assert_uint_eq(s->max_stack_lines, STACK_LINES(64));
	ck_assert_uint_eq(s->max_depth, 64);
	ck_assert_uint_eq(s->helper_depth, 32);
	ck_assert_uint_eq(seen.stack_slots, 2 * sizes.nr_stack_slots);
	ck_assert_uint_eq(seen.stack_lines, 2 * sizes.max_lines);
	ck_assert_uint_eq(seen.count_slots, 2 * sizes.nr_count_slots);
	ck_assert_uint_eq(seen.slice_changes, 2 * sizes.max_changes);
	ck_assert_uint_eq(seen.buffer_bytes, STACK_LINES(64) * sizeof(struct stack_line));
	options.no_slices = true;
	s = load();
	ck_assert_uint_eq(s->max_changes, 0);
	ck_assert_uint_eq(s->change_watermark, 1);
	ck_assert_uint_eq(seen.slice_changes, 2);
}
END_TEST

/* Programs on probes may interrupt each other. */
START_TEST(rooms_by_level_and_event)
{
	for (int has_hits = 0; has_hits < 2; has_hits++) {
		const uint32_t nr = has_hits ? NR_LEVELS : 1;

		options.has_hits = has_hits;
		options.nr_events = 3;
		options.unwind = options.languages = true;
		options.label_sets = 5;
		options.label_names = (const struct label_name[LABEL_KEYS_MAX]){0};
		load();
		ck_assert_uint_eq(seen.buffers, 2 * nr);
		ck_assert_uint_eq(seen.walk_memories, nr);
		ck_assert_uint_eq(seen.submissions, nr);
		ck_assert_uint_eq(seen.early_notes, nr);
		ck_assert_uint_eq(seen.language_stacks, nr);
		ck_assert_uint_eq(seen.label_scratches, nr);
		ck_assert_uint_eq(seen.totals, 6);
		ck_assert_uint_eq(seen.hits, 3);
		ck_assert_uint_eq(seen.weights, 3);
		ck_assert_uint_eq(seen.costs, 3);
		/* Labels are kept as stacks are, and may be longer. */
		ck_assert_uint_eq(seen.settings.max_stack_lines, STACK_LINES(LABEL_FRAMES_MAX));
		ck_assert(seen.settings.may_nest == has_hits);
		ck_assert(seen.settings.include_idle_hits == has_hits);
	}
}
END_TEST

/* A quarter of a megabyte for each CPU, as a power of two from 1 to 16, but 4 at least for hits. */
START_TEST(room_for_early_samples)
{
	static const struct {
		uint32_t nr_cpus;
		uint64_t bytes;
	} cases[] = {{1, MB},     {4, MB},       {5, 2 * MB},   {8, 2 * MB},
		     {9, 4 * MB}, {64, 16 * MB}, {33, 16 * MB}, {200, 16 * MB}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		vec_clear(&cpus);
		add_cpus(0, cases[i].nr_cpus);
		options.unwind = true;
		load();
		ck_assert_uint_eq(seen.early, cases[i].bytes);
		options.has_hits = true;
		load();
		ck_assert_uint_eq(seen.early, max_u64(cases[i].bytes, 4 * MB));
		options.has_hits = false;
	}
}
END_TEST

START_TEST(what_is_walked)
{
	const uint32_t unset = (load(), seen.unwind_spaces);
	struct label_name names[LABEL_KEYS_MAX] = {{.words = {0x1234}}};

	ck_assert(!seen.settings.unwind_by_tables && !seen.settings.walk_languages);
	ck_assert(!seen.settings.take_labels && seen.settings.walk_by_program);
	options.languages = options.traces = true;
	options.label_sets = 50;
	options.label_names = names;
	load(); /* all of it goes with tables */
	ck_assert(!seen.settings.walk_languages && !seen.settings.take_labels);
	ck_assert_uint_eq(seen.unwind_spaces, unset);
	options.unwind = true;
	load();
	ck_assert(seen.settings.unwind_by_tables && seen.settings.walk_languages);
	ck_assert(seen.settings.take_labels && seen.settings.take_traces);
	ck_assert(!seen.settings.find_files);
	ck_assert_uint_eq(seen.settings.max_label_sets, 50);
	ck_assert_uint_eq(seen.settings.label_names[0].words[0], 0x1234);
	ck_assert_uint_eq(seen.unwind_spaces, UNWIND_MAX_SPACES);
	ck_assert_uint_eq(seen.thread_contexts, UNWIND_MAX_SPACES);
	ck_assert_uint_eq(seen.unwind_files, 1);
	options.languages = options.traces = false;
	options.hits[HIT_USER_CALL] = true;
	load();
	ck_assert(!seen.settings.walk_languages && !seen.settings.take_traces);
	ck_assert(seen.settings.take_labels && seen.settings.find_files);
	ck_assert_uint_eq(seen.unwind_files, UNWIND_MAX_FILES);
	options.label_sets = 0;
	ck_assert(!load()->take_labels);
}
END_TEST

START_TEST(programs_that_are_needed)
{
	load();
	ck_assert(seen.take_sample && !seen.count_tracepoint && !seen.sum_tracepoint);
	ck_assert(!seen.count_kernel_call && !seen.count_kernel_entry && !seen.count_user_call);
	events.is_tracepoint = true;
	load();
	ck_assert(!seen.take_sample && seen.count_tracepoint);
	events = (struct events){0};
	for (int i = 0; i < NR_HIT_PROGRAMS; i++) {
		memset(options.hits, 0, sizeof(options.hits));
		options.hits[i] = true;
		load();
		ck_assert(!seen.take_sample);
		ck_assert_int_eq(seen.count_tracepoint, i == HIT_TRACEPOINT);
		ck_assert_int_eq(seen.sum_tracepoint, i == HIT_WEIGHTED_TRACEPOINT);
		ck_assert_int_eq(seen.count_kernel_call, i == HIT_KERNEL_CALL);
		ck_assert_int_eq(seen.count_user_call, i == HIT_USER_CALL);
		ck_assert(!seen.count_kernel_entry);
	}
}
END_TEST

/* As in enum bpf_attach_type of Linux 6.6. */
START_TEST(ways_to_attach)
{
	const enum bpf_attach_type kernel_before = (load(), seen.kernel_attach);
	const enum bpf_attach_type user_before = seen.user_attach;

	options.kernel_way = KERNEL_BY_MULTI;
	load();
	ck_assert_int_eq(seen.kernel_attach, 42);
	ck_assert_int_eq(seen.user_attach, user_before);
	options.kernel_way = KERNEL_BY_KPROBE;
	options.has_user_multi = true;
	load();
	ck_assert_int_eq(seen.kernel_attach, kernel_before);
	ck_assert_int_eq(seen.user_attach, 48);
}
END_TEST

START_TEST(weights_of_hits)
{
	const struct weight weights[] = {{.source = WEIGHT_FIELD, .at = 8, .size = 8},
					 {.source = WEIGHT_FIELD, .at = 24, .size = 4},
					 {.source = WEIGHT_FIELD, .at = 16, .size = 2},
					 {.source = WEIGHT_FIELD + 1, .at = 100, .size = 8}};

	load();
	ck_assert(!seen.settings.has_weights);
	ck_assert_uint_eq(seen.settings.fields_end, 0);
	options.may_shed = true;
	ck_assert(load()->has_weights);
	options.may_shed = false;
	options.off_cpu.is_on = true;
	ck_assert(load()->has_weights);
	options.off_cpu.is_on = false;
	options.weights = weights;
	options.nr_events = ARRAY_SIZE(weights);
	ck_assert(load()->has_weights);
	ck_assert_uint_eq(seen.settings.fields_end, 28);
}
END_TEST

START_TEST(time_off_the_cpu)
{
	const settings_of_programs *s;

	add_cpus(0, 1);
	add_cpus(65, 2);
	add_cpus(WAIT_CPUS_MAX - 1, 2);
	s = load();
	ck_assert(!seen.switch_threads && !seen.find_waiting && !seen.note_waker);
	ck_assert_uint_eq(seen.waiting, 1);
	ck_assert(!s->wait_cpus_chosen);
	options.has_chosen_cpus = true;
	options.off_cpu = (struct off_cpu_options){
		.is_on = true, .by_state = true, .event = 3, .min_ns = 5, .max_ns = 6};
	s = load();
	ck_assert(seen.switch_threads && seen.find_waiting && !seen.note_waker);
	ck_assert(s->off_cpu_by_state && !s->take_wakers && s->wait_cpus_chosen && s->choose_cpus);
	ck_assert_uint_eq(s->off_cpu_event, 3);
	ck_assert_uint_eq(s->min_wait_ns, 5);
	ck_assert_uint_eq(s->max_wait_ns, 6);
	ck_assert_uint_eq(seen.waiting, 65536);
	ck_assert_uint_eq(s->wait_cpus[0], 1);
	ck_assert_uint_eq(s->wait_cpus[1], 6);
	ck_assert_uint_eq(s->wait_cpus[WAIT_CPUS_MAX / 64 - 1], UINT64_C(1) << 63);
	options.off_cpu.max_ns = 0;
	options.off_cpu.takes_wakers = true;
	s = load();
	ck_assert(seen.note_waker && s->take_wakers);
	ck_assert_uint_eq(s->max_wait_ns, UINT64_MAX);
}
END_TEST

START_TEST(other_settings)
{
	const settings_of_programs *s = load();

	ck_assert(s->take_user && s->take_kernel && !s->include_idle && !s->include_idle_hits);
	ck_assert(!s->keep_tids && !s->measures_cost && !s->measures_samples && !s->may_shed);
	options.no_user = options.no_kernel = options.include_idle = options.keep_tids = true;
	options.measures_cost = options.may_shed = true;
	options.slice_ns = 4;
	options.nr_events = 6;
	options.sample_event = 5;
	options.hit_period = 7;
	options.sample_weight = 8;
	s = load();
	ck_assert(!s->take_user && !s->take_kernel && s->include_idle && s->include_idle_hits);
	ck_assert(s->keep_tids && s->measures_cost && !s->measures_samples && s->may_shed);
	ck_assert_uint_eq(s->slice_ns, 4);
	ck_assert_uint_eq(s->nr_events, 6);
	ck_assert_uint_eq(s->sample_event, 5);
	ck_assert_uint_eq(s->hit_period, 7);
	ck_assert_uint_eq(s->sample_weight, 8);
	/* Samples by a period cost by their number, those by a frequency do not. */
	events.period = 1000;
	ck_assert(load()->measures_samples);
	options.measures_cost = false;
	ck_assert(!load()->measures_samples);
}
END_TEST

SUITE_MAIN_WITH("sampler_load", begin, end, without_filters, each_setting_is_read,
		the_programs_know_the_ids_of_owners, filters_of_all_kinds,
		a_map_that_cannot_be_used_again, pid_namespaces, rooms_of_sets,
		rooms_by_level_and_event, room_for_early_samples, what_is_walked,
		programs_that_are_needed, ways_to_attach, weights_of_hits, time_off_the_cpu,
		other_settings)
