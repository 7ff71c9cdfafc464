// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/shown_languages.h"

#include <string.h>

#include "common/cleanup.h"

static const struct shown_language languages[] = {
	{"py", "Python", "cpython", 56},  {"rb", "Ruby", "ruby", 345},
	{"js", "JavaScript", "v8js", 84}, {"js,inl", "js,inl", "v8js", 66},
	{"java", "Java", "jvm", 14},      {"java,inl", "java,inl", "jvm", 285},
	{"php", "PHP", "php", 246},       {"beam", "Erlang", "beam", 318},
	{"pl", "Perl", "perl", 190},      {"lua", "Lua", NULL, 228},
};

const struct shown_language *shown_language_find(const char *key)
{
	for (size_t i = 0; i < ARRAY_SIZE(languages); i++)
		if (!strcmp(languages[i].key, key))
			return &languages[i];
	return NULL;
}
