// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/program/memory_map.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "record/sampling/program/maps.h"
#include "tests/unit/heap.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

static void begin(void)
{
	memory_maps_set_cpus(3);
}

static void end(void)
{
	memory_maps_close();
	memory_map_cpu = 0;
}

static struct memory_map *make(enum bpf_map_type type, uint32_t value_size, uint32_t max_entries)
{
	const struct map_shape shape = {type, sizeof(uint32_t), value_size, max_entries};
	int fd = memory_map_create(&shape);

	ck_assert_int_ge(fd, 0);
	return memory_map_of_fd(fd);
}

START_TEST(an_array)
{
	struct memory_map *map = make(BPF_MAP_TYPE_ARRAY, 12, 4);
	uint32_t at = 3, value[3] = {1, 2, 3}, got[3];
	const char *mapped;

	ck_assert_int_eq(map_update(map->fd, &at, value, BPF_ANY), 0);
	ck_assert_mem_eq(memory_map_lookup(map, &at), value, sizeof(value));
	ck_assert_int_eq(map_lookup(map->fd, &at, got), 0);
	ck_assert_mem_eq(got, value, sizeof(value));
	/* As the kernel does: elements are rounded up to words, and can be mapped. */
	mapped = mmap(NULL, 4096, PROT_READ, MAP_SHARED, map->fd, 0);
	ck_assert_ptr_ne(mapped, MAP_FAILED);
	ck_assert_mem_eq(mapped + (size_t)3 * 16, value, sizeof(value));
	munmap((void *)(uintptr_t)mapped, 4096);
	at = 4;
	ck_assert_ptr_null(memory_map_lookup(map, &at));
	ck_assert_int_eq(map_update(map->fd, &at, value, BPF_ANY), -1);
	ck_assert_int_eq(errno, E2BIG);
}
END_TEST

START_TEST(an_array_for_each_cpu)
{
	struct memory_map *map = make(BPF_MAP_TYPE_PERCPU_ARRAY, 4, 2);
	uint32_t at = 1;
	uint64_t all[3];

	for (memory_map_cpu = 0; memory_map_cpu < 3; memory_map_cpu++)
		*(uint32_t *)memory_map_lookup(map, &at) = 10 + memory_map_cpu;
	ck_assert_int_eq(map_lookup(map->fd, &at, all), 0);
	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq((uint32_t)all[i], 10 + i);
	memset(all, 0, sizeof(all));
	ck_assert_int_eq(map_update(map->fd, &at, all, BPF_ANY), 0);
	memory_map_cpu = 2;
	ck_assert_uint_eq(*(uint32_t *)memory_map_lookup(map, &at), 0);
}
END_TEST

START_TEST(flags_of_a_hash)
{
	struct memory_map *map = make(BPF_MAP_TYPE_HASH, 8, 1);
	uint32_t key = 7, other = 8;
	uint64_t value = 1;

	ck_assert_int_eq(memory_map_update(map, &key, &value, BPF_EXIST), -ENOENT);
	ck_assert_int_eq(memory_map_update(map, &key, &value, BPF_NOEXIST), 0);
	ck_assert_int_eq(memory_map_update(map, &key, &value, BPF_NOEXIST), -EEXIST);
	ck_assert_int_eq(memory_map_update(map, &key, &value, BPF_EXIST), 0);
	ck_assert_int_eq(memory_map_update(map, &other, &value, BPF_ANY), -E2BIG);
	ck_assert_int_eq(memory_map_delete(map, &other), -ENOENT);
	ck_assert_int_eq(memory_map_delete(map, &key), 0);
	ck_assert_ptr_null(memory_map_lookup(map, &key));
}
END_TEST

#define NR_KEYS 512

/* A hash against an array of what should be there, by many random steps. */
START_TEST(a_hash_at_random)
{
	struct memory_map *map = make(BPF_MAP_TYPE_HASH, 8, NR_KEYS / 2);
	uint64_t truth[NR_KEYS] = {0};
	uint32_t nr = 0, nr_seen = 0, key, *last = NULL;
	struct random random = {.state = 4711};

	for (int i = 0; i < 200000; i++) {
		uint64_t *found, value = i + 1;
		int ret;

		key = random_below(&random, NR_KEYS);
		found = memory_map_lookup(map, &key);
		ck_assert_uint_eq(found ? *found : 0, truth[key]);
		if (random_below(&random, 2)) {
			ret = memory_map_update(map, &key, &value, BPF_ANY);
			ck_assert_int_eq(ret, truth[key] || nr < NR_KEYS / 2 ? 0 : -E2BIG);
			nr += !ret && !truth[key];
			truth[key] = ret ? truth[key] : value;
		} else {
			ret = memory_map_delete(map, &key);
			ck_assert_int_eq(ret, truth[key] ? 0 : -ENOENT);
			nr -= !ret;
			truth[key] = 0;
		}
	}
	while (!memory_map_next_key(map, last, &key)) {
		ck_assert_uint_lt(key, NR_KEYS);
		ck_assert_uint_ne(truth[key], 0);
		nr_seen++;
		last = &key;
	}
	ck_assert_uint_eq(nr_seen, nr);
}
END_TEST

START_TEST(an_array_of_maps)
{
	struct memory_map *outer = make(BPF_MAP_TYPE_ARRAY_OF_MAPS, sizeof(uint32_t), 2);
	int fd = map_create_inner(outer->fd, "inner", 64);
	uint32_t at = 1;

	ck_assert_ptr_null(memory_map_lookup(outer, &at));
	ck_assert_int_eq(map_update(outer->fd, &at, &fd, BPF_ANY), 0);
	ck_assert_ptr_eq(memory_map_lookup(outer, &at), memory_map_of_fd(fd));
	map_close_inner(fd);
	ck_assert_ptr_nonnull(memory_map_of_fd(fd));
}
END_TEST

/* Adds up the records, which are numbers. */
static int add(void *ctx, void *record, size_t bytes)
{
	uint64_t number;

	ck_assert_uint_eq(bytes, sizeof(number));
	memcpy(&number, record, sizeof(number));
	*(uint64_t *)ctx += number;
	return number == 13 ? -EIO : 0;
}

START_TEST(a_ring)
{
	struct memory_map *ring = make(BPF_MAP_TYPE_RINGBUF, 0, 4096);
	uint64_t sum = 0, nr = 0, *record;

	while ((record = memory_ring_reserve(ring, sizeof(*record)))) {
		*record = 1;
		/* Every other one is thrown away. */
		if (nr++ % 2)
			memory_ring_discard(ring);
		else
			memory_ring_submit(ring);
	}
	ck_assert_int_eq(memory_ring_consume(ring, add, &sum), 0);
	ck_assert_uint_eq(sum, 4096 / 16);
	ck_assert_int_eq(memory_ring_consume(ring, add, &sum), 0);
	ck_assert_uint_eq(sum, 4096 / 16);
	record = memory_ring_reserve(ring, sizeof(*record));
	*record = 13;
	memory_ring_submit(ring);
	ck_assert_int_eq(memory_ring_consume(ring, add, &sum), -EIO);
	ck_assert_ptr_null(memory_ring_reserve(ring, 5000));
}
END_TEST

/* Elements have room to a whole word, but what is read has the size of a value. */
START_TEST(values_that_are_no_whole_words)
{
	static const enum bpf_map_type types[] = {BPF_MAP_TYPE_ARRAY, BPF_MAP_TYPE_HASH};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct memory_map *map = make(types[i], 12, 4);
		uint32_t at = 1, value[4] = {1, 2, 3, 4}, got[4] = {0, 0, 0, 77};

		ck_assert_int_eq(map_update(map->fd, &at, value, BPF_ANY), 0);
		ck_assert_int_eq(map_lookup(map->fd, &at, got), 0);
		ck_assert_mem_eq(got, value, 12);
		ck_assert_uint_eq(got[3], 77);
	}
}
END_TEST

/* Elements before the first that has no room are there. */
START_TEST(batches)
{
	static const uint32_t keys[] = {1, 2, 3};
	static const uint64_t values[] = {10, 20, 30}, others[] = {11, 21, 31};
	const struct map_shape shape = {BPF_MAP_TYPE_HASH, sizeof(keys[0]), sizeof(values[0]), 2};
	int fd = memory_map_create(&shape);
	uint32_t nr = 3, next;
	uint64_t got;

	ck_assert_int_eq(map_update_batch(fd, keys, values, &nr), -1);
	ck_assert_int_eq(errno, E2BIG);
	nr = 1;
	ck_assert_int_eq(map_update_batch(fd, keys, others, &nr), 0);
	ck_assert_int_eq(map_lookup(fd, &keys[0], &got), 0);
	ck_assert_uint_eq(got, 11);
	ck_assert_int_eq(map_lookup(fd, &keys[1], &got), 0);
	ck_assert_uint_eq(got, 20);
	ck_assert_int_eq(map_lookup(fd, &keys[2], &got), -1);
	ck_assert_int_eq(errno, ENOENT);
	/* What is deleted makes room, and is no key any more. */
	ck_assert_int_eq(map_delete(fd, &keys[0]), 0);
	ck_assert_int_eq(map_delete(fd, &keys[0]), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(map_next_key(fd, NULL, &next), 0);
	ck_assert_uint_eq(next, 2);
	ck_assert_int_eq(map_next_key(fd, &next, &next), -1);
	ck_assert_int_eq(errno, ENOENT);
	ck_assert_int_eq(map_update(fd, &keys[2], &values[2], BPF_ANY), 0);
}
END_TEST

START_TEST(what_an_array_refuses)
{
	struct memory_map *map = make(BPF_MAP_TYPE_ARRAY, 8, 4);
	struct memory_map *outer = make(BPF_MAP_TYPE_ARRAY_OF_MAPS, 4, 2);
	uint32_t at = 1, next;
	int no_map = -1;

	ck_assert_int_eq(map_delete(map->fd, &at), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(map_next_key(map->fd, NULL, &next), -1);
	ck_assert_int_eq(errno, EINVAL);
	ck_assert_int_eq(map_update(outer->fd, &at, &no_map, BPF_ANY), -1);
	ck_assert_int_eq(errno, EBADF);
	at = 4;
	ck_assert_int_eq(memory_map_update(map, &at, &at, BPF_ANY), -E2BIG);
}
END_TEST

START_TEST(memory_is_released)
{
	heap_for_each_round(i)
	{
		const int hash = make(BPF_MAP_TYPE_HASH, 8, 64)->fd;
		const int array = make(BPF_MAP_TYPE_ARRAY, 8, 64)->fd;

		memory_maps_close();
		ck_assert_int_lt(fcntl(hash, F_GETFD), 0);
		ck_assert_int_lt(fcntl(array, F_GETFD), 0);
		ck_assert_ptr_null(memory_map_of_fd(array));
	}
	ck_assert(!heap_has_grown());
}
END_TEST

SUITE_MAIN_WITH("memory_map", begin, end, an_array, an_array_for_each_cpu, flags_of_a_hash,
		a_hash_at_random, an_array_of_maps, a_ring, values_that_are_no_whole_words, batches,
		what_an_array_refuses, memory_is_released)
