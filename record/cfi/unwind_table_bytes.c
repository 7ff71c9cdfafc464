// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Tables as bytes: the header below, pages, rows, rules. The rows of a page follow the rows of the
 * previous page.
 */
#include "common/io.h"
#include "record/cfi/unwind_table.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/crc32c.h"

#define TABLE_MAGIC   0x54575550 /* "PUWT" */
#define TABLE_VERSION 6

/* For this host alone, therefore in its byte order. */
struct header {
	uint32_t magic, version;
	uint8_t hash[UNWIND_HASH_BYTES];
	uint64_t first_off;
	uint32_t nr_pages, nr_rows, nr_rules;
	uint32_t crc; /* CRC-32C of the header with 0 here, then of the rest */
};

#define ROWS_MAX ((uint32_t)UNWIND_MAX_SEGMENTS * UNWIND_SEGMENT_ROWS)

static int read_part(int fd, void *buf, size_t len)
{
	int ret = io_read_all(fd, buf, len);

	return ret == -ENODATA ? -EBADMSG : ret;
}

/* An array of a table. The arrays stand in a file in this order. */
struct part {
	void *data;
	size_t bytes;
};

#define NR_PARTS 3

static void list_parts(const struct unwind_table *table, struct part parts[static NR_PARTS])
{
	parts[0] = (struct part){table->pages, table->nr_pages * sizeof(*table->pages)};
	parts[1] = (struct part){table->rows, table->nr_rows * sizeof(*table->rows)};
	parts[2] = (struct part){table->rules, table->nr_rules * sizeof(*table->rules)};
}

/* The header that belongs to @table. */
static struct header make_header(const struct unwind_table *table)
{
	struct header header = {
		.magic = TABLE_MAGIC,
		.version = TABLE_VERSION,
		.first_off = table->first_off,
		.nr_pages = table->nr_pages,
		.nr_rows = table->nr_rows,
		.nr_rules = table->nr_rules,
	};
	uint32_t crc;
	struct part parts[NR_PARTS];

	memcpy(header.hash, table->hash, sizeof(header.hash));
	crc = crc32c(0, &header, sizeof(header));
	list_parts(table, parts);
	for (size_t i = 0; i < NR_PARTS; i++)
		crc = crc32c(crc, parts[i].data, parts[i].bytes);
	header.crc = crc;
	return header;
}

int unwind_table_write(int fd, const struct unwind_table *table)
{
	struct header header = make_header(table);
	struct part parts[NR_PARTS];
	int ret = io_write_all(fd, &header, sizeof(header));

	list_parts(table, parts);
	for (size_t i = 0; !ret && i < NR_PARTS; i++)
		ret = io_write_all(fd, parts[i].data, parts[i].bytes);
	return ret;
}

/* @first_row is the number of rows in the pages before. */
static bool is_good_page(const struct unwind_table *table, const struct unwind_page *page,
			 uint32_t first_row)
{
	const uint32_t *rows = table->rows + first_row;

	if (page->first_row != first_row || page->nr_rows > table->nr_rows - first_row ||
	    page->nr_rows > UNWIND_PAGE_SIZE)
		return false;
	if (page->nr_rows && UNWIND_ROW_OFF(rows[0]) != 0)
		return false;
	for (uint32_t i = 1; i < page->nr_rows; i++)
		if (UNWIND_ROW_OFF(rows[i]) <= UNWIND_ROW_OFF(rows[i - 1]))
			return false;
	return true;
}

static bool is_good_rule(const struct unwind_rule *rule)
{
	return rule->cfa <= UNWIND_CFA_UNSUPPORTED && rule->cfa_reg < UNWIND_NR_REGS &&
	       rule->ra <= UNWIND_RA_UNSUPPORTED && rule->ra_reg < UNWIND_NR_REGS &&
	       rule->fp <= UNWIND_SAVED_LOST && rule->kept <= UNWIND_SAVED_LOST &&
	       rule->is_instead <= 1 && !rule->reserved;
}

static bool is_good(const struct unwind_table *table)
{
	static const struct unwind_rule none;
	uint32_t nr_rows = 0;

	if (memcmp(&table->rules[UNWIND_NO_RULE], &none, sizeof(none)))
		return false;
	for (uint32_t i = 0; i < table->nr_rules; i++)
		if (!is_good_rule(&table->rules[i]))
			return false;
	for (uint32_t i = 0; i < table->nr_rows; i++)
		if (UNWIND_ROW_RULE(table->rows[i]) >= table->nr_rules)
			return false;
	for (uint32_t i = 0; i < table->nr_pages; i++) {
		if (!is_good_page(table, &table->pages[i], nr_rows))
			return false;
		nr_rows += table->pages[i].nr_rows;
	}
	return nr_rows == table->nr_rows;
}

/* Are the counts within limits, and does a file have the bytes that they claim? */
static bool is_good_header(int fd, const struct header *header)
{
	struct unwind_table counts = {.nr_pages = header->nr_pages,
				      .nr_rows = header->nr_rows,
				      .nr_rules = header->nr_rules};
	struct part parts[NR_PARTS];
	uint64_t bytes = sizeof(*header);
	struct stat st;

	if (header->magic != TABLE_MAGIC || header->version != TABLE_VERSION ||
	    header->first_off % UNWIND_PAGE_SIZE || header->first_off > INT64_MAX ||
	    header->nr_pages > UNWIND_MAX_PAGES || header->nr_rows > ROWS_MAX ||
	    !header->nr_rules || header->nr_rules > UNWIND_MAX_RULES)
		return false;
	list_parts(&counts, parts);
	for (size_t i = 0; i < NR_PARTS; i++)
		bytes += parts[i].bytes;
	return fstat(fd, &st) || !S_ISREG(st.st_mode) || (uint64_t)st.st_size >= bytes;
}

static int read_arrays(int fd, struct unwind_table *table)
{
	struct part parts[NR_PARTS];
	int ret = 0;

	list_parts(table, parts);
	table->pages = parts[0].data = malloc(parts[0].bytes + 1);
	table->rows = parts[1].data = malloc(parts[1].bytes + 1);
	table->rules = parts[2].data = malloc(parts[2].bytes);
	for (size_t i = 0; !ret && i < NR_PARTS; i++)
		ret = parts[i].data ? read_part(fd, parts[i].data, parts[i].bytes) : -ENOMEM;
	return ret;
}

int unwind_table_read(int fd, struct unwind_table *table)
{
	struct unwind_table new = {0};
	struct header header;
	int ret = read_part(fd, &header, sizeof(header));

	if (ret)
		return ret;
	if (!is_good_header(fd, &header))
		return -EBADMSG;
	memcpy(new.hash, header.hash, sizeof(new.hash));
	new.first_off = header.first_off;
	new.nr_pages = header.nr_pages;
	new.nr_rows = header.nr_rows;
	new.nr_rules = header.nr_rules;
	ret = read_arrays(fd, &new);
	if (!ret && (make_header(&new).crc != header.crc || !is_good(&new)))
		ret = -EBADMSG;
	if (ret)
		unwind_table_deinit(&new);
	else
		*table = new;
	return ret;
}

int unwind_table_read_hash(int fd, uint8_t hash[static UNWIND_HASH_BYTES])
{
	struct header header;
	int ret = read_part(fd, &header, sizeof(header));

	if (ret)
		return ret;
	if (header.magic != TABLE_MAGIC || header.version != TABLE_VERSION)
		return -EBADMSG;
	memcpy(hash, header.hash, sizeof(header.hash));
	return 0;
}
