// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/clock.h"
#include "report/push/watcher.h"
#include "tests/unit/suite.h"

static char watched[300], spool_name[300];
static struct spool spool;
static struct textbuf messages = {.fd = -1};
static struct sender sender;
static volatile sig_atomic_t is_ended;
static unsigned int nr_left, nr_taken, nr_posts;
static struct http_answer answer;
static bool ends_by_post;

/* In place of http_client_post, by the linker. */
void __wrap_http_client_post(struct http_client *client, const void *body, size_t len,
			     struct http_answer *result);

void __wrap_http_client_post(struct http_client *client, const void *body, size_t len,
			     struct http_answer *result)
{
	(void)client, (void)body, (void)len;
	nr_posts++;
	is_ended = ends_by_post;
	*result = answer;
}

/* In place of http_client_limit: there is no client. */
void __wrap_http_client_limit(struct http_client *client, uint64_t limit_ns);

void __wrap_http_client_limit(struct http_client *client, uint64_t limit_ns)
{
	(void)client, (void)limit_ns;
}

static void add_file(const char *file_name)
{
	char path[400];
	int fd;

	snprintf(path, sizeof(path), "%s/%s", watched, file_name);
	fd = open(path, O_WRONLY | O_CREAT, 0600);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void begin(void)
{
	struct err err = {0};

	snprintf(watched, sizeof(watched), "%s/watched%d", suite_dir, getpid());
	snprintf(spool_name, sizeof(spool_name), "%s/spool%d", suite_dir, getpid());
	ck_assert_int_eq(mkdir(watched, 0700), 0);
	sender = (struct sender){.messages = &messages};
	ck_assert_msg(!spool_open(&spool, spool_name, 100, sender.account.fates, &err), "%s",
		      err.text);
	is_ended = 0;
	nr_left = nr_taken = nr_posts = 0;
	answer = (struct http_answer){.outcome = HTTP_FAILED, .text = "it is away"};
	ends_by_post = false;
	messages.nr = 0;
	messages.error = 0;
}

static void end(void)
{
	spool_close(&spool);
	textbuf_deinit(&messages);
}

static void add_request_of(uint64_t begin_ns)
{
	struct taken_file file;

	ck_assert_int_eq(spool_add(&spool, "one", 3, 5, begin_ns), 0);
	ck_assert_int_eq(taken_file_init(&file, "before", &(struct stat){0}), 0);
	ck_assert_int_eq(spool_commit(&spool, &file), 0);
}

static void add_request(void)
{
	add_request_of(UINT64_MAX);
}

static void note_left(void *ctx, const char *path, const struct err *err)
{
	(void)ctx, (void)path, (void)err;
	nr_left++;
}

/* Runs until @take sets is_ended. */
static void run(int (*take)(void *ctx, const char *path, uint64_t *id, struct err *err))
{
	struct err err = {0};
	struct watcher watcher = {
		.dir = watched,
		.spool = &spool,
		.sender = &sender,
		.is_ended = &is_ended,
		.wake_fd = -1,
		.report_ns = 1,
		.take = take,
		.left = note_left,
	};

	ck_assert_msg(!watcher_run(&watcher, &err), "%s", err.text);
}

static bool says(const char *text)
{
	return memmem(messages.data, messages.nr, text, strlen(text));
}

static int end_by_take(void *ctx, const char *path, uint64_t *id, struct err *err)
{
	(void)ctx, (void)path, (void)id;
	is_ended = 1;
	return err_set(err, -ENOMEM, "not now");
}

/* While a request waits and nothing is wrong, no recording is taken: so the spool is first. */
START_TEST(a_request_stays_while_the_spool_has_an_error)
{
	int fd = spool.fd;

	add_request();
	add_file("a.prof");
	spool.fd = -1;
	run(end_by_take);
	spool.fd = fd;
	ck_assert(says("failed to send from the spool"));
	ck_assert(!push_account_has_losses(&sender.account));
	ck_assert_ptr_nonnull(spool_first(&spool));
	ck_assert_uint_eq(spool_first(&spool)->nr_samples, 5);
}
END_TEST

START_TEST(a_request_that_others_remove_is_counted_as_such)
{
	char path[400];
	const struct spool_entry *entry;

	add_request();
	add_file("a.prof");
	entry = spool_first(&spool);
	snprintf(path, sizeof(path), "%s/%016llx-%016llx-%016llx.ready", spool_name,
		 (unsigned long long)entry->seq, (unsigned long long)entry->begin_ns,
		 (unsigned long long)entry->nr_samples);
	ck_assert_int_eq(unlink(path), 0);
	run(end_by_take);
	ck_assert_uint_eq(sender.account.fates[PUSH_GONE].nr_samples, 5);
	ck_assert_uint_eq(sender.account.fates[PUSH_DROPPED].nr_samples, 0);
	ck_assert_ptr_null(spool_first(&spool));
}
END_TEST

START_TEST(it_is_sent_again_if_that_is_said)
{
	uint64_t begin_ns = clock_realtime_ns() - 1500 * NS_PER_S;

	add_request_of(begin_ns);
	add_file("a.prof");
	answer.retry_after_s = 600;
	run(end_by_take);
	ck_assert(says("push failed: it is away, retrying\n"));
	ck_assert_uint_eq(nr_posts, 1);
	ck_assert_ptr_nonnull(spool_first(&spool));
}
END_TEST

START_TEST(a_profile_that_will_be_too_old_is_not_said_to_be_sent_again)
{
	uint64_t begin_ns = clock_realtime_ns() - 1500 * NS_PER_S;

	sender.max_age_ns = 2000 * NS_PER_S;
	add_request_of(begin_ns);
	add_file("a.prof");
	answer.retry_after_s = 600;
	run(end_by_take);
	ck_assert_uint_eq(nr_posts, 1);
	ck_assert(says("push failed: it is away\n"));
}
END_TEST

START_TEST(a_run_that_ends_sends_nothing_again)
{
	add_request();
	ends_by_post = true;
	run(end_by_take);
	ck_assert_uint_eq(nr_posts, 1);
	ck_assert(says("push failed: it is away\n"));
	ck_assert_ptr_nonnull(spool_first(&spool));
}
END_TEST

/* Without a spool. The first wait is a quarter of a second or longer. */
START_TEST(a_profile_that_grows_old_in_a_wait_is_counted)
{
	struct push_message message = {.nr_samples = 5};

	sender.max_age_ns = 2000 * NS_PER_S;
	message.begin_ns = clock_realtime_ns() - sender.max_age_ns + NS_PER_S / 5;
	ck_assert(sender_send(&sender, &message, 1000 * NS_PER_S));
	ck_assert_uint_eq(nr_posts, 1);
	ck_assert_uint_eq(sender.account.fates[PUSH_TOO_OLD].nr_samples, 5);
	ck_assert(says("push failed: it is away\n"));
}
END_TEST

static int have_no_room(void *ctx, const char *path, uint64_t *id, struct err *err)
{
	bool is_first = strstr(path, "/a.prof");

	(void)ctx, (void)id;
	nr_taken += is_first;
	add_file(is_first ? "b.prof" : "c.prof");
	is_ended = strstr(path, "/c.prof") != NULL;
	return err_set(err, is_first ? -ENOSPC : -EINVAL, "it failed");
}

START_TEST(an_error_that_may_pass_is_said_once)
{
	add_file("a.prof");
	run(have_no_room);
	ck_assert_uint_eq(nr_taken, 1);
	ck_assert_uint_eq(nr_left, 3);
	ck_assert_uint_eq(spool.taken.files.nr, 2);
}
END_TEST

static int fill_spool(void *ctx, const char *path, uint64_t *id, struct err *err)
{
	static const char text[60];

	(void)ctx, (void)id, (void)err;
	if (strstr(path, "/b.prof")) {
		is_ended = 1;
		return 0;
	}
	add_file("b.prof");
	ck_assert_int_eq(spool_add(&spool, text, sizeof(text), 5, 1), 0);
	return spool_add(&spool, text, sizeof(text), 7, 1);
}

/* Nothing can be sent here: the requests are too old. */
START_TEST(drops_and_the_account_are_said)
{
	sender.max_age_ns = 1;
	add_file("a.prof");
	run(fill_spool);
	ck_assert(says("is full: its oldest requests are dropped\n"));
	ck_assert(says("dropped from the full spool: 1 profile with 5 samples\n"));
	ck_assert(says("pushed: 0 profiles with 0 samples; dropped from a full spool: 1 profile "
		       "with 5 samples; waiting in the spool: 1 profile with 7 samples\n"));
}
END_TEST

SUITE_MAIN_WITH("watcher", begin, end, an_error_that_may_pass_is_said_once,
		drops_and_the_account_are_said, it_is_sent_again_if_that_is_said,
		a_profile_that_will_be_too_old_is_not_said_to_be_sent_again,
		a_run_that_ends_sends_nothing_again, a_profile_that_grows_old_in_a_wait_is_counted,
		a_request_stays_while_the_spool_has_an_error,
		a_request_that_others_remove_is_counted_as_such)
