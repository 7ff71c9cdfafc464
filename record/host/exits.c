// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/exits.h"

#include <errno.h>
#include <poll.h>
#include <sys/syscall.h>
#include <unistd.h>

static void close_all(struct exits *exits)
{
	vec_for_each(&exits->pidfds, fd)
		close(*fd);
	vec_clear(&exits->pidfds);
}

int exits_init(struct exits *exits, const u32_vec *pids)
{
	for (size_t i = 0; i < pids->nr; i++) {
		int fd = syscall(SYS_pidfd_open, pids->data[i], 0);

		/* It has ended since its id was looked at. */
		if (fd < 0 && errno == ESRCH)
			continue;
		if (fd < 0) {
			close_all(exits);
			return 0;
		}
		if (vec_push(&exits->pidfds, fd)) {
			close(fd);
			return -ENOMEM;
		}
	}
	exits->nr = pids->nr;
	return 0;
}

bool exits_are_over(struct exits *exits)
{
	size_t nr = 0;

	for (size_t i = 0; i < exits->pidfds.nr; i++) {
		struct pollfd pfd = {.fd = exits->pidfds.data[i], .events = POLLIN};

		if (poll(&pfd, 1, 0) > 0)
			close(pfd.fd);
		else
			exits->pidfds.data[nr++] = pfd.fd;
	}
	exits->pidfds.nr = nr;
	return exits->nr && !nr;
}

void exits_deinit(struct exits *exits)
{
	close_all(exits);
	vec_free(&exits->pidfds);
}
