// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "common/readfile.h"
#include "record/epoch/owed_names.h"
#include "record/shares/shares.h"
#include "tests/unit/epoch_helper.h"
#include "tests/unit/suite.h"

#define ADDRESS ((uint64_t)(uintptr_t)some_function)

/* The program of this process. */
static struct {
	char path[4096];
	struct build_id build_id;
	uint64_t start, end, pgoff; /* of its code */
} program;

static int some_function(int n)
{
	return n * 3;
}

static void find_program(void)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char line[8192];

	ck_assert_ptr_nonnull(maps);
	while (fgets(line, sizeof(line), maps)) {
		if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %*s %" SCNx64 " %*s %*s %4095[^\n]",
			   &program.start, &program.end, &program.pgoff, program.path) == 4 &&
		    program.start <= ADDRESS && ADDRESS < program.end)
			break;
	}
	fclose(maps);
	ck_assert_int_eq(build_id_from_fd(fd, &program.build_id), 0);
	close(fd);
}

/* A sample in some_function, whose file the child for names has. */
static void begin(void)
{
	struct err err = {0};

	find_program();
	ck_assert_int_eq(some_function(2), 6);
	ck_assert_int_eq(file_names_create(NULL, &world_names, &err), 0);
	world_create();
	map_file(getpid(), 10, program.path, &program.build_id, program.start,
		 program.end - program.start, program.pgoff);
	add_user(getpid(), 20, FRAMES(ADDRESS));
}

static void end(void)
{
	world_destroy();
	file_names_destroy(world_names);
	world_names = NULL;
}

static void ask(void)
{
	struct pollfd pollfd = {.fd = file_names_fd(world_names), .events = POLLIN};

	ck_assert_int_eq(epoch_ask_names(w.epoch, 0), 0);
	while (file_names_is_waiting(world_names)) {
		ck_assert_int_eq(poll(&pollfd, 1, -1), 1);
		ck_assert_int_eq(file_names_work(world_names), 0);
	}
}

static uint64_t nr_left_out(void)
{
	return shares_nr_lacked(file_names_unserved(world_names));
}

static void expect_name(void)
{
	const struct prof_symbol *symbol = &t.symbols[0];

	ck_assert_uint_eq(t.nr_symbols, 1);
	ck_assert_str_eq(string_of(symbol->name), "some_function");
	ck_assert_str_eq(string_of(t.objects[symbol->object].path), program.path);
	ck_assert(!epoch_owes_names(w.epoch));
	ck_assert_uint_eq(nr_left_out(), 0);
}

START_TEST(names_in_time)
{
	ask();
	finish_epoch();
	expect_name();
}
END_TEST

/* Two functions of one instruction each. */
void test_first(void);
void test_second(void);
__asm__(".pushsection .text\n"
	".type test_first, %function\n"
	"test_first: nop\n"
	".size test_first, . - test_first\n"
	".type test_second, %function\n"
	"test_second: nop\n"
	".size test_second, . - test_second\n"
	".popsection");

/* A call that ends a function returns to the next one. */
START_TEST(names_of_callers)
{
	const uint64_t second = (uintptr_t)test_second;
	uint32_t nr_first = 0, nr_second = 0;

	add_user(getpid(), 20, FRAMES(ADDRESS, second));
	ask();
	finish_epoch();
	for (uint32_t i = 0; i < t.nr_symbols; i++) {
		nr_first += !strcmp(string_of(t.symbols[i].name), "test_first");
		nr_second += !strcmp(string_of(t.symbols[i].name), "test_second");
	}
	ck_assert_uint_eq(nr_first, 1);
	ck_assert_uint_eq(nr_second, 0);
}
END_TEST

/* The next epoch brings them, although it has no samples. */
START_TEST(late_names)
{
	finish_epoch();
	ck_assert_uint_eq(t.nr_symbols, 0);
	ck_assert(epoch_owes_names(w.epoch));
	ck_assert_int_eq(epoch_reset(w.epoch), 0);
	ask();
	finish_epoch();
	ck_assert_uint_eq(t.nr_counts, 0);
	expect_name();
}
END_TEST

START_TEST(the_recording_ends_without_names)
{
	finish_epoch();
	epoch_end_recording(w.epoch);
	ck_assert(!epoch_owes_names(w.epoch));
	ck_assert_uint_eq(nr_left_out(), 1);
}
END_TEST

/* Nobody could open the file for another child if its process had ended. */
static void expect_loss(int signo, int what)
{
	char_vec children = {0};
	siginfo_t info;

	ck_assert_int_eq(read_file("/proc/thread-self/children", 4096, &children), 0);
	ck_assert_int_eq(kill(atoi(children.data), signo), 0);
	ck_assert_int_eq(waitid(P_PID, atoi(children.data), &info, what | WNOWAIT), 0);
	vec_free(&children);
	ask();
	finish_epoch();
	ck_assert_uint_eq(t.nr_symbols, 0);
	ck_assert(!epoch_owes_names(w.epoch));
	ck_assert_uint_eq(nr_left_out(), 1);
}

START_TEST(the_child_dies)
{
	expect_loss(SIGKILL, WEXITED);
}
END_TEST

START_TEST(somebody_stops_the_child)
{
	expect_loss(SIGSTOP, WSTOPPED);
}
END_TEST

/* In the next epoch, the object's place may belong to another file of that path and build-id. */
START_TEST(another_file_has_the_place)
{
	struct prof_object object = {.kind = PROF_OBJECT_FILE};
	struct epoch_tables tables = {0};
	struct owed_names owed = {0};
	uint32_t id;

	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	ck_assert_int_eq(epoch_tables_string(&tables, "/bin/app", 8, &object.path), 0);
	epoch_object_set_build_id(&object, &id_app);
	ck_assert_int_eq(epoch_tables_object(&tables, &object, &id), 0);
	ck_assert_int_eq(owed_names_add(&owed, &tables, id, 16), 0);
	ck_assert_int_eq(owed_names_add(&owed, &tables, id, 32), 0);
	ck_assert_uint_eq(owed.objects.nr, 1);
	ck_assert_int_eq(owed_object_put(&owed.objects.data[0], &tables, &id), 0);
	epoch_tables_set_file(&tables, id, &(struct file_identity){.is_stat = true, .inode = 7});
	ck_assert_int_eq(owed_object_put(&owed.objects.data[0], &tables, &id), -EEXIST);
	owed_names_deinit(&owed);
	epoch_tables_deinit(&tables);
}
END_TEST

SUITE_MAIN_WITH("epoch_files", begin, end, names_in_time, names_of_callers, late_names,
		the_recording_ends_without_names, the_child_dies, somebody_stops_the_child,
		another_file_has_the_place)
