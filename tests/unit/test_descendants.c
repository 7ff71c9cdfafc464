// SPDX-License-Identifier: GPL-2.0-or-later
/* The processes of /proc are played (--wrap). */
#include "record/sampling/bpf/descendants.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>

#include "record/looks/proc_task.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

static u32_vec pids;
static struct err err;

/* All processes, in the order of /proc. */
static struct process {
	uint32_t pid, parent;
	uint32_t later_parent; /* once its id is held; 0: the same */
	int no_parent;         /* what asking for the parent returns */
	int open_error;        /* of its pidfd */
} processes[8];

static struct {
	size_t nr, nr_lists;
	int list_error;
	uint32_t followed[16];
	size_t nr_followed;
	int follow_error; /* of the process 11 */
	int last_fd;
} played;

int __wrap_proc_list(u32_vec *all, struct err *e);
int __wrap_proc_parent(uint32_t pid, uint32_t *parent);
long __wrap_syscall(long number, ...);

int __wrap_proc_list(u32_vec *all, struct err *e)
{
	played.nr_lists++;
	for (size_t i = 0; i < played.nr; i++)
		if (vec_push(all, processes[i].pid))
			return err_set(e, -ENOMEM, "failed to list: out of memory");
	return played.list_error;
}

static struct process *process_of(uint32_t pid)
{
	size_t i = 0;

	while (processes[i].pid != pid)
		ck_assert_uint_lt(++i, played.nr);
	return &processes[i];
}

int __wrap_proc_parent(uint32_t pid, uint32_t *parent)
{
	const struct process *p = process_of(pid);

	*parent = p->parent;
	return p->no_parent;
}

long __wrap_syscall(long number, ...)
{
	struct process *p;
	va_list args;

	va_start(args, number);
	p = process_of(va_arg(args, uint32_t));
	va_end(args);
	ck_assert_int_eq(number, SYS_pidfd_open);
	if (p->later_parent)
		p->parent = p->later_parent;
	errno = p->open_error;
	return errno ? -1 : eventfd(0, EFD_CLOEXEC);
}

static int follow(void *ctx, uint32_t pid, int pidfd, struct err *e)
{
	(void)e;
	ck_assert_ptr_eq(ctx, &played);
	ck_assert_int_ge(fcntl(pidfd, F_GETFD), 0);
	played.last_fd = pidfd;
	played.followed[played.nr_followed++] = pid;
	return pid == 11 ? played.follow_error : 0;
}

static int follow_all(void)
{
	played.nr_followed = played.nr_lists = 0;
	err = (struct err){0};
	return descendants_follow(&pids, follow, &played, &err);
}

static void expect_followed(size_t nr, const uint32_t *want)
{
	ck_assert_uint_eq(played.nr_followed, nr);
	for (size_t i = 0; i < nr; i++)
		ck_assert_uint_eq(played.followed[i], want[i]);
}

/* 11 is a child of 10, and so on to 13; 9 has another parent. */
static void begin(void)
{
	static const uint32_t order[] = {13, 9, 12, 11, 10};

	memset(&played, 0, sizeof(played));
	played.nr = ARRAY_SIZE(order);
	for (size_t i = 0; i < played.nr; i++)
		processes[i] = (struct process){.pid = order[i],
						.parent = order[i] == 9 ? 1 : order[i] - 1};
	vec_clear(&pids);
	ck_assert_int_eq(vec_push(&pids, 30), 0);
	ck_assert_int_eq(vec_push(&pids, 20), 0);
	ck_assert_int_eq(vec_push(&pids, 10), 0);
}

static void end(void)
{
	vec_free(&pids);
}

START_TEST(each_descendant_once)
{
	ck_assert_int_eq(follow_all(), 0);
	expect_followed(3, (const uint32_t[]){11, 12, 13});
	/* Until /proc has no more: a process may fork just before it is followed. */
	ck_assert_uint_eq(played.nr_lists, 4);
	ck_assert_int_lt(fcntl(played.last_fd, F_GETFD), 0);
}
END_TEST

START_TEST(nobody_has_descendants)
{
	vec_clear(&pids);
	ck_assert_int_eq(follow_all(), 0);
	ck_assert_uint_eq(played.nr_lists, 1);
	ck_assert_uint_eq(played.nr_followed, 0);
}
END_TEST

/* It has ended since /proc was listed, or its id is another process's, or nobody knows. */
START_TEST(processes_that_are_not_what_they_were)
{
	process_of(12)->open_error = ESRCH;
	ck_assert_int_eq(follow_all(), 0);
	expect_followed(2, (const uint32_t[]){11, 13});
	begin();
	process_of(11)->later_parent = 1;
	ck_assert_int_eq(follow_all(), 0);
	expect_followed(2, (const uint32_t[]){12, 13});
	begin();
	process_of(11)->no_parent = -ESRCH;
	ck_assert_int_eq(follow_all(), 0);
	ck_assert_uint_eq(played.nr_followed, 0);
	begin();
	played.follow_error = -ESRCH;
	ck_assert_int_eq(follow_all(), 0);
	expect_followed(3, (const uint32_t[]){11, 12, 13});
}
END_TEST

START_TEST(failures)
{
	played.follow_error = -EPERM;
	ck_assert_int_eq(follow_all(), -EPERM);
	ck_assert_uint_eq(played.nr_followed, 1);
	process_of(11)->open_error = EMFILE;
	ck_assert_int_eq(follow_all(), -EMFILE);
	ck_assert_str_eq(err.text, "failed to follow process 11: Too many open files");
	ck_assert_uint_eq(played.nr_followed, 0);
	played.list_error = -EIO;
	ck_assert_int_eq(follow_all(), -EIO);
	ck_assert_uint_eq(played.nr_lists, 1);
}
END_TEST

START_TEST(out_of_memory)
{
	oom_for_each_call(n)
	{
		int ret = follow_all();

		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		ck_assert_str_eq(err.text + strlen(err.text) -
					 strlen(oom_hit ? "out of memory" : ""),
				 oom_hit ? "out of memory" : "");
	}
}
END_TEST

SUITE_MAIN_WITH("descendants", begin, end, each_descendant_once, nobody_has_descendants,
		processes_that_are_not_what_they_were, failures, out_of_memory)
