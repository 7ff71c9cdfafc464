// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small recording, cut at every byte and with every bit flipped: an error that names its place,
 * or the same data; never anything else.
 */
#include "common/cleanup.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/suite.h"

#define NR_EPOCHS 2

static struct memory whole;
static char *texts[NR_EPOCHS];
/* Where the recording may be cut and its first n epochs still be whole. */
static size_t epoch_ends[NR_EPOCHS];

static void make_recording(void)
{
	struct prof_writer *writer = NULL;
	uint64_t rng = 20261121;

	ck_assert_int_eq(prof_writer_create(memory_write, &whole, &writer), 0);
	ck_assert_int_eq(prof_writer_meta(writer, &test_meta), 0);
	for (int i = 0; i < NR_EPOCHS; i++) {
		struct world w;

		world_random(&w, &rng, 8);
		ck_assert_int_eq(prof_writer_epoch(writer, world_epoch(&w)), 0);
		epoch_ends[i] = whole.nr;
		texts[i] = epoch_text(&w.epoch);
		world_deinit(&w);
	}
	ck_assert_int_eq(prof_writer_end(writer, &test_end), 0);
	prof_writer_destroy(writer);
}

static void free_recording(void)
{
	for (int i = 0; i < NR_EPOCHS; i++)
		free(texts[i]);
	free(whole.data);
	memset(&whole, 0, sizeof(whole));
}

/*
 * Reads @m; whatever epoch comes out must be the right one. Returns the last result, with the
 * number of epochs and the error.
 */
static int read_all(struct memory *m, int *nr, char *error, size_t size)
{
	const struct prof_epoch *epoch;
	struct prof_reader *reader = NULL;
	int ret = prof_reader_create(memory_read, m, &reader);

	*nr = 0;
	while (!ret || ret == PROF_READ_EPOCH) {
		_cleanup_free_ char *text = NULL;

		ret = prof_reader_next(reader, &epoch);
		if (ret != PROF_READ_EPOCH)
			break;
		text = epoch_text(epoch);
		ck_assert_int_lt(*nr, NR_EPOCHS);
		ck_assert_str_eq(text, texts[*nr]);
		(*nr)++;
	}
	ck_assert(ret == PROF_READ_END || prof_reader_next(reader, &epoch) == ret);
	snprintf(error, size, "%s", prof_reader_error(reader));
	prof_reader_destroy(reader);
	return ret;
}

START_TEST(cut_at_every_byte)
{
	make_recording();
	for (size_t len = 0; len < whole.nr; len++) {
		struct memory m = {.data = malloc(len + 1), .nr = len};
		int nr, wanted = 0, ret;
		char error[512];

		memcpy(m.data, whole.data, len);
		ret = read_all(&m, &nr, error, sizeof(error));
		ck_assert_msg(ret == -ENODATA, "cut at %zu: %d %s", len, ret, error);
		ck_assert_msg(strstr(error, "at offset ") != NULL, "cut at %zu: %s", len, error);
		ck_assert_msg(strstr(error, "ends") != NULL, "cut at %zu: %s", len, error);
		while (wanted < NR_EPOCHS && epoch_ends[wanted] <= len)
			wanted++;
		ck_assert_int_eq(nr, wanted);
		free(m.data);
	}
	free_recording();
}
END_TEST

START_TEST(flip_of_every_bit)
{
	struct memory m = {0};

	make_recording();
	m.nr = whole.nr;
	m.data = malloc(m.nr);
	for (size_t bit = 0; bit < whole.nr * 8; bit++) {
		int nr, ret;
		char error[512];

		memcpy(m.data, whole.data, m.nr);
		m.data[bit / 8] ^= 1 << bit % 8;
		m.pos = 0;
		ret = read_all(&m, &nr, error, sizeof(error));
		if (ret == PROF_READ_END) {
			ck_assert_int_eq(nr, NR_EPOCHS);
			continue;
		}
		ck_assert_msg(ret == -EBADMSG || ret == -EPROTONOSUPPORT || ret == -ENODATA,
			      "bit %zu: %d %s", bit, ret, error);
		ck_assert_msg(strstr(error, " at offset ") != NULL, "bit %zu: %s", bit, error);
	}
	free(m.data);
	free_recording();
}
END_TEST

/* A source that fails is neither cut short nor corrupt. */
static ssize_t failing_read(void *ctx, void *buf, size_t len)
{
	struct memory *m = ctx;

	return m->pos < m->nr ? memory_read(ctx, buf, len) : -EIO;
}

START_TEST(read_error)
{
	make_recording();
	for (size_t len = 0; len < whole.nr; len += 7) {
		struct memory m = {.data = whole.data, .nr = len};
		const struct prof_epoch *epoch;
		struct prof_reader *reader = NULL;
		int ret = prof_reader_create(failing_read, &m, &reader);

		while (ret >= 0)
			ret = prof_reader_next(reader, &epoch);
		ck_assert_int_eq(ret, -EIO);
		ck_assert_ptr_nonnull(
			strstr(prof_reader_error(reader), "failed to read: Input/output error"));
		prof_reader_destroy(reader);
	}
	free_recording();
}
END_TEST

START_TEST(bytes_after_the_end)
{
	char error[512];
	int nr;

	make_recording();
	ck_assert_int_eq(memory_write(&whole, "", 1), 0);
	ck_assert_int_eq(read_all(&whole, &nr, error, sizeof(error)), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(error, "section 'end' at offset "));
	ck_assert_ptr_nonnull(strstr(error, "something follows the end record"));
	free_recording();
}
END_TEST

START_TEST(dropped_epoch)
{
	struct memory m = {0};
	unsigned int number, due;
	char error[512];
	const char *text;
	int nr;

	make_recording();
	memory_write(&m, whole.data, epoch_ends[0]);
	memory_write(&m, whole.data + epoch_ends[1], whole.nr - epoch_ends[1]);
	ck_assert_int_eq(read_all(&m, &nr, error, sizeof(error)), -EBADMSG);
	ck_assert_int_eq(nr, 1);
	/* An epoch has six sections that must be there, and three that may be missing. */
	text = strstr(error, "number ");
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(sscanf(text, "number %u where %u is due", &number, &due), 2);
	ck_assert(due >= 7 && due <= 10);
	ck_assert(number >= due + 6 && number <= due + 9);
	free(m.data);
	free_recording();
}
END_TEST

SUITE_MAIN("prof_damage", cut_at_every_byte, flip_of_every_bit, read_error, bytes_after_the_end,
	   dropped_epoch)
