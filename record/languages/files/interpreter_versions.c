// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/interpreter_versions.h"

#include <string.h>

#define VERSION_BYTES 16

static void to_text(const struct interpreter_version *version, char text[VERSION_BYTES])
{
	if (version->minor == NO_MINOR)
		snprintf(text, VERSION_BYTES, "%u", version->major);
	else
		snprintf(text, VERSION_BYTES, "%u.%u", version->major, version->minor);
}

bool interpreter_version_has(const struct interpreter_version *version, const char *text)
{
	char own[VERSION_BYTES];

	to_text(version, own);
	return !strncmp(text, own, strlen(own)) && text[strlen(own)] == '.';
}

static bool are_same(const struct interpreter_version *a, const struct interpreter_version *b)
{
	return a->major == b->major && a->minor == b->minor;
}

/* Does nothing come between @a and @b? */
static bool are_next(const struct interpreter_version *a, const struct interpreter_version *b)
{
	if (a->minor == NO_MINOR || b->minor == NO_MINOR)
		return a->minor == b->minor && a->major + 1 == b->major;
	return a->major == b->major && a->minor + 1 == b->minor;
}

/*
 * Sets *@last to the end of the run of versions that begins at @i, and *@nr to their number.
 * Returns the @i after them.
 */
static size_t find_run(interpreter_version_fn get, size_t i, struct interpreter_version *last,
		       size_t *nr)
{
	struct interpreter_version next;

	get(i++, last);
	for (*nr = 1; get(i, &next); i++) {
		if (are_same(last, &next))
			continue;
		if (!are_next(last, &next))
			break;
		*last = next;
		++*nr;
	}
	return i;
}

void interpreter_versions_print(interpreter_version_fn get, FILE *f)
{
	struct interpreter_version first, last;
	char from[VERSION_BYTES], to[VERSION_BYTES];
	size_t i = 0, nr;

	while (get(i, &first)) {
		fputs(i ? ", " : "", f);
		i = find_run(get, i, &last, &nr);
		to_text(&first, from);
		to_text(&last, to);
		if (nr == 1)
			fputs(from, f);
		else
			fprintf(f, nr == 2 ? "%s, %s" : "%s to %s", from, to);
	}
}
