/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tells whether something was opened for good: finding it with O_PATH does not count. */
#ifndef TESTS_OPENS_H
#define TESTS_OPENS_H

#include <check.h>
#include <errno.h>
#include <stdbool.h>
#include <sys/inotify.h>
#include <unistd.h>

/* Watches @path from now on; the watch is for opens_seen to end. */
static inline int opens_watch(const char *path)
{
	int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_ge(inotify_add_watch(fd, path, IN_OPEN), 0);
	return fd;
}

/* Was it opened since opens_watch? Ends the watch. */
static inline bool opens_seen(int fd)
{
	struct inotify_event event;
	ssize_t n = read(fd, &event, sizeof(event));

	ck_assert(n > 0 || errno == EAGAIN);
	close(fd);
	return n > 0;
}

#endif
