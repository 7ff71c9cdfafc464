// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/replaced_text.h"
#include "tests/unit/copied_image.h"
#include "tests/unit/suite.h"

static struct address_spaces spaces;
static struct look_budget looks;
static struct address_space *space;
static struct mapping text; /* where the file's was */

static void map_at(uint64_t time_ns, const struct mapping *mapping)
{
	ck_assert_int_eq(address_spaces_map(&spaces, getpid(), time_ns, mapping), 0);
}

/* The mapping of @path, with the build-id of this program if @is_own. */
static struct mapping mapping_of(const char *path, bool is_own)
{
	struct mapping m = text;
	struct build_id id = {0};
	struct mapped_file_key key = {.path = path, .build_id = &id};
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	if (is_own)
		ck_assert_int_eq(build_id_from_fd(fd, &id), 0);
	close(fd);
	m.pgoff = is_own ? image_offset((char *)m.start) : 0; /* NOLINT */
	ck_assert_int_eq(mapped_files_get(&spaces.files, &key, &m.file), 0);
	return m;
}

static void begin(void)
{
	struct mapping m;
	size_t bytes;

	image_begin();
	spaces = (struct address_spaces){0};
	look_budget_init(&looks, NULL);
	text.start = (uintptr_t)image_segment(image.text, &bytes);
	text.end = text.start + bytes;
	m = mapping_of("/program", true);
	map_at(10, &m);
	space = address_spaces_find(&spaces, getpid(), 10);
}

static void end(void)
{
	address_spaces_deinit(&spaces);
	look_budget_deinit(&looks);
	image_end();
}

static uint32_t find(void)
{
	return replaced_text_find(&spaces, space, text.start, text.end);
}

/* New memory takes the place of the text at @time_ns. Is it one of the file afterwards? */
static bool replace(uint64_t time_ns)
{
	const uint32_t number = find();
	struct mapping m = mapping_of("//anon", false);

	ck_assert_uint_ne(number, 0);
	ck_assert_int_eq(replaced_text_look(&spaces, &looks, space, number, &m), 0);
	map_at(time_ns, &m);
	ck_assert_uint_eq(find(), number);
	if (m.file == number - 1)
		ck_assert_uint_eq(m.pgoff, image_offset((char *)m.start)); /* NOLINT */
	return m.file == number - 1;
}

START_TEST(nothing_was_there)
{
	struct mapping anon = {.start = text.end, .end = text.end + image.page_bytes};
	const struct mapped_file_key key = {.path = "//anon"};

	ck_assert_uint_eq(replaced_text_find(&spaces, NULL, text.start, text.end), 0);
	ck_assert_uint_eq(replaced_text_find(&spaces, space, anon.start, anon.end), 0);
	ck_assert_int_eq(mapped_files_get(&spaces.files, &key, &anon.file), 0);
	map_at(20, &anon);
	ck_assert_uint_eq(replaced_text_find(&spaces, space, anon.start, anon.end), 0);
	ck_assert_uint_ne(replaced_text_find(&spaces, space, text.end - 1, anon.end), 0);
}
END_TEST

START_TEST(a_copy)
{
	image_copy_text(0, image_last_page());
	ck_assert(replace(20));
	/* What is known holds while no look is due. */
	space->next_look_ns = UINT64_MAX;
	ck_assert(replace(30));
	ck_assert_uint_eq(space->memory->live.nr, 1);
}
END_TEST

/* A later record, as of the end of its right to be written to, finds it. */
START_TEST(a_copy_that_is_not_written_yet)
{
	char *at = image_copy_text(0, image_last_page());
	char before = at[image_last_page() * image.page_bytes];

	at[image_last_page() * image.page_bytes] ^= 1;
	ck_assert(!replace(20));
	ck_assert_uint_gt(space->next_look_ns, 0);
	at[image_last_page() * image.page_bytes] = before;
	space->next_look_ns = UINT64_MAX;
	ck_assert(!replace(30));
	space->next_look_ns = 0;
	ck_assert(replace(40));
	at[image_last_page() * image.page_bytes] ^= 1;
	space->next_look_ns = 0;
	ck_assert(!replace(50));
}
END_TEST

/* The process may run another program by the time of the look. */
START_TEST(a_copy_of_another_file)
{
	struct mapping m = mapping_of("/other", false);

	map_at(15, &m);
	image_copy_text(0, image_last_page());
	ck_assert(!replace(20));
}
END_TEST

/* The file stays known as long as the mapping. */
START_TEST(files_with_new_numbers)
{
	bool used[8] = {0};
	uint32_t moved[8];
	uint32_t number;

	image_copy_text(0, 0);
	ck_assert(!replace(20)); /* the rest of it is no code */
	mapped_memory_forget(space->memory, 30);
	number = find();
	for (uint32_t i = 0; i < 8; i++)
		moved[i] = 7 - i;
	mapped_memory_mark_files(space->memory, used);
	ck_assert(used[number - 1]);
	mapped_memory_move_files(space->memory, moved);
	ck_assert_uint_eq(find(), 7 - (number - 1) + 1);
}
END_TEST

SUITE_MAIN_WITH("replaced_text", begin, end, nothing_was_there, a_copy,
		a_copy_that_is_not_written_yet, a_copy_of_another_file, files_with_new_numbers)
