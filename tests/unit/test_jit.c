// SPDX-License-Identifier: GPL-2.0-or-later
/* Names for code that processes made. The processes do not exist; their maps are in /tmp. */
#include "record/symbols/jit.h"

#include <errno.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/epoch_helper.h"
#include "tests/unit/suite.h"

static struct jit jit;

static void map_path(uint32_t pid, char path[static 64])
{
	snprintf(path, 64, "/tmp/perf-%u.map", pid);
}

static void write_map(uint32_t pid, const char *text)
{
	char path[64];

	map_path(pid, path);
	write_file(path, text);
}

static void remove_map(uint32_t pid)
{
	char path[64];

	map_path(pid, path);
	unlink(path);
}

static void begin(void)
{
	remove_map(PID_A);
	remove_map(PID_B);
	jit_init(&jit, NULL);
	ck_assert_int_eq(world_try_create(&jit), 0);
}

static void end(void)
{
	jit_deinit(&jit);
	world_destroy();
	remove_map(PID_A);
	remove_map(PID_B);
}

/* The name of frame @i from the leaf in row @row, or NULL. The object belongs to the process. */
static const char *name_of(uint32_t row, uint32_t i)
{
	const struct prof_frame *frame = user_frame(row, i);
	uint64_t generation = t.processes[t.counts[row].process].generation;

	if (t.objects[frame->object].kind != PROF_OBJECT_JIT)
		return NULL;
	ck_assert_uint_eq(t.objects[frame->object].instance, (uint32_t)generation);
	for (uint32_t s = 0; s < t.nr_symbols; s++)
		if (t.symbols[s].object == frame->object &&
		    frame->offset - (i > 0) - t.symbols[s].offset < t.symbols[s].size)
			return string_of(t.symbols[s].name);
	return "";
}

START_TEST(no_two_processes_share)
{
	write_map(PID_A, "10000 100 a_one\n10100 100 a_two\n");
	write_map(PID_B, "10000 100 b_one\n10100 100 b_two\n");
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	map_file(PID_B, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	/* The address of the caller is the first after its function. */
	add_user(PID_A, 20, FRAMES(0x10010, 0x10200));
	add_user(PID_B, 20, FRAMES(0x10010, 0x10200));
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 2);
	ck_assert_str_eq(name_of(0, 0), "a_one");
	ck_assert_str_eq(name_of(0, 1), "a_two");
	ck_assert_str_eq(name_of(1, 0), "b_one");
	ck_assert_str_eq(name_of(1, 1), "b_two");
	for (uint32_t i = 0; i < 2; i++)
		expect_user(i, FRAMES(0x10010, 0x10200));
}
END_TEST

/* Without a map, the code runs in memory without a file and without names. */
START_TEST(no_map)
{
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	add_user(PID_A, 20, FRAMES(0x10010));
	finish_epoch();
	ck_assert_ptr_null(name_of(0, 0));
	ck_assert_int_eq(t.objects[1].kind, PROF_OBJECT_ANON);
	ck_assert_uint_eq(t.nr_symbols, 0);
	/* After each drain the recorder looks for the map again. */
	write_map(PID_A, "10000 100 late\n");
	ck_assert_int_eq(jit_forget(&jit, &w.spaces), 0);
	add_user(PID_A, 30, FRAMES(0x10020));
	finish_epoch();
	ck_assert_str_eq(name_of(1, 0), "late");
}
END_TEST

static const char *told; /* of PID_A by its machine; NULL: nothing */

static bool is_whole;         /* it tells when there is more */
static unsigned int nr_asked; /* for code */

static int describe(const void *ctx, uint32_t pid, bool *is_all)
{
	int fd;

	(void)ctx;
	(void)pid;
	nr_asked++;
	*is_all = is_whole;
	if (!told)
		return -ENOENT;
	fd = memfd_create("told", MFD_CLOEXEC);
	ck_assert_int_eq(write(fd, told, strlen(told)), (ssize_t)strlen(told));
	return fd;
}

/* The machine of a process tells of its code once it has begun, and a map overrides that. */
START_TEST(machines_tell)
{
	jit.describe = describe;
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	add_user(PID_A, 20, FRAMES(0x10010));
	finish_epoch();
	ck_assert_ptr_null(name_of(0, 0));
	told = "10000 100 stub\n";
	ck_assert_int_eq(jit_forget(&jit, &w.spaces), 0);
	add_user(PID_A, 30, FRAMES(0x10020));
	finish_epoch();
	ck_assert_str_eq(name_of(1, 0), "stub");
	ck_assert_str_eq(string_of(t.objects[user_frame(1, 0)->object].path), "//anon");
	write_map(PID_A, "10000 100 mapped\n");
	ck_assert_int_eq(jit_forget(&jit, &w.spaces), 0);
	add_user(PID_A, 40, FRAMES(0x10030));
	finish_epoch();
	ck_assert_str_eq(name_of(2, 0), "mapped");
	told = NULL;
}
END_TEST

/* What it told when it began is of use if it ends soon; else it is asked once more. */
START_TEST(machines_tell_again)
{
	const struct address_space *a;

	jit.describe = describe;
	told = "10000 100 first\n";
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	a = address_spaces_find(&w.spaces, PID_A, UINT64_MAX);
	jit_describe(&jit, a);
	ck_assert(jit_is_described(&jit, a));
	told = "10000 100 second\n";
	add_user(PID_A, 20, FRAMES(0x10010));
	finish_epoch();
	ck_assert_str_eq(name_of(0, 0), "second");
	/* There is more code, and what was told before may have gone. */
	told = "10200 100 other\n";
	jit_describe(&jit, a);
	add_user(PID_A, 25, FRAMES(0x10210));
	finish_epoch();
	ck_assert_str_eq(name_of(1, 0), "other");
	ck_assert_str_eq(name_of(0, 0), "second");
	told = "10000 100 third\n";
	ck_assert_int_eq(jit_forget(&jit, &w.spaces), 0);
	jit_end(&jit, a, 0);
	finish_epoch();
	ck_assert_str_eq(name_of(0, 0), "second");
	told = NULL;
}
END_TEST

/* Whoever tells when there is more is not asked otherwise, but once more if no answer came. */
START_TEST(machines_tell_of_more)
{
	const struct address_space *a;

	jit.describe = describe;
	is_whole = true;
	nr_asked = 0;
	told = "10000 100 first\n";
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	a = address_spaces_find(&w.spaces, PID_A, UINT64_MAX);
	jit_describe(&jit, a);
	add_user(PID_A, 20, FRAMES(0x10010));
	finish_epoch();
	ck_assert_str_eq(name_of(0, 0), "first");
	ck_assert_uint_eq(nr_asked, 1);
	told = NULL;
	jit_describe(&jit, a);
	told = "10200 100 other\n";
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(jit_forget(&jit, &w.spaces), 0);
		add_user(PID_A, 30 + i, FRAMES(0x10210));
		finish_epoch();
		ck_assert_uint_eq(nr_asked, 3);
	}
	ck_assert_str_eq(name_of(1, 0), "other");
	told = NULL;
	is_whole = false;
}
END_TEST

/* Mapped files are not code of the process itself. A memfd without a build-id is, and the heap. */
START_TEST(what_is_own_code)
{
	write_map(PID_A, "0 ffffffffffff everything\n");
	map_file(PID_A, 10, "/bin/app", &id_app, 0x10000, 0x1000, 0);
	map_file(PID_A, 10, "/memfd:code (deleted)", NULL, 0x20000, 0x1000, 0);
	map_file(PID_A, 10, "/memfd:program (deleted)", &id_app, 0x30000, 0x1000, 0);
	map_file(PID_A, 10, "[heap]", NULL, 0x40000, 0x1000, 0);
	map_file(PID_A, 10, "[vdso]", NULL, 0x50000, 0x1000, 0);
	for (uint64_t addr = 0x10000; addr <= 0x50000; addr += 0x10000)
		add_user(PID_A, 20, FRAMES(addr));
	finish_epoch();
	ck_assert_ptr_null(name_of(0, 0));
	ck_assert_str_eq(name_of(1, 0), "everything");
	ck_assert_ptr_null(name_of(2, 0));
	ck_assert_str_eq(name_of(3, 0), "everything");
	ck_assert_ptr_null(name_of(4, 0));
	ck_assert_uint_eq(t.nr_symbols, 1);
}
END_TEST

/* The recorder holds the map from the end of the process to the end of the epoch. */
START_TEST(processes_that_end)
{
	write_map(PID_A, "10000 100 before\n");
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	ck_assert_int_eq(jit_watch_all(&jit, &w.spaces), 0);
	ck_assert_uint_eq(jit.processes.nr, 1);
	jit_end(&jit, address_spaces_find(&w.spaces, PID_A, 30), 0);
	address_spaces_exit(&w.spaces, PID_A, 30);
	remove_map(PID_A);
	ck_assert_uint_eq(jit.held.used, 1);
	add_user(PID_A, 20, FRAMES(0x10010));
	for (int i = 0; i < 2; i++)
		ck_assert_int_eq(address_spaces_forget(&w.spaces, 40, is_gone), 0);
	ck_assert_int_eq(jit_forget(&jit, &w.spaces), 0);
	finish_epoch();
	ck_assert_str_eq(name_of(0, 0), "before");
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	ck_assert_int_eq(jit_forget(&jit, &w.spaces), 0);
	ck_assert_uint_eq(jit.processes.nr, 0);
	ck_assert_uint_eq(jit.held.used, 0);
}
END_TEST

/* The process has one map before an exec and another one after it. */
START_TEST(an_exec)
{
	write_map(PID_A, "10000 100 before\n");
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	ck_assert_int_eq(jit_watch_all(&jit, &w.spaces), 0);
	jit_end(&jit, address_spaces_find(&w.spaces, PID_A, 30), clock_realtime_ns());
	ck_assert_int_eq(address_spaces_exec(&w.spaces, PID_A, 30), 0);
	remove_map(PID_A);
	write_map(PID_A, "10000 100 after\n");
	map_file(PID_A, 40, "//anon", NULL, 0x10000, 0x1000, 0);
	add_user(PID_A, 20, FRAMES(0x10010));
	add_user(PID_A, 50, FRAMES(0x10010));
	finish_epoch();
	ck_assert_str_eq(name_of(0, 0), "before");
	ck_assert_str_eq(name_of(1, 0), "after");
}
END_TEST

/* The program after an exec writes its map into the file of the program before. */
START_TEST(an_exec_that_keeps_the_file)
{
	write_map(PID_A, "10000 100 before\n");
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	ck_assert_int_eq(jit_watch_all(&jit, &w.spaces), 0);
	/* The exec was a second ago: the clock of files is coarse. */
	jit_end(&jit, address_spaces_find(&w.spaces, PID_A, 30), clock_realtime_ns() - NS_PER_S);
	ck_assert_int_eq(address_spaces_exec(&w.spaces, PID_A, 30), 0);
	write_map(PID_A, "10000 100 after\n");
	map_file(PID_A, 40, "//anon", NULL, 0x10000, 0x1000, 0);
	add_user(PID_A, 20, FRAMES(0x10010));
	add_user(PID_A, 50, FRAMES(0x10010));
	finish_epoch();
	ck_assert_ptr_null(name_of(0, 0));
	ck_assert_str_eq(name_of(1, 0), "after");
}
END_TEST

/* The memory was used again for a smaller function. Addresses after it keep their earlier name. */
START_TEST(two_lines_of_one_start)
{
	write_map(PID_A, "10000 100 large\n10000 10 small\n");
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	add_user(PID_A, 20, FRAMES(0x10008));
	add_user(PID_A, 20, FRAMES(0x10050));
	finish_epoch();
	ck_assert_uint_eq(t.nr_symbols, 2);
	for (uint32_t i = 0; i < t.nr_symbols; i++) {
		bool is_small = !strcmp(string_of(t.symbols[i].name), "small");

		ck_assert_uint_eq(t.symbols[i].offset, 0x10000);
		ck_assert_uint_eq(t.symbols[i].size, is_small ? 0x10 : 0x100);
	}
}
END_TEST

/* Names beyond the limit of an epoch are left out, so that the epoch can be written. */
START_TEST(many_long_names)
{
	enum { NR = 6000 };
	static char name[1000];
	char path[64];
	size_t bytes = 0;
	FILE *f;

	memset(name, 'n', sizeof(name) - 1);
	map_path(PID_A, path);
	f = fopen(path, "w");
	ck_assert_ptr_nonnull(f);
	for (int i = 0; i < NR; i++)
		fprintf(f, "%x 10 %d%s\n", 0x10000 + i * 16, i, name);
	fclose(f);
	map_file(PID_A, 10, "//anon", NULL, 0x10000, NR * 16, 0);
	for (uint64_t i = 0; i < NR; i++)
		add_user(PID_A, 20, FRAMES(0x10000 + i * 16));
	finish_epoch();
	for (uint32_t i = 0; i < t.nr_strings; i++)
		bytes += t.strings[i].len;
	ck_assert_uint_gt(t.nr_symbols, 1000);
	ck_assert_uint_lt(t.nr_symbols, NR);
	ck_assert_uint_lt(bytes, 5 << 20);
}
END_TEST

/* No host is too slow. */
static void have_time(void)
{
	for (size_t i = 0; i < ARRAY_SIZE(jit.reading); i++)
		jit.reading[i].max_ns = UINT64_C(1) << 60;
	jit.times.max_ns = UINT64_C(1) << 50;
}

/* An epoch reads a part of the maps if they are too large together; the next begins with others. */
START_TEST(maps_take_turns)
{
	enum { NR = 3 };
	bool is_named[NR] = {false};

	have_time();
	for (uint32_t i = 0; i < NR; i++) {
		char path[64];

		write_map(PID_A + i, "10000 100 name\n");
		map_path(PID_A + i, path);
		ck_assert_int_eq(truncate(path, 60 << 20), 0);
		map_file(PID_A + i, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	}
	for (int epoch = 0; epoch < 2 * NR + 2; epoch++) {
		uint64_t before = shares_nr_lacked(&jit.unread);

		for (uint32_t i = 0; i < NR; i++)
			add_user(PID_A + i, 20, FRAMES(0x10010));
		finish_epoch();
		ck_assert_uint_eq(t.nr_symbols, NR - 1);
		ck_assert_uint_eq(shares_nr_lacked(&jit.unread), before + 1);
		for (uint32_t i = 0; i < t.nr_symbols; i++)
			is_named[t.symbols[i].object - 1] = true;
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
	}
	for (uint32_t i = 0; i < NR; i++) {
		ck_assert(is_named[i]);
		remove_map(PID_A + i);
	}
}
END_TEST

/* The processes from PID_A on belong to these users. */
static void set_owners(const uint32_t *uids)
{
	vec_for_each(&jit.processes, process)
		process->uid = uids[process->pid - PID_A];
}

/* A user with many machines keeps nobody else's from telling. */
START_TEST(users_share_what_machines_tell)
{
	static const uint32_t uids[] = {2000, 2000, 3000};
	const struct address_space *spaces[ARRAY_SIZE(uids)];

	jit.describe = describe;
	jit.described.size = 2;
	for (uint32_t i = 0; i < ARRAY_SIZE(uids); i++) {
		map_file(PID_A + i, 10, "//anon", NULL, 0x10000, 0x1000, 0);
		spaces[i] = address_spaces_find(&w.spaces, PID_A + i, UINT64_MAX);
		ck_assert_int_eq(jit_watch(&jit, spaces[i]), 0);
	}
	set_owners(uids);
	told = "10000 100 stub\n";
	for (uint32_t i = 0; i < ARRAY_SIZE(uids); i++)
		jit_describe(&jit, spaces[i]);
	told = NULL;
	ck_assert(jit_is_described(&jit, spaces[2]));
	ck_assert(jit_is_described(&jit, spaces[0]) != jit_is_described(&jit, spaces[1]));
}
END_TEST

static uint32_t nr_symbols_of(uint32_t pid)
{
	uint32_t nr = 0;

	for (uint32_t i = 0; i < t.nr_symbols; i++)
		for (uint32_t p = 0; p < t.nr_processes; p++)
			nr += t.processes[p].pid == pid &&
			      (uint32_t)t.processes[p].generation ==
				      t.objects[t.symbols[i].object].instance;
	return nr;
}

/* Maps of one user are too large together; each map of another user is read. */
START_TEST(users_share_the_bytes)
{
	static const uint32_t owners[] = {2000, 2000, 2000, 2000, 1000};
	enum { NR = ARRAY_SIZE(owners) };

	if (geteuid())
		return; /* its maps are believed to be only its own */
	have_time();
	for (uint32_t i = 0; i < NR; i++) {
		char path[64];

		write_map(PID_A + i, "10000 100 name\n");
		map_path(PID_A + i, path);
		ck_assert_int_eq(truncate(path, 50 << 20), 0);
		map_file(PID_A + i, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	}
	for (int epoch = 0; epoch < 2 * NR; epoch++) {
		for (uint32_t i = 0; i < NR; i++)
			add_user(PID_A + i, 20, FRAMES(0x10010));
		set_owners(owners);
		finish_epoch();
		ck_assert_uint_eq(t.nr_symbols, 2);
		ck_assert_uint_eq(nr_symbols_of(PID_A + 4), 1);
		ck_assert_uint_eq(shares_nr_lacked(&jit.unread), 3 * (epoch + 1));
		ck_assert_uint_eq(shares_most_lacked(&jit.unread)->uid, 2000);
		ck_assert_int_eq(epoch_reset(w.epoch), 0);
	}
	for (uint32_t i = 0; i < NR; i++)
		remove_map(PID_A + i);
}
END_TEST

/* One user's functions have more bytes of names than an epoch may have. */
START_TEST(users_share_the_names)
{
	static const uint32_t owners[] = {2000, 1000}, nr[] = {6000, 1500};
	static char name[1000];

	if (geteuid())
		return;
	have_time();
	memset(name, 'n', sizeof(name) - 1);
	for (uint32_t k = 0; k < ARRAY_SIZE(nr); k++) {
		char path[64];
		FILE *f;

		map_path(PID_A + k, path);
		f = fopen(path, "w");
		ck_assert_ptr_nonnull(f);
		for (uint32_t i = 0; i < nr[k]; i++)
			fprintf(f, "%x 10 %u%s\n", 0x10000 + i * 16, i, name);
		fclose(f);
		map_file(PID_A + k, 10, "//anon", NULL, 0x10000, nr[k] * 16, 0);
		for (uint64_t i = 0; i < nr[k]; i++)
			add_user(PID_A + k, 20, FRAMES(0x10000 + i * 16));
	}
	set_owners(owners);
	finish_epoch();
	ck_assert_uint_gt(nr_symbols_of(PID_A), 1000);
	ck_assert_uint_eq(nr_symbols_of(PID_B), nr[1]);
	ck_assert_uint_eq(shares_nr_lacked(&jit.unread), 1);
}
END_TEST

/* One user's CPU time is spent; others have theirs. */
START_TEST(users_have_their_time)
{
	static const uint32_t owners[] = {2000, 1000};

	if (geteuid())
		return;
	for (uint32_t i = 0; i < ARRAY_SIZE(owners); i++) {
		write_map(PID_A + i, "10000 100 name\n");
		map_file(PID_A + i, 10, "//anon", NULL, 0x10000, 0x1000, 0);
		add_user(PID_A + i, 20, FRAMES(0x10010));
	}
	set_owners(owners);
	ck_assert(jit_begin_reading(&jit, 2000));
	/* Twice what there is at once: none of it comes back while the test runs. */
	jit.reading[0].cpu_ns -= NS_PER_S / 2;
	jit_end_reading(&jit, 2000);
	jit.reading[0].credited_ns = 0;
	finish_epoch();
	ck_assert_uint_eq(nr_symbols_of(PID_A), 0);
	ck_assert_uint_eq(nr_symbols_of(PID_B), 1);
	ck_assert_uint_eq(shares_most_lacked(&jit.unread)->uid, 2000);
}
END_TEST

/* When the CPU time for maps is spent, the code stays without names, and is counted. */
START_TEST(no_time_for_maps)
{
	write_map(PID_A, "10000 100 name\n");
	map_file(PID_A, 10, "//anon", NULL, 0x10000, 0x1000, 0);
	add_user(PID_A, 20, FRAMES(0x10010));
	jit.reading[!geteuid()].part = UINT32_MAX;
	jit.reading[!geteuid()].credit_ns = -1000000;
	jit.reading[!geteuid()].credited_ns = clock_monotonic_ns();
	finish_epoch();
	ck_assert_uint_eq(t.nr_symbols, 0);
	ck_assert_uint_eq(shares_nr_lacked(&jit.unread), 1);
	jit.reading[!geteuid()].credited_ns = 0;
	finish_epoch();
	ck_assert_uint_eq(t.nr_symbols, 1);
	ck_assert_uint_eq(shares_nr_lacked(&jit.unread), 1);
	remove_map(PID_A);
}
END_TEST

SUITE_MAIN_WITH("jit", begin, end, no_two_processes_share, no_map, machines_tell,
		machines_tell_again, machines_tell_of_more, users_share_what_machines_tell,
		what_is_own_code, processes_that_end, an_exec, an_exec_that_keeps_the_file,
		two_lines_of_one_start, many_long_names, maps_take_turns, users_share_the_bytes,
		users_share_the_names, users_have_their_time, no_time_for_maps)
