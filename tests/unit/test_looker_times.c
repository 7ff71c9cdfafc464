// SPDX-License-Identifier: GPL-2.0-or-later
/* Which touches are slow. The test plays the clocks, and the time without a processor (--wrap). */
#include "record/looks/looker.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/clock.h"
#include "tests/unit/suite.h"

#define DEVICE look_device(7)
#define OTHER  look_device(8)

/* Above PID_MAX_LIMIT: no process has this id, so it counts as one of a user of its own. */
#define PID_NONE 5000001u

#define MS NS_PER_MS

/* The recorder's, which stand still, and copies of them in the looker, which its looks move. */
static uint64_t now_ns, cpu_ns, waited_ns;
static const char *schedstat; /* what the kernel says of this process; NULL: waited_ns */

static struct looker *looker;

int __real_clock_gettime(clockid_t clock, struct timespec *ts);
int __wrap_clock_gettime(clockid_t clock, struct timespec *ts);
int __real_open64(const char *path, int flags, ...);
int __wrap_open64(const char *path, int flags, ...);
ssize_t __wrap_pread64(int fd, void *text, size_t size, off_t off);

int __wrap_clock_gettime(clockid_t clock, struct timespec *ts)
{
	uint64_t ns = clock == CLOCK_MONOTONIC ? now_ns : cpu_ns;

	if (clock != CLOCK_MONOTONIC && clock != CLOCK_THREAD_CPUTIME_ID)
		return __real_clock_gettime(clock, ts);
	*ts = (struct timespec){.tv_sec = ns / NS_PER_S, .tv_nsec = ns % NS_PER_S};
	return 0;
}

/* Each looker opens it once. */
int __wrap_open64(const char *path, int flags, ...)
{
	static unsigned int nr_opens;

	if (strcmp(path, "/proc/self/schedstat") != 0)
		return __real_open64(path, flags, 0);
	ck_assert_uint_eq(++nr_opens, 1);
	return __real_open64("/dev/null", flags, 0);
}

ssize_t __wrap_pread64(int fd, void *text, size_t size, off_t off)
{
	char what[64];
	ssize_t nr;

	ck_assert_int_gt(fd, 0);
	ck_assert_int_eq(off, 0);
	ck_assert_uint_lt(size, 128); /* there is room for a NUL */
	if (schedstat)
		snprintf(what, sizeof(what), "%s", schedstat);
	else
		snprintf(what, sizeof(what), "7 %llu", (unsigned long long)waited_ns);
	nr = strlen(what);
	ck_assert_uint_ge(size, nr);
	/* What is left there looks like more of it, and grows. */
	snprintf(text, size, "%s%s%llu", what, nr ? "" : "7 ", (unsigned long long)now_ns);
	return nr ? nr : -1;
}

static void begin(void)
{
	struct err err = {0};

	now_ns = 1000 * NS_PER_S;
	ck_assert_int_eq(looker_start(true, &looker, &err), 0);
}

static void end(void)
{
	looker_destroy(looker);
	looker = NULL;
}

static void begin_again(void)
{
	end();
	begin();
}

/* A touch of @device takes @ns, in which the looker runs or waits for a processor. */
struct leap {
	look_culprit device; /* 0: none */
	uint64_t ns, runs_ns, waits_ns;
};

struct leaps {
	struct leap leaps[2];
};

static int leap(struct look *look)
{
	struct leaps all;

	memcpy(&all, look->question, sizeof(all));
	for (size_t i = 0; i < ARRAY_SIZE(all.leaps) && all.leaps[i].device; i++) {
		int ret = look_touch(look, all.leaps[i].device);

		if (ret)
			return ret;
		now_ns += all.leaps[i].ns;
		cpu_ns += all.leaps[i].runs_ns;
		waited_ns += all.leaps[i].waits_ns;
	}
	return 0;
}

/* About a process; 0: about none, as for root. */
static int ask_about(uint32_t pid, struct leap first, struct leap second)
{
	const struct leaps all = {{first, second}};
	const struct look_question question = {
		.fn = leap, .bytes = &all, .nr = sizeof(all), .fd = -1, .pid = pid};
	struct look_answer answer;

	return looker_ask(looker, &question, &answer);
}

static const struct leap none;

static int touch(look_culprit device, uint64_t ns, uint64_t runs_ns, uint64_t waits_ns)
{
	return ask_about(0, (struct leap){device, ns, runs_ns, waits_ns}, none);
}

/* Is @device given up? */
static bool is_given_up(look_culprit device)
{
	int ret = touch(device, 0, 0, 0);

	ck_assert(!ret || ret == -EHOSTDOWN);
	return ret;
}

/* How many such touches a device may have until it is given up; 100: any number. */
static unsigned int touches_until_given_up(uint64_t ns, uint64_t runs_ns, uint64_t waits_ns)
{
	unsigned int nr = 0;

	begin_again();
	while (nr < 100 && !touch(DEVICE, ns, runs_ns, waits_ns))
		nr++;
	ck_assert(!is_given_up(OTHER));
	return nr;
}

/* From 50 ms on a touch is slow, and after more than a second of them nobody touches any more. */
START_TEST(slow_touches)
{
	ck_assert_uint_eq(touches_until_given_up(50 * MS - 1, 0, 0), 100);
	ck_assert_uint_eq(touches_until_given_up(50 * MS, 0, 0), 21);
	ck_assert_uint_eq(touches_until_given_up(50 * MS + 1, 0, 0), 20);
	ck_assert_uint_eq(touches_until_given_up(NS_PER_S, 0, 0), 2);
	ck_assert_uint_eq(touches_until_given_up(NS_PER_S + 1, 0, 0), 1);
}
END_TEST

/* A touch is to blame neither for the looker's work nor for that of others. */
START_TEST(touches_without_a_processor)
{
	ck_assert_uint_eq(touches_until_given_up(300 * MS, 0, 250 * MS), 21);
	ck_assert_uint_eq(touches_until_given_up(300 * MS, 0, 250 * MS + 1), 100);
	ck_assert_uint_eq(touches_until_given_up(300 * MS, 250 * MS, 0), 21);
	ck_assert_uint_eq(touches_until_given_up(300 * MS, 250 * MS + 1, 0), 100);
	ck_assert_uint_eq(touches_until_given_up(300 * MS, 100 * MS, 150 * MS), 21);
	ck_assert_uint_eq(touches_until_given_up(300 * MS, 300 * MS, 300 * MS), 100);
}
END_TEST

/* A kernel may not count how long a process waits. */
START_TEST(kernels_that_do_not_count)
{
	static const char *const texts[] = {"", "7", "7 x", "x 500000000"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		schedstat = texts[i];
		ck_assert_uint_eq(touches_until_given_up(300 * MS, 0, 300 * MS), 4);
		ck_assert_uint_eq(touches_until_given_up(300 * MS, 300 * MS, 0), 100);
	}
}
END_TEST

/* Of the touches of a look, only the slowest counts. */
START_TEST(the_slowest_touch)
{
	const struct leap slow = {DEVICE, 60 * MS, 0, 0}, slower = {OTHER, 100 * MS, 0, 0};

	for (int i = 0; i < 2; i++) {
		begin_again();
		for (int nr = 0; nr < 11; nr++)
			ck_assert_int_eq(ask_about(0, i ? slower : slow, i ? slow : slower), 0);
		ck_assert(is_given_up(OTHER));
		ck_assert(!is_given_up(DEVICE));
	}
}
END_TEST

/* How often such a look is had until one of its two touches is refused. */
static unsigned int looks_until_given_up(struct leap first, struct leap second)
{
	unsigned int nr = 0;

	begin_again();
	while (nr < 100 && !ask_about(0, first, second))
		nr++;
	return nr;
}

/* What the looker waited for in one touch is not that of the next. */
START_TEST(touches_after_touches)
{
	const struct leap waits = {DEVICE, 100 * MS, 0, 100 * MS}, slow = {OTHER, 60 * MS, 0, 0};
	const struct leap as_slow = {DEVICE, 60 * MS, 0, 0}, slower = {DEVICE, 100 * MS, 0, 0};
	const struct leap slow_and_waits = {OTHER, 120 * MS, 0, 60 * MS};

	ck_assert_uint_eq(looks_until_given_up(waits, slow), 17);
	ck_assert(is_given_up(OTHER));
	ck_assert(!is_given_up(DEVICE));
	ck_assert_uint_eq(looks_until_given_up(slow, waits), 17);
	ck_assert(is_given_up(OTHER));
	/* Of two that are alike, the first one counts. */
	ck_assert_uint_eq(looks_until_given_up(as_slow, slow), 17);
	ck_assert(is_given_up(DEVICE));
	ck_assert(!is_given_up(OTHER));
	ck_assert_uint_eq(looks_until_given_up(slower, slow_and_waits), 11);
	ck_assert(is_given_up(DEVICE));
	ck_assert(!is_given_up(OTHER));
}
END_TEST

/* Each touch that is not made is counted. */
START_TEST(several_devices_are_given_up)
{
	struct look nobody_watches = {0};

	looker_blame(looker, DEVICE);
	looker_blame(looker, OTHER);
	ck_assert(!is_given_up(look_device(9)));
	ck_assert_uint_eq(looker_nr_given_up(looker), 0);
	ck_assert(is_given_up(OTHER));
	ck_assert_uint_eq(looker_nr_given_up(looker), 1);
	ck_assert(is_given_up(DEVICE));
	ck_assert_uint_eq(looker_nr_given_up(looker), 2);
	/* Who asks no looker may wait. */
	ck_assert_int_eq(look_touch(NULL, DEVICE), 0);
	ck_assert_int_eq(look_touch(&nobody_watches, DEVICE), 0);
}
END_TEST

/* It is touched again after ten seconds, and the next time after forty. */
START_TEST(how_long_it_is_given_up)
{
	const struct leap before = {OTHER, 10 * NS_PER_S - 1, 0, 10 * NS_PER_S - 1};
	const struct leap moment = {OTHER, 1, 0, 0};
	uint64_t slow_ns = NS_PER_S + 1;

	/* The looker's clock goes ahead of the recorder's by the touch itself. */
	ck_assert_int_eq(touch(DEVICE, slow_ns, 0, slow_ns), 0);
	looker_blame(looker, DEVICE);
	ck_assert(is_given_up(DEVICE));
	ck_assert_int_eq(touch(OTHER, before.ns - slow_ns, 0, before.ns - slow_ns), 0);
	ck_assert(is_given_up(DEVICE));
	ck_assert_int_eq(ask_about(0, moment, none), 0);
	ck_assert(!is_given_up(DEVICE));
	looker_blame(looker, DEVICE);
	ck_assert_int_eq(touch(OTHER, 30 * NS_PER_S - 1, 0, 30 * NS_PER_S - 1), 0);
	ck_assert(is_given_up(DEVICE));
	ck_assert_int_eq(ask_about(0, moment, none), 0);
	ck_assert(!is_given_up(DEVICE));
	looker_blame(NULL, DEVICE);
}
END_TEST

/* What the processes of a user block is theirs, slow or not: a second. */
START_TEST(time_of_a_user)
{
	const struct leap quick = {DEVICE, 49 * MS, 4 * MS, 5 * MS};
	unsigned int nr = 0;

	while (nr < 100 && !ask_about(PID_NONE, quick, none))
		nr++;
	ck_assert_uint_eq(nr, 25);
	ck_assert_int_eq(ask_about(PID_NONE, none, none), -EHOSTDOWN);
	ck_assert(!is_given_up(DEVICE));
	/* Time that the looker ran may be more than has passed between two looks at the clock. */
	begin_again();
	ck_assert_int_eq(ask_about(PID_NONE, (struct leap){DEVICE, 1, 2 * NS_PER_S, 0}, none), 0);
	ck_assert_int_eq(ask_about(PID_NONE, none, none), 0);
	ck_assert_uint_eq(looker_cpu_ns(looker), 2 * NS_PER_S);
}
END_TEST

/* After half a second, what is there goes out, if somebody waits for it. */
START_TEST(looks_that_are_long)
{
	struct look look = {.begin_ns = now_ns};
	char watch;

	now_ns += NS_PER_S;
	ck_assert(!look_is_long(&look));
	look.watch = (struct look_watch *)&watch;
	ck_assert(look_is_long(&look));
	look.begin_ns = now_ns - 500 * MS;
	ck_assert(!look_is_long(&look));
	look.begin_ns--;
	ck_assert(look_is_long(&look));
}
END_TEST

SUITE_MAIN_WITH("looker_times", begin, end, slow_touches, touches_without_a_processor,
		kernels_that_do_not_count, the_slowest_touch, touches_after_touches,
		several_devices_are_given_up, how_long_it_is_given_up, time_of_a_user,
		looks_that_are_long)
