// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/placements.h"

#include <errno.h>

#include "tests/unit/heap.h"
#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define PAGE UINT64_C(0x1000)

static struct epoch_tables tables;
static struct placements placements;
static uint32_t path; /* of files */

static void begin(void)
{
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	ck_assert_int_eq(epoch_tables_string(&tables, "/bin/app", 8, &path), 0);
}

static void end(void)
{
	placements_deinit(&placements);
	epoch_tables_deinit(&tables);
}

static struct file_identity identity_of(uint64_t inode)
{
	return (struct file_identity){.inode = inode};
}

static uint32_t add_object(const struct prof_object *object, uint64_t inode)
{
	const struct file_identity identity = identity_of(inode);
	uint32_t id;

	ck_assert_int_eq(epoch_tables_object(&tables, object, &id), 0);
	epoch_tables_set_file(&tables, id, &identity);
	return id;
}

static struct prof_object file_object(uint32_t instance)
{
	return (struct prof_object){.kind = PROF_OBJECT_FILE, .path = path, .instance = instance};
}

static uint32_t instance_of(uint32_t process, const struct prof_object *object, uint64_t inode,
			    uint64_t distance)
{
	const struct file_identity identity = identity_of(inode);

	return placements_instance(&placements, &tables, process, object, &identity, distance);
}

/* Process @process maps the file at a distance: the object gets its instance, and its place. */
static uint32_t map(uint32_t process, uint64_t inode, uint64_t distance)
{
	struct prof_object object = file_object(0);
	struct placement placement = {
		.process = process, .start = distance, .size = PAGE, .distance = distance};

	object.instance = instance_of(process, &object, inode, distance);
	placement.object = add_object(&object, inode);
	ck_assert_int_eq(placements_add(&placements, &tables, &placement), 0);
	return object.instance;
}

START_TEST(distances_are_numbered_in_each_process)
{
	for (uint32_t process = 1; process <= 2; process++) {
		for (uint32_t i = 0; i < 5; i++)
			ck_assert_uint_eq(map(process, 1, i * PAGE), i);
		ck_assert_uint_eq(map(process, 1, 3 * PAGE), 3);
		ck_assert_uint_eq(map(process, 1, 7 * PAGE), 5);
	}
}
END_TEST

/* Nothing but the instance is the same in two files: kind, path, build-id and identity. */
START_TEST(files_by_all_that_is_known_of_them)
{
	struct prof_object other = file_object(0);

	ck_assert_uint_eq(map(1, 1, 0), 0);
	ck_assert_uint_eq(map(1, 1, PAGE), 1);
	ck_assert_uint_eq(instance_of(1, &other, 1, 2 * PAGE), 2);
	ck_assert_uint_eq(instance_of(1, &other, 1, PAGE), 1);
	ck_assert_uint_eq(instance_of(2, &other, 1, PAGE), 0);
	other.path++;
	ck_assert_uint_eq(instance_of(1, &other, 1, PAGE), 0);
	other = file_object(0);
	other.kind = PROF_OBJECT_ANON;
	ck_assert_uint_eq(instance_of(1, &other, 1, PAGE), 0);
	other = file_object(0);
	other.build_id_size = 2;
	other.build_id[0] = 1;
	ck_assert_uint_eq(instance_of(1, &other, 1, PAGE), 0);
	add_object(&other, 1);
	other.build_id[1] = 1;
	ck_assert_uint_eq(instance_of(1, &other, 1, PAGE), 0);
}
END_TEST

/* Another file of the path, in whatever process, has the first instances. */
START_TEST(instances_of_other_files_are_left_out)
{
	struct prof_object object = file_object(0);

	for (uint32_t i = 0; i < 3; i++)
		ck_assert_uint_eq(map(1, 1, i * PAGE), i);
	ck_assert_uint_eq(map(1, 2, 0), 3);
	ck_assert_uint_eq(map(2, 2, 0), 3);
	ck_assert_uint_eq(map(1, 1, 9 * PAGE), 4);
	ck_assert_uint_eq(map(1, 2, 9 * PAGE), 5);
	/* Whether the file was deleted meanwhile makes it no other one. */
	object.flags = PROF_OBJECT_DELETED;
	ck_assert_uint_eq(instance_of(3, &object, 1, 0), 0);
	ck_assert_uint_eq(instance_of(3, &object, 3, 0), 6);
	object.instance = 6;
	add_object(&object, 3);
	object.flags = 0;
	ck_assert_uint_eq(instance_of(3, &object, 4, 0), 7);
}
END_TEST

/* Where many files of a path take the instances, the next object's number is free. */
START_TEST(many_files_of_a_path)
{
	struct prof_object object = file_object(0);
	uint32_t nr = 0;

	while (instance_of(1, &object, 100 + nr, 0) == nr && nr < 1000) {
		object.instance = nr;
		add_object(&object, 100 + nr++);
	}
	ck_assert_uint_ge(nr, 16);
	ck_assert_uint_lt(nr, 1000);
	ck_assert_uint_eq(instance_of(1, &object, 100 + nr, 0), tables.objects.nr);
}
END_TEST

START_TEST(mappings_that_are_there)
{
	const struct placement there = {
		.process = 1, .object = 0, .start = 2 * PAGE, .size = PAGE, .distance = PAGE};
	struct placement other = there;

	ck_assert(!placements_has(&placements, &there));
	ck_assert_int_eq(placements_add(&placements, &tables, &there), 0);
	ck_assert(placements_has(&placements, &there));
	other.distance = 0;
	ck_assert(placements_has(&placements, &other));
	other.process++;
	ck_assert(!placements_has(&placements, &other));
	other = there;
	other.object++;
	ck_assert(!placements_has(&placements, &other));
	other = there;
	other.start++;
	ck_assert(!placements_has(&placements, &other));
	other = there;
	other.size++;
	ck_assert(!placements_has(&placements, &other));
	placements_clear(&placements);
	ck_assert(!placements_has(&placements, &there));
}
END_TEST

/* The next epoch counts anew. */
START_TEST(nothing_is_left)
{
	ck_assert_uint_eq(map(1, 1, 0), 0);
	ck_assert_uint_eq(map(1, 1, PAGE), 1);
	placements_clear(&placements);
	ck_assert_uint_eq(map(1, 1, PAGE), 0);
	ck_assert_uint_eq(map(1, 1, 5 * PAGE), 1);
	ck_assert_uint_eq(placements.placements.nr, 2);
	ck_assert_uint_eq(placements.files.nr, 1);
}
END_TEST

START_TEST(memory_runs_out)
{
	const struct placement placement = {.process = 1, .size = PAGE};

	oom_for_each_call(n)
	{
		ck_assert_int_eq(placements_add(&placements, &tables, &placement),
				 oom_hit ? -ENOMEM : 0);
		placements_deinit(&placements);
		placements = (struct placements){0};
	}
}
END_TEST

START_TEST(memory_is_released)
{
	end();
	heap_for_each_round(i)
	{
		placements = (struct placements){0};
		tables = (struct epoch_tables){0};
		begin();
		map(1, 1, 0);
		end();
	}
	ck_assert(!heap_has_grown());
	placements = (struct placements){0};
	tables = (struct epoch_tables){0};
}
END_TEST

SUITE_MAIN_WITH("placements", begin, end, distances_are_numbered_in_each_process,
		files_by_all_that_is_known_of_them, instances_of_other_files_are_left_out,
		many_files_of_a_path, mappings_that_are_there, nothing_is_left, memory_runs_out,
		memory_is_released)
