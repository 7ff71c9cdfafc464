// SPDX-License-Identifier: GPL-2.0-or-later
/* Ring buffers of the recorder's own: those of the kernel need privileges. */
#include "record/sampling/program/rings.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>

#include "record/sampling/program/memory_map.h"
#include "tests/unit/heap.h"
#include "tests/unit/suite.h"

static struct rings *rings;
static struct memory_map *maps[2];
static uint64_t taken[16], nr_taken;
static int fails_at; /* the number of the record that is refused; 0: none */

static int take(void *ctx, void *record, size_t bytes)
{
	ck_assert_ptr_eq(ctx, taken);
	ck_assert_uint_eq(bytes, sizeof(taken[0]));
	memcpy(&taken[nr_taken++], record, sizeof(taken[0]));
	return nr_taken == (uint64_t)fails_at ? -EIO : 0;
}

static void begin(void)
{
	const struct map_shape shape = {.type = BPF_MAP_TYPE_RINGBUF, .max_entries = 4096};

	ck_assert_int_eq(rings_create(&rings), 0);
	for (size_t i = 0; i < 2; i++) {
		int fd = memory_map_create(&shape);

		maps[i] = memory_map_of_fd(fd);
		ck_assert_int_eq(rings_add(rings, fd, take, taken), 0);
	}
}

static void end(void)
{
	rings_destroy(rings);
	memory_maps_close();
}

static void put(size_t i, uint64_t value)
{
	uint64_t *record = memory_ring_reserve(maps[i], sizeof(value));

	ck_assert_ptr_nonnull(record);
	*record = value;
	memory_ring_submit(maps[i]);
}

static bool has_records(void)
{
	struct pollfd pfd = {.fd = rings_fd(rings), .events = POLLIN};

	return poll(&pfd, 1, 0);
}

START_TEST(records_come_ring_by_ring)
{
	ck_assert(!has_records());
	put(1, 20);
	put(0, 10);
	put(1, 21);
	ck_assert(has_records());
	ck_assert_int_eq(rings_consume(rings), 0);
	ck_assert_uint_eq(nr_taken, 3);
	ck_assert_uint_eq(taken[0], 10);
	ck_assert_uint_eq(taken[1], 20);
	ck_assert_uint_eq(taken[2], 21);
	ck_assert(!has_records());
	ck_assert_int_eq(rings_consume(rings), 0);
	ck_assert_uint_eq(nr_taken, 3);
}
END_TEST

/* What the others hold waits for the next time. */
START_TEST(a_record_that_is_refused)
{
	put(0, 10);
	put(0, 11);
	put(1, 20);
	fails_at = 1;
	ck_assert_int_eq(rings_consume(rings), -EIO);
	ck_assert_uint_eq(nr_taken, 1);
	ck_assert(has_records());
	ck_assert_int_eq(rings_consume(rings), 0);
	ck_assert_uint_eq(nr_taken, 2);
	ck_assert_uint_eq(taken[1], 20);
	ck_assert(!has_records());
}
END_TEST

/* The maps outlive the rings, and have nobody to wake then. */
START_TEST(rings_that_are_gone)
{
	int fd = rings_fd(rings);

	ck_assert_int_eq(fcntl(fd, F_GETFD), FD_CLOEXEC);
	rings_destroy(rings);
	ck_assert_int_lt(fcntl(fd, F_GETFD), 0);
	ck_assert_int_eq(maps[0]->wake_fd, -1);
	ck_assert_int_eq(maps[1]->wake_fd, -1);
	put(0, 10);
	rings = NULL;
	rings_destroy(NULL);
}
END_TEST

START_TEST(what_is_no_ring)
{
	ck_assert_int_lt(rings_add(rings, -1, take, taken), 0);
}
END_TEST

START_TEST(memory_is_released)
{
	heap_for_each_round(i)
	{
		end();
		begin();
	}
	ck_assert(!heap_has_grown());
}
END_TEST

SUITE_MAIN_WITH("rings", begin, end, records_come_ring_by_ring, a_record_that_is_refused,
		rings_that_are_gone, what_is_no_ring, memory_is_released)
