// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/function_names.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "common/hash.h"

/*
 * A generation is full with half of the functions that the program can remember, or with so many
 * bytes of texts. Until the next settle, it may have twice as much.
 */
#define FUNCTIONS_MAX  (MAX_SEEN_FUNCTIONS / 2)
#define TEXT_BYTES_MAX (1u << 20)

/* A character takes up to 4 bytes in UTF-8, but one of 1 byte takes 2. The dots are for a cut. */
#define TEXT_MAX (2 * NAME_BYTES + 3)

static size_t put_character(char *out, uint32_t c)
{
	/* Halves of a pair and numbers beyond Unicode are no characters. NUL ends a string. */
	if (!c || (c >= 0xd800 && c < 0xe000) || c > 0x10ffff)
		c = '?';
	if (c < 0x80) {
		out[0] = c;
		return 1;
	}
	if (c < 0x800) {
		out[0] = 0xc0 | c >> 6;
		out[1] = 0x80 | (c & 0x3f);
		return 2;
	}
	if (c < 0x10000) {
		out[0] = 0xe0 | c >> 12;
		out[1] = 0x80 | (c >> 6 & 0x3f);
		out[2] = 0x80 | (c & 0x3f);
		return 3;
	}
	out[0] = 0xf0 | c >> 18;
	out[1] = 0x80 | (c >> 12 & 0x3f);
	out[2] = 0x80 | (c >> 6 & 0x3f);
	out[3] = 0x80 | (c & 0x3f);
	return 4;
}

/* Copies text that is UTF-8 already. NUL ends a string. */
static size_t copy_utf8(const struct language_text *text, size_t bytes, char *out)
{
	for (size_t i = 0; i < bytes; i++)
		out[i] = text->bytes[i] ? text->bytes[i] : '?';
	return bytes;
}

/* Puts the text as UTF-8 into @out, with dots at the end that was cut. Returns its length. */
static size_t decode_text(const struct language_text *text, bool is_path, char out[TEXT_MAX])
{
	size_t nr = 0, size = text->kind == 2 || text->kind == 4 ? text->kind : 1;
	size_t bytes = text->nr_bytes < NAME_BYTES ? text->nr_bytes : NAME_BYTES;

	if (text->is_cut && is_path)
		for (; nr < 3; nr++)
			out[nr] = '.';
	if (!text->kind)
		nr += copy_utf8(text, bytes, out + nr);
	for (size_t at = 0; text->kind && at + size <= bytes; at += size) {
		uint32_t c = 0;

		memcpy(&c, text->bytes + at, size);
		nr += put_character(out + nr, c);
	}
	if (text->is_cut && !is_path)
		for (int i = 0; i < 3; i++)
			out[nr++] = '.';
	return nr;
}

static const char *copy_text(struct arena *texts, const struct language_text *text, bool is_path)
{
	char utf8[TEXT_MAX];
	size_t len = decode_text(text, is_path, utf8);

	return arena_copy(texts, utf8, len);
}

/*
 * "java/util/List" and "add" become "java.util.List.add", in the source "java.util.List". "lists"
 * and "map/2" of Erlang become "lists:map/2", in "lists".
 */
static int name_method(struct arena *texts, enum language language,
		       const struct language_text *class, const struct language_text *name,
		       struct source_function *f)
{
	char text[2 * TEXT_MAX + 1];
	size_t nr = decode_text(class, false, text);

	for (size_t i = 0; i < nr && language == LANGUAGE_JAVA; i++)
		if (text[i] == '/')
			text[i] = '.';
	f->file = arena_copy(texts, text, nr);
	text[nr++] = language == LANGUAGE_JAVA ? '.' : ':';
	f->name = arena_copy(texts, text, nr + decode_text(name, false, text + nr));
	return f->file && f->name ? 0 : -ENOMEM;
}

/* Functions in C have no file. */
#define PHP_INTERNAL_FILE "internal"

/* The code of a file has no name. "/srv/index.php" becomes "<index.php>". Returns the length. */
static size_t name_file_code(const char *file, size_t len, char *out)
{
	size_t at = len;

	while (at && file[at - 1] != '/')
		at--;
	out[0] = '<';
	memcpy(out + 1, file + at, len - at);
	out[len - at + 1] = '>';
	return len - at + 2;
}

/* "List" and "add" become "List::add". */
static int name_php(struct arena *texts, const struct php_function_name *name,
		    struct source_function *f)
{
	const struct function_name *function = &name->function;
	char text[2 * TEXT_MAX + 2], file[TEXT_MAX] = PHP_INTERNAL_FILE;
	size_t len = decode_text(&name->scope, false, text), nr = strlen(file);

	if (function->file.nr_bytes)
		nr = decode_text(&function->file, true, file);
	if (len) {
		memcpy(text + len, "::", 2);
		len += 2;
	}
	if (function->name.nr_bytes)
		len += decode_text(&function->name, false, text + len);
	else
		len = name_file_code(file, nr, text);
	f->file = arena_copy(texts, file, nr);
	f->name = arena_copy(texts, text, len);
	return f->file && f->name ? 0 : -ENOMEM;
}

static int name_function(struct arena *texts, const struct function_name *name,
			 struct source_function *f)
{
	if (word_language(name->word) == LANGUAGE_PHP)
		return name_php(texts, (const struct php_function_name *)name, f);
	if (word_language(name->word) == LANGUAGE_JAVA)
		return name_method(texts, LANGUAGE_JAVA, &name->file, &name->name, f);
	f->name = copy_text(texts, &name->name, false);
	f->file = copy_text(texts, &name->file, true);
	return f->file && f->name ? 0 : -ENOMEM;
}

int function_names_add(struct function_names *names, const struct function_name *name, uint32_t *nr)
{
	struct name_generation *young = &names->young;
	struct named_function new = {.word = name->word, .own.line = name->line};
	struct waiting_function waiting = {.tgid = name->tgid, .time_ns = name->time_ns};

	*nr = NO_FUNCTION;
	if (young->texts.total >= 2 * TEXT_BYTES_MAX)
		return 0;
	if (name_function(&young->texts, name, &new.own) || vec_push(&names->waiting, waiting) ||
	    vec_push(&young->functions, new))
		return -ENOMEM;
	*nr = young->functions.nr - 1;
	return 0;
}

int function_names_set_methods(struct function_names *names, uint32_t nr,
			       const struct java_method *methods, uint32_t nr_methods)
{
	struct name_generation *young = &names->young;
	struct named_function *f = &young->functions.data[nr];
	size_t first = young->inlined.nr;

	if (young->texts.total >= 2 * TEXT_BYTES_MAX)
		return 0;
	for (uint32_t i = 0; i < nr_methods; i++) {
		struct source_function function = {.line = methods[i].line};

		if (name_method(&young->texts, word_language(f->word), &methods[i].class,
				&methods[i].name, &function) ||
		    vec_push(&young->inlined, function))
			return -ENOMEM;
	}
	f->own = young->inlined.data[--young->inlined.nr];
	f->first_inlined = first;
	f->nr_inlined = nr_methods - 1;
	return 0;
}

static uint64_t hash_function(uint64_t generation, uint64_t word)
{
	const uint64_t key[] = {generation, word};

	return hash_bytes(key, sizeof(key), 0);
}

static const struct named_function *find_in(const struct name_generation *g, uint64_t generation,
					    uint64_t word)
{
	index_for_each(&g->by_word, hash_function(generation, word), i) {
		const struct named_function *have = &g->functions.data[i];

		if (have->generation == generation && have->word == word)
			return have;
	}
	return NULL;
}

const struct named_function *function_names_find(const struct function_names *names,
						 uint64_t generation, uint64_t word,
						 const struct source_function **inlined)
{
	const struct name_generation *g = &names->young;
	const struct named_function *found = find_in(g, generation, word);

	if (!found) {
		g = &names->old;
		found = find_in(g, generation, word);
	}
	if (found)
		*inlined = g->inlined.data + found->first_inlined;
	return found;
}

static void free_generation(struct name_generation *g)
{
	vec_free(&g->functions);
	vec_free(&g->inlined);
	index_deinit(&g->by_word);
	arena_deinit(&g->texts);
	*g = (struct name_generation){0};
}

/* The program sends all names again from now on. */
static void forget_seen(const struct function_names *names)
{
	struct seen_function keys[256];
	uint32_t nr;

	do {
		struct seen_function *last = NULL;

		for (nr = 0; nr < sizeof(keys) / sizeof(*keys); nr++) {
			if (bpf_map_get_next_key(names->seen_map, last, &keys[nr]))
				break;
			last = &keys[nr];
		}
		for (uint32_t i = 0; i < nr; i++)
			bpf_map_delete_elem(names->seen_map, &keys[i]);
	} while (nr);
	__atomic_fetch_add(names->seen_period, 1, __ATOMIC_RELEASE);
}

void function_names_forget(const struct function_names *names, const struct seen_function *function)
{
	if (bpf_map_delete_elem(names->seen_map, function))
		return;
	/* A CPU may have met it meanwhile. */
	if (names->seen_period)
		__atomic_fetch_add(names->seen_period, 1, __ATOMIC_RELEASE);
}

bool function_names_are_full(const struct function_names *names)
{
	return names->young.functions.nr >= FUNCTIONS_MAX ||
	       names->young.texts.total >= TEXT_BYTES_MAX;
}

void function_names_age(struct function_names *names)
{
	if (!function_names_are_full(names))
		return;
	free_generation(&names->old);
	names->old = names->young;
	names->young = (struct name_generation){0};
	forget_seen(names);
}

int function_names_settle(struct function_names *names, struct address_spaces *spaces)
{
	struct name_generation *young = &names->young;
	size_t first = young->functions.nr - names->waiting.nr;
	int ret = 0;

	for (size_t i = 0; !ret && i < names->waiting.nr; i++) {
		const struct waiting_function *w = &names->waiting.data[i];
		struct named_function *f = &young->functions.data[first + i];
		struct address_space *space;

		ret = address_spaces_get(spaces, w->tgid, w->time_ns, &space);
		if (ret)
			break;
		f->generation = space->generation;
		ret = index_insert(&young->by_word, hash_function(f->generation, f->word),
				   first + i);
	}
	vec_clear(&names->waiting);
	return ret;
}

void function_names_deinit(struct function_names *names)
{
	free_generation(&names->young);
	free_generation(&names->old);
	vec_free(&names->waiting);
}
