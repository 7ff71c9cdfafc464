// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/mapped_code.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/proc/proc_maps.h"
#include "record/proc/proc_path.h"

/* The kernel puts this after the path of a file that was deleted. */
#define DELETED " (deleted)"

/* A proc_map_fn. */
static int add_mapping(void *ctx, const struct proc_map *map)
{
	mapped_code_vec *code = ctx;
	struct mapped_code new = {.start = map->start, .end = map->end, .pgoff = map->pgoff};

	if (!map->executable || map->path[0] != '/')
		return 0;
	new.path = strdup(map->path);
	if (!new.path)
		return -ENOMEM;
	if (vec_push(code, new)) {
		free(new.path);
		return -ENOMEM;
	}
	return 0;
}

int mapped_code_read(uint32_t pid, mapped_code_vec *code)
{
	_cleanup_close_ int fd = -1;
	char_vec scratch = {0};
	char path[PROC_PATH_SIZE];
	int ret;

	proc_path(pid, "maps", path);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = proc_maps_read(fd, &scratch, add_mapping, code);
	vec_free(&scratch);
	return ret;
}

int mapped_code_open(uint32_t pid, const struct mapped_code *code)
{
	return proc_map_file_open(pid, proc_living_thread(pid), code->start, code->end,
				  O_RDONLY | O_NONBLOCK | O_NOCTTY);
}

void mapped_code_free(mapped_code_vec *code)
{
	vec_for_each(code, mapping)
		free(mapping->path);
	vec_free(code);
}

char *mapped_code_name(const char *path)
{
	const char *file = strrchr(path, '/');
	char *name = strdup(file ? file + 1 : path);
	char *deleted = name ? strstr(name, DELETED) : NULL;

	if (deleted)
		*deleted = '\0';
	return name;
}
