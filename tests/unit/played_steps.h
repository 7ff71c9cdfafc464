/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions that note their names, one of which fails, in the place of the real ones (--wrap). */
#ifndef TESTS_PLAYED_STEPS_H
#define TESTS_PLAYED_STEPS_H

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "record/output/progress.h"
#include "tests/unit/suite.h"

#define STEPS_MAX 256
#define NO_STEP   STEPS_MAX

/* What was called, and the step that fails. */
static const char *steps[STEPS_MAX];
static size_t nr_steps, fail_at;
static int failure = -EPERM;

static inline void note_step(const char *name)
{
	ck_assert_uint_lt(nr_steps, STEPS_MAX);
	steps[nr_steps++] = name;
}

static inline int step(const char *name)
{
	note_step(name);
	return nr_steps - 1 == fail_at ? failure : 0;
}

/* A function that returns 0 or an error; one that is noted; and one that does nothing. */
#define PLAY_STEP(name, ...)                                                                       \
	int __wrap_##name(__VA_ARGS__);                                                            \
	int __wrap_##name(__VA_ARGS__)                                                             \
	{                                                                                          \
		return step(#name);                                                                \
	}                                                                                          \
	struct played
#define PLAY_CALL(name, ...)                                                                       \
	void __wrap_##name(__VA_ARGS__);                                                           \
	void __wrap_##name(__VA_ARGS__)                                                            \
	{                                                                                          \
		note_step(#name);                                                                  \
	}                                                                                          \
	struct played
#define PLAY_NOTHING(name, ...)                                                                    \
	void __wrap_##name(__VA_ARGS__);                                                           \
	void __wrap_##name(__VA_ARGS__)                                                            \
	{                                                                                          \
	}                                                                                          \
	struct played
/* A function that says @value. */
#define PLAY_VALUE(type, name, value, ...)                                                         \
	type __wrap_##name(__VA_ARGS__);                                                           \
	type __wrap_##name(__VA_ARGS__)                                                            \
	{                                                                                          \
		return value;                                                                      \
	}                                                                                          \
	struct played

/* Were the steps those that @want names, and no others? */
static inline void expect_steps(const char *want)
{
	char have[8192] = "";

	for (size_t i = 0; i < nr_steps; i++) {
		strcat(have, i ? " " : "");
		strcat(have, steps[i]);
	}
	ck_assert_str_eq(have, want);
}

static inline bool has_step(const char *name)
{
	for (size_t i = 0; i < nr_steps; i++)
		if (!strcmp(steps[i], name))
			return true;
	return false;
}

/* What was said on standard error, a line each. */
static char said_notes[2048];

void __wrap_progress_note(struct progress *p, const char *fmt, ...);

void __wrap_progress_note(struct progress *p, const char *fmt, ...)
{
	size_t len = strlen(said_notes);
	va_list args;

	(void)p;
	va_start(args, fmt);
	len += (size_t)vsnprintf(said_notes + len, sizeof(said_notes) - len, fmt, args);
	va_end(args);
	ck_assert_uint_lt(len + 1, sizeof(said_notes));
	strcpy(said_notes + len, "\n");
}

#endif
