// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/interpreter_maps.h"

#include <bpf/bpf.h>
#include <errno.h>

#include "tests/unit/suite.h"

#define ALICE 1000u
#define BOB   1001u

enum { MAP_INTERPRETERS = 1, MAP_EXECUTABLES }; /* stand for descriptors */

/* What the program knows: the version of each interpreter, and the number + 1 of each inode. */
static uint32_t versions[MAX_INTERPRETERS];
static uint32_t executables[8 * MAX_INTERPRETERS];
static bool is_full; /* the program's map of interpreters takes none */

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	(void)flags;
	if (fd == MAP_INTERPRETERS && is_full)
		return -ENOMEM;
	if (fd == MAP_INTERPRETERS)
		versions[*(const uint32_t *)key] = ((const struct interpreter *)value)->version;
	else
		executables[((const struct interpreter_file *)key)->ino] =
			*(const uint32_t *)value + 1;
	return 0;
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	uint32_t number = executables[((const struct interpreter_file *)key)->ino];

	ck_assert_int_eq(fd, MAP_EXECUTABLES);
	*(uint32_t *)value = number - 1;
	return number ? 0 : -1;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	ck_assert_int_eq(fd, MAP_EXECUTABLES);
	executables[((const struct interpreter_file *)key)->ino] = 0;
	return 0;
}

static uint32_t nr_renumbered;

static void renumbered(void *ctx, uint32_t interpreter)
{
	(void)ctx;
	ck_assert_uint_ne(interpreter, 0);
	nr_renumbered++;
}

static struct interpreter_maps begin(void)
{
	nr_renumbered = 0;
	memset(executables, 0, sizeof(executables));
	return (struct interpreter_maps){
		.shares.size = INTERPRETER_NUMBERS,
		.languages = UINT32_MAX,
		.interpreters = MAP_INTERPRETERS,
		.executables = MAP_EXECUTABLES,
		.renumbered = renumbered,
	};
}

/* Adds the interpreter of inode @ino, which is its version, too. */
static uint32_t add(struct interpreter_maps *m, uint32_t owner, uint32_t ino)
{
	const struct found_interpreter found = {
		.language = LANGUAGE_PYTHON,
		.interpreter = {.language = LANGUAGE_PYTHON, .version = ino},
	};
	const struct build_id none = {0};
	const struct file_identity identity = {.inode = ino};
	const struct interpreter_place place = {&none, &identity, 1, ino, owner};
	uint32_t interpreter;

	ck_assert_int_eq(interpreter_maps_add(m, &found, &place, &interpreter), 0);
	return interpreter;
}

/* Does the program know the interpreter of inode @ino? */
static bool is_known(const struct interpreter_maps *m, uint32_t interpreter, uint32_t ino)
{
	uint32_t number = interpreter_maps_number(m, interpreter);

	ck_assert_uint_eq(executables[ino], number);
	ck_assert(!number || interpreter_maps_numbered(m, number)->version == ino);
	ck_assert_ptr_null(interpreter_maps_numbered(m, 0));
	return number && versions[number - 1] == ino;
}

START_TEST(a_user_with_many_interpreters_leaves_room)
{
	struct interpreter_maps m = begin();
	uint32_t nr_before = 2 * MAX_INTERPRETERS, root, bob;

	for (uint32_t i = 1; i <= nr_before; i++)
		add(&m, ALICE, i);
	ck_assert_uint_eq(shares_held(&m.shares, ALICE), INTERPRETER_NUMBERS);
	ck_assert_uint_eq(shares_nr_lacked(&m.shares), nr_before - INTERPRETER_NUMBERS);
	root = add(&m, 0, nr_before + 1);
	bob = add(&m, BOB, nr_before + 2);
	ck_assert(is_known(&m, root, nr_before + 1));
	ck_assert(is_known(&m, bob, nr_before + 2));
	ck_assert_uint_eq(nr_renumbered, 2);
	interpreter_maps_deinit(&m);
}
END_TEST

START_TEST(a_number_that_was_left_is_used_after_the_settle)
{
	struct interpreter_maps m = begin();
	uint32_t first = add(&m, ALICE, 1), number = interpreter_maps_number(&m, first), second;

	interpreter_maps_forget(&m, first);
	ck_assert_uint_eq(executables[1], 0);
	second = add(&m, BOB, 2);
	ck_assert_uint_eq(second, first);
	ck_assert_uint_ne(interpreter_maps_number(&m, second), number);
	interpreter_maps_settle(&m);
	ck_assert_uint_eq(interpreter_maps_number(&m, add(&m, BOB, 3)), number);
	interpreter_maps_deinit(&m);
}
END_TEST

START_TEST(samples_bring_an_interpreter_back)
{
	struct interpreter_maps m = begin();
	uint32_t nr = INTERPRETER_NUMBERS, late;

	for (uint32_t i = 1; i <= nr; i++)
		add(&m, ALICE, i);
	late = add(&m, ALICE, nr + 1);
	ck_assert(!is_known(&m, late, nr + 1));
	/* It was tried in vain, and is not tried again before others may have become idle. */
	interpreter_maps_sampled(&m, late, 9);
	ck_assert(!is_known(&m, late, nr + 1));
	interpreter_maps_settle(&m);
	interpreter_maps_sampled(&m, late, 9);
	ck_assert(is_known(&m, late, nr + 1));
	interpreter_maps_deinit(&m);
}
END_TEST

START_TEST(one_that_cannot_be_walked_takes_no_number)
{
	struct interpreter_maps m = begin();
	uint32_t python = add(&m, ALICE, 1), none;

	m.languages = 1u << LANGUAGE_RUBY;
	none = add(&m, ALICE, 2);
	ck_assert_uint_eq(interpreter_maps_number(&m, none), 0);
	ck_assert(!interpreter_maps_is_better(&m, none, 0));
	ck_assert(interpreter_maps_is_better(&m, python, 0));
	ck_assert_uint_eq(shares_held(&m.shares, ALICE), 1);
	interpreter_maps_deinit(&m);
}
END_TEST

/* What the program cannot be told of holds no room. */
START_TEST(one_that_cannot_be_told)
{
	struct interpreter_maps m = begin();
	uint32_t first;

	is_full = true;
	first = add(&m, ALICE, 1);
	ck_assert(!is_known(&m, first, 1));
	ck_assert_uint_eq(shares_held(&m.shares, ALICE), 0);
	is_full = false;
	ck_assert(is_known(&m, add(&m, ALICE, 2), 2));
	interpreter_maps_settle(&m);
	interpreter_maps_sampled(&m, 0, 5);
	interpreter_maps_sampled(&m, first, 5);
	ck_assert(is_known(&m, first, 1));
	ck_assert_uint_eq(nr_renumbered, 1);
	ck_assert_uint_eq(shares_held(&m.shares, ALICE), 2);
	interpreter_maps_deinit(&m);
}
END_TEST

/* A drain is due when few numbers are free, and some were left. */
START_TEST(when_numbers_are_short)
{
	struct interpreter_maps m = begin();
	uint32_t ino = 0, last = 0;

	while (ino < INTERPRETER_NUMBERS)
		last = add(&m, ALICE, ++ino);
	ck_assert(!interpreter_maps_is_short(&m));
	for (uint32_t nr_free = MAX_INTERPRETERS - ino; nr_free--;) {
		interpreter_maps_forget(&m, last);
		last = add(&m, ALICE, ++ino);
		ck_assert_int_eq(interpreter_maps_is_short(&m), nr_free < MAX_INTERPRETERS / 16);
	}
	/* Without a free number there is none for the next one. */
	interpreter_maps_forget(&m, last);
	last = add(&m, ALICE, ++ino);
	ck_assert_uint_eq(interpreter_maps_number(&m, last), 0);
	ck_assert_uint_eq(shares_nr_lacked(&m.shares), 1);
	interpreter_maps_settle(&m);
	ck_assert(!interpreter_maps_is_short(&m));
	interpreter_maps_sampled(&m, last, 1);
	ck_assert(is_known(&m, last, ino));
	interpreter_maps_forget(&m, 0);
	interpreter_maps_deinit(&m);
}
END_TEST

/* Made code has rules also without functions that are wanted, but functions are better. */
START_TEST(rules_for_made_code)
{
	const struct build_id id = {.size = 1, .bytes = {1}};
	const struct interpreter_place place = {&id, &(struct file_identity){0}, 0, 0, ALICE};
	struct interpreter_maps m = begin();
	struct found_interpreter found = {.language = LANGUAGE_PHP,
					  .interpreter = {.language = LANGUAGE_PHP, .loop = 1}};
	uint32_t php, python = add(&m, ALICE, 1), nobody;

	m.languages = 1u << LANGUAGE_PYTHON;
	ck_assert_int_eq(interpreter_maps_add(&m, &found, &place, &php), 0);
	ck_assert_uint_ne(interpreter_maps_number(&m, php), 0);
	found = (struct found_interpreter){.interpreter.has_traces = 1};
	ck_assert_int_eq(interpreter_maps_add(&m, &found, &place, &php), 0);
	ck_assert_uint_ne(interpreter_maps_number(&m, php), 0);
	found = (struct found_interpreter){.interpreter.guile_bytes = 1};
	ck_assert_int_eq(interpreter_maps_add(&m, &found, &place, &php), 0);
	ck_assert_uint_ne(interpreter_maps_number(&m, php), 0);
	ck_assert(interpreter_maps_is_better(&m, python, php));
	ck_assert(!interpreter_maps_is_better(&m, php, python));
	ck_assert(!interpreter_maps_is_better(&m, python, python));
	ck_assert(!interpreter_maps_is_better(&m, 0, 0));
	m.languages = 0;
	ck_assert_int_eq(interpreter_maps_add(&m, &found, &place, &nobody), 0);
	ck_assert_uint_eq(interpreter_maps_number(&m, nobody), 0);
	found = (struct found_interpreter){.language = LANGUAGE_NONE};
	ck_assert_int_eq(interpreter_maps_add(&m, &found, &place, &nobody), 0);
	ck_assert_uint_eq(nobody, 0);
	interpreter_maps_deinit(&m);
}
END_TEST

/* A build-id decides where there is one. Of several a machine that is known counts. */
START_TEST(interpreters_of_files)
{
	struct interpreter_maps m = begin();
	struct mapped_file file = {.kind = MAPPED_FILE, .identity = {.inode = 2}};
	uint32_t first = add(&m, ALICE, 1), second = add(&m, ALICE, 2), third = add(&m, ALICE, 2);

	ck_assert_ptr_eq(interpreter_maps_find(&m, &file), &m.files.data[second - 1]);
	m.files.data[third - 1].machines.has_known = true;
	ck_assert_ptr_eq(interpreter_maps_find(&m, &file), &m.files.data[third - 1]);
	m.files.data[second - 1].machines.has_known = true;
	ck_assert_ptr_eq(interpreter_maps_find(&m, &file), &m.files.data[second - 1]);
	interpreter_maps_forget(&m, second);
	ck_assert_ptr_eq(interpreter_maps_find(&m, &file), &m.files.data[third - 1]);
	m.files.data[third - 1].found.language = LANGUAGE_NONE;
	ck_assert_ptr_null(interpreter_maps_find(&m, &file));
	file.identity.inode = 1;
	file.given_id = (struct build_id){.size = 1, .bytes = {7}};
	ck_assert_ptr_null(interpreter_maps_find(&m, &file));
	m.files.data[first - 1].build_id = file.given_id;
	ck_assert_ptr_eq(interpreter_maps_find(&m, &file), &m.files.data[first - 1]);
	file.given_id.size = 0;
	ck_assert_ptr_null(interpreter_maps_find(&m, &file));
	file = (struct mapped_file){.kind = MAPPED_ANON, .given_id = m.files.data[0].build_id};
	ck_assert_ptr_null(interpreter_maps_find(&m, &file));
	interpreter_maps_deinit(&m);
}
END_TEST

SUITE_MAIN("interpreter_maps", a_user_with_many_interpreters_leaves_room,
	   a_number_that_was_left_is_used_after_the_settle, samples_bring_an_interpreter_back,
	   one_that_cannot_be_walked_takes_no_number, one_that_cannot_be_told,
	   when_numbers_are_short, rules_for_made_code, interpreters_of_files)
