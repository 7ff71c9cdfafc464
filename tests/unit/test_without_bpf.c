// SPDX-License-Identifier: GPL-2.0-or-later
/* What is told of processes where no BPF program takes the samples: mappings that have changed. */
#include "record/run/without_bpf.h"

#include <sys/sysmacros.h>

#include "common/clock.h"
#include "record/sampling/bpf/descendants.h"
#include "tests/unit/heap.h"
#include "tests/unit/suite.h"

#define PID     7
#define AT_NS   (5 * NS_PER_S)
#define NEXT_NS 123

/* What a look finds, and what was told since. */
static struct {
	struct mapping mapping;
	struct mapped_file_key key;
	struct build_id build_id;
	size_t nr;
	int ret, fails_at;
	bool must_wait;
	uint32_t cut_owner;
} found;
static struct {
	struct sideband_record last;
	char name[64];
	int nr, nr_looks;
} told;
static struct without_bpf without;
static struct source_options asked;

/* What the source is given, and what it says. */
static struct added {
	uint32_t id;
	bool is_thread, is_followed;
} added[8];
static struct {
	size_t nr_added, fails_at, fails_again; /* the number of the first that fails; 0: none */
	int error;
	bool has_kernel;
	int take_error;
	uint64_t nr_unsent;
	unsigned int nr_descents, nr_sources, nr_destroyed;
	bool may_fall_back;
} played;

int __wrap_source_create(const struct source_options *options, struct source **source,
			 struct err *err);
int __wrap_proc_scan_mappings(uint32_t pid, size_t max, struct mapped_files *files,
			      mapping_vec *mappings);
int __wrap_apply_record(const struct record_targets *t, const struct sideband_record *record);
uint32_t __wrap_proc_owner(uint32_t pid);
bool __wrap_look_budget_must_wait(struct look_budget *budget, uint32_t uid, uint64_t next_look_ns);
size_t __wrap_look_budget_begin(struct look_budget *budget);
uint64_t __wrap_look_budget_end(struct look_budget *budget, uint32_t uid, bool is_cut);

int __wrap_source_create(const struct source_options *options, struct source **source,
			 struct err *err)
{
	(void)err;
	asked = *options;
	played.nr_sources++;
	*source = NULL;
	return 0;
}

int __wrap_proc_scan_mappings(uint32_t pid, size_t max, struct mapped_files *files,
			      mapping_vec *mappings)
{
	ck_assert_uint_eq(pid, PID);
	ck_assert_uint_eq(max, LOOK_MAPPINGS_MAX);
	told.nr_looks++;
	vec_clear(mappings);
	for (size_t i = 0; i < found.nr; i++) {
		struct mapping mapping = found.mapping;

		mapping.start += i * 0x10000;
		mapping.end += i * 0x10000;
		ck_assert_int_eq(
			mapped_files_add(files, &found.key, &found.build_id, &mapping.file), 0);
		ck_assert_int_eq(vec_push(mappings, mapping), 0);
	}
	return found.ret;
}

int __wrap_apply_record(const struct record_targets *t, const struct sideband_record *record)
{
	ck_assert_ptr_eq(t, &without.targets);
	told.last = *record;
	snprintf(told.name, sizeof(told.name), "%s", record->name);
	return ++told.nr == found.fails_at ? -ENOMEM : 0;
}

uint32_t __wrap_proc_owner(uint32_t pid)
{
	return pid + 1000;
}

bool __wrap_look_budget_must_wait(struct look_budget *budget, uint32_t uid, uint64_t next_look_ns)
{
	(void)budget;
	ck_assert_uint_eq(uid, PID + 1000);
	ck_assert_uint_eq(next_look_ns, NEXT_NS);
	return found.must_wait;
}

size_t __wrap_look_budget_begin(struct look_budget *budget)
{
	(void)budget;
	return LOOK_MAPPINGS_MAX;
}

uint64_t __wrap_look_budget_end(struct look_budget *budget, uint32_t uid, bool is_cut)
{
	(void)budget;
	ck_assert_uint_eq(uid, is_cut ? PID + 1000 : 0);
	return NEXT_NS;
}

int __wrap_source_add(struct source *s, uint32_t id, bool is_thread, bool is_followed,
		      struct err *err);
void __wrap_source_destroy(struct source *s);
bool __wrap_backend_fall_back(const struct record_options *options, struct backend *backend);
bool __wrap_source_has_kernel(const struct source *s);
int __wrap_source_take(struct source *s);
uint64_t __wrap_source_nr_lost(const struct source *s);
void __wrap_sideband_set_unsent(struct sideband *sideband, uint64_t nr);
int __wrap_descendants_follow(const u32_vec *pids, descendants_fn follow, void *ctx,
			      struct err *err);

int __wrap_source_add(struct source *s, uint32_t id, bool is_thread, bool is_followed,
		      struct err *err)
{
	(void)s;
	added[played.nr_added++] = (struct added){id, is_thread, is_followed};
	if (played.nr_added != played.fails_at)
		return 0;
	played.fails_at += played.fails_again;
	if (played.error == -EMFILE)
		err_set(err, played.error, "error of source %u", played.nr_sources);
	return played.error;
}

void __wrap_source_destroy(struct source *s)
{
	(void)s;
	played.nr_destroyed++;
}

bool __wrap_backend_fall_back(const struct record_options *options, struct backend *backend)
{
	ck_assert_ptr_eq(options, without.options);
	if (played.may_fall_back)
		backend->kind = BACKEND_PTRACE;
	return played.may_fall_back;
}

bool __wrap_source_has_kernel(const struct source *s)
{
	(void)s;
	return played.has_kernel;
}

int __wrap_source_take(struct source *s)
{
	(void)s;
	return played.take_error;
}

uint64_t __wrap_source_nr_lost(const struct source *s)
{
	(void)s;
	return 66;
}

void __wrap_sideband_set_unsent(struct sideband *sideband, uint64_t nr)
{
	(void)sideband;
	played.nr_unsent = nr;
}

int __wrap_descendants_follow(const u32_vec *pids, descendants_fn follow, void *ctx,
			      struct err *err)
{
	(void)pids;
	played.nr_descents++;
	return follow(ctx, 99, -1, err);
}

static void begin(void)
{
	static const struct record_options options = {.freq_hz = 99};
	static struct backend backend = {.kind = BACKEND_PTRACE};

	without = (struct without_bpf){.options = &options, .backend = &backend};
	memset(&told, 0, sizeof(told));
	memset(&found, 0, sizeof(found));
	memset(&played, 0, sizeof(played));
	found.nr = 1;
	found.mapping = (struct mapping){.start = 0x1000, .end = 0x3000, .pgoff = 0x2000};
	found.key = (struct mapped_file_key){.path = "/srv/plugin.so",
					     .identity = {.is_stat = true,
							  .dev = makedev(8, 3),
							  .inode = 77,
							  .size = 4096,
							  .mtime_ns = 1000,
							  .ctime_ns = 2000}};
	ck_assert_int_eq(without_bpf_begin(&without, NULL), 0);
}

static void end(void)
{
	without_bpf_end(&without);
}

/* Looks again, and says how many mappings were told of. */
static int look(struct source_code *code)
{
	int before = told.nr;

	ck_assert_int_eq(asked.listener.look_at_code(asked.listener.ctx, PID, AT_NS, code), 0);
	ck_assert_int_eq(code->has_changed, told.nr > before);
	return told.nr - before;
}

START_TEST(what_is_told_of_a_mapping)
{
	struct source_code code = {0};

	ck_assert_int_eq(asked.kind, SOURCE_PTRACE);
	ck_assert_uint_eq(asked.freq_hz, 99);
	ck_assert_int_eq(look(&code), 1);
	ck_assert_int_eq(told.last.type, SIDEBAND_MMAP);
	ck_assert_uint_eq(told.last.time_ns, AT_NS);
	ck_assert_uint_eq(told.last.pid, PID);
	ck_assert_uint_eq(told.last.tid, PID);
	ck_assert_uint_eq(told.last.addr, 0x1000);
	ck_assert_uint_eq(told.last.size, 0x2000);
	ck_assert_uint_eq(told.last.pgoff, 0x2000);
	ck_assert_uint_eq(told.last.dev_major, 8);
	ck_assert_uint_eq(told.last.dev_minor, 3);
	ck_assert_uint_eq(told.last.inode, 77);
	ck_assert_uint_eq(told.last.build_id.size, 0);
	ck_assert_str_eq(told.name, "/srv/plugin.so");
	found.key.path = "/srv/plugin.so (deleted)";
	found.key.identity.inode++;
	found.build_id = (struct build_id){.size = 1, .bytes = {9}};
	ck_assert_int_eq(look(&code), 1);
	ck_assert_str_eq(told.name, "/srv/plugin.so (deleted)");
	ck_assert_uint_eq(told.last.build_id.size, 1);
}
END_TEST

/* Mappings are told of when any is not as it was, and then all of them. */
START_TEST(what_has_changed)
{
	struct source_code code = {0};

	ck_assert_int_eq(look(&code), 1);
	ck_assert_int_eq(look(&code), 0);
	found.nr = 2;
	ck_assert_int_eq(look(&code), 2);
	ck_assert_int_eq(look(&code), 0);
	found.nr = 0; /* it is in the middle of an exec */
	ck_assert_int_eq(look(&code), 0);
	found.nr = 1;
	ck_assert_int_eq(look(&code), 1);

	/* Whoever writes a file anew may give it the size and the mtime of the old one. */
#define EXPECT_CHANGE(member)                                                                      \
	found.member++;                                                                            \
	ck_assert_int_eq(look(&code), 1);                                                          \
	ck_assert_int_eq(look(&code), 0)
	EXPECT_CHANGE(mapping.start);
	EXPECT_CHANGE(mapping.end);
	EXPECT_CHANGE(mapping.pgoff);
	EXPECT_CHANGE(key.identity.dev);
	EXPECT_CHANGE(key.identity.inode);
	EXPECT_CHANGE(key.identity.size);
	EXPECT_CHANGE(key.identity.mtime_ns);
	EXPECT_CHANGE(key.identity.ctime_ns);
}
END_TEST

/* A process with so many mappings that a look did not read all is looked at less often. */
START_TEST(looks_that_wait)
{
	struct source_code code = {0};

	ck_assert_int_eq(look(&code), 1);
	ck_assert_uint_eq(code.next_look_ns, 0);
	found.ret = -E2BIG;
	found.mapping.start++;
	ck_assert_int_eq(look(&code), 1);
	ck_assert_uint_eq(code.next_look_ns, NEXT_NS);
	found.must_wait = true;
	found.mapping.start++;
	ck_assert_int_eq(look(&code), 0);
	ck_assert_int_eq(told.nr_looks, 2);
	found.must_wait = false;
	found.ret = 0;
	ck_assert_int_eq(look(&code), 1);
	ck_assert_uint_eq(code.next_look_ns, 0);
}
END_TEST

/* Without memory the recording ends: nothing may be missed. */
START_TEST(errors_of_a_look)
{
	struct source_code code = {0};

	found.nr = 3;
	found.fails_at = 2;
	ck_assert_int_eq(asked.listener.look_at_code(asked.listener.ctx, PID, AT_NS, &code),
			 -ENOMEM);
	ck_assert_int_eq(told.nr, 2);
	found.ret = -ENOMEM;
	found.mapping.start++;
	ck_assert_int_eq(asked.listener.look_at_code(asked.listener.ctx, PID, AT_NS, &code),
			 -ENOMEM);
	ck_assert_int_eq(told.nr, 2);
	ck_assert(!code.has_changed);
}
END_TEST

/* Processes, threads, descendants and a command: who is followed, and in which order. */
START_TEST(who_is_sampled)
{
	uint32_t pids[] = {11, 12}, tids[] = {13};
	struct record_options o = {.pids = {.data = pids, .nr = 2},
				   .tids = {.data = tids, .nr = 1}};
	static struct backend all = {.kind = BACKEND_PERF, .all = true};
	static const struct added want[] = {{11, false, true},
					    {12, false, true},
					    {13, true, false},
					    {99, false, true},
					    {14, false, true}};

	without.options = &o;
	ck_assert_int_eq(without_bpf_begin(&without, NULL), 0);
	ck_assert_uint_eq(played.nr_added, 3);
	ck_assert(!added[0].is_followed && !added[2].is_followed);
	played.nr_added = 0;
	o.follow = true;
	without.command_pid = 14;
	ck_assert_int_eq(without_bpf_begin(&without, NULL), 0);
	ck_assert_uint_eq(played.nr_added, ARRAY_SIZE(want));
	ck_assert_uint_eq(played.nr_descents, 1);
	for (size_t i = 0; i < ARRAY_SIZE(want); i++) {
		ck_assert_uint_eq(added[i].id, want[i].id);
		ck_assert_int_eq(added[i].is_thread, want[i].is_thread);
		ck_assert_int_eq(added[i].is_followed, want[i].is_followed);
	}
	played.nr_added = 0;
	without.backend = &all;
	ck_assert_int_eq(without_bpf_begin(&without, NULL), 0);
	ck_assert_uint_eq(played.nr_added, 0);
	ck_assert_int_eq(asked.kind, SOURCE_PERF);
	ck_assert(asked.all);
}
END_TEST

START_TEST(who_cannot_be_sampled)
{
	uint32_t pids[] = {11, 12}, tids[] = {13};
	struct record_options o = {
		.pids = {.data = pids, .nr = 2}, .tids = {.data = tids, .nr = 1}, .follow = true};
	static const char *const texts[] = {"failed to record process 11: No such process",
					    "failed to record process 12: No such process",
					    "failed to record thread 13: No such process"};
	struct err err = {0};

	without.options = &o;
	without.command_pid = 14;
	for (size_t i = 0; i < 5; i++) {
		for (int is_gone = 0; is_gone < 2; is_gone++) {
			played.nr_added = 0;
			played.fails_at = i + 1;
			played.error = is_gone ? -ESRCH : -EPERM;
			err = (struct err){0};
			ck_assert_int_eq(without_bpf_begin(&without, &err), played.error);
			ck_assert_uint_eq(played.nr_added, i + 1);
			ck_assert_str_eq(err.text, is_gone && i < 3 ? texts[i] : "");
		}
	}
}
END_TEST

/* Perf events take files for each thread. Where there are too few, ptrace takes the samples. */
START_TEST(too_few_files)
{
	uint32_t pids[] = {11, 12};
	const struct record_options o = {.pids = {.data = pids, .nr = 2}};
	struct backend perf = {.kind = BACKEND_PERF};
	struct err err = {0};

	without.options = &o;
	without.backend = &perf;
	played.nr_sources = 0;
	played.fails_at = 2;
	played.error = -EMFILE;
	ck_assert_int_eq(without_bpf_begin(&without, &err), -EMFILE);
	ck_assert_str_eq(err.text, "error of source 1");
	ck_assert_uint_eq(played.nr_sources, 1);
	played.may_fall_back = true;
	played.nr_sources = played.nr_added = 0;
	ck_assert_int_eq(without_bpf_begin(&without, &err), 0);
	ck_assert_uint_eq(played.nr_sources, 2);
	ck_assert_uint_eq(played.nr_destroyed, 1);
	ck_assert_int_eq(asked.kind, SOURCE_PTRACE);
	ck_assert_uint_eq(played.nr_added, 4);
	ck_assert_uint_eq(added[2].id, 11);
	/* The error is that of the first source. */
	perf.kind = BACKEND_PERF;
	played.nr_sources = played.nr_added = 0;
	played.fails_again = 1;
	ck_assert_int_eq(without_bpf_begin(&without, &err), -EMFILE);
	ck_assert_str_eq(err.text, "error of source 1");
	ck_assert_uint_eq(played.nr_sources, 2);
	/* Another error is none of files. */
	played.nr_sources = played.nr_added = 0;
	played.fails_at = 1;
	played.error = -EACCES;
	ck_assert_int_eq(without_bpf_begin(&without, &err), -EACCES);
	ck_assert_uint_eq(played.nr_sources, 1);
}
END_TEST

START_TEST(stacks_of_the_kernel_alone)
{
	struct record_options o = {.kernel_only = true};
	struct err err = {0};

	without.options = &o;
	ck_assert_int_eq(without_bpf_begin(&without, &err), -EPERM);
	ck_assert_str_eq(
		err.text,
		"option -K/--kernel-stacks-only: the kernel lets this user record user space alone");
	played.has_kernel = true;
	ck_assert_int_eq(without_bpf_begin(&without, &err), 0);
}
END_TEST

START_TEST(samples_are_taken)
{
	struct err err = {0};

	ck_assert_int_eq(without_bpf_take(&without, &err), 0);
	ck_assert_uint_eq(played.nr_unsent, 66);
	played.take_error = -ENOMEM;
	ck_assert_int_eq(without_bpf_take(&without, &err), -ENOMEM);
	ck_assert_str_eq(err.text, "failed to record: out of memory");
	played.take_error = -EIO;
	ck_assert_int_eq(without_bpf_take(&without, &err), -EIO);
	ck_assert_str_eq(err.text, "failed to take samples: Input/output error");
}
END_TEST

START_TEST(memory_is_released)
{
	heap_for_each_round(i)
	{
		struct source_code code = {0};

		begin();
		look(&code);
		without_bpf_end(&without);
	}
	ck_assert(!heap_has_grown());
}
END_TEST

SUITE_MAIN_WITH("without_bpf", begin, end, what_is_told_of_a_mapping, what_has_changed,
		looks_that_wait, errors_of_a_look, who_is_sampled, who_cannot_be_sampled,
		too_few_files, stacks_of_the_kernel_alone, samples_are_taken, memory_is_released)
