// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/source_function.h"

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

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

int source_function_decode_method(struct arena *texts, enum language language,
				  const struct language_text *class,
				  const struct language_text *name,
				  const struct language_text *file, struct source_function *f)
{
	char text[2 * TEXT_MAX + 1];
	size_t nr = decode_text(class, false, text);

	for (size_t i = 0; i < nr && language == LANGUAGE_JAVA; i++)
		if (text[i] == '/')
			text[i] = '.';
	f->file =
		file && file->nr_bytes ? copy_text(texts, file, true) : arena_copy(texts, text, nr);
	text[nr++] = language == LANGUAGE_JAVA ? '.' : ':';
	f->name = arena_copy(texts, text, nr + decode_text(name, false, text + nr));
	return f->file && f->name ? 0 : -ENOMEM;
}

/* Functions in C, and those of an engine itself, have no file. */
#define INTERNAL_FILE "internal"

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

static int decode_plain(struct arena *texts, const struct function_name *name,
			struct source_function *f)
{
	f->name = copy_text(texts, &name->name, false);
	f->file = copy_text(texts, &name->file, true);
	return f->file && f->name ? 0 : -ENOMEM;
}

static int decode_java(struct arena *texts, const struct function_name *name,
		       struct source_function *f)
{
	if (!name->name.nr_bytes)
		return decode_plain(texts, name, f);
	return source_function_decode_method(texts, LANGUAGE_JAVA, &name->file, &name->name, NULL,
					     f);
}

/* "List" and "add" become "List::add". */
static int decode_scoped(struct arena *texts, const struct function_name *function,
			 struct source_function *f)
{
	const struct scoped_function_name *name = (const struct scoped_function_name *)function;
	char text[2 * TEXT_MAX + 2], file[TEXT_MAX] = INTERNAL_FILE;
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

/* The name of a module's file may be a URL. */
#define FILE_URL "file://"

/* Functions without a file are V8's own. The code of a file has no name. */
static int decode_node(struct arena *texts, const struct function_name *name,
		       struct source_function *f)
{
	char text[TEXT_MAX + 2], file[TEXT_MAX] = INTERNAL_FILE;
	size_t nr = strlen(file), skip = 0, len = decode_text(&name->name, false, text);

	if (name->file.nr_bytes) {
		nr = decode_text(&name->file, true, file);
		if (nr > strlen(FILE_URL) && !memcmp(file, FILE_URL, strlen(FILE_URL)))
			skip = strlen(FILE_URL);
	}
	if (!len)
		len = name_file_code(file + skip, nr - skip, text);
	f->file = arena_copy(texts, file + skip, nr - skip);
	f->name = arena_copy(texts, text, len);
	return f->file && f->name ? 0 : -ENOMEM;
}

#define LANGUAGE_DECODE(language, name, place, type, decode) [language] = decode,

int source_function_decode(struct arena *texts, const struct function_name *name,
			   struct source_function *f)
{
	static int (*const decoders[NR_LANGUAGES])(struct arena *, const struct function_name *,
						   struct source_function *) = {
		LANGUAGES(LANGUAGE_DECODE)};

	if (!word_is_function(name->word))
		return decode_plain(texts, name, f);
	return decoders[word_language(name->word)](texts, name, f);
}
