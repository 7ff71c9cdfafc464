// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_tables.h"

#include "tests/unit/suite.h"

static struct epoch_tables tables;
static struct prof_epoch epoch;

static void begin(void)
{
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
}

static void end(void)
{
	epoch_tables_deinit(&tables);
}

static uint32_t add_object(const char *path, uint32_t flags)
{
	struct prof_object object = {.kind = PROF_OBJECT_FILE, .flags = flags};
	uint32_t id;

	ck_assert_int_eq(epoch_tables_string(&tables, path, strlen(path), &object.path), 0);
	ck_assert_int_eq(epoch_tables_object(&tables, &object, &id), 0);
	return id;
}

static uint32_t add_process(uint64_t generation, const struct prof_mapping *mapping)
{
	const struct prof_process entry = {.pid = 7, .generation = generation};
	uint32_t id;

	ck_assert_int_eq(epoch_tables_process(&tables, &entry, &id), 0);
	ck_assert_int_eq(epoch_tables_mapping(&tables, id, mapping), 0);
	return id;
}

static void lay_out(void)
{
	ck_assert_int_eq(epoch_tables_lay_out(&tables, &epoch), 0);
}

/* Adds an element to each table. */
static void fill_tables(void)
{
	const uint32_t object = add_object("/bin/app", 0);
	const uint32_t process =
		add_process(5, &(struct prof_mapping){.start = 1, .object = object});
	struct prof_count row = {.count = 3, .process = process};
	uint32_t id;

	tables.name_parts.data[object] = 1;
	epoch_tables_set_file(&tables, object,
			      &(struct file_identity){.is_stat = true, .inode = 2});
	epoch_tables_set_language(&tables, object, &(struct prof_language){.name = 1});
	ck_assert_int_eq(epoch_tables_frame(&tables, object, 16, true, &id), 0);
	ck_assert_int_eq(epoch_tables_stack(&tables, &id, 1, PROF_STACK_COMPLETE, &row.user_stack),
			 0);
	ck_assert_int_eq(epoch_tables_count(&tables, &row, &id), 0);
	ck_assert_int_eq(epoch_tables_symbol(&tables, object, 8, 16, "name"), 0);
	ck_assert_int_eq(vec_push(&tables.process_infos, (struct prof_process_info){0}), 0);
	ck_assert_int_eq(vec_push(&tables.process_attributes, (struct prof_process_attribute){0}),
			 0);
	ck_assert_int_eq(vec_push(&tables.labels, (struct prof_label){0}), 0);
	ck_assert_int_eq(vec_push(&tables.label_sets, (struct prof_label_set){0}), 0);
	lay_out();
}

/* The string "", no object, the kernel and the empty stack are in every epoch. */
static void expect_elements(bool are_full)
{
	const uint32_t nr = are_full;
	const uint32_t beside_zero[] = {epoch.nr_objects, epoch.nr_processes, epoch.nr_stacks};
	const uint32_t all[] = {epoch.nr_mappings,
				epoch.nr_frames,
				epoch.nr_stack_frames,
				epoch.nr_counts,
				epoch.nr_symbols,
				epoch.nr_process_infos,
				epoch.nr_process_attributes,
				epoch.nr_labels,
				epoch.nr_label_sets,
				epoch.nr_file_infos,
				epoch.nr_languages,
				epoch.nr_name_sources,
				epoch.nr_exact_frames,
				tables.nr_mappings,
				tables.frame_is_exact.nr};

	ck_assert_uint_eq(epoch.nr_strings, 1 + 2 * nr); /* of the object and of the symbol */
	for (size_t i = 0; i < ARRAY_SIZE(beside_zero); i++)
		ck_assert_uint_eq(beside_zero[i], 1 + nr);
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		ck_assert_uint_eq(all[i], nr);
	ck_assert_uint_eq(tables.files.nr, 1 + nr);
	ck_assert_uint_eq(tables.named.nr, 1 + nr);
	ck_assert_uint_eq(tables.languages.nr, 1 + nr);
	ck_assert_uint_eq(tables.name_parts.nr, 1 + nr);
	ck_assert_uint_eq(tables.string_bytes.nr,
			  nr ? sizeof("") + sizeof("/bin/app") + sizeof("name") : sizeof(""));
}

START_TEST(a_reset_leaves_what_every_epoch_has)
{
	uint32_t id;

	for (int i = 0; i < 3; i++) {
		lay_out();
		expect_elements(false);
		ck_assert(!epoch_tables_find_process(&tables, 5, &id));
		fill_tables();
		expect_elements(true);
		ck_assert(epoch_tables_find_process(&tables, 5, &id));
		ck_assert_uint_eq(id, 1);
		ck_assert_uint_eq(epoch.counts[0].count, 3);
		ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	}
}
END_TEST

START_TEST(memory_is_released)
{
	static const struct epoch_tables none;

	fill_tables();
	epoch_tables_deinit(&tables);
	ck_assert_mem_eq(&tables, &none, sizeof(none));
}
END_TEST

START_TEST(a_long_string_is_cut)
{
	static char text[PROF_MAX_STRING_BYTES + 2];
	uint32_t longest, longer;

	memset(text, 'x', sizeof(text));
	ck_assert_int_eq(epoch_tables_string(&tables, text, PROF_MAX_STRING_BYTES, &longest), 0);
	ck_assert_int_eq(epoch_tables_string(&tables, text, PROF_MAX_STRING_BYTES + 1, &longer), 0);
	ck_assert_uint_eq(longer, longest);
	lay_out();
	ck_assert_uint_eq(epoch.strings[longest].len, PROF_MAX_STRING_BYTES);
	ck_assert_uint_eq(strlen(epoch.strings[longest].s), PROF_MAX_STRING_BYTES);
}
END_TEST

/* Objects that differ in one member each are told apart. */
START_TEST(objects_by_all_their_members)
{
	const struct prof_object objects[] = {
		{.kind = PROF_OBJECT_FILE},
		{.kind = PROF_OBJECT_ANON},
		{.kind = PROF_OBJECT_FILE, .path = 1},
		{.kind = PROF_OBJECT_FILE, .flags = PROF_OBJECT_DELETED},
		{.kind = PROF_OBJECT_FILE, .instance = 1},
		{.kind = PROF_OBJECT_FILE, .build_id_size = 2, .build_id = {1, 2}},
		{.kind = PROF_OBJECT_FILE, .build_id_size = 2, .build_id = {1, 3}},
		{.kind = PROF_OBJECT_FILE, .build_id_size = 1, .build_id = {1}},
	};
	uint32_t id;

	for (int twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < ARRAY_SIZE(objects); i++) {
			ck_assert_int_eq(epoch_tables_find_object(&tables, &objects[i], &id),
					 twice);
			ck_assert_int_eq(epoch_tables_object(&tables, &objects[i], &id), 0);
			ck_assert_uint_eq(id, 1 + i);
		}
}
END_TEST

/* Of an empty stack, an end that is known is worth telling. */
START_TEST(stacks_by_frames_and_end)
{
	static const struct {
		size_t nr;
		uint32_t frames[2];
		enum prof_stack_end end;
		uint32_t id;
	} cases[] = {
		{0, {0}, PROF_STACK_UNKNOWN, 0},     {0, {0}, PROF_STACK_COMPLETE, 1},
		{1, {5}, PROF_STACK_UNKNOWN, 2},     {1, {5}, PROF_STACK_COMPLETE, 3},
		{2, {5, 6}, PROF_STACK_COMPLETE, 4}, {2, {5, 7}, PROF_STACK_COMPLETE, 5},
		{1, {7}, PROF_STACK_COMPLETE, 6},
	};
	uint32_t id;

	for (int twice = 0; twice < 2; twice++)
		for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
			ck_assert_int_eq(epoch_tables_stack(&tables, cases[i].frames, cases[i].nr,
							    cases[i].end, &id),
					 0);
			ck_assert_uint_eq(id, cases[i].id);
		}
	ck_assert_uint_eq(tables.stack_frames.nr, 7);
}
END_TEST

START_TEST(frames_by_object_offset_and_mark)
{
	static const struct {
		uint32_t object;
		uint64_t offset;
		bool is_exact;
	} cases[] = {{0, 1, false}, {1, 1, false}, {1, 2, false}, {1, 2, true}, {2, 1, true}};
	uint32_t id;

	for (int twice = 0; twice < 2; twice++)
		for (uint32_t i = 0; i < ARRAY_SIZE(cases); i++) {
			ck_assert_int_eq(epoch_tables_frame(&tables, cases[i].object,
							    cases[i].offset, cases[i].is_exact,
							    &id),
					 0);
			ck_assert_uint_eq(id, i);
		}
	lay_out();
	ck_assert_uint_eq(epoch.nr_exact_frames, 2);
	ck_assert_uint_eq(epoch.exact_frames[0], 3);
	ck_assert_uint_eq(epoch.exact_frames[1], 4);
}
END_TEST

/* One symbol at one place grows; another name or another place is another symbol. */
START_TEST(symbols_grow)
{
	static const struct {
		uint32_t object;
		uint64_t offset, size;
		const char *name;
		uint32_t nr;
		uint64_t first_size;
	} cases[] = {{1, 8, 16, "a", 1, 16}, {1, 8, 20, "a", 1, 20}, {1, 8, 4, "a", 1, 20},
		     {1, 8, 30, "b", 2, 20}, {1, 9, 30, "a", 3, 20}, {2, 8, 30, "a", 4, 20}};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(epoch_tables_symbol(&tables, cases[i].object, cases[i].offset,
						     cases[i].size, cases[i].name),
				 0);
		ck_assert_uint_eq(tables.symbols.nr, cases[i].nr);
		ck_assert_uint_eq(tables.symbols.data[0].size, cases[i].first_size);
	}
}
END_TEST

START_TEST(mappings_are_sorted_within_their_process)
{
	static const struct prof_mapping mappings[] = {
		{.start = 9, .object = 1}, {.start = 5, .object = 2}, {.start = 5, .object = 1}};
	const uint32_t first = add_process(5, &mappings[0]);

	add_process(6, &mappings[0]);
	for (size_t i = 1; i < ARRAY_SIZE(mappings); i++)
		ck_assert_int_eq(epoch_tables_mapping(&tables, first, &mappings[i]), 0);
	for (int twice = 0; twice < 2; twice++) {
		lay_out();
		ck_assert_uint_eq(epoch.nr_mappings, 4);
		ck_assert_uint_eq(epoch.processes[first].first_mapping, 0);
		ck_assert_uint_eq(epoch.processes[first].nr_mappings, 3);
		ck_assert_uint_eq(epoch.processes[first + 1].first_mapping, 3);
		for (size_t i = 0; i < 3; i++)
			ck_assert_mem_eq(&epoch.mappings[i], &mappings[2 - i], sizeof(mappings[0]));
	}
}
END_TEST

/* Nobody finds a deleted file, and of one without a stat there is nothing to tell. */
START_TEST(files_that_readers_can_find)
{
	const uint32_t deleted = add_object("/gone", PROF_OBJECT_DELETED);
	const uint32_t unknown = add_object("/unknown", 0);
	const uint32_t known = add_object("/known", 0);
	struct file_identity identity = {
		.is_stat = true, .inode = 2, .size = 3, .mtime_ns = 4, .ctime_ns = 5};

	epoch_tables_set_file(&tables, deleted, &identity);
	epoch_tables_set_file(&tables, known, &identity);
	identity.is_stat = false;
	epoch_tables_set_file(&tables, unknown, &identity);
	epoch_tables_set_language(&tables, known, &(struct prof_language){.name = 1});
	tables.name_parts.data[unknown] = 4;
	lay_out();
	ck_assert_uint_eq(epoch.nr_file_infos, 1);
	ck_assert_uint_eq(epoch.file_infos[0].object, known);
	ck_assert_uint_eq(epoch.nr_languages, 1);
	ck_assert_uint_eq(epoch.languages[0].object, known);
	ck_assert_uint_eq(epoch.nr_name_sources, 1);
	ck_assert_uint_eq(epoch.name_sources[0].object, unknown);
	ck_assert_uint_eq(epoch.name_sources[0].parts, 4);
}
END_TEST

SUITE_MAIN_WITH("epoch_tables", begin, end, a_reset_leaves_what_every_epoch_has, memory_is_released,
		a_long_string_is_cut, objects_by_all_their_members, stacks_by_frames_and_end,
		frames_by_object_offset_and_mark, symbols_grow,
		mappings_are_sorted_within_their_process, files_that_readers_can_find)
