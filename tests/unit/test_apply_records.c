// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/apply_records.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* These ids are above PID_MAX_LIMIT, so /proc knows nothing of them. */
#define PID_A 5000001u
#define PID_B 5000002u

#define PAGE UINT64_C(0x1000)

static struct world {
	struct address_spaces spaces;
	struct new_processes new_processes;
	struct jit jit;
	struct ksyms ksyms;
	struct record_targets targets;
} w;

static void begin(void)
{
	w = (struct world){
		.targets = {.spaces = &w.spaces,
			    .new_processes = &w.new_processes,
			    .jit = &w.jit,
			    .ksyms = &w.ksyms},
	};
	jit_init(&w.jit, NULL);
}

static void end(void)
{
	address_spaces_deinit(&w.spaces);
	new_processes_deinit(&w.new_processes);
	jit_deinit(&w.jit);
	ksyms_deinit(&w.ksyms);
}

/* Applies a record; other members than these are designated initialisers. */
#define APPLY_TASK(type_, time_ns_, pid_, tid_, ...)                                               \
	apply_record(&w.targets, &(const struct sideband_record){.type = (type_),                  \
								 .time_ns = (time_ns_),            \
								 .pid = (pid_),                    \
								 .tid = (tid_),                    \
								 __VA_ARGS__})

/* Applies a record of the main thread. */
#define APPLY(type, time_ns, pid, ...) APPLY_TASK(type, time_ns, pid, pid, __VA_ARGS__)

static int map_program(uint64_t time_ns, uint32_t pid, uint64_t addr, const char *path)
{
	return APPLY(SIDEBAND_MMAP, time_ns, pid, .addr = addr, .size = PAGE, .pgoff = 7 * PAGE,
		     .inode = 1, .name = path);
}

/* The path and the offset of the mapping of @pid that covers @addr at @time_ns, or "nothing". */
static const char *mapped_at(uint32_t pid, uint64_t addr, uint64_t time_ns)
{
	static char text[64];
	const struct address_space *space = address_spaces_find(&w.spaces, pid, time_ns);
	const struct mapping *m = space ? address_space_lookup(space, addr, time_ns) : NULL;

	if (!m)
		return "nothing";
	snprintf(text, sizeof(text), "%s+%llx", w.spaces.files.files.data[m->file].path,
		 (unsigned long long)m->pgoff);
	return text;
}

static bool is_gone_no(uint32_t pid)
{
	(void)pid;
	return false;
}

START_TEST(a_process_from_fork_to_exit)
{
	ck_assert_int_eq(map_program(10, PID_A, 0x1000, "/bin/sh"), 0);
	ck_assert_int_eq(APPLY(SIDEBAND_FORK, 20, PID_B, .parent_pid = PID_A), 0);
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 25), "/bin/sh+7000");
	ck_assert_int_eq(APPLY(SIDEBAND_EXEC, 30, PID_B, .name = "make"), 0);
	ck_assert_int_eq(map_program(31, PID_B, 0x5000, "/bin/make"), 0);
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 40), "nothing");
	ck_assert_str_eq(mapped_at(PID_B, 0x5000, 40), "/bin/make+7000");
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 25), "/bin/sh+7000");
	ck_assert_str_eq(address_spaces_find(&w.spaces, PID_B, 40)->name, "make");
	/* The recorder will look into /proc after the fork, and again after the exec. */
	ck_assert_uint_eq(w.new_processes.waiting.nr, 2);
	w.new_processes.are_told = true;
	ck_assert_int_eq(APPLY(SIDEBAND_EXEC, 45, PID_B, .name = "cc"), 0);
	ck_assert_uint_eq(w.new_processes.waiting.nr, 2);
	ck_assert_int_eq(APPLY(SIDEBAND_EXIT, 50, PID_B), 0);
	ck_assert_uint_eq(address_spaces_find(&w.spaces, PID_B, 60)->exited_ns, 50);
	ck_assert_uint_eq(address_spaces_find(&w.spaces, PID_A, 60)->exited_ns, 0);
	ck_assert_uint_eq(w.jit.processes.nr, 0);
}
END_TEST

/* What one process maps or moves, the other one runs, until it has memory of its own. */
START_TEST(processes_that_share_memory)
{
	ck_assert_int_eq(map_program(10, PID_A, 0x1000, "/bin/sh"), 0);
	ck_assert_int_eq(APPLY(SIDEBAND_FORK, 20, PID_B, .parent_pid = PID_A), 0);
	ck_assert_int_eq(APPLY(SIDEBAND_SHARE, 20, PID_B, .parent_pid = PID_A), 0);
	ck_assert_int_eq(map_program(30, PID_A, 0x1000, "/lib/a"), 0);
	ck_assert_int_eq(map_program(31, PID_B, 0x5000, "/lib/b"), 0);
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 25), "/bin/sh+7000");
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 40), "/lib/a+7000");
	ck_assert_str_eq(mapped_at(PID_A, 0x5000, 40), "/lib/b+7000");
	ck_assert_int_eq(APPLY(SIDEBAND_MOVE, 50, PID_B, .old_addr = 0x5000, .old_size = PAGE,
			       .addr = 0x1000, .size = PAGE),
			 0);
	ck_assert_str_eq(mapped_at(PID_A, 0x1000, 49), "/lib/a+7000");
	ck_assert_str_eq(mapped_at(PID_A, 0x1000, 50), "/lib/b+7000");
	ck_assert_str_eq(mapped_at(PID_A, 0x5000, 50), "nothing");
	ck_assert_int_eq(APPLY(SIDEBAND_EXEC, 60, PID_B, .name = "make"), 0);
	ck_assert_int_eq(map_program(61, PID_B, 0x1000, "/bin/make"), 0);
	ck_assert_str_eq(mapped_at(PID_A, 0x1000, 70), "/lib/b+7000");
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 55), "/lib/b+7000");
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 70), "/bin/make+7000");
	/* The memory outlives each of them. */
	ck_assert_int_eq(APPLY(SIDEBAND_EXEC, 80, PID_A, .name = "sh"), 0);
	ck_assert_int_eq(address_spaces_forget(&w.spaces, 90, is_gone_no), 0);
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 95), "/bin/make+7000");
}
END_TEST

START_TEST(sharers_that_nobody_knows)
{
	ck_assert_int_eq(APPLY(SIDEBAND_SHARE, 20, PID_B, .parent_pid = PID_A), 0);
	ck_assert_int_eq(map_program(30, PID_B, 0x1000, "/bin/sh"), 0);
	ck_assert_int_eq(APPLY(SIDEBAND_SHARE, 40, PID_B, .parent_pid = PID_B), 0);
	ck_assert_str_eq(mapped_at(PID_B, 0x1000, 50), "/bin/sh+7000");
	ck_assert_int_eq(APPLY(SIDEBAND_MOVE, 60, PID_A, .old_addr = 0x5000, .old_size = PAGE,
			       .addr = 0x1000, .size = PAGE),
			 0);
	ck_assert_str_eq(mapped_at(PID_A, 0x1000, 70), "nothing");
}
END_TEST

START_TEST(threads_are_no_processes)
{
	ck_assert_int_eq(map_program(10, PID_A, 0x1000, "/bin/sh"), 0);
	ck_assert_int_eq(APPLY_TASK(SIDEBAND_FORK, 20, PID_A, PID_B, .parent_pid = PID_A), 0);
	ck_assert_uint_eq(w.new_processes.waiting.nr, 0);
	ck_assert_uint_eq(w.spaces.newest.nr, 1);
	ck_assert_int_eq(APPLY_TASK(SIDEBAND_EXIT, 30, PID_A, PID_B), 0);
	ck_assert_uint_eq(address_spaces_find(&w.spaces, PID_A, 40)->exited_ns, 0);
}
END_TEST

/* Id 0: the recorder's pid namespace does not show the task. Id -1: the task is dead. */
START_TEST(tasks_without_an_id)
{
	static const uint32_t ids[] = {0, UINT32_MAX};
	for (size_t i = 0; i < ARRAY_SIZE(ids); i++) {
		ck_assert_int_eq(map_program(10, ids[i], 0x1000, "/bin/sh"), 0);
		ck_assert_int_eq(APPLY(SIDEBAND_FORK, 20, ids[i], .parent_pid = 7), 0);
		ck_assert_int_eq(APPLY(SIDEBAND_EXEC, 30, ids[i], .name = "sh"), 0);
		ck_assert_int_eq(APPLY(SIDEBAND_EXIT, 40, ids[i]), 0);
	}
	ck_assert_uint_eq(w.spaces.newest.nr, 0);
	ck_assert_uint_eq(w.new_processes.waiting.nr, 0);
}
END_TEST

/* Memory without a file has no file offset, and may hold code of a compiler. */
START_TEST(memory_that_is_no_file)
{
	ck_assert_int_eq(map_program(10, PID_A, 0x1000, "//anon"), 0);
	ck_assert_str_eq(mapped_at(PID_A, 0x1000, 20), "//anon+0");
	ck_assert_uint_eq(w.jit.processes.nr, 1);
	ck_assert_uint_eq(w.jit.processes.data[0].pid, PID_A);
	ck_assert_int_eq(APPLY(SIDEBAND_FORK, 20, PID_B, .parent_pid = PID_A), 0);
	ck_assert_uint_eq(w.jit.processes.nr, 2);
	ck_assert(!w.jit.processes.data[0].ended);
	ck_assert_int_eq(APPLY(SIDEBAND_EXEC, 30, PID_A, .name = "sh"), 0);
	ck_assert(w.jit.processes.data[0].ended);
	ck_assert(!w.jit.processes.data[1].ended);
	ck_assert_int_eq(APPLY(SIDEBAND_EXIT, 40, PID_B), 0);
	ck_assert(w.jit.processes.data[1].ended);
}
END_TEST

START_TEST(bpf_programs)
{
	/* A size of 0 stands for the end of a program. */
	ck_assert_int_eq(APPLY(SIDEBAND_KSYMBOL, 10, 0, .addr = 0x1000, .name = "bpf_a"), 0);
	ck_assert_uint_eq(w.ksyms.added.nr, 0);
	ck_assert_int_eq(
		APPLY(SIDEBAND_KSYMBOL, 20, 0, .addr = 0x1000, .size = PAGE, .name = "bpf_a"), 0);
	ck_assert_uint_eq(w.ksyms.added.nr, 1);
	ck_assert_uint_eq(w.ksyms.added.data[0].start, 0x1000);
	w.targets.ksyms = NULL;
	ck_assert_int_eq(
		APPLY(SIDEBAND_KSYMBOL, 30, 0, .addr = 0x9000, .size = PAGE, .name = "bpf_b"), 0);
	ck_assert_uint_eq(w.ksyms.added.nr, 1);
}
END_TEST

static int apply_some(void)
{
	int ret = map_program(10, PID_A, 0x1000, "//anon");

	if (!ret)
		ret = APPLY(SIDEBAND_FORK, 20, PID_B, .parent_pid = PID_A);
	if (!ret)
		ret = APPLY(SIDEBAND_EXEC, 30, PID_B, .name = "sh");
	if (!ret)
		ret = APPLY(SIDEBAND_EXIT, 40, PID_B);
	return ret;
}

START_TEST(memory_is_out)
{
	oom_for_each_call(n)
	{
		int ret = apply_some();

		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		end();
		begin();
	}
}
END_TEST

SUITE_MAIN_WITH("apply_records", begin, end, a_process_from_fork_to_exit,
		processes_that_share_memory, sharers_that_nobody_knows, threads_are_no_processes,
		tasks_without_an_id, memory_that_is_no_file, bpf_programs, memory_is_out)
