// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/function_names.h"

#include "tests/unit/suite.h"

#define PID  42
#define WORD LANGUAGE_WORD(LANGUAGE_PYTHON, 0x123, 0x7f0000001000)

static struct address_spaces spaces;
static struct memory_budget memory;
static struct function_names names;
static uint64_t seen_period;
static struct named_functions named_before;

static void begin(void)
{
	spaces = (struct address_spaces){0};
	memory = (struct memory_budget){0};
	address_spaces_limit(&spaces, &memory);
	seen_period = 0;
	named_before = (struct named_functions){.all = 1};
	names = (struct function_names){
		.seen_map = -1, .seen_period = &seen_period, .named = &named_before};
}

static void end(void)
{
	function_names_deinit(&names);
	address_spaces_deinit(&spaces);
}

static void set_text(struct language_text *text, const char *chars)
{
	text->kind = 1;
	text->nr_bytes = strlen(chars);
	memcpy(text->bytes, chars, text->nr_bytes);
}

static struct function_name make_name(uint64_t word, const char *name, const char *file)
{
	struct function_name n = {.word = word, .time_ns = 100, .tgid = PID, .line = 7};

	set_text(&n.name, name);
	set_text(&n.file, file);
	return n;
}

static void add(const struct function_name *name)
{
	uint32_t nr;

	ck_assert_int_eq(function_names_add(&names, name, &nr), 0);
	ck_assert_uint_ne(nr, NO_FUNCTION);
}

static const struct named_function *find(uint32_t pid, uint64_t word)
{
	const struct source_function *inlined;
	struct address_space *space;

	ck_assert_int_eq(address_spaces_get(&spaces, pid, 100, &space), 0);
	return function_names_find(&names, space->generation, word, &inlined);
}

/* The name that @name becomes. */
static const char *named(const struct function_name *name)
{
	add(name);
	ck_assert_int_eq(function_names_settle(&names, &spaces), 0);
	return find(PID, name->word)->own.name;
}

START_TEST(names_belong_to_a_word_and_a_process)
{
	struct function_name name = make_name(WORD, "K.method", "/srv/app.py");

	ck_assert_str_eq(named(&name), "K.method");
	ck_assert_str_eq(find(PID, WORD)->own.file, "/srv/app.py");
	ck_assert_uint_eq(find(PID, WORD)->own.line, 7);
	ck_assert_ptr_null(find(PID + 1, WORD));
	ck_assert_ptr_null(find(PID, WORD + 1));
	ck_assert_ptr_null(find(PID, WORD ^ 1ULL << 48)); /* another check */
}
END_TEST

START_TEST(names_are_found_after_they_settled)
{
	struct function_name name = make_name(WORD, "f", "f.py");

	add(&name);
	ck_assert_ptr_null(find(PID, WORD));
	ck_assert_int_eq(function_names_settle(&names, &spaces), 0);
	ck_assert_ptr_nonnull(find(PID, WORD));
}
END_TEST

/* A generation that is full becomes the elder one, which is still searched. */
START_TEST(generations)
{
	struct function_name name = make_name(WORD, "f", "f.py");
	uint64_t nr = MAX_SEEN_FUNCTIONS / 2;

	function_names_age(&names);
	ck_assert(!function_names_are_full(&names));
	for (uint64_t i = 0; i < nr; i++, name.word++)
		add(&name);
	ck_assert(function_names_are_full(&names));
	ck_assert_int_eq(function_names_settle(&names, &spaces), 0);
	ck_assert_uint_eq(seen_period, 0);
	function_names_age(&names);
	ck_assert_uint_eq(seen_period, 1);
	ck_assert_uint_eq(named_before.all, 0);
	ck_assert(!function_names_are_full(&names));
	ck_assert_ptr_nonnull(find(PID, WORD));
	for (uint64_t i = 0; i < nr; i++, name.word++)
		add(&name);
	ck_assert_int_eq(function_names_settle(&names, &spaces), 0);
	ck_assert_ptr_nonnull(find(PID, WORD));
	function_names_age(&names);
	ck_assert_ptr_null(find(PID, WORD));
	ck_assert_ptr_nonnull(find(PID, WORD + nr));
}
END_TEST

/* Texts without end do not fill the memory until the next drain. */
START_TEST(texts_are_bounded)
{
	struct function_name name = make_name(WORD, "", "");
	uint32_t nr = 0;

	memset(name.name.bytes, 'n', NAME_BYTES);
	name.name.nr_bytes = NAME_BYTES;
	for (int i = 0; nr != NO_FUNCTION; i++, name.word++) {
		ck_assert_int_lt(i, 1 << 16);
		ck_assert_int_eq(function_names_add(&names, &name, &nr), 0);
	}
	ck_assert_int_eq(function_names_settle(&names, &spaces), 0);
	ck_assert_ptr_nonnull(find(PID, WORD));
	ck_assert_ptr_null(find(PID, name.word - 1));
}
END_TEST

/* Adds functions of @uid with long names until there is no room. Returns their number. */
static int fill(struct function_name *name, uint32_t uid)
{
	uint32_t nr = 0;
	int added;

	name->uid = uid;
	for (added = 0;; added++, name->word++) {
		ck_assert_int_lt(added, 1 << 16);
		ck_assert_int_eq(function_names_add(&names, name, &nr), 0);
		if (nr == NO_FUNCTION)
			return added;
	}
}

/* One user takes half of the room, another one half of the rest, and root what is left. */
START_TEST(users_share_the_room)
{
	struct function_name name = make_name(WORD, "", "");
	int first, second, third;

	memset(name.name.bytes, 'n', NAME_BYTES);
	name.name.nr_bytes = NAME_BYTES;
	first = fill(&name, 1001);
	second = fill(&name, 1002);
	third = fill(&name, 0);
	ck_assert_int_gt(second, first / 3);
	ck_assert_int_gt(third, first / 3);
	ck_assert_uint_eq(shares_nr_lacked(&names.lacks), 3);
}
END_TEST

/* Functions of JavaScript in one of these, of which the second is the code of a file. */
START_TEST(functions_in_a_function)
{
	const uint64_t word = LANGUAGE_WORD(LANGUAGE_NODE, 0x123, 0x7f0000001000);
	const struct function_name name = make_name(word, "own", "/srv/own.js");
	struct machine_function functions[2] = {{.line = 3}, {.line = 1}};
	const struct source_function *inlined;
	const struct named_function *f;
	struct address_space *space;
	uint32_t nr;

	set_text(&functions[0].name, "first");
	set_text(&functions[0].file, "file:///srv/a.js");
	set_text(&functions[1].file, "/srv/b.js");
	ck_assert_int_eq(function_names_add(&names, &name, &nr), 0);
	ck_assert_int_eq(function_names_set_inlined(&names, nr, 12, functions, 2), 0);
	ck_assert_int_eq(function_names_settle(&names, &spaces), 0);
	ck_assert_int_eq(address_spaces_get(&spaces, PID, 100, &space), 0);
	f = function_names_find(&names, space->generation, word, &inlined);
	ck_assert_str_eq(f->own.name, "own");
	ck_assert_uint_eq(f->own.line, 12);
	ck_assert_uint_eq(f->nr_inlined, 2);
	ck_assert_str_eq(inlined[0].name, "first");
	ck_assert_str_eq(inlined[0].file, "/srv/a.js");
	ck_assert_uint_eq(inlined[0].line, 3);
	ck_assert_str_eq(inlined[1].name, "<b.js>");
	/* There is no room for texts any more, and the line needs none. */
	names.young.texts.total = 1u << 22;
	ck_assert_int_eq(function_names_set_inlined(&names, nr, 13, functions, 1), 0);
	f = function_names_find(&names, space->generation, word, &inlined);
	ck_assert_uint_eq(f->own.line, 13);
	ck_assert_uint_eq(f->nr_inlined, 2);
}
END_TEST

SUITE_MAIN_WITH("function_names", begin, end, functions_in_a_function,
		names_belong_to_a_word_and_a_process, names_are_found_after_they_settled,
		generations, texts_are_bounded, users_share_the_room)
