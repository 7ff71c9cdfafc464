// SPDX-License-Identifier: GPL-2.0-or-later
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>

#include "report/push/spool.h"
#include "report/push/watcher.h"
#include "tests/unit/suite.h"

static struct spool spool;
static struct push_count fates[NR_PUSH_FATES];
static char name[300];
static char_vec body;

/* Directories that were synchronised. From number @failing_sync on it fails. */
static ino_t synced[16];
static size_t nr_synced, failing_sync = SIZE_MAX;

/* In place of libc's. */
int fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) || !S_ISDIR(st.st_mode))
		return (int)syscall(SYS_fsync, fd);
	if (nr_synced >= failing_sync) {
		errno = EIO;
		return -1;
	}
	synced[nr_synced++ % ARRAY_SIZE(synced)] = st.st_ino;
	return (int)syscall(SYS_fsync, fd);
}

static void open_spool(uint64_t bytes_max)
{
	struct err err = {0};

	ck_assert_msg(!spool_open(&spool, name, bytes_max, fates, &err), "%s", err.text);
}

static void begin(void)
{

	snprintf(name, sizeof(name), "%s/spool%d", suite_dir, getpid());
	open_spool(100);
}

static void end(void)
{
	spool_close(&spool);
	vec_free(&body);
}

/* As a new start of the program finds it. */
static void reopen(void)
{
	spool_close(&spool);
	open_spool(100);
}

static void add(const char *text, uint64_t nr_samples)
{
	ck_assert_int_eq(spool_add(&spool, text, strlen(text), nr_samples, 7), 0);
}

static int try_commit(const char *file_name)
{
	struct taken_file file;
	struct stat st = {.st_ino = 5, .st_size = 6};
	int ret;

	ck_assert_int_eq(taken_file_init(&file, file_name, &st), 0);
	file.recording_id = 77;
	ret = spool_commit(&spool, &file);
	free(file.name);
	return ret;
}

static void commit(const char *file_name)
{
	ck_assert_int_eq(try_commit(file_name), 0);
}

static uint64_t nr_waiting(void)
{
	struct push_count count = {0};

	spool_count(&spool, &count);
	return count.nr_samples;
}

START_TEST(requests_come_back_in_order)
{
	add("one", 1);
	add("two", 2);
	commit("a");
	add("three", 3);
	commit("b");
	reopen();
	ck_assert_uint_eq(nr_waiting(), 6);
	for (uint64_t i = 1; i <= 3; i++) {
		struct spool_entry *entry = spool_first(&spool);

		ck_assert_uint_eq(entry->nr_samples, i);
		ck_assert_uint_eq(entry->begin_ns, 7);
		ck_assert(!entry->may_be_taken);
		ck_assert_int_eq(spool_begin(&spool, entry, &body), 0);
		ck_assert_uint_eq(body.nr, i == 3 ? 5 : 3);
		spool_remove(&spool, entry);
	}
	ck_assert_ptr_null(spool_first(&spool));
	reopen();
	ck_assert_ptr_null(spool_first(&spool));
}
END_TEST

START_TEST(a_recording_is_taken_whole_or_not_at_all)
{
	struct taken_file file;
	struct stat st = {.st_ino = 5, .st_size = 6};

	add("one", 1);
	commit("a b\n");
	add("two", 2);
	reopen();
	ck_assert_uint_eq(nr_waiting(), 1);
	ck_assert(taken_has_recording(&spool.taken, 77));
	ck_assert(!taken_has_recording(&spool.taken, 78));
	ck_assert_int_eq(taken_file_init(&file, "a b\n", &st), 0);
	ck_assert_ptr_nonnull(taken_find(&spool.taken, &file));
	file.size++;
	ck_assert_ptr_null(taken_find(&spool.taken, &file));
	free(file.name);
	add("two", 2);
	spool_abort(&spool);
	ck_assert_uint_eq(nr_waiting(), 1);
	ck_assert_uint_eq(spool.bytes, 3);
}
END_TEST

START_TEST(a_request_that_was_being_sent_may_be_taken)
{
	struct spool_entry *entry;

	add("one", 1);
	commit("a");
	ck_assert_int_eq(spool_begin(&spool, spool_first(&spool), &body), 0);
	reopen();
	entry = spool_first(&spool);
	ck_assert(entry->may_be_taken);
	/* The receiver said that it has not. */
	ck_assert_int_eq(spool_begin(&spool, entry, &body), 0);
	entry->may_be_taken = false;
	spool_put_back(&spool, entry);
	reopen();
	ck_assert(!spool_first(&spool)->may_be_taken);
}
END_TEST

START_TEST(errors_that_pass_lose_no_request)
{
	struct spool_entry *entry;
	int fd = spool.fd;

	add("one", 1);
	commit("a");
	entry = spool_first(&spool);
	spool.fd = -1;
	ck_assert_int_eq(spool_begin(&spool, entry, &body), -EBADF);
	spool.fd = fd;
	ck_assert_int_eq(spool_begin(&spool, entry, &body), 0);
	/* Its file keeps the name of one that was sent. */
	spool.fd = -1;
	spool_put_back(&spool, entry);
	spool.fd = fd;
	ck_assert_int_eq(spool_begin(&spool, entry, &body), 0);
	ck_assert_uint_eq(body.nr, 3);
	spool_put_back(&spool, entry);
	reopen();
	ck_assert(!spool_first(&spool)->may_be_taken);
}
END_TEST

/* Removes the files of the spool whose names begin with @start. */
static void remove_files(const char *start)
{
	DIR *dir = opendir(name);
	struct dirent *entry;

	ck_assert_ptr_nonnull(dir);
	while ((entry = readdir(dir)))
		if (!strncmp(entry->d_name, start, strlen(start)))
			ck_assert_int_eq(unlinkat(dirfd(dir), entry->d_name, 0), 0);
	closedir(dir);
}

START_TEST(a_request_that_others_remove_is_gone)
{
	add("one", 1);
	commit("a");
	remove_files("0000");
	ck_assert_int_eq(spool_begin(&spool, spool_first(&spool), &body), -ENODATA);
}
END_TEST

START_TEST(requests_without_a_state_are_kept)
{
	struct err err = {0};

	ck_assert(!faccessat(spool.fd, "state", F_OK, 0));
	add("one", 1);
	commit("a");
	spool_close(&spool);
	remove_files("state");
	ck_assert_int_eq(spool_open(&spool, name, 100, fates, &err), -ENOTRECOVERABLE);
	ck_assert_msg(strstr(err.text, "its file 'state' is gone"), "%s", err.text);
	ck_assert_msg(strstr(err.hint, "to begin anew"), "%s", err.hint);
	spool_close(&spool);
	ck_assert_int_eq(spool_open(&spool, name, 100, fates, &err), -ENOTRECOVERABLE);
}
END_TEST

START_TEST(a_new_spool_survives_a_failure_of_power)
{
	struct stat dir, parent;
	bool has_dir = false, has_parent = false;

	ck_assert(!fstat(spool.fd, &dir) && !stat(suite_dir, &parent));
	for (size_t i = 0; i < nr_synced; i++) {
		has_dir |= synced[i] == dir.st_ino;
		has_parent |= synced[i] == parent.st_ino;
	}
	ck_assert(has_dir);
	ck_assert(has_parent);
}
END_TEST

START_TEST(a_state_that_has_its_name_counts)
{
	add("one", 1);
	/* The directory of the requests first, and then that of the state. */
	failing_sync = nr_synced + 1;
	commit("a");
	failing_sync = SIZE_MAX;
	ck_assert_uint_eq(nr_waiting(), 1);
	reopen();
	ck_assert_uint_eq(nr_waiting(), 1);
	ck_assert(taken_has_recording(&spool.taken, 77));
}
END_TEST

START_TEST(a_state_that_cannot_be_written_takes_nothing)
{
	add("one", 1);
	failing_sync = nr_synced;
	ck_assert_int_eq(try_commit("a"), -EIO);
	failing_sync = SIZE_MAX;
	ck_assert_uint_eq(nr_waiting(), 0);
	ck_assert(!taken_has_recording(&spool.taken, 77));
	add("one", 1);
	push_count_add(&spool.pending[PUSH_TOO_OLD], 8);
	ck_assert_int_eq(mkdirat(spool.fd, "state.new", 0700), 0);
	ck_assert_int_eq(try_commit("a"), -EISDIR);
	ck_assert_int_eq(unlinkat(spool.fd, "state.new", AT_REMOVEDIR), 0);
	ck_assert_uint_eq(nr_waiting(), 0);
	ck_assert_uint_eq(fates[PUSH_TOO_OLD].nr_samples, 0);
	ck_assert(!taken_has_recording(&spool.taken, 77));
	add("one", 1);
	commit("a");
	reopen();
	ck_assert_uint_eq(nr_waiting(), 1);
	ck_assert(taken_has_recording(&spool.taken, 77));
}
END_TEST

START_TEST(recordings_stay_known_when_their_files_are_gone)
{
	struct taken taken = {0};
	struct stat st = {0};

	for (uint64_t id = 1; id <= TAKEN_IDS_MAX + 2; id++) {
		struct taken_file file;

		ck_assert_int_eq(taken_file_init(&file, "a", &st), 0);
		file.recording_id = id;
		ck_assert_int_eq(taken_add(&taken, &file), 0);
		ck_assert_int_eq(taken_prune(&taken), 0);
	}
	ck_assert_uint_eq(taken.files.nr, 0);
	ck_assert(!taken_has_recording(&taken, 2));
	ck_assert(taken_has_recording(&taken, 3));
	ck_assert_int_eq(taken_write(&taken, spool.fd, "other"), 0);
	taken_deinit(&taken);
	taken = (struct taken){0};
	ck_assert_int_eq(taken_read(&taken, spool.fd, "other", &(struct err){0}), 0);
	ck_assert(taken_has_recording(&taken, 3));
	ck_assert(taken_has_recording(&taken, TAKEN_IDS_MAX + 2));
	taken_deinit(&taken);
}
END_TEST

START_TEST(a_full_spool_drops_the_oldest)
{
	char text[41] = "";

	memset(text, 'x', sizeof(text) - 1);
	memset(fates, 0, sizeof(fates));
	for (uint64_t i = 1; i <= 5; i++) {
		add(text, i);
		commit("a");
	}
	ck_assert_uint_eq(fates[PUSH_DROPPED].nr_profiles, 3);
	ck_assert_uint_eq(fates[PUSH_DROPPED].nr_samples, 1 + 2 + 3);
	ck_assert_uint_eq(nr_waiting(), 4 + 5);
	ck_assert_uint_eq(spool.bytes, 80);
	reopen();
	ck_assert_uint_eq(nr_waiting(), 4 + 5);
	ck_assert_uint_eq(spool.bytes, 80);
}
END_TEST

START_TEST(a_recording_that_is_not_taken_costs_nothing)
{
	char text[101] = "";

	memset(text, 'x', sizeof(text) - 1);
	memset(fates, 0, sizeof(fates));
	text[60] = '\0';
	add(text, 1);
	commit("a");
	add(text, 2);
	add(text, 4);
	push_count_add(&spool.pending[PUSH_TOO_OLD], 8);
	ck_assert_uint_eq(spool.pending[PUSH_DROPPED].nr_samples, 2);
	spool_abort(&spool);
	ck_assert_uint_eq(nr_waiting(), 1);
	ck_assert_uint_eq(fates[PUSH_DROPPED].nr_profiles + fates[PUSH_TOO_OLD].nr_profiles, 0);
	/* Once more, and now it is taken. */
	add(text, 2);
	add(text, 4);
	push_count_add(&spool.pending[PUSH_TOO_OLD], 8);
	commit("b");
	ck_assert_uint_eq(nr_waiting(), 4);
	ck_assert_uint_eq(fates[PUSH_DROPPED].nr_samples, 1 + 2);
	ck_assert_uint_eq(fates[PUSH_TOO_OLD].nr_samples, 8);
	spool_close(&spool);
	open_spool(50);
	ck_assert_uint_eq(nr_waiting(), 0);
	ck_assert_uint_eq(fates[PUSH_DROPPED].nr_samples, 1 + 2 + 4);
}
END_TEST

START_TEST(one_process_has_a_spool)
{
	struct spool other;
	struct err err = {0};

	ck_assert_int_eq(spool_open(&other, name, 100, fates, &err), -EWOULDBLOCK);
	spool_close(&other);
}
END_TEST

START_TEST(a_damaged_state_is_an_error)
{
	static const char *const texts[] = {"",
					    "profrep push 2\nnext 1\n",
					    "profrep push 1\n",
					    "profrep push 1\nnext 1\n1 2 3 4\n",
					    "profrep push 1\nnext x\n",
					    "profrep push 1\nnext 1\nid x\n"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct err err = {0};
		int fd = openat(spool.fd, "state", O_WRONLY | O_CREAT | O_TRUNC, 0600);

		ck_assert_int_eq(write(fd, texts[i], strlen(texts[i])), strlen(texts[i]));
		close(fd);
		spool_close(&spool);
		ck_assert_int_eq(spool_open(&spool, name, 100, fates, &err), -EBADMSG);
		ck_assert_msg(strstr(err.hint, "to begin anew"), "%s", err.hint);
	}
}
END_TEST

START_TEST(names_of_recordings)
{
	ck_assert(is_recording_name("a.prof"));
	ck_assert(is_recording_name("part"));
	ck_assert(!is_recording_name("a.prof.12.part"));
	ck_assert(!is_recording_name(".a.prof"));
	ck_assert(!is_recording_name("."));
}
END_TEST

SUITE_MAIN_WITH("spool", begin, end, requests_come_back_in_order,
		a_recording_is_taken_whole_or_not_at_all,
		a_request_that_was_being_sent_may_be_taken, errors_that_pass_lose_no_request,
		a_request_that_others_remove_is_gone, requests_without_a_state_are_kept,
		a_new_spool_survives_a_failure_of_power, a_state_that_has_its_name_counts,
		a_state_that_cannot_be_written_takes_nothing,
		recordings_stay_known_when_their_files_are_gone, a_full_spool_drops_the_oldest,
		a_recording_that_is_not_taken_costs_nothing, one_process_has_a_spool,
		a_damaged_state_is_an_error, names_of_recordings)
