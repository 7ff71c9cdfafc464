// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/demangle/demangle.h"
#include "report/demangle/demangler.h"

/* More names may take longer than an input's budget. */
#define NAMES_MAX 8

/* A name that takes too long takes all its ticks, and the child that ends is one more. */
#define NAME_TICKS_MAX (DEMANGLER_NAME_TICKS + 2)

/* Pieces of the grammars. */
static const char *const pieces[] = {
	"_Z", "_R",  "___Z", "1f",  "3foo", "N",  "E",  "I",    "J",     "F",  "v",  "i",
	"S_", "S0_", "S1_",  "T_",  "T0_",  "Dp", "DT", "Dt",   "St",    "Ss", "P",  "R",
	"O",  "K",   "M",    "A1_", "X",    "L",  "cv", "cl",   "pt",    "sZ", "fp", "fL0p",
	"Ul", "Ut",  "_",    "B",   "G",    "C",  "CF", "zzzz", "zz_",   "Eu", "u",  "p",
	"s_", "0",   "9",    "17h", "NtC",  "Nv", "Y",  "D",    "TV",    "GV", "Th", "dl",
	"on", "il",  "tl",   "W",   ".1",   "@",  "U",  "Dv",   "99999", "x",  "y",  "\n",
};

/* Makes text of pieces. Bytes that stand for none are themselves. */
static void add_pieces(char_vec *text, const uint8_t *data, size_t len)
{
	for (size_t i = 0; i < len; i++) {
		char self = (char)data[i];
		const char *piece = data[i] < ARRAY_SIZE(pieces) ? pieces[data[i]] : NULL;

		if (vec_append(text, piece ? piece : &self, piece ? strlen(piece) : 1))
			abort();
	}
}

/* Each line is a name. */
static void add_names(struct string_set *names, const char_vec *text)
{
	const char *line = text->data, *end = text->data + text->nr;
	uint32_t id;

	for (int i = 0; i < NAMES_MAX && line < end; i++) {
		const char *eol = memchr(line, '\n', end - line);
		size_t len = (eol ? eol : end) - line;

		if (string_set_add(names, line, len, &id))
			abort();
		line += len + 1;
	}
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct demangler_account account = {0};
	struct string_set names = {0};
	_cleanup_free_ uint32_t *new_ids = NULL;
	char_vec text = {0};
	size_t nr;

	if (!len || len > INPUT_MAX_BYTES)
		return;
	account.style = len % 2 ? DEMANGLE_FULL : DEMANGLE_SHORT;
	if (data[0] == '_')
		vec_append(&text, (const char *)data, len);
	else
		add_pieces(&text, data, len);
	if (!text.data || string_set_init(&names))
		abort();
	add_names(&names, &text);
	nr = names.items.nr;
	new_ids = calloc(nr, sizeof(*new_ids));
	if (!new_ids || demangler_run(&names, new_ids, &account) ||
	    account.ticks > nr * NAME_TICKS_MAX)
		abort();
	for (size_t i = 0; i < nr; i++) {
		if (new_ids[i] >= names.items.nr ||
		    (new_ids[i] != i && names.items.data[new_ids[i]].len > DEMANGLED_BYTES_MAX))
			abort();
	}
	if (verbose)
		printf("%zu names, %llu too slow\n", nr - 1,
		       (unsigned long long)demangler_account_nr_left(&account));
	demangler_account_deinit(&account);
	string_set_deinit(&names);
	vec_free(&text);
}
