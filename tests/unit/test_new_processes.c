// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/new_processes.h"

#include <sys/prctl.h>
#include <unistd.h>

#include "common/clock.h"
#include "format/prof.h"
#include "record/looks/process_context.h"
#include "record/looks/process_environment.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has this id. */
#define PID_NONE 5000001u

/* What the process publishes of itself, and how often somebody looked for that. */
static struct {
	uint64_t addr, asked_addr; /* of its context */
	const char *context, *environment;
	size_t nr_contexts, nr_environments;
} played;

int __wrap_process_context_read(struct looker *looker, uint32_t pid, uint64_t *addr,
				char_vec *attributes);
int __wrap_process_environment_read(struct looker *looker, uint32_t pid, char_vec *attributes);

static int play(const char *text, char_vec *attributes)
{
	vec_clear(attributes);
	return text ? vec_append(attributes, text, strlen(text) + 1) : 0;
}

int __wrap_process_context_read(struct looker *looker, uint32_t pid, uint64_t *addr,
				char_vec *attributes)
{
	(void)looker, (void)pid;
	played.nr_contexts++;
	played.asked_addr = *addr;
	*addr = played.addr;
	return play(played.context, attributes);
}

int __wrap_process_environment_read(struct looker *looker, uint32_t pid, char_vec *attributes)
{
	(void)looker, (void)pid;
	played.nr_environments++;
	return play(played.environment, attributes);
}

static struct new_processes new_processes;
static struct address_spaces spaces;

static void begin(void)
{
	new_processes = (struct new_processes){0};
	spaces = (struct address_spaces){0};
	memset(&played, 0, sizeof(played));
}

static void end(void)
{
	new_processes_deinit(&new_processes);
	address_spaces_deinit(&spaces);
}

static bool is_gone(uint32_t pid)
{
	(void)pid;
	return true;
}

/* Lets @pid begin at @time_ns, and notes it. Returns 0 or -ENOMEM. */
static int try_begin(uint32_t pid, uint64_t time_ns)
{
	int ret = address_spaces_exec(&spaces, pid, time_ns);

	return ret ? ret
		   : new_processes_add(&new_processes, address_spaces_find(&spaces, pid, time_ns));
}

static const struct address_space *begin_process(uint32_t pid, uint64_t time_ns)
{
	ck_assert_int_eq(try_begin(pid, time_ns), 0);
	return address_spaces_find(&spaces, pid, time_ns);
}

static void read_all(void)
{
	ck_assert_int_eq(new_processes_read(&new_processes, &spaces, UINT64_MAX), 0);
	ck_assert_uint_eq(new_processes.waiting.nr, 0);
}

static const struct proc_info *find(const struct address_space *space)
{
	return new_processes_find(&new_processes, space);
}

START_TEST(a_process_that_lives)
{
	const struct address_space *space, *other;
	const struct proc_info *info;

	ck_assert_int_eq(prctl(PR_SET_NAME, "newcomer"), 0);
	space = begin_process(getpid(), 100);
	other = begin_process(PID_NONE, 100);
	ck_assert_ptr_null(find(space));
	read_all();
	info = find(space);
	ck_assert_ptr_nonnull(info);
	ck_assert_str_eq(info->identity.name, "newcomer");
	ck_assert_uint_eq(info->identity.uid, geteuid());
	ck_assert_ptr_null(find(other));
}
END_TEST

/* /proc says nothing of an address space that an exec has replaced, or whose process has ended. */
START_TEST(what_is_too_late)
{
	const struct address_space *before, *after;

	before = begin_process(getpid(), 100);
	after = begin_process(getpid(), 200);
	read_all();
	ck_assert_ptr_null(find(before));
	ck_assert_ptr_nonnull(find(after));
	after = begin_process(getpid(), 300);
	address_spaces_exit(&spaces, getpid(), 400);
	read_all();
	ck_assert_ptr_null(find(after));
}
END_TEST

/* The program saw @pid at @time_ns, as user 4711. */
static struct told_process told_of(uint32_t pid, uint64_t time_ns)
{
	return (struct told_process){
		.time_ns = time_ns, .tgid = pid, .ns_tgid = 7, .uid = 4711, .name = "told"};
}

/* A process that was told of and has gone has what was told, of the right address space. */
START_TEST(told_and_gone)
{
	const struct told_process early = told_of(PID_NONE, 150), late = told_of(PID_NONE, 250);
	const struct address_space *before = begin_process(PID_NONE, 100), *after;

	ck_assert_int_eq(new_processes_tell(&new_processes, &late), 0);
	ck_assert_int_eq(new_processes_tell(&new_processes, &early), 0);
	ck_assert_int_eq(new_processes_read(&new_processes, &spaces, 200), 0);
	ck_assert_uint_eq(new_processes.told.nr, 1);
	ck_assert_ptr_nonnull(find(before));
	ck_assert_str_eq(find(before)->identity.name, "told");
	ck_assert_uint_eq(find(before)->identity.uid, 4711);
	ck_assert_uint_eq(find(before)->identity.ns_pid, 7);
	after = begin_process(PID_NONE, 220);
	ck_assert_ptr_null(find(after));
	read_all();
	ck_assert_ptr_nonnull(find(after));
	ck_assert_uint_eq(new_processes.told.nr, 0);
}
END_TEST

/* A process that is older than the recording is looked at after its first sample. */
START_TEST(told_and_there)
{
	const struct told_process told = told_of(getpid(), 150);
	struct address_space *space;

	ck_assert_int_eq(prctl(PR_SET_NAME, "older"), 0);
	ck_assert_int_eq(new_processes_tell(&new_processes, &told), 0);
	read_all();
	ck_assert_int_eq(address_spaces_get(&spaces, getpid(), 150, &space), 0);
	ck_assert_str_eq(find(space)->identity.name, "older");
	ck_assert_uint_eq(find(space)->identity.uid, geteuid());
	ck_assert_uint_gt(find(space)->exe.nr, 0);
	ck_assert_uint_gt(find(space)->cgroup.nr, 0);
	ck_assert_uint_eq(new_processes.known.nr, 1);
}
END_TEST

/* A has_changed_fn. */
static bool changes(void *ctx, uint32_t pid)
{
	return *(const uint32_t *)ctx == pid;
}

/* What /proc says may be of an address space that nobody has heard of yet. */
START_TEST(another_address_space_meanwhile)
{
	const struct told_process told = told_of(getpid(), 150);
	uint32_t changed = getpid();
	struct address_space *space;

	new_processes.has_changed = changes;
	new_processes.ctx = &changed;
	ck_assert_int_eq(new_processes_tell(&new_processes, &told), 0);
	read_all();
	ck_assert_int_eq(address_spaces_get(&spaces, getpid(), 150, &space), 0);
	ck_assert_str_eq(find(space)->identity.name, "told");
	changed = PID_NONE;
	ck_assert_int_eq(new_processes_add(&new_processes, space), 0);
	read_all();
	ck_assert_uint_eq(find(space)->identity.uid, geteuid());
}
END_TEST

START_TEST(an_ended_process_is_not_looked_at)
{
	const struct address_space *space = begin_process(getpid(), 100);
	struct proc_info info = {0};

	ck_assert_int_eq(new_processes_look(&new_processes, &spaces, space, &info), 0);
	ck_assert_str_ne(info.identity.name, "");
	ck_assert_ptr_nonnull(info.exe.data);
	address_spaces_exit(&spaces, getpid(), 200);
	ck_assert_int_eq(new_processes_look(&new_processes, &spaces, space, &info), 0);
	ck_assert_str_eq(info.identity.name, "");
	ck_assert_uint_eq(info.identity.uid, PROF_UID_UNKNOWN);
	ck_assert_uint_eq(info.exe.nr, 0);
	proc_info_deinit(&info);
}
END_TEST

START_TEST(kept_as_long_as_the_address_space)
{
	const struct address_space *older = begin_process(getpid(), 100), *newer;

	read_all();
	newer = begin_process(getpid(), 200);
	read_all();
	ck_assert_int_eq(address_spaces_forget(&spaces, 150, is_gone), 0);
	ck_assert_int_eq(new_processes_forget(&new_processes, &spaces), 0);
	ck_assert_ptr_nonnull(find(older));
	ck_assert_ptr_nonnull(find(newer));
	ck_assert_int_eq(address_spaces_forget(&spaces, 250, is_gone), 0);
	ck_assert_int_eq(new_processes_forget(&new_processes, &spaces), 0);
	ck_assert_uint_eq(new_processes.known.nr, 1);
	ck_assert_ptr_nonnull(find(newer));
	address_spaces_exit(&spaces, getpid(), 300);
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(address_spaces_forget(&spaces, 350, is_gone), 0);
	ck_assert_int_eq(new_processes_forget(&new_processes, &spaces), 0);
	ck_assert_uint_eq(new_processes.known.nr, 0);
}
END_TEST

/* The search takes time, so it becomes rarer, but what was found is read each time. */
START_TEST(contexts_that_come_later)
{
	static const size_t nr_searches[] = {2, 3, 3, 4, 4, 4, 4, 5, 5};
	const struct address_space *space = begin_process(getpid(), 100), *young;
	struct proc_info info = {0};

	read_all();
	ck_assert_uint_eq(played.nr_contexts, 1);
	for (size_t i = 0; i < ARRAY_SIZE(nr_searches); i++) {
		ck_assert_int_eq(new_processes_look(&new_processes, &spaces, space, &info), 0);
		ck_assert_uint_eq(played.nr_contexts, nr_searches[i]);
		ck_assert_uint_eq(info.attributes.nr, 0);
	}
	played.addr = 0x1000;
	played.context = "service";
	for (size_t i = 0; i < 9; i++)
		ck_assert_int_eq(new_processes_look(&new_processes, &spaces, space, &info), 0);
	ck_assert_str_eq(info.attributes.data, "service");
	ck_assert_uint_eq(played.asked_addr, 0x1000);
	ck_assert_uint_eq(played.nr_contexts, 5 + 3);
	/* A process that has just begun has none yet. */
	young = begin_process(getpid(), clock_monotonic_ns() + 1000 * NS_PER_S);
	ck_assert_int_eq(new_processes_look(&new_processes, &spaces, young, &info), 0);
	ck_assert_uint_eq(played.nr_contexts, 5 + 3);
	ck_assert_uint_eq(info.attributes.nr, 0);
	proc_info_deinit(&info);
}
END_TEST

/* It is read once, unless the process publishes a context. */
START_TEST(environments)
{
	const struct address_space *space = begin_process(getpid(), 100);
	struct memory_budget memory = {.max_bytes = 1 << 20};
	struct proc_info info = {0};
	size_t bytes;

	new_processes.memory = &memory;
	read_all();
	ck_assert_uint_eq(played.nr_environments, 0);
	new_processes.reads_environment = true;
	played.environment = "by environment";
	bytes = memory.used_bytes;
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(new_processes_look(&new_processes, &spaces, space, &info), 0);
	ck_assert_uint_eq(played.nr_environments, 1);
	ck_assert_str_eq(find(space)->attributes.data, "by environment");
	ck_assert_uint_eq(memory.used_bytes, bytes + vec_bytes(&find(space)->attributes));
	new_processes_deinit(&new_processes);
	ck_assert_uint_eq(memory.used_bytes, 0);
	new_processes = (struct new_processes){.reads_environment = true};
	played.context = "by context";
	space = begin_process(getpid(), 200);
	read_all();
	ck_assert_uint_eq(played.nr_environments, 1);
	ck_assert_str_eq(find(space)->attributes.data, "by context");
	/* A process that has gone has none. */
	played.context = NULL;
	begin_process(PID_NONE, 300);
	read_all();
	ck_assert_uint_eq(played.nr_environments, 1);
	proc_info_deinit(&info);
}
END_TEST

/* Processes with samples are told of, and others are of no interest. */
START_TEST(address_spaces_that_begin)
{
	const struct address_space *space;

	ck_assert_int_eq(address_spaces_exec(&spaces, getpid(), 100), 0);
	space = address_spaces_find(&spaces, getpid(), 100);
	new_processes.are_told = true;
	ck_assert_int_eq(new_processes_begin(&new_processes, space), 0);
	ck_assert_uint_eq(new_processes.waiting.nr, 0);
	new_processes.are_told = false;
	ck_assert_int_eq(new_processes_begin(&new_processes, space), 0);
	ck_assert_uint_eq(new_processes.waiting.nr, 1);
	read_all();
	ck_assert_ptr_nonnull(find(space));
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		int ret = 0;

		for (uint64_t i = 1; !ret && i < 10; i++) {
			const struct told_process told = told_of(getpid(), i);

			ret = try_begin(getpid(), i);
			if (!ret)
				ret = new_processes_tell(&new_processes, &told);
			if (!ret)
				ret = new_processes_read(&new_processes, &spaces, UINT64_MAX);
		}
		if (!ret)
			ret = address_spaces_forget(&spaces, 5, is_gone);
		if (!ret)
			ret = new_processes_forget(&new_processes, &spaces);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		end();
		begin();
	}
}
END_TEST

/* While half of the memory is in use, processes are counted, and not described. */
START_TEST(short_memory)
{
	struct memory_budget memory = {.max_bytes = 4000};
	const struct address_space *first, *second;

	new_processes.memory = &memory;
	first = begin_process(getpid(), 100);
	read_all();
	ck_assert_ptr_nonnull(find(first));
	ck_assert_uint_gt(memory.used_bytes, sizeof(struct new_process));
	memory_budget_charge(&memory, 0, 2000);
	second = begin_process(getpid(), 200);
	read_all();
	ck_assert_ptr_null(find(second));
	ck_assert_uint_eq(new_processes.nr_left_out, 1);
	memory_budget_charge(&memory, 2000, 0);
	new_processes_deinit(&new_processes);
	ck_assert_uint_eq(memory.used_bytes, 0);
	new_processes.memory = NULL;
}
END_TEST

SUITE_MAIN_WITH("new_processes", begin, end, a_process_that_lives, what_is_too_late, told_and_gone,
		told_and_there, another_address_space_meanwhile, an_ended_process_is_not_looked_at,
		kept_as_long_as_the_address_space, contexts_that_come_later, environments,
		address_spaces_that_begin, short_memory, out_of_memory)
