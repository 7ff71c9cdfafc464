// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/children/fd_message.h"

#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include "common/cleanup.h"

union control {
	struct cmsghdr header;
	char room[CMSG_SPACE(sizeof(int))];
};

int fd_message_send(int sock, const void *buf, size_t len, int fd)
{
	union control control = {0};
	struct iovec iov = {.iov_base = (void *)buf, .iov_len = len};
	struct msghdr message = {.msg_iov = &iov, .msg_iovlen = 1};
	ssize_t n;

	if (fd >= 0) {
		control.header.cmsg_level = SOL_SOCKET;
		control.header.cmsg_type = SCM_RIGHTS;
		control.header.cmsg_len = CMSG_LEN(sizeof(int));
		memcpy(CMSG_DATA(&control.header), &fd, sizeof(fd));
		message.msg_control = &control;
		message.msg_controllen = CMSG_LEN(sizeof(int));
	}
	do
		n = sendmsg(sock, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : 0;
}

/* @flags are those of recvmsg(2). */
static int receive_message(int sock, void *buf, size_t *len, int *fd, int flags)
{
	union control control;
	struct iovec iov = {.iov_base = buf, .iov_len = *len};
	/* Room for one descriptor. The kernel closes any others that somebody sends. */
	struct msghdr message = {.msg_iov = &iov,
				 .msg_iovlen = 1,
				 .msg_control = &control,
				 .msg_controllen = CMSG_LEN(sizeof(int))};
	_cleanup_close_ int received = -1;
	const struct cmsghdr *header;
	ssize_t n;

	do
		n = recvmsg(sock, &message, MSG_CMSG_CLOEXEC | flags);
	while (n < 0 && errno == EINTR);
	if (n < 0)
		return -errno;
	header = CMSG_FIRSTHDR(&message);
	if (header && header->cmsg_level == SOL_SOCKET && header->cmsg_type == SCM_RIGHTS &&
	    header->cmsg_len == CMSG_LEN(sizeof(int)))
		memcpy(&received, CMSG_DATA(header), sizeof(received));
	if (!n)
		return -ENOTCONN;
	if (message.msg_flags & MSG_TRUNC)
		return -EBADMSG;
	*len = n;
	*fd = TAKE_FD(received);
	return 0;
}

int fd_message_receive_some(int sock, void *buf, size_t *len, int *fd)
{
	return receive_message(sock, buf, len, fd, 0);
}

static int receive_whole(int sock, void *buf, size_t len, int *fd, int flags)
{
	_cleanup_close_ int received = -1;
	size_t got = len;
	int ret = receive_message(sock, buf, &got, &received, flags);

	if (ret)
		return ret;
	if (got != len)
		return -EBADMSG;
	*fd = TAKE_FD(received);
	return 0;
}

int fd_message_receive(int sock, void *buf, size_t len, int *fd)
{
	return receive_whole(sock, buf, len, fd, 0);
}

int fd_message_receive_now(int sock, void *buf, size_t len, int *fd)
{
	return receive_whole(sock, buf, len, fd, MSG_DONTWAIT);
}
