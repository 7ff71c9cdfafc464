/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The versions of an interpreter that have support. The rows of the layouts say them, and no text
 * repeats them.
 */
#ifndef RECORD_LANGUAGES_FILES_INTERPRETER_VERSIONS_H
#define RECORD_LANGUAGES_FILES_INTERPRETER_VERSIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* Of Erlang and Java: a version has one number. */
#define NO_MINOR UINT16_MAX

struct interpreter_version {
	uint16_t major, minor;
};

/*
 * Sets *@version to number @i of the versions with support, in ascending order; a version may come
 * twice. Returns false after the last one.
 */
typedef bool (*interpreter_version_fn)(size_t i, struct interpreter_version *version);

/* Is @text of this version? "8.2.7" is of 8.2. */
bool interpreter_version_has(const struct interpreter_version *version, const char *text);

/* Writes all versions to @f: "7.4, 8.1 to 8.5". */
void interpreter_versions_print(interpreter_version_fn get, FILE *f);

#endif
