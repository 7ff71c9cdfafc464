// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/language_names.h"

#include <errno.h>
#include <string.h>

static const char *const names[NR_LANGUAGES] = {
	[LANGUAGE_NONE] = "",   [LANGUAGE_PYTHON] = "py", [LANGUAGE_JAVA] = "java",
	[LANGUAGE_PHP] = "php", [LANGUAGE_BEAM] = "beam", [LANGUAGE_RUBY] = "rb",
	[LANGUAGE_NODE] = "js", [LANGUAGE_PERL] = "pl",
};

const char *language_name(enum language language)
{
	return language < NR_LANGUAGES ? names[language] : "";
}

const char *language_inlined_name(enum language language)
{
	return language == LANGUAGE_JAVA ? "java,inl" : language_name(language);
}

/* The bit of the language with the name of @len bytes at @name; 0: there is none. */
static uint32_t find_name(const char *name, size_t len)
{
	for (uint32_t i = LANGUAGE_NONE + 1; i < NR_LANGUAGES; i++)
		if (strlen(names[i]) == len && !memcmp(names[i], name, len))
			return 1u << i;
	return 0;
}

int language_names_parse(const char *text, void *target)
{
	uint32_t set = 0;

	if (strcmp(text, "none") != 0) {
		for (;;) {
			size_t len = strcspn(text, ",");
			uint32_t bit = find_name(text, len);

			if (!bit)
				return -EINVAL;
			set |= bit;
			if (!text[len])
				break;
			text += len + 1;
		}
	}
	*(uint32_t *)target = set;
	return 0;
}
