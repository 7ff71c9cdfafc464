// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/program/rings.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>

#include "common/cleanup.h"
#include "common/vec.h"
#include "record/sampling/program/memory_map.h"

struct own_ring {
	struct memory_map *map;
	rings_fn take;
	void *ctx;
};

/*
 * A buffer of the kernel. It has a ring_buffer of its own, because libbpf reads no other buffer of
 * a ring_buffer after the one whose reading is ended.
 */
struct kernel_ring {
	struct ring_buffer *buffer;
	rings_fn take;
	void *ctx;
	uint64_t size, taken; /* bytes, @taken by this call of rings_consume() */
	bool has_taken_all;   /* of what was there when the call began */
};

struct rings {
	VEC(struct kernel_ring *) kernel;
	VEC(struct own_ring) own;
	int fd; /* the epoll instance of the kernel's, or the eventfd of the own ones */
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

static void free_kernel_ring(struct kernel_ring *ring)
{
	ring_buffer__free(ring->buffer);
	free(ring);
}

void rings_destroy(struct rings *rings)
{
	if (!rings)
		return;
	vec_for_each(&rings->kernel, ring)
		free_kernel_ring(*ring);
	vec_free(&rings->kernel);
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

/*
 * A ring_buffer_sample_fn. Programs may write as fast as the recorder reads, so a call ends once it
 * has taken as much as the buffer holds.
 */
static int take_kernel(void *ctx, void *record, size_t bytes)
{
	struct kernel_ring *ring = ctx;
	int ret = ring->take(ring->ctx, record, bytes);

	ring->taken += bytes;
	ring->has_taken_all = ret >= 0 && ring->taken >= ring->size;
	return ring->has_taken_all ? -EAGAIN : ret;
}

static int open_kernel(struct rings *rings, struct kernel_ring *ring, int fd)
{
	struct epoll_event event = {.events = EPOLLIN};
	struct bpf_map_info info = {0};
	uint32_t size = sizeof(info);

	if (rings->fd < 0)
		rings->fd = epoll_create1(EPOLL_CLOEXEC);
	if (rings->fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return -errno;
	ring->size = info.max_entries;
	ring->buffer = ring_buffer__new(fd, take_kernel, ring, NULL);
	if (!ring->buffer ||
	    epoll_ctl(rings->fd, EPOLL_CTL_ADD, ring_buffer__epoll_fd(ring->buffer), &event))
		return -errno;
	return vec_push(&rings->kernel, ring);
}

static int add_kernel(struct rings *rings, int fd, rings_fn take, void *ctx)
{
	struct kernel_ring *ring = calloc(1, sizeof(*ring));
	int ret;

	if (!ring)
		return -ENOMEM;
	ring->take = take;
	ring->ctx = ctx;
	ret = open_kernel(rings, ring, fd);
	if (ret)
		free_kernel_ring(ring);
	return ret;
}

int rings_add(struct rings *rings, int fd, rings_fn take, void *ctx)
{
	struct memory_map *map = memory_map_of_fd(fd);

	return map ? add_own(rings, map, take, ctx) : add_kernel(rings, fd, take, ctx);
}

static int consume_kernel(struct kernel_ring *ring)
{
	int ret;

	ring->taken = 0;
	ring->has_taken_all = false;
	ret = ring_buffer__consume(ring->buffer);
	return ring->has_taken_all ? 0 : ret;
}

int rings_consume(struct rings *rings)
{
	int ret = 0;

	vec_for_each(&rings->kernel, ring)
		if (ret >= 0)
			ret = consume_kernel(*ring);
	vec_for_each(&rings->own, ring)
		if (ret >= 0)
			ret = memory_ring_consume(ring->map, ring->take, ring->ctx);
	return ret < 0 ? ret : 0;
}

int rings_fd(const struct rings *rings)
{
	return rings->fd;
}
