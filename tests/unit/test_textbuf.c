// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>

#include "report/text/string_set.h"
#include "report/text/textbuf.h"
#include "tests/unit/suite.h"

START_TEST(numbers)
{
	struct textbuf out = {.fd = -1};

	textbuf_u64(&out, 0);
	textbuf_char(&out, ' ');
	textbuf_u64(&out, UINT64_MAX);
	textbuf_printf(&out, " %03d ", 7);
	textbuf_escaped(&out, "a;\n", 3, TEXT_FOLDED);
	textbuf_char(&out, '\0');
	ck_assert_str_eq(out.data, "0 18446744073709551615 007 a\\x3b\\x0a");
	ck_assert_int_eq(textbuf_flush(&out), 0);
	textbuf_deinit(&out);
}
END_TEST

/* Text arrives whole that is larger than the buffer and comes in pieces of all sizes. */
START_TEST(large)
{
	FILE *file = tmpfile();
	struct textbuf out = {.fd = fileno(file)};
	static char piece[300000];
	size_t total = 0;

	memset(piece, 'x', sizeof(piece));
	for (size_t len = 1; len < sizeof(piece); len *= 3) {
		for (int i = 0; i < 20; i++) {
			textbuf_bytes(&out, piece, len);
			total += len;
		}
	}
	ck_assert_int_eq(textbuf_flush(&out), 0);
	ck_assert_uint_eq(lseek(out.fd, 0, SEEK_END), total);
	ck_assert_uint_le(out.cap, (size_t)1 << 20);
	textbuf_deinit(&out);
	fclose(file);
}
END_TEST

START_TEST(first_error_stays)
{
	struct textbuf out = {.fd = open("/dev/full", O_WRONLY | O_CLOEXEC)};

	textbuf_str(&out, "x");
	ck_assert_int_eq(textbuf_flush(&out), -ENOSPC);
	textbuf_fail(&out, -ENOMEM);
	for (int i = 0; i < 100000; i++)
		textbuf_str(&out, "more and more and more");
	ck_assert_int_eq(textbuf_flush(&out), -ENOSPC);
	close(out.fd);
	textbuf_deinit(&out);
}
END_TEST

START_TEST(set_of_strings)
{
	struct string_set strings;
	uint32_t id, again;

	ck_assert_int_eq(string_set_init(&strings), 0);
	ck_assert_str_eq(string_set_get(&strings, 0), "");
	for (uint32_t i = 0; i < 5000; i++) {
		char text[16];

		snprintf(text, sizeof(text), "name%u", i);
		ck_assert_int_eq(string_set_add(&strings, text, strlen(text), &id), 0);
		ck_assert_uint_eq(id, i + 1);
		ck_assert_int_eq(string_set_add(&strings, text, strlen(text), &again), 0);
		ck_assert_uint_eq(again, id);
	}
	ck_assert_int_eq(string_set_add(&strings, "name12", 5, &id), 0);
	ck_assert_str_eq(string_set_get(&strings, id), "name1");
	string_set_deinit(&strings);
}
END_TEST

SUITE_MAIN("textbuf", numbers, large, first_error_stays, set_of_strings)
