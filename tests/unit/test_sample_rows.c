// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows come back from zstd as they were put, however they repeat each other. */
#include "report/tables/sample_rows.h"

#include "tests/unit/suite.h"

#define NR_TEXTS 300

/* Texts of rows; some are equal, as those of several processes are. */
struct texts {
	char text[NR_TEXTS][80];
	struct text_place places[NR_TEXTS];
	uint32_t state;
};

static struct sample_rows rows;
static struct textbuf expected;

static void set_up(void)
{
	expected = (struct textbuf){.fd = -1};
	ck_assert_int_eq(sample_rows_init(&rows), 0);
}

static void tear_down(void)
{
	sample_rows_deinit(&rows);
	textbuf_deinit(&expected);
}

static uint32_t random_of(struct texts *t, uint32_t nr)
{
	t->state = t->state * 1103515245 + 12345;
	return (t->state >> 8) % nr;
}

static void put(const char *s, size_t len, struct text_place *place)
{
	sample_rows_put(&rows, s, len, place);
	textbuf_bytes(&expected, s, len);
}

static void put_again(size_t len, struct text_place *place, const char *s)
{
	sample_rows_repeat(&rows, len, place);
	textbuf_bytes(&expected, s, len);
}

static void end_row(uint64_t nr)
{
	ck_assert_int_eq(sample_rows_end_row(&rows, nr), 0);
	textbuf_u64(&expected, nr);
	textbuf_char(&expected, '\n');
}

static void check_rows(void)
{
	char *text = malloc(expected.nr + 1);
	ZSTD_DCtx *context = ZSTD_createDCtx();
	size_t nr;

	ck_assert_int_eq(sample_rows_pack(&rows), 0);
	nr = ZSTD_decompressDCtx(context, text, expected.nr + 1, rows.packed.data, rows.packed.nr);
	ck_assert_msg(!ZSTD_isError(nr), "%s", ZSTD_getErrorName(nr));
	ck_assert_uint_eq(nr, expected.nr);
	ck_assert(!memcmp(text, expected.data, nr));
	ZSTD_freeDCtx(context);
	free(text);
}

static void make_texts(struct texts *t)
{
	for (int i = 0; i < NR_TEXTS; i++) {
		t->places[i] = (struct text_place){0};
		snprintf(t->text[i], sizeof(t->text[i]), "%.*s%d\t", (int)random_of(t, 60),
			 "/a/path/that/is/as/long/as/those/of/control/groups/in/the/wild", i % 250);
	}
}

static void put_text(struct texts *t, uint32_t i)
{
	size_t len = strlen(t->text[i]);

	if (sample_rows_has(&rows, &t->places[i]) && random_of(t, 2))
		put_again(len, &t->places[i], t->text[i]);
	else
		put(t->text[i], len, random_of(t, 5) ? &t->places[i] : NULL);
}

/* Three million bytes and more: several chunks of many blocks. */
START_TEST(random_rows)
{
	struct texts t = {.state = _i + 1};
	uint32_t first = 0;

	make_texts(&t);
	while (expected.nr < 3500000) {
		first = random_of(&t, 20) ? first : random_of(&t, NR_TEXTS - 4);
		for (uint32_t i = 0; i < 4; i++)
			put_text(&t, first + i);
		put_text(&t, random_of(&t, NR_TEXTS));
		end_row(random_of(&t, 3) ? 1 : random_of(&t, 2000));
	}
	check_rows();
	ck_assert_uint_lt(rows.packed.nr, expected.nr / 4);
}
END_TEST

/* A row may be larger than a block of zstd: then the library looks for repeats by itself. */
START_TEST(long_rows)
{
	static char text[300000];

	memset(text, 'x', sizeof(text));
	for (size_t len = 1; len < sizeof(text); len = len * 3 + 1) {
		struct text_place place = {0};

		for (int i = 0; i < 4; i++) {
			put(text, len, i % 2 ? &place : NULL);
			end_row(UINT64_MAX);
		}
	}
	check_rows();
	ck_assert_uint_lt(rows.packed.nr, 10000);
}
END_TEST

START_TEST(no_rows)
{
	check_rows();
	ck_assert_uint_eq(rows.packed.nr, 0);
}
END_TEST

/* Rows that repeat the one before it cost next to nothing, and so do those of another process. */
START_TEST(repeats)
{
	struct text_place host = {0}, other = {0}, stack = {0};

	for (int i = 0; i < 100000; i++) {
		put("host of a service\t", 18, i % 2 ? &host : &other);
		put("5879476924000314022\t", 20, &stack);
		end_row(1);
	}
	check_rows();
	ck_assert_uint_lt(rows.packed.nr, expected.nr / 1000);
}
END_TEST

SUITE_MAIN_LOOP_WITH("sample_rows", set_up, tear_down, random_rows, 3, long_rows, no_rows, repeats)
