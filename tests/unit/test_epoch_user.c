// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/unit/epoch_helper.h"
#include "tests/unit/suite.h"

#define START 0x400000

/* Maps a file without a build-id at @start, as the program of @pid. */
static void map_identity(uint32_t pid, const char *path, const struct file_identity *identity,
			 uint64_t start)
{
	struct mapping mapping = {.start = start, .end = start + PAGE};
	const struct mapped_file_key key = {.path = path, .identity = *identity};

	ck_assert_int_eq(mapped_files_get(&w.spaces.files, &key, &mapping.file), 0);
	ck_assert_int_eq(address_spaces_map(&w.spaces, pid, 10, &mapping), 0);
	add_user(pid, 20, FRAMES(start + 0x40));
}

static struct file_identity version(uint64_t nr)
{
	return (struct file_identity){.is_stat = true,
				      .dev = 1,
				      .inode = 2,
				      .size = 3 + nr,
				      .mtime_ns = 4,
				      .ctime_ns = 5};
}

static uint32_t object_of_row(uint32_t row)
{
	expect_user(row, FRAMES(START + 0x40));
	return user_frame(row, 0)->object;
}

START_TEST(files_of_one_path)
{
	const struct file_identity one = version(1), two = version(2);
	uint32_t first, second;

	map_identity(PID_A, "/bin/app", &one, START);
	map_identity(PID_B, "/bin/app", &two, START);
	map_identity(PID_B + 1, "/bin/app", &one, START);
	finish_epoch();
	first = object_of_row(0);
	second = object_of_row(1);
	ck_assert_uint_ne(first, second);
	ck_assert_uint_eq(object_of_row(2), first);
	ck_assert_uint_ne(t.objects[first].instance, t.objects[second].instance);
	ck_assert_uint_eq(t.nr_file_infos, 2);
	ck_assert_uint_eq(t.file_infos[0].object, first);
	ck_assert_uint_eq(t.file_infos[0].inode, 2);
	ck_assert_uint_eq(t.file_infos[0].size, 4);
	ck_assert_int_eq(t.file_infos[0].mtime_ns, 4);
	ck_assert_int_eq(t.file_infos[0].ctime_ns, 5);
	ck_assert_uint_eq(t.file_infos[1].object, second);
	ck_assert_uint_eq(t.file_infos[1].size, 5);
}
END_TEST

/* One process maps one file at many distances, each twice. */
START_TEST(many_distances_of_one_file)
{
	enum { NR = 3000 };

	for (uint64_t i = 0; i < NR; i++)
		map_file(PID_A, 10, "/bin/app", &id_app, START + 4 * i * PAGE, PAGE, i % 2 * PAGE);
	for (uint64_t i = 0; i < 2 * NR; i++)
		add_user(PID_A, 20, FRAMES(START + 4 * (i % NR) * PAGE + 0x40));
	finish_epoch();
	ck_assert_uint_eq(t.nr_mappings, NR);
	ck_assert_uint_eq(t.nr_objects, 1 + NR);
	for (uint32_t i = 0; i < NR; i++)
		expect_user(i, FRAMES(START + 4 * i * PAGE + 0x40));
}
END_TEST

/* More files of one path than instances that are tried. */
START_TEST(many_files_of_one_path)
{
	enum { NR = 300 };

	for (uint32_t i = 0; i < NR; i++) {
		const struct file_identity identity = version(i);

		map_identity(PID_A + i, "/bin/app", &identity, START);
	}
	finish_epoch();
	ck_assert_uint_eq(t.nr_file_infos, NR);
	for (uint32_t i = 0; i < NR; i++)
		ck_assert_uint_eq(t.file_infos[i].size, 3 + i);
	for (uint32_t i = 0; i < NR; i++)
		for (uint32_t k = 0; k < i; k++)
			ck_assert_uint_ne(t.objects[object_of_row(i)].instance,
					  t.objects[object_of_row(k)].instance);
}
END_TEST

/* One process maps two files of a path, and one of them at two distances. */
START_TEST(files_and_distances)
{
	const struct file_identity one = version(1), two = version(2);

	map_identity(PID_A, "/lib/l.so", &one, 0x10000);
	map_identity(PID_A, "/lib/l.so", &two, 0x20000);
	map_identity(PID_A, "/lib/l.so", &one, 0x30000);
	finish_epoch();
	ck_assert_uint_eq(t.nr_objects, 4);
	ck_assert_uint_eq(t.nr_file_infos, 3);
	for (uint32_t i = 0; i < 3; i++)
		expect_user(i, FRAMES(0x10000 * (i + 1) + 0x40));
	ck_assert_uint_ne(t.objects[1].instance, t.objects[2].instance);
	ck_assert_uint_ne(t.objects[1].instance, t.objects[3].instance);
	ck_assert_uint_ne(t.objects[2].instance, t.objects[3].instance);
}
END_TEST

/*
 * The kernel gives no build-id for the vdso. It is that of the recorder, unless it is another one.
 */
START_TEST(the_vdso)
{
	static const struct {
		uint64_t start, size;
		bool is_ours;
	} cases[] = {
		{0x7ffe00000000, 2 * PAGE, true},
		{0x7ffe00000000, PAGE, false}, /* of another kernel's size */
		{0xf7f00000, 2 * PAGE, false}, /* of a process of 32 bits */
	};

	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		map_file(PID_A + i, 10, "[vdso]", NULL, cases[i].start, cases[i].size, 0);
		add_user(PID_A + i, 20, FRAMES(cases[i].start + 0x40));
	}
	finish_epoch();
	for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const struct prof_object *object = &t.objects[user_frame(i, 0)->object];

		ck_assert_int_eq(object->kind, PROF_OBJECT_VDSO);
		ck_assert_uint_eq(object->build_id_size, cases[i].is_ours ? 20 : 0);
		if (cases[i].is_ours)
			ck_assert_mem_eq(object->build_id, own_vdso.build_id.bytes, 20);
	}
}
END_TEST

/* Nobody looked at the files. They are two all the same. */
START_TEST(files_without_stat)
{
	const struct file_identity one = {.dev = 1, .inode = 2, .generation = 3};
	const struct file_identity two = {.dev = 1, .inode = 2, .generation = 4};

	map_identity(PID_A, "/bin/app", &one, START);
	map_identity(PID_B, "/bin/app", &two, START);
	finish_epoch();
	ck_assert_uint_ne(object_of_row(0), object_of_row(1));
	ck_assert_uint_eq(t.nr_file_infos, 0);
}
END_TEST

/* A deleted file grows while it is mapped, as files of memory do. It stays one object. */
START_TEST(deleted_files_have_no_times)
{
	const struct file_identity one = version(1), two = version(2);

	map_identity(PID_A, "/memfd:code (deleted)", &one, START);
	map_identity(PID_B, "/memfd:code (deleted)", &two, START);
	finish_epoch();
	ck_assert_uint_eq(object_of_row(0), object_of_row(1));
	ck_assert_uint_eq(t.nr_file_infos, 0);
}
END_TEST

static bool is_exact(const struct prof_frame *frame)
{
	for (uint32_t i = 0; i < t.nr_exact_frames; i++)
		if (&t.frames[t.exact_frames[i]] == frame)
			return true;
	return false;
}

/* A function that the leaf runs stands before it. A compiled one is the leaf. */
START_TEST(leaves_that_run_functions)
{
	const bool is_compiled[NR_LANGUAGES] = {
		[LANGUAGE_JAVA] = true, [LANGUAGE_BEAM] = true, [LANGUAGE_NODE] = true};

	map_file(PID_A, 10, "/bin/app", &id_app, START, PAGE, 0);
	for (uint64_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++) {
		const uint64_t word = LANGUAGE_WORD(i, 1, 0x5000), pc = START + 0x100 * i;
		const uint64_t frames[] = {word, word, pc, pc + 0x40, word, pc + 0x80};

		add_sample(&(struct sample){.pid = PID_A,
					    .comm = "comm",
					    .time_ns = 20,
					    .count = 1,
					    .user = frames,
					    .nr_user = ARRAY_SIZE(frames),
					    .end = STACK_END_ROOT});
	}
	add_user(PID_A, 20, FRAMES(START, START + 0x40));
	finish_epoch();
	for (uint32_t i = 0; i + 1 < NR_LANGUAGES; i++) {
		ck_assert_int_eq(is_exact(user_frame(i, 2)), !is_compiled[i + 1]);
		ck_assert(!is_exact(user_frame(i, 3)));
		ck_assert(!is_exact(user_frame(i, 5)));
	}
	ck_assert(!is_exact(user_frame(NR_LANGUAGES - 1, 0)));
	ck_assert(!is_exact(user_frame(NR_LANGUAGES - 1, 1)));
}
END_TEST

/* The stack of two frames, the first of them marked, that ends with @end. */
static void add_uncertain(enum stack_end end)
{
	const uint64_t frames[] = {START | STACK_FRAME_UNCERTAIN, START + 0x40};

	add_sample(&(struct sample){.pid = PID_A,
				    .comm = "comm",
				    .time_ns = 20,
				    .count = 1,
				    .user = frames,
				    .nr_user = ARRAY_SIZE(frames),
				    .end = end});
}

static uint32_t frames_of_row(uint32_t row)
{
	return t.stacks[t.counts[row].user_stack].nr_frames;
}

/* A mark stands between two frames where callers may be missing, and none after the last one. */
START_TEST(uncertain_steps)
{
	const uint64_t last[] = {START + 0x80, (START + 0xc0) | STACK_FRAME_MARKS};

	map_file(PID_A, 10, "/bin/app", &id_app, START, PAGE, 0);
	add_uncertain(STACK_END_NO_TABLE);
	add_sample(&(struct sample){.pid = PID_A,
				    .comm = "comm",
				    .time_ns = 20,
				    .count = 1,
				    .user = last,
				    .nr_user = ARRAY_SIZE(last),
				    .end = STACK_END_NO_TABLE});
	finish_epoch();
	ck_assert_uint_eq(frames_of_row(0), 3);
	ck_assert_uint_eq(user_frame(0, 0)->offset, 0);
	ck_assert_uint_ne(user_frame(0, 1)->object, user_frame(0, 0)->object);
	ck_assert_uint_eq(user_frame(0, 2)->offset, 0x40);
	ck_assert_uint_eq(frames_of_row(1), 2);
	ck_assert_uint_eq(user_frame(1, 1)->offset, 0xc0);
	ck_assert(is_exact(user_frame(1, 1)));
}
END_TEST

SUITE_MAIN_WITH("epoch_user", world_create, world_destroy, files_of_one_path,
		many_distances_of_one_file, many_files_of_one_path, files_and_distances, the_vdso,
		files_without_stat, deleted_files_have_no_times, leaves_that_run_functions,
		uncertain_steps)
