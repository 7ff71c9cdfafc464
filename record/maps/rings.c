// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/maps/rings.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <sys/eventfd.h>

#include "common/cleanup.h"
#include "common/vec.h"
#include "record/maps/memory_map.h"

struct own_ring {
	struct memory_map *map;
	rings_fn take;
	void *ctx;
};

struct rings {
	struct ring_buffer *kernel; /* NULL: they are the recorder's own */
	VEC(struct own_ring) own;
	int fd; /* of the own ones */
};

int rings_create(struct rings **rings)
{
	struct rings *created = calloc(1, sizeof(*created));

	if (!created)
		return -ENOMEM;
	created->fd = -1;
	*rings = created;
	return 0;
}

void rings_destroy(struct rings *rings)
{
	if (!rings)
		return;
	ring_buffer__free(rings->kernel);
	vec_for_each(&rings->own, ring)
		ring->map->wake_fd = -1;
	vec_free(&rings->own);
	cleanup_close(&rings->fd);
	free(rings);
}

static int add_own(struct rings *rings, struct memory_map *map, rings_fn take, void *ctx)
{
	if (rings->fd < 0)
		rings->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK | EFD_SEMAPHORE);
	if (rings->fd < 0)
		return -errno;
	map->wake_fd = rings->fd;
	return vec_push(&rings->own, ((struct own_ring){map, take, ctx}));
}

int rings_add(struct rings *rings, int fd, rings_fn take, void *ctx)
{
	struct memory_map *map = memory_map_of_fd(fd);

	if (map)
		return add_own(rings, map, take, ctx);
	if (rings->kernel)
		return ring_buffer__add(rings->kernel, fd, take, ctx);
	rings->kernel = ring_buffer__new(fd, take, ctx, NULL);
	return rings->kernel ? 0 : -errno;
}

int rings_consume(struct rings *rings)
{
	int ret = rings->kernel ? ring_buffer__consume(rings->kernel) : 0;

	vec_for_each(&rings->own, ring)
		if (ret >= 0)
			ret = memory_ring_consume(ring->map, ring->take, ring->ctx);
	return ret < 0 ? ret : 0;
}

int rings_fd(const struct rings *rings)
{
	return rings->kernel ? ring_buffer__epoll_fd(rings->kernel) : rings->fd;
}
