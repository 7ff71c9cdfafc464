// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/proc_scan.h"

#include <errno.h>
#include <linux/kcmp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/readfile.h"
#include "tests/unit/suite.h"

/* Above PID_MAX_LIMIT: no process has this id. */
#define PID_NONE 5000001u

static struct mapped_files files;
static mapping_vec mappings;
static struct address_spaces spaces;

/* What becomes of each answer of the looker; NULL: nothing. Returns what the look does. */
static int (*change)(struct look_answer *answer);
static unsigned int nr_asked;

int __real_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer);
int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer);

int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *answer)
{
	int ret = __real_looker_ask(looker, question, answer);

	nr_asked++;
	return ret || !change ? ret : change(answer);
}

static void begin(void)
{
	change = NULL;
	files = (struct mapped_files){0};
	mappings = (mapping_vec){0};
	spaces = (struct address_spaces){0};
}

static void end(void)
{
	vec_free(&mappings);
	mapped_files_deinit(&files);
	address_spaces_deinit(&spaces);
}

/* An address of this program. */
static const uint64_t here = (uintptr_t)&proc_scan_mappings;

/* Reads the mappings of @pid, @max at most, 0: all. Must return @want. */
static void scan(pid_t pid, size_t max, int want)
{
	ck_assert_int_eq(proc_scan_mappings(pid, max, &files, &mappings), want);
}

/* The mapping of @list at @addr must be this program's. */
static void expect_program(const struct mapped_files *of, const mapping_vec *list, uint64_t addr)
{
	const struct mapping *mapping = mappings_find(list, addr);
	const struct mapped_file *file;

	ck_assert_ptr_nonnull(mapping);
	file = mapping_file(of, mapping);
	ck_assert_int_eq(file->kind, MAPPED_FILE);
	ck_assert_ptr_nonnull(strstr(file->path, "test_proc_scan"));
	ck_assert(!build_id_is_none(mapped_file_build_id(file)));
}

START_TEST(this_process)
{
	static char data[2 * 4096];

	scan(getpid(), 0, 0);
	expect_program(&files, &mappings, here);
	ck_assert_ptr_null(mappings_find(&mappings, (uintptr_t)data)); /* not executable */
	for (size_t i = 1; i < mappings.nr; i++)
		ck_assert_uint_le(mappings.data[i - 1].end, mappings.data[i].start);
}
END_TEST

START_TEST(memory_without_a_file)
{
	const struct mapping *mapping;
	void *code = mmap(NULL, 1, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	ck_assert_ptr_ne(code, MAP_FAILED);
	scan(getpid(), 0, 0);
	mapping = mappings_find(&mappings, (uintptr_t)code);
	ck_assert_ptr_nonnull(mapping);
	ck_assert_int_eq(mapping_file(&files, mapping)->kind, MAPPED_ANON);
	ck_assert_uint_eq(mapping->pgoff, 0);
	munmap(code, 1);
}
END_TEST

/* The list of the process before is not left there. */
START_TEST(a_process_that_has_gone)
{

	scan(getpid(), 0, 0);
	ck_assert_uint_gt(mappings.nr, 0);
	scan(PID_NONE, 0, -ENOENT);
	ck_assert_uint_eq(mappings.nr, 0);
	ck_assert_int_eq(proc_scan_process(&spaces, PID_NONE, 100, 0), 0);
	ck_assert_ptr_null(address_spaces_find(&spaces, PID_NONE, 100));
}
END_TEST

START_TEST(no_more_than_wanted)
{
	const struct address_space *space;
	size_t nr;

	scan(getpid(), 0, 0);
	nr = mappings.nr;
	ck_assert_uint_gt(nr, 2);
	scan(getpid(), nr, 0);
	scan(getpid(), nr - 1, -E2BIG);
	ck_assert_uint_eq(mappings.nr, nr - 1);
	/* The process is known in part, and is not taken for known as a whole. */
	ck_assert_int_eq(proc_scan_process(&spaces, getpid(), 100, 2), -E2BIG);
	space = address_spaces_find(&spaces, getpid(), 100);
	ck_assert_uint_eq(space->memory->live.nr, 2);
	ck_assert(!space->memory->complete);
}
END_TEST

START_TEST(one_mapping)
{
	static char data[2 * 4096];

	ck_assert_int_eq(proc_scan_mapping_at(getpid(), here, &files, &mappings), 0);
	ck_assert_uint_eq(mappings.nr, 1);
	expect_program(&files, &mappings, here);
	ck_assert_int_eq(proc_scan_mapping_at(getpid(), (uintptr_t)data, &files, &mappings), 0);
	ck_assert_uint_eq(mappings.nr, 0);
	ck_assert_int_eq(proc_scan_mapping_at(PID_NONE, here, &files, &mappings), -ENOENT);
	ck_assert_uint_eq(mappings.nr, 0);
}
END_TEST

START_TEST(into_address_spaces)
{
	const struct address_space *space;
	uint32_t ids[] = {PID_NONE, getpid()};
	u32_vec pids = {.data = ids, .nr = 2};
	unsigned int nr_hidden = 7;

	ck_assert_int_eq(proc_scan(&spaces, &pids, &nr_hidden, NULL), 0);
	ck_assert_uint_eq(nr_hidden, 0);
	ck_assert_uint_eq(spaces.newest.nr, 1);
	space = address_spaces_find(&spaces, getpid(), 0);
	ck_assert(space->memory->complete);
	ck_assert_ptr_nonnull(address_space_lookup(space, here, 0));
	expect_program(&spaces.files, &space->memory->live, here);
}
END_TEST

static __attribute__((noreturn)) int wait_to_die(void *unused)
{
	(void)unused;
	for (;;)
		pause();
}

/* Two children, one with this program's memory and one with a copy. */
START_TEST(processes_that_share_memory)
{
	static char stack[1 << 16];
	pid_t sharer, forked;
	uint32_t ids[3];
	u32_vec pids = {.data = ids, .nr = 3};
	const struct mapped_memory *own;
	unsigned int nr_hidden;

	if (syscall(SYS_kcmp, getpid(), getpid(), KCMP_VM, 0, 0) < 0)
		SKIP_TEST("kcmp(2) is refused");
	sharer = clone(wait_to_die, stack + sizeof(stack), CLONE_VM | SIGCHLD, NULL);
	forked = fork();
	if (!forked)
		wait_to_die(NULL);
	ids[0] = forked;
	ids[1] = getpid();
	ids[2] = sharer;
	ck_assert_int_gt(sharer, 0);
	ck_assert_int_gt(forked, 0);
	ck_assert_int_eq(proc_scan(&spaces, &pids, &nr_hidden, NULL), 0);
	kill(sharer, SIGKILL);
	kill(forked, SIGKILL);
	ck_assert_int_eq(waitpid(sharer, NULL, 0), sharer);
	ck_assert_int_eq(waitpid(forked, NULL, 0), forked);
	own = address_spaces_find(&spaces, getpid(), 0)->memory;
	ck_assert_ptr_eq(address_spaces_find(&spaces, sharer, 0)->memory, own);
	ck_assert_uint_eq(own->nr_users, 2);
	ck_assert_ptr_ne(address_spaces_find(&spaces, forked, 0)->memory, own);
	ck_assert_ptr_nonnull(
		address_space_lookup(address_spaces_find(&spaces, sharer, 0), here, 0));
}
END_TEST

/* Says so when the main thread has ended, and lives on. */
static void *outlive_main(void *main_thread)
{
	int *ready = main_thread;
	char_vec text = {0};
	char path[64];

	snprintf(path, sizeof(path), "/proc/self/task/%d/status", getpid());
	do {
		sched_yield();
		if (read_file(path, 1 << 16, &text))
			_exit(1);
	} while (!strstr(text.data, "State:\tZ"));
	if (write(*ready, "", 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

START_TEST(a_main_thread_that_has_ended)
{
	static int ready[2]; /* the other thread uses it when this one has ended */
	pid_t child;
	char c;

	ck_assert_int_eq(pipe(ready), 0);
	child = fork();
	ck_assert_int_ge(child, 0);
	if (!child) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, outlive_main, &ready[1]))
			_exit(1);
		pthread_exit(NULL);
	}
	close(ready[1]);
	ck_assert_int_eq(read(ready[0], &c, 1), 1);
	scan(child, 0, 0);
	expect_program(&files, &mappings, here);
	ck_assert_int_eq(kill(child, SIGKILL), 0);
	ck_assert_int_eq(waitpid(child, NULL, 0), child);
	close(ready[0]);
}
END_TEST

static size_t nr_answered; /* bytes, at most */

static int cut_answer(struct look_answer *answer)
{
	if (answer->nr > nr_answered)
		answer->nr = nr_answered;
	memset(answer->bytes + answer->nr, 0xff, sizeof(answer->bytes) - answer->nr);
	return 0;
}

/* A short answer has the mappings that are there as a whole, or it is none. */
START_TEST(answers_that_are_cut)
{
	size_t nr, nr_good = 0;
	int ret;

	scan(getpid(), 0, 0);
	nr = mappings.nr;
	change = cut_answer;
	for (nr_answered = 0; nr_good < nr; nr_answered++) {
		nr_asked = 0;
		ret = proc_scan_mappings(getpid(), 0, &files, &mappings);
		ck_assert(ret == 0 || ret == -EBADMSG);
		ck_assert_uint_eq(nr_asked, 1);
		if (ret || !mappings.nr)
			continue;
		nr_good++;
		ck_assert_uint_eq(mappings.nr, nr_good);
	}
	/* The last one is whole. */
	scan(getpid(), 0, 0);
	ck_assert_uint_eq(mappings.nr, nr);
}
END_TEST

static uint64_t next_start;        /* where the second answer begins */
static size_t whole_nr, second_nr; /* bytes of an answer that has all, and of the second one */

static int cut_first_answer(struct look_answer *answer)
{
	second_nr = answer->nr;
	if (nr_asked == 1) {
		whole_nr = answer->nr;
		cut_answer(answer);
		memcpy(answer->bytes, &next_start, sizeof(next_start));
	}
	return 0;
}

/* An answer that has no room for all says where the next one begins. */
START_TEST(answers_in_parts)
{
	mapping_vec all = {0};

	ck_assert_int_eq(proc_scan_mappings(getpid(), 0, &files, &all), 0);
	change = cut_answer;
	nr_answered = 0;
	do
		nr_answered++;
	while (proc_scan_mappings(getpid(), 0, &files, &mappings) || mappings.nr < 2);
	change = cut_first_answer;
	next_start = all.data[2].start + 1;
	nr_asked = 0;
	scan(getpid(), 0, 0);
	ck_assert_uint_eq(nr_asked, 2);
	ck_assert_uint_lt(second_nr, whole_nr);
	ck_assert_uint_eq(mappings.nr, all.nr);
	for (size_t i = 0; i < all.nr; i++)
		ck_assert_uint_eq(mappings.data[i].start, all.data[i].start);
	vec_free(&all);
}
END_TEST

/* What is in the answer about this program's mapping. */
static struct mapping own_mapping;
static struct build_id own_id;
static char own_path[PATH_MAX];
static int damage; /* its number */

#define NR_DAMAGES 6

static char *find_bytes(struct look_answer *answer, const void *bytes, size_t nr)
{
	char *found = memmem(answer->bytes, answer->nr, bytes, nr);

	ck_assert_ptr_nonnull(found);
	return found;
}

static int damage_answer(struct look_answer *answer)
{
	const uint64_t range[] = {own_mapping.start, own_mapping.end};
	const uint32_t path_bytes = strlen(own_path) + 1, none = 0, many = answer->nr;
	char *in_range = find_bytes(answer, range, sizeof(range));
	char *id = find_bytes(answer, &own_id, sizeof(own_id));
	char *path = find_bytes(answer, own_path, path_bytes);
	char *size = path - sizeof(path_bytes);

	while (memcmp(size, &path_bytes, sizeof(path_bytes)) != 0)
		ck_assert(--size > id);
	switch (damage) {
	case 0:
		memcpy(in_range, &range[1], sizeof(range[1]));
		return 0;
	case 1:
		id[offsetof(struct build_id, size)] = BUILD_ID_MAX + 1;
		return 0;
	case 2:
		path[path_bytes - 1] = '/';
		return 0;
	case 3:
		memcpy(size, &none, sizeof(none));
		return 0;
	case 4:
		memcpy(size, &many, sizeof(many));
		return 0;
	default:
		id[offsetof(struct build_id, size)] = BUILD_ID_MAX;
		return 0;
	}
}

/* Empty mappings, long build-ids, and paths of no or too many bytes are those of no answer. */
START_TEST(answers_that_are_damaged)
{
	const struct mapped_file *file;

	scan(getpid(), 0, 0);
	own_mapping = *mappings_find(&mappings, here);
	file = mapping_file(&files, &own_mapping);
	own_id = file->found_id;
	snprintf(own_path, sizeof(own_path), "%s", file->path);
	change = damage_answer;
	for (damage = 0; damage < NR_DAMAGES; damage++)
		scan(getpid(), 0, damage < NR_DAMAGES - 1 ? -EBADMSG : 0);
}
END_TEST

static unsigned int nr_late;

static int answer_late(struct look_answer *answer)
{
	if (nr_asked > nr_late)
		return 0;
	answer->nr = 0;
	return -ETIMEDOUT;
}

/* A process may map files of three devices that do not answer. */
START_TEST(devices_that_do_not_answer)
{
	change = answer_late;
	for (nr_late = 0; nr_late <= 4; nr_late++) {
		nr_asked = 0;
		scan(getpid(), 0, nr_late < 4 ? 0 : -ETIMEDOUT);
		ck_assert_uint_eq(nr_asked, nr_late < 4 ? nr_late + 1 : 4);
	}
}
END_TEST

SUITE_MAIN_WITH("proc_scan", begin, end, this_process, memory_without_a_file,
		a_process_that_has_gone, no_more_than_wanted, one_mapping, into_address_spaces,
		processes_that_share_memory, a_main_thread_that_has_ended, answers_that_are_cut,
		answers_in_parts, answers_that_are_damaged, devices_that_do_not_answer)
