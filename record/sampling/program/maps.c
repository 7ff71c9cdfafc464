// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/program/maps.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <unistd.h>

/* -1 with errno set for a negative errno, else 0. */
static int result(int ret)
{
	if (ret >= 0)
		return 0;
	errno = -ret;
	return -1;
}

int map_update(int fd, const void *key, const void *value, uint64_t flags)
{
	struct memory_map *map = memory_map_of_fd(fd);

	return map ? result(memory_map_write(map, key, value, flags))
		   : bpf_map_update_elem(fd, key, value, flags);
}

int map_lookup(int fd, const void *key, void *value)
{
	const struct memory_map *map = memory_map_of_fd(fd);

	return map ? result(memory_map_read(map, key, value)) : bpf_map_lookup_elem(fd, key, value);
}

int map_delete(int fd, const void *key)
{
	struct memory_map *map = memory_map_of_fd(fd);

	return map ? result(memory_map_delete(map, key)) : bpf_map_delete_elem(fd, key);
}

int map_next_key(int fd, const void *key, void *next)
{
	const struct memory_map *map = memory_map_of_fd(fd);

	return map ? result(memory_map_next_key(map, key, next))
		   : bpf_map_get_next_key(fd, key, next);
}

int map_update_batch(int fd, const void *keys, const void *values, uint32_t *nr)
{
	LIBBPF_OPTS(bpf_map_batch_opts, opts);
	struct memory_map *map = memory_map_of_fd(fd);
	const char *key = keys, *value = values;

	if (!map)
		return bpf_map_update_batch(fd, keys, values, nr, &opts);
	for (uint32_t i = 0; i < *nr; i++) {
		int ret = memory_map_write(map, key + i * (size_t)map->shape.key_size,
					   value + i * (size_t)map->shape.value_size, BPF_ANY);

		if (ret)
			return result(ret);
	}
	return 0;
}

int map_create_inner(int outer, const char *name, uint32_t value_size)
{
	LIBBPF_OPTS(bpf_map_create_opts, opts, .map_flags = BPF_F_MMAPABLE);
	const struct map_shape shape = {.type = BPF_MAP_TYPE_ARRAY,
					.key_size = sizeof(uint32_t),
					.value_size = value_size,
					.max_entries = 1};

	if (memory_map_of_fd(outer))
		return memory_map_create(&shape);
	return bpf_map_create(shape.type, name, shape.key_size, shape.value_size, shape.max_entries,
			      &opts);
}

void map_close_inner(int fd)
{
	/* An array of maps has the map as long as the others are there. */
	if (!memory_map_of_fd(fd))
		close(fd);
}
