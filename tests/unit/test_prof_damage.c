// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small recording, cut at every byte and with every bit flipped. The reader reports an error with
 * its place, or the data is as it was written.
 */
#include "common/cleanup.h"
#include "tests/unit/epoch_text.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/random_world.h"
#include "tests/unit/suite.h"

#define NR_EPOCHS 2

static struct memory whole;
static char *texts[NR_EPOCHS];
/* The first n + 1 epochs are whole in this many bytes. */
static size_t epoch_ends[NR_EPOCHS];

static void make_recording(void)
{
	struct prof_writer *writer;
	struct random rng = {.state = 20261121};

	memset(&whole, 0, sizeof(whole));
	writer = begin_recording(&whole);
	for (int i = 0; i < NR_EPOCHS; i++) {
		struct world w;

		world_random(&w, &rng, 8);
		write_epoch(writer, &w);
		epoch_ends[i] = whole.nr;
		texts[i] = epoch_text(&w.epoch);
		world_deinit(&w);
	}
	end_recording(writer);
}

static void free_recording(void)
{
	for (int i = 0; i < NR_EPOCHS; i++)
		free(texts[i]);
	free(whole.data);
}

/*
 * Reads @m. Its epochs must be the first of the recording. Returns the last result and the error.
 */
static int read_all(struct memory *m, int *nr, char error[static 512])
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
	snprintf(error, 512, "%s", prof_reader_error(reader));
	prof_reader_destroy(reader);
	return ret;
}

START_TEST(cut_at_every_byte)
{
	for (size_t len = 0; len < whole.nr; len++) {
		struct memory m = {.data = malloc(len + 1), .nr = len};
		int nr, wanted = 0, ret;
		char error[512];

		memcpy(m.data, whole.data, len);
		ret = read_all(&m, &nr, error);
		ck_assert_msg(ret == -ENODATA, "cut at %zu: %d %s", len, ret, error);
		ck_assert_msg(strstr(error, "at offset ") != NULL, "cut at %zu: %s", len, error);
		ck_assert_msg(strstr(error, "ends") != NULL, "cut at %zu: %s", len, error);
		while (wanted < NR_EPOCHS && epoch_ends[wanted] <= len)
			wanted++;
		ck_assert_int_eq(nr, wanted);
		free(m.data);
	}
}
END_TEST

START_TEST(flip_of_every_bit)
{
	struct memory m = {0};

	m.nr = whole.nr;
	m.data = malloc(m.nr);
	for (size_t bit = 0; bit < whole.nr * 8; bit++) {
		int nr, ret;
		char error[512];

		memcpy(m.data, whole.data, m.nr);
		m.data[bit / 8] ^= 1 << bit % 8;
		m.pos = 0;
		ret = read_all(&m, &nr, error);
		if (ret == PROF_READ_END) {
			ck_assert_int_eq(nr, NR_EPOCHS);
			continue;
		}
		ck_assert_msg(ret == -EBADMSG || ret == -EPROTONOSUPPORT || ret == -ENODATA,
			      "bit %zu: %d %s", bit, ret, error);
		ck_assert_msg(strstr(error, " at offset ") != NULL, "bit %zu: %s", bit, error);
	}
	free(m.data);
}
END_TEST

/* Fails where @m ends. */
static ssize_t failing_read(void *ctx, void *buf, size_t len)
{
	struct memory *m = ctx;

	return m->pos < m->nr ? memory_read(ctx, buf, len) : -EIO;
}

START_TEST(read_error)
{
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
}
END_TEST

START_TEST(bytes_after_the_end)
{
	char error[512];
	int nr;

	ck_assert_int_eq(memory_write(&whole, "", 1), 0);
	ck_assert_int_eq(read_all(&whole, &nr, error), -EBADMSG);
	ck_assert_ptr_nonnull(strstr(error, "section 'end' at offset "));
	ck_assert_ptr_nonnull(strstr(error, "something follows the end record"));
}
END_TEST

START_TEST(dropped_epoch)
{
	struct memory m = {0};
	unsigned int number, due;
	char error[512];
	const char *text;
	int nr;

	memory_write(&m, whole.data, epoch_ends[0]);
	memory_write(&m, whole.data + epoch_ends[1], whole.nr - epoch_ends[1]);
	ck_assert_int_eq(read_all(&m, &nr, error), -EBADMSG);
	ck_assert_int_eq(nr, 1);
	/* An epoch has six sections that must be there, and eight that may be missing. */
	text = strstr(error, "number ");
	ck_assert_ptr_nonnull(text);
	ck_assert_int_eq(sscanf(text, "number %u where %u is due", &number, &due), 2);
	ck_assert(due >= 7 && due <= 15);
	ck_assert(number >= due + 6 && number <= due + 14);
	free(m.data);
}
END_TEST

SUITE_MAIN_WITH("prof_damage", make_recording, free_recording, cut_at_every_byte, flip_of_every_bit,
		read_error, bytes_after_the_end, dropped_epoch)
