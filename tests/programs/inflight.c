// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * inflight: has as many descriptors on their way as the kernel lets its user have, says how many,
 * and waits. Processes of that user can send none then (ETOOMANYREFS, unix(7)).
 */
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#define FDS 250 /* of a message; the kernel's limit is 253 */

int main(void)
{
	union {
		struct cmsghdr header;
		char bytes[CMSG_SPACE(FDS * sizeof(int))];
	} control;
	struct iovec iov = {.iov_base = "", .iov_len = 1};
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = sizeof(control)};
	int fds[FDS], pair[2], nr = 0, fd = open("/dev/null", O_RDONLY);
	struct rlimit limit;

	getrlimit(RLIMIT_NOFILE, &limit);
	limit.rlim_cur = limit.rlim_max;
	setrlimit(RLIMIT_NOFILE, &limit);
	for (int i = 0; i < FDS; i++)
		fds[i] = fd;
	control.header = (struct cmsghdr){.cmsg_len = CMSG_LEN(sizeof(fds)),
					  .cmsg_level = SOL_SOCKET,
					  .cmsg_type = SCM_RIGHTS};
	memcpy(CMSG_DATA(&control.header), fds, sizeof(fds));
	do {
		if (socketpair(AF_UNIX, SOCK_DGRAM, 0, pair))
			err(1, "socketpair");
		while (sendmsg(pair[0], &message, MSG_DONTWAIT) > 0)
			nr += FDS;
	} while (errno == EAGAIN);
	if (errno != ETOOMANYREFS)
		err(1, "sendmsg");
	printf("%d\n", nr);
	fflush(stdout);
	pause();
	return 0;
}
