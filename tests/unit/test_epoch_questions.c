// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What an epoch asks about files, and what becomes of the answers. The names are played (--wrap).
 */
#include "record/epoch/epoch_files.h"

#include <errno.h>
#include <inttypes.h>

#include "tests/unit/oom.h"
#include "tests/unit/suite.h"

#define NAME_MAX_BYTES 60000
#define EPOCH_BYTES    (4u << 20) /* of names */
#define SYMBOL_BYTES   8          /* beside its name */

static struct epoch_tables tables;
static struct owed_names owed;

/* The files, and what is known of all their addresses. */
static struct played_file {
	uint32_t owner;
	enum file_names_state state;
	unsigned int nr_unserved, nr_written;
	bool is_written;  /* by an earlier epoch */
	bool has_nothing; /* no symbol covers any address */
} files[4];

static char asked[512];
static size_t name_bytes;
static unsigned int nr_works;

uint32_t __wrap_file_names_payer(const struct file_names *names, uint32_t nr);
int __wrap_file_names_ask(struct file_names *names, uint32_t nr, const uint64_t *offsets,
			  size_t nr_offsets, uint64_t urgent_ns);
int __wrap_file_names_work(struct file_names *names);
enum file_names_state __wrap_file_names_state(const struct file_names *names, uint32_t nr,
					      uint64_t off);
bool __wrap_file_names_find(const struct file_names *names, uint32_t nr, uint64_t off,
			    struct file_symbol *symbol);
void __wrap_file_names_note_unserved(struct file_names *names, uint32_t nr);
void __wrap_file_names_note_written(const struct file_names *names,
				    const struct file_symbol *symbol);

uint32_t __wrap_file_names_payer(const struct file_names *names, uint32_t nr)
{
	(void)names;
	return files[nr].owner;
}

int __wrap_file_names_ask(struct file_names *names, uint32_t nr, const uint64_t *offsets,
			  size_t nr_offsets, uint64_t urgent_ns)
{
	size_t len = strlen(asked);

	(void)names;
	ck_assert_uint_eq(urgent_ns, 33);
	len += (size_t)snprintf(asked + len, sizeof(asked) - len, " %u:", nr);
	for (size_t i = 0; i < nr_offsets; i++)
		len += (size_t)snprintf(asked + len, sizeof(asked) - len, "%s%" PRIu64,
					i ? "," : "", offsets[i]);
	return 0;
}

int __wrap_file_names_work(struct file_names *names)
{
	(void)names;
	nr_works++;
	return 0;
}

enum file_names_state __wrap_file_names_state(const struct file_names *names, uint32_t nr,
					      uint64_t off)
{
	(void)names, (void)off;
	return files[nr].state;
}

bool __wrap_file_names_find(const struct file_names *names, uint32_t nr, uint64_t off,
			    struct file_symbol *symbol)
{
	static char name[NAME_MAX_BYTES + 1];

	(void)names;
	memset(name, 'n', name_bytes);
	name[snprintf(name, 16, "%u_%06" PRIu64, nr, off)] = name_bytes > 16 ? 'n' : '\0';
	name[name_bytes > 16 ? name_bytes : 16] = '\0';
	*symbol = (struct file_symbol){.off = off,
				       .size = 1,
				       .name = name,
				       .parts = 1 << nr,
				       .is_written = files[nr].is_written,
				       .known = (struct known_symbol *)&files[nr]};
	return !files[nr].has_nothing;
}

void __wrap_file_names_note_unserved(struct file_names *names, uint32_t nr)
{
	(void)names;
	files[nr].nr_unserved++;
}

void __wrap_file_names_note_written(const struct file_names *names,
				    const struct file_symbol *symbol)
{
	(void)names;
	((struct played_file *)symbol->known)->nr_written++;
}

static void begin(void)
{
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
}

static void end(void)
{
	owed_names_deinit(&owed);
	epoch_tables_deinit(&tables);
}

/* An object that is @file; a later epoch can have it if it has a build-id. */
static uint32_t add_object(uint32_t file, uint8_t build_id_size, uint32_t instance)
{
	struct prof_object object = {.kind = PROF_OBJECT_FILE,
				     .path = 0,
				     .instance = instance,
				     .build_id_size = build_id_size,
				     .build_id = {file + 1}};
	uint32_t id;

	ck_assert_int_eq(epoch_tables_object(&tables, &object, &id), 0);
	tables.named.data[id] = file + 1;
	return id;
}

static uint32_t frame(uint32_t object, uint64_t off, bool is_exact)
{
	uint32_t id;

	ck_assert_int_eq(epoch_tables_frame(&tables, object, off, is_exact, &id), 0);
	return id;
}

/* @count samples of a stack of two frames. */
static void add_samples(uint32_t leaf, uint32_t caller, uint64_t count)
{
	const uint32_t frames[] = {leaf, caller};
	struct prof_count row = {.count = count};
	uint32_t id;

	ck_assert_int_eq(
		epoch_tables_stack(&tables, frames, 2, PROF_STACK_COMPLETE, &row.user_stack), 0);
	ck_assert_int_eq(epoch_tables_count(&tables, &row, &id), 0);
}

static void expect_asked(const char *want)
{
	asked[0] = '\0';
	nr_works = 0;
	ck_assert_int_eq(epoch_files_ask(&tables, NULL, &owed, 33), 0);
	ck_assert_str_eq(asked, want);
	ck_assert_uint_eq(nr_works, 1);
}

/* Offsets that the names of @object are owed at. */
static size_t nr_owed(size_t object)
{
	return object < owed.objects.nr ? owed.objects.data[object].offsets.nr : 0;
}

static void answer(void)
{
	ck_assert_int_eq(epoch_files_add(&tables, NULL, &owed), 0);
}

/* A leaf at its address, and a caller at the byte before, unless a signal interrupted it. */
START_TEST(addresses_of_leaves_and_callers)
{
	const uint32_t object = add_object(1, 4, 0);

	expect_asked("");
	add_samples(frame(object, 64, false), frame(object, 32, false), 1);
	add_samples(frame(object, 32, false), frame(object, 0, false), 1);
	add_samples(frame(object, 16, true), frame(object, 48, true), 1);
	add_samples(frame(0, 7, false), frame(0, 8, false), 9);
	expect_asked(" 1:16,31,32,48,64");
}
END_TEST

/* Two instances of a file are asked about once. */
START_TEST(files_with_most_samples_come_first)
{
	const uint32_t a = add_object(1, 4, 0), b = add_object(2, 4, 0), c = add_object(3, 4, 0);
	const uint32_t again = add_object(1, 4, 1);

	add_samples(frame(b, 8, false), frame(a, 32, false), 5);
	add_samples(frame(c, 8, false), frame(a, 32, false), 5);
	add_samples(frame(again, 31, false), frame(a, 64, false), 3);
	expect_asked(" 2:8 3:8 1:31,63");
	add_samples(frame(again, 8, false), frame(a, 64, false), 4);
	expect_asked(" 1:8,31,63 2:8 3:8");
	/* Of equal ones, that of the user with the lower id. */
	files[2].owner = 5;
	expect_asked(" 1:8,31,63 3:8 2:8");
}
END_TEST

START_TEST(answers_become_symbols)
{
	const uint32_t lasting = add_object(1, 4, 0), other = add_object(2, 0, 0);

	add_samples(frame(lasting, 8, false), frame(other, 17, false), 1);
	files[1].is_written = true;
	answer();
	/* An earlier epoch has the name of the file that is known by its build-id. */
	ck_assert_uint_eq(tables.symbols.nr, 1);
	ck_assert_uint_eq(tables.symbols.data[0].object, other);
	ck_assert_uint_eq(tables.symbols.data[0].offset, 16);
	ck_assert_uint_eq(tables.name_parts.data[other], 1 << 2);
	ck_assert_uint_eq(tables.name_parts.data[lasting], 0);
	ck_assert_uint_eq(files[1].nr_written + files[2].nr_written, 0);
	files[1].is_written = false;
	files[2].has_nothing = true;
	answer();
	ck_assert_uint_eq(tables.symbols.nr, 2);
	ck_assert_uint_eq(files[1].nr_written, 1);
	ck_assert_uint_eq(owed.objects.nr, 0);
}
END_TEST

/* A later epoch may bring the names of a file if it can have the same object. */
START_TEST(answers_that_are_late)
{
	const uint32_t lasting = add_object(0, 4, 0), second = add_object(1, 4, 1);
	const uint32_t nameless = add_object(2, 0, 0);

	for (uint32_t i = 0; i < 3; i++)
		files[i].state = FILE_NAMES_EXPECTED;
	add_samples(frame(lasting, 8, false), frame(lasting, 17, false), 1);
	add_samples(frame(second, 8, false), frame(second, 17, false), 1);
	add_samples(frame(nameless, 8, false), frame(nameless, 17, false), 1);
	answer();
	ck_assert_uint_eq(tables.symbols.nr, 0);
	ck_assert_uint_eq(nr_owed(0), 2);
	ck_assert_uint_eq(owed.objects.nr, 1);
	ck_assert_uint_eq(files[0].nr_unserved, 0);
	ck_assert_uint_eq(files[1].nr_unserved, 1);
	ck_assert_uint_eq(files[2].nr_unserved, 1);
	/* The next epoch asks for them, too. */
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	expect_asked(" 0:8,16");
	files[0].state = FILE_NAMES_KNOWN;
	answer();
	ck_assert_uint_eq(tables.symbols.nr, 2);
	ck_assert_uint_eq(owed.objects.nr, 0);
}
END_TEST

START_TEST(names_that_are_left_out)
{
	const uint32_t a = add_object(0, 4, 0), b = add_object(1, 4, 0);

	files[0].state = FILE_NAMES_LEFT_OUT;
	files[1].state = FILE_NAMES_UNREADABLE;
	add_samples(frame(a, 8, false), frame(a, 17, false), 1);
	add_samples(frame(b, 8, false), frame(b, 17, false), 1);
	answer();
	ck_assert_uint_eq(tables.symbols.nr, 0);
	ck_assert_uint_eq(files[0].nr_unserved, 1);
	ck_assert_uint_eq(files[1].nr_unserved, 0);
}
END_TEST

START_TEST(another_file_has_the_place_of_an_owed_one)
{
	uint32_t id = add_object(0, 4, 0);

	files[0].state = FILE_NAMES_EXPECTED;
	add_samples(frame(id, 8, false), frame(id, 17, false), 1);
	answer();
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	id = add_object(0, 4, 0);
	epoch_tables_set_file(&tables, id, &(struct file_identity){.is_stat = true, .inode = 7});
	answer();
	ck_assert_uint_eq(files[0].nr_unserved, 1);
	ck_assert_uint_eq(owed.objects.nr, 0);
}
END_TEST

static void add_many(uint32_t file, uint32_t nr)
{
	const uint32_t object = add_object(file, 4, 0);

	for (uint32_t i = 0; i < nr; i++)
		add_samples(frame(object, 8 * i, false), frame(0, 1, false), 1);
}

static size_t names_of(uint32_t object)
{
	size_t nr = 0;

	vec_for_each(&tables.symbols, symbol)
		nr += symbol->object == object;
	return nr;
}

/* As many names of @bytes as there is room for; the last one may exceed it. */
static size_t nr_fitting(size_t bytes)
{
	return bytes / (NAME_MAX_BYTES + 1 + SYMBOL_BYTES) + 1;
}

/* Root has what it needs. The others have equal parts, and what those before them leave. */
START_TEST(users_share_the_room_for_names)
{
	name_bytes = NAME_MAX_BYTES;
	files[0].owner = 5;
	files[1].owner = 0;
	files[2].owner = 7;
	add_many(0, 100);
	add_many(1, 20);
	add_many(2, 3);
	answer();
	ck_assert_uint_eq(names_of(2), 20);
	ck_assert_uint_eq(names_of(1),
			  nr_fitting((EPOCH_BYTES - 20 * (NAME_MAX_BYTES + 1 + SYMBOL_BYTES)) / 2));
	ck_assert_uint_eq(names_of(3), 3);
	ck_assert_uint_eq(files[0].nr_unserved, 1);
	ck_assert_uint_eq(files[1].nr_unserved, 0);
	ck_assert_uint_eq(files[2].nr_unserved, 0);
}
END_TEST

START_TEST(root_may_take_all_of_the_room)
{
	name_bytes = NAME_MAX_BYTES;
	files[0].owner = 5;
	add_many(0, 3);
	add_many(1, 100);
	answer();
	ck_assert_uint_eq(names_of(2), nr_fitting(EPOCH_BYTES));
	ck_assert_uint_le(names_of(1), 1);
	ck_assert_uint_eq(files[0].nr_unserved, 1);
	ck_assert_uint_eq(files[1].nr_unserved, 1);
}
END_TEST

/* At the end of the recording, each file whose names are owed counts once. */
START_TEST(owed_names_are_given_up)
{
	for (uint32_t file = 0; file < 3; file++) {
		const uint32_t id = add_object(file, 4, 0);

		files[file].state = FILE_NAMES_EXPECTED;
		add_samples(frame(id, 8, false), frame(id, 17, false), 1);
	}
	answer();
	ck_assert_uint_eq(owed.objects.nr, 3);
	owed.objects.data[1].named = owed.objects.data[0].named;
	epoch_files_give_up(NULL, &owed);
	ck_assert_uint_eq(files[0].nr_unserved, 1);
	ck_assert_uint_eq(files[1].nr_unserved, 0);
	ck_assert_uint_eq(files[2].nr_unserved, 1);
	ck_assert_uint_eq(owed.objects.nr, 0);
	ck_assert_uint_eq(owed.nr_offsets, 0);
}
END_TEST

START_TEST(out_of_memory)
{
	const uint32_t a = add_object(0, 4, 0), b = add_object(1, 4, 0);

	add_samples(frame(a, 8, false), frame(a, 17, false), 1);
	add_samples(frame(b, 8, false), frame(b, 17, false), 1);
	files[1].state = FILE_NAMES_EXPECTED;
	oom_for_each_call(n)
	{
		int ret = epoch_files_ask(&tables, NULL, &owed, 33);

		if (!ret)
			ret = epoch_files_add(&tables, NULL, &owed);
		ck_assert_int_eq(ret, oom_hit ? -ENOMEM : 0);
		owed_names_deinit(&owed);
		asked[0] = '\0';
	}
}
END_TEST

SUITE_MAIN_WITH("epoch_questions", begin, end, addresses_of_leaves_and_callers,
		files_with_most_samples_come_first, answers_become_symbols, answers_that_are_late,
		names_that_are_left_out, another_file_has_the_place_of_an_owed_one,
		users_share_the_room_for_names, root_may_take_all_of_the_room,
		owed_names_are_given_up, out_of_memory)
