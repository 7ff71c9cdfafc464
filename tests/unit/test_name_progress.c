// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/name_progress.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define CLEARED "\r\033[K"

/* Standard error of this program, while the test has another one in its place. */
static int standard_error;

static void replace_standard_error(int fd)
{
	standard_error = dup(STDERR_FILENO);
	ck_assert_int_ge(standard_error, 0);
	ck_assert_int_eq(dup2(fd, STDERR_FILENO), STDERR_FILENO);
	close(fd);
}

static void restore_standard_error(void)
{
	dup2(standard_error, STDERR_FILENO);
	close(standard_error);
}

/* Reads from @fd until @text has @part, or until the end. */
static void read_until(int fd, char *text, size_t size, const char *part)
{
	size_t len = strlen(text);
	ssize_t n;

	while (!strstr(text, part) && (n = read(fd, text + len, size - len - 1)) > 0) {
		len += n;
		text[len] = '\0';
	}
}

START_TEST(on_a_terminal)
{
	struct name_progress progress;
	char text[4096] = "";
	const char *last;
	int terminal = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);

	ck_assert_int_ge(terminal, 0);
	ck_assert(!grantpt(terminal) && !unlockpt(terminal));
	replace_standard_error(open(ptsname(terminal), O_RDWR | O_NOCTTY));
	name_progress_begin(&progress);
	name_progress_set(&progress, 3, 17);
	read_until(terminal, text, sizeof(text), "\rprofrep: looking up names, 3 of 17 addresses");
	name_progress_end(&progress);
	restore_standard_error();
	ck_assert_pstr_ne(strstr(text, "3 of 17"), NULL);
	/* The terminal has no writer now, so that reading comes to an end. The line is cleared
	 * last. */
	read_until(terminal, text, sizeof(text), "nothing");
	last = text + strlen(text) - strlen(CLEARED);
	ck_assert_str_eq(last, CLEARED);
	close(terminal);
}
END_TEST

START_TEST(elsewhere)
{
	struct name_progress progress;
	char text[16] = "";
	int fds[2];

	ck_assert_int_eq(pipe(fds), 0);
	replace_standard_error(fds[1]);
	name_progress_begin(&progress);
	name_progress_set(&progress, 3, 17);
	name_progress_set(NULL, 3, 17);
	ck_assert(!progress.is_shown);
	name_progress_end(&progress);
	restore_standard_error();
	ck_assert_int_eq(read(fds[0], text, sizeof(text)), 0);
	close(fds[0]);
}
END_TEST

SUITE_MAIN("name_progress", on_a_terminal, elsewhere)
