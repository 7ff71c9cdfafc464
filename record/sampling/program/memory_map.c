// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/program/memory_map.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/vec.h"

/* The kernel rounds elements up to words (kernel/bpf/arraymap.c, hashtab.c). */
#define WORD 8

uint32_t memory_map_cpu;
static uint32_t nr_cpus = 1;

/* All maps, for memory_map_of_fd. */
static VEC(struct memory_map *) all;

/* A record of a ring buffer begins with its size. */
struct ring_record {
	uint64_t bytes;
	char data[];
};

static uint32_t round_up(size_t bytes)
{
	return (bytes + WORD - 1) & ~(size_t)(WORD - 1);
}

static bool is_hash(const struct memory_map *map)
{
	return map->shape.type == BPF_MAP_TYPE_HASH;
}

static bool is_ring(const struct memory_map *map)
{
	return map->shape.type == BPF_MAP_TYPE_RINGBUF;
}

/* A hash keeps the key in front of the value. */
static uint32_t key_room(const struct memory_map *map)
{
	return is_hash(map) ? round_up(map->shape.key_size) : 0;
}

static int map_memory(struct memory_map *map)
{
	/* Pages that nobody touches take no memory. */
	map->fd = memfd_create("profrec-map", MFD_CLOEXEC);
	if (map->fd < 0 || ftruncate(map->fd, map->bytes))
		return -errno;
	map->memory = mmap(NULL, map->bytes, PROT_READ | PROT_WRITE, MAP_SHARED, map->fd, 0);
	if (map->memory == MAP_FAILED) {
		map->memory = NULL;
		return -errno;
	}
	/* Children of the recorder must not have it. */
	madvise(map->memory, map->bytes, MADV_DONTFORK);
	return 0;
}

static int alloc_slots(struct memory_map *map)
{
	uint32_t nr = map->shape.max_entries;

	for (map->nr_slots = 2; map->nr_slots < 2 * (uint64_t)nr;)
		map->nr_slots *= 2;
	map->slots = calloc(map->nr_slots, sizeof(*map->slots));
	map->free = malloc(nr * sizeof(*map->free));
	if (!map->slots || !map->free)
		return -ENOMEM;
	for (uint32_t i = 0; i < nr; i++)
		map->free[i] = nr - 1 - i;
	return 0;
}

static void release(struct memory_map *map)
{
	if (map->memory)
		munmap(map->memory, map->bytes);
	cleanup_close(&map->fd);
	free(map->slots);
	free(map->free);
	free(map);
}

int memory_map_create(const struct map_shape *shape)
{
	struct memory_map *map = calloc(1, sizeof(*map));
	int ret;

	if (!map)
		return -ENOMEM;
	map->self = map;
	map->shape = *shape;
	map->fd = map->wake_fd = -1;
	map->nr_cpus = shape->type == BPF_MAP_TYPE_PERCPU_ARRAY ? nr_cpus : 1;
	map->stride = key_room(map) + round_up(shape->value_size);
	if (shape->type == BPF_MAP_TYPE_ARRAY_OF_MAPS)
		map->stride = sizeof(struct memory_map *);
	map->bytes = is_ring(map) ? shape->max_entries
				  : (size_t)map->stride * shape->max_entries * map->nr_cpus;
	if (!map->bytes)
		map->bytes = WORD;
	ret = map_memory(map);
	if (!ret && is_hash(map))
		ret = alloc_slots(map);
	if (!ret)
		ret = vec_push(&all, map);
	if (ret) {
		release(map);
		return ret;
	}
	return map->fd;
}

struct memory_map *memory_map_of_fd(int fd)
{
	vec_for_each(&all, map)
		if ((*map)->fd == fd)
			return *map;
	return NULL;
}

void memory_maps_set_cpus(uint32_t nr)
{
	nr_cpus = nr;
}

void memory_maps_close(void)
{
	vec_for_each(&all, map)
		release(*map);
	vec_free(&all);
}

static uint64_t hash_key(const struct memory_map *map, const void *key)
{
	return hash_bytes(key, map->shape.key_size, 0);
}

static char *element(const struct memory_map *map, uint32_t nr)
{
	return map->memory + (size_t)nr * map->stride;
}

/* The slot of @key, or the free one where it would be. */
static uint32_t *find_slot(const struct memory_map *map, const void *key)
{
	uint32_t at = hash_key(map, key) & (map->nr_slots - 1);

	while (map->slots[at] && memcmp(element(map, map->slots[at] - 1), key, map->shape.key_size))
		at = (at + 1) & (map->nr_slots - 1);
	return &map->slots[at];
}

/* The element of an array for @key on CPU number @cpu, or NULL. */
static char *array_at(const struct memory_map *map, const void *key, uint32_t cpu)
{
	uint32_t at;

	memcpy(&at, key, sizeof(at));
	return at < map->shape.max_entries && cpu < map->nr_cpus
		       ? element(map, at * map->nr_cpus + cpu)
		       : NULL;
}

void *memory_map_lookup(const struct memory_map *map, const void *key)
{
	char *found;

	if (is_hash(map)) {
		uint32_t slot = *find_slot(map, key);

		return slot ? element(map, slot - 1) + key_room(map) : NULL;
	}
	found = array_at(map, key, map->nr_cpus > 1 ? memory_map_cpu : 0);
	if (found && map->shape.type == BPF_MAP_TYPE_ARRAY_OF_MAPS)
		return *(struct memory_map **)found;
	return found;
}

static int update_hash(struct memory_map *map, const void *key, const void *value, uint64_t flags)
{
	uint32_t *slot = find_slot(map, key);

	if (*slot && flags == BPF_NOEXIST)
		return -EEXIST;
	if (!*slot && flags == BPF_EXIST)
		return -ENOENT;
	if (!*slot) {
		if (map->nr == map->shape.max_entries)
			return -E2BIG;
		map->nr++;
		*slot = map->free[map->shape.max_entries - map->nr] + 1;
		memcpy(element(map, *slot - 1), key, map->shape.key_size);
	}
	memcpy(element(map, *slot - 1) + key_room(map), value, map->shape.value_size);
	return 0;
}

int memory_map_update(struct memory_map *map, const void *key, const void *value, uint64_t flags)
{
	char *at;

	if (is_hash(map))
		return update_hash(map, key, value, flags);
	at = array_at(map, key, map->nr_cpus > 1 ? memory_map_cpu : 0);
	if (!at)
		return -E2BIG;
	memcpy(at, value, map->shape.value_size);
	return 0;
}

/* Moves elements whose search would pass the free slot @at, so that it finds them. */
static void close_gap(struct memory_map *map, uint32_t at)
{
	const uint32_t mask = map->nr_slots - 1;

	for (uint32_t next = (at + 1) & mask; map->slots[next]; next = (next + 1) & mask) {
		uint32_t home = hash_key(map, element(map, map->slots[next] - 1)) & mask;

		if (((next - home) & mask) < ((next - at) & mask))
			continue;
		map->slots[at] = map->slots[next];
		map->slots[next] = 0;
		at = next;
	}
}

int memory_map_delete(struct memory_map *map, const void *key)
{
	uint32_t *slot;

	if (!is_hash(map))
		return -EINVAL;
	slot = find_slot(map, key);
	if (!*slot)
		return -ENOENT;
	map->free[map->shape.max_entries - map->nr] = *slot - 1;
	map->nr--;
	*slot = 0;
	close_gap(map, slot - map->slots);
	return 0;
}

int memory_map_read(const struct memory_map *map, const void *key, void *value)
{
	const char *from = is_hash(map) ? memory_map_lookup(map, key) : array_at(map, key, 0);

	if (!from)
		return -ENOENT;
	memcpy(value, from,
	       map->nr_cpus > 1 ? (size_t)map->stride * map->nr_cpus : map->shape.value_size);
	return 0;
}

int memory_map_write(struct memory_map *map, const void *key, const void *value, uint64_t flags)
{
	char *at;

	if (is_hash(map))
		return update_hash(map, key, value, flags);
	at = array_at(map, key, 0);
	if (!at)
		return -E2BIG;
	if (map->shape.type == BPF_MAP_TYPE_ARRAY_OF_MAPS) {
		struct memory_map *inner;
		int fd;

		memcpy(&fd, value, sizeof(fd));
		inner = memory_map_of_fd(fd);
		if (!inner)
			return -EBADF;
		memcpy(at, &inner, sizeof(inner));
		return 0;
	}
	memcpy(at, value,
	       map->nr_cpus > 1 ? (size_t)map->stride * map->nr_cpus : map->shape.value_size);
	return 0;
}

int memory_map_next_key(const struct memory_map *map, const void *key, void *next)
{
	uint32_t at = 0;

	if (!is_hash(map))
		return -EINVAL;
	if (key) {
		const uint32_t *slot = find_slot(map, key);

		at = *slot ? slot - map->slots + 1 : 0;
	}
	while (at < map->nr_slots && !map->slots[at])
		at++;
	if (at == map->nr_slots)
		return -ENOENT;
	memcpy(next, element(map, map->slots[at] - 1), map->shape.key_size);
	return 0;
}

void *memory_ring_reserve(struct memory_map *ring, size_t bytes)
{
	struct ring_record *record = (struct ring_record *)(ring->memory + ring->end);
	size_t room = sizeof(*record) + round_up(bytes);

	if (ring->end + room > ring->bytes)
		return NULL;
	record->bytes = bytes;
	ring->reserved = room;
	return record->data;
}

void memory_ring_submit(struct memory_map *ring)
{
	if (!ring->end && ring->wake_fd >= 0)
		eventfd_write(ring->wake_fd, 1);
	ring->end += ring->reserved;
	ring->reserved = 0;
}

void memory_ring_discard(struct memory_map *ring)
{
	ring->reserved = 0;
}

int memory_ring_consume(struct memory_map *ring, int (*take)(void *ctx, void *record, size_t bytes),
			void *ctx)
{
	eventfd_t ignored;
	int ret = 0;

	for (size_t at = 0; !ret && at < ring->end;) {
		struct ring_record *record = (struct ring_record *)(ring->memory + at);

		ret = take(ctx, record->data, record->bytes);
		at += sizeof(*record) + round_up(record->bytes);
	}
	if (ring->end && ring->wake_fd >= 0)
		eventfd_read(ring->wake_fd, &ignored);
	ring->end = 0;
	return ret < 0 ? ret : 0;
}
