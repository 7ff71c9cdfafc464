// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Takes a recording apart, for fuzzing: prof_list < file.prof > tests/fuzz/reader/INPUT. Prints the
 * list of its sections that tests/fuzz/input.h describes. The target itself counts the sections and
 * the bytes, so the end record is left without these numbers.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "format/attrs.h"
#include "format/input.h"

/* Attributes of an end record that the target makes: numbers of sections and of bytes. */
#define MADE_TAGS 2

static ssize_t read_stdin(void *ctx, void *buf, size_t len)
{
	(void)ctx;
	return (ssize_t)fread(buf, 1, len, stdin);
}

static int skip_made(struct cursor *payload, struct fault *fault)
{
	struct cursor left = *payload, value;
	uint64_t tag = 0;
	int ret;

	while ((ret = attrs_next(&left, &tag, &value, fault)) > 0 && tag <= MADE_TAGS)
		*payload = left;
	return ret < 0 ? ret : 0;
}

static int print_section(uint32_t type, const struct cursor *payload)
{
	size_t len = cursor_left(payload);
	uint8_t head[4];

	put_le(head, type, 1);
	put_le(head + 1, len, 3);
	if (len >> 24)
		return -EFBIG;
	if (fwrite(head, 1, sizeof(head), stdout) != sizeof(head) ||
	    fwrite(payload->p, 1, len, stdout) != len)
		return -EIO;
	return 0;
}

int main(void)
{
	_cleanup_(input_deinit) struct input in;
	struct fault fault = {.text = "memory"};
	struct cursor payload;
	uint32_t last = 0;
	int ret = input_init(&in, read_stdin, NULL);

	if (!ret)
		ret = input_file_header(&in, &fault);
	while (!ret) {
		ret = input_section(&in, &payload, &fault);
		if (!ret && in.section_type == SECTION_END)
			ret = skip_made(&payload, &fault);
		if (!ret)
			ret = print_section(last = in.section_type, &payload);
	}
	if (ret == -ENODATA && last == SECTION_END)
		ret = fflush(stdout) ? -EIO : 0;
	if (ret)
		fprintf(stderr, "prof_list: %s: %s\n", strerror(-ret), fault.text);
	return ret ? EXIT_FAILURE : EXIT_SUCCESS;
}
