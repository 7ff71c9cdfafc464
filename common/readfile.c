// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/readfile.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"

#define READ_CHUNK 32768

ssize_t read_more(int fd, char_vec *text)
{
	ssize_t n = vec_reserve(text, READ_CHUNK + 1);

	if (!n)
		n = io_read(fd, text->data + text->nr, READ_CHUNK);
	if (n > 0)
		text->nr += n;
	return n;
}

int read_fd(int fd, size_t max, char_vec *text)
{
	ssize_t n;

	vec_clear(text);
	do {
		n = read_more(fd, text);
		if (n < 0)
			return n;
		if (text->nr > max)
			return -EFBIG;
	} while (n != 0);
	text->data[text->nr] = '\0';
	return 0;
}

int read_file(const char *path, size_t max, char_vec *text)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);

	return fd < 0 ? -errno : read_fd(fd, max, text);
}
