// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/io.h"

#include <errno.h>
#include <unistd.h>

ssize_t io_read(int fd, void *buf, size_t len)
{
	ssize_t n;

	do
		n = read(fd, buf, len);
	while (n < 0 && errno == EINTR);
	return n < 0 ? -errno : n;
}

int io_read_all(int fd, void *buf, size_t len)
{
	char *to = buf;

	while (len) {
		ssize_t n = io_read(fd, to, len);

		if (n <= 0)
			return n ? n : -ENODATA;
		to += n;
		len -= n;
	}
	return 0;
}

ssize_t io_pread(int fd, void *buf, size_t len, uint64_t off)
{
	char *to = buf;

	while (len) {
		ssize_t n = pread(fd, to, len, (off_t)off);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (!n)
			break;
		to += n;
		off += n;
		len -= n;
	}
	return to - (char *)buf;
}

int io_write_all(int fd, const void *buf, size_t len)
{
	const char *from = buf;

	while (len) {
		ssize_t n = write(fd, from, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		from += n;
		len -= n;
	}
	return 0;
}
