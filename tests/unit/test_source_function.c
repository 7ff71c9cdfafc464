// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/source_function.h"

#include "tests/unit/suite.h"

#define PYTHON_WORD LANGUAGE_WORD(LANGUAGE_PYTHON, 0x123, 0x7f0000001000)
#define PHP_WORD    LANGUAGE_WORD(LANGUAGE_PHP, 0x123, 0x7f0000001000)

static struct arena texts;
static struct source_function decoded;

static void begin(void)
{
	texts = (struct arena){0};
}

static void end(void)
{
	arena_deinit(&texts);
}

static void set_text(struct language_text *text, uint32_t kind, const void *bytes, size_t nr)
{
	text->kind = kind;
	text->nr_bytes = nr;
	memcpy(text->bytes, bytes, nr < NAME_BYTES ? nr : NAME_BYTES);
}

static const char *name_of(const struct function_name *name)
{
	ck_assert_int_eq(source_function_decode(&texts, name, &decoded), 0);
	return decoded.name;
}

static const char *php_name_of(const char *scope, const char *function, const char *file)
{
	struct scoped_function_name name = {.function.word = PHP_WORD};

	set_text(&name.scope, 0, scope, strlen(scope));
	set_text(&name.function.name, 0, function, strlen(function));
	set_text(&name.function.file, 0, file, strlen(file));
	return name_of(&name.function);
}

START_TEST(characters)
{
	static const uint8_t latin[] = {'g', 'r', 0xf6, 0xdf, 'e'};
	static const uint16_t chinese[] = {0x6f22, 0x5b57};
	static const uint32_t smile[] = {'x', 0x1f600};
	struct function_name name = {.word = PYTHON_WORD};

	ck_assert_str_eq(name_of(&name), "");
	set_text(&name.name, 1, latin, sizeof(latin));
	ck_assert_str_eq(name_of(&name), "größe");
	set_text(&name.name, 2, chinese, sizeof(chinese));
	ck_assert_str_eq(name_of(&name), "漢字");
	set_text(&name.name, 4, smile, sizeof(smile));
	ck_assert_str_eq(name_of(&name), "x😀");
	set_text(&name.name, 0, "größe", strlen("größe"));
	ck_assert_str_eq(name_of(&name), "größe");
}
END_TEST

START_TEST(numbers_that_are_no_characters)
{
	static const uint16_t halves[] = {0xd83d, 'a', 0xdfff, 0};
	static const uint32_t beyond[] = {0x110000, UINT32_MAX, 'b'};
	struct function_name name = {.word = PYTHON_WORD};

	set_text(&name.name, 2, halves, sizeof(halves));
	ck_assert_str_eq(name_of(&name), "?a??");
	set_text(&name.name, 4, beyond, sizeof(beyond));
	ck_assert_str_eq(name_of(&name), "??b");
	set_text(&name.name, 0, "a\0b", 3);
	ck_assert_str_eq(name_of(&name), "a?b");
	set_text(&name.name, 4, beyond, 7); /* ends in the middle of a character */
	ck_assert_str_eq(name_of(&name), "?");
}
END_TEST

START_TEST(long_names)
{
	struct function_name name = {.word = PYTHON_WORD};

	memset(name.name.bytes, 'n', NAME_BYTES);
	memset(name.file.bytes, 0xe9, NAME_BYTES);
	name.name.nr_bytes = name.file.nr_bytes = UINT32_MAX; /* lies */
	name.name.is_cut = name.file.is_cut = 1;
	name.name.kind = name.file.kind = 1;
	ck_assert_uint_eq(strlen(name_of(&name)), NAME_BYTES + 3);
	ck_assert_str_eq(decoded.name + NAME_BYTES, "...");
	ck_assert_uint_eq(strlen(decoded.file), 2 * NAME_BYTES + 3);
	ck_assert_int_eq(strncmp(decoded.file, "...é", 5), 0);
}
END_TEST

START_TEST(functions_of_php)
{
	ck_assert_str_eq(php_name_of("Shop\\Cart", "total", "/srv/Cart.php"), "Shop\\Cart::total");
	ck_assert_str_eq(decoded.file, "/srv/Cart.php");
	ck_assert_str_eq(php_name_of("", "main", "/srv/a.php"), "main");
	ck_assert_str_eq(php_name_of("", "", "/srv/index.php"), "<index.php>");
	ck_assert_str_eq(php_name_of("", "", "index.php"), "<index.php>");
	ck_assert_str_eq(php_name_of("", "usort", ""), "usort");
	ck_assert_str_eq(decoded.file, "internal");
}
END_TEST

/* Each of the three texts says that it is longer than it can be. */
START_TEST(long_functions_of_php)
{
	struct scoped_function_name name = {.function.word = PHP_WORD};
	struct language_text *text[] = {&name.scope, &name.function.name, &name.function.file};

	for (int i = 0; i < 3; i++) {
		text[i]->nr_bytes = UINT32_MAX;
		text[i]->is_cut = 1;
		text[i]->kind = 1;
		memset(text[i]->bytes, 0xe9, NAME_BYTES);
	}
	ck_assert_uint_eq(strlen(name_of(&name.function)), 2 * (2 * NAME_BYTES + 3) + 2);
	name.function.name.nr_bytes = 0;
	ck_assert_uint_eq(strlen(name_of(&name.function)), 2 * NAME_BYTES + 3 + 2);
}
END_TEST

static const char *node_name_of(const char *function, const char *file)
{
	struct function_name name = {.word = LANGUAGE_WORD(LANGUAGE_NODE, 0x7f, 0x23316400)};

	set_text(&name.name, 1, function, strlen(function));
	set_text(&name.file, 1, file, strlen(file));
	return name_of(&name);
}

START_TEST(functions_of_node)
{
	ck_assert_str_eq(node_name_of("total", "/srv/shop.js"), "total");
	ck_assert_str_eq(decoded.file, "/srv/shop.js");
	ck_assert_str_eq(node_name_of("", "/srv/shop.js"), "<shop.js>");
	ck_assert_str_eq(node_name_of("", "file:///srv/shop.mjs"), "<shop.mjs>");
	ck_assert_str_eq(decoded.file, "/srv/shop.mjs");
	ck_assert_str_eq(node_name_of("load", "file://"), "load");
	ck_assert_str_eq(decoded.file, "file://");
	ck_assert_str_eq(node_name_of("", "eval"), "<eval>");
	ck_assert_str_eq(decoded.file, "eval");
	ck_assert_str_eq(node_name_of("sort", ""), "sort");
	ck_assert_str_eq(decoded.file, "internal");
}
END_TEST

START_TEST(methods)
{
	struct language_text class = {0}, name = {0}, file = {0};

	set_text(&class, 0, "java/util/List", 14);
	set_text(&name, 0, "add", 3);
	ck_assert_int_eq(
		source_function_decode_method(&texts, LANGUAGE_JAVA, &class, &name, NULL, &decoded),
		0);
	ck_assert_str_eq(decoded.name, "java.util.List.add");
	ck_assert_str_eq(decoded.file, "java.util.List");
	ck_assert_int_eq(source_function_decode_method(&texts, LANGUAGE_BEAM, &class, &name, &file,
						       &decoded),
			 0);
	ck_assert_str_eq(decoded.name, "java/util/List:add");
	ck_assert_str_eq(decoded.file, "java/util/List");
	set_text(&file, 1, "src/shop.erl", 12);
	ck_assert_int_eq(source_function_decode_method(&texts, LANGUAGE_BEAM, &class, &name, &file,
						       &decoded),
			 0);
	ck_assert_str_eq(decoded.name, "java/util/List:add");
	ck_assert_str_eq(decoded.file, "src/shop.erl");
	file.is_cut = 1;
	ck_assert_int_eq(source_function_decode_method(&texts, LANGUAGE_BEAM, &class, &name, &file,
						       &decoded),
			 0);
	ck_assert_str_eq(decoded.file, "...src/shop.erl");
}
END_TEST

SUITE_MAIN_WITH("source_function", begin, end, characters, numbers_that_are_no_characters,
		long_names, functions_of_php, long_functions_of_php, functions_of_node, methods)
