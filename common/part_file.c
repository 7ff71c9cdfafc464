// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * In a container each writer may have the same process id. Then it finds the part files of writers
 * that somebody killed, and takes another name.
 */
#define PART_TRIES 100

int part_file_create(const char *path, int *fd, char **part)
{
	for (int i = 0; i < PART_TRIES; i++) {
		int n = i ? asprintf(part, "%s.%d.%d.part", path, getpid(), i)
			  : asprintf(part, "%s.%d.part", path, getpid());

		if (n < 0) {
			*part = NULL;
			return -ENOMEM;
		}
		*fd = open(*part, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			   PRIVATE_FILE_MODE);
		if (*fd >= 0)
			return 0;
		if (errno != EEXIST || i + 1 == PART_TRIES)
			break;
		free(*part);
	}
	return -errno;
}
