// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <errno.h>

#include "common/buildid.h"
#include "tests/unit/elfwriter.h"
#include "tests/unit/suite.h"

static size_t put_note(uint8_t *p, uint32_t namesz, uint32_t descsz, uint32_t type,
		       const char *name, const char *desc)
{
	const uint32_t header[3] = {namesz, descsz, type};

	memcpy(p, header, sizeof(header));
	memcpy(p + 12, name, 4);
	memcpy(p + 16, desc, strlen(desc));
	return 16 + ((strlen(desc) + 3) & ~3u);
}

START_TEST(hex)
{
	struct build_id id = {.size = 3, .bytes = {0x00, 0xab, 0x7f}}, none = {0};
	char text[BUILD_ID_HEX_SIZE];

	ck_assert_str_eq(build_id_hex(&id, text), "00ab7f");
	ck_assert_str_eq(build_id_hex(&none, text), "");
	ck_assert(build_id_is_none(&none));
	ck_assert(build_id_equal(&id, &id));
	ck_assert(!build_id_equal(&id, &none));
}
END_TEST

START_TEST(second_note)
{
	uint8_t notes[128] = {0};
	struct build_id id = {0};
	size_t len = put_note(notes, 4, 5, 1, "GNU", "other");

	len += put_note(notes + len, 4, 8, NT_GNU_BUILD_ID, "GNU", "identity");
	ck_assert_int_eq(build_id_from_notes(notes, len, &id), 0);
	ck_assert_uint_eq(id.size, 8);
	ck_assert_mem_eq(id.bytes, "identity", 8);
}
END_TEST

START_TEST(hostile_notes)
{
	static const uint32_t sizes[][2] = {{4, 0},          {4, 65},
					    {4, UINT32_MAX}, {UINT32_MAX, 8},
					    {UINT32_MAX, 0}, {0xfffffffc, 0xfffffffc},
					    {3, 8},          {5, 8}};
	struct build_id id = {.size = 7};

	for (size_t i = 0; i < ARRAY_SIZE(sizes); i++) {
		uint8_t *notes = calloc(1, 24); /* exact, so that a sanitizer sees one byte more */

		put_note(notes, sizes[i][0], sizes[i][1], NT_GNU_BUILD_ID, "GNU", "identity");
		ck_assert_int_eq(build_id_from_notes(notes, 24, &id), -ENOENT);
		free(notes);
	}
	ck_assert_uint_eq(id.size, 7);
	for (size_t len = 0; len < 24; len++) {
		uint8_t *cut = malloc(len + 1), whole[24];

		put_note(whole, 4, 8, NT_GNU_BUILD_ID, "GNU", "identity");
		memcpy(cut, whole, len);
		ck_assert_int_eq(build_id_from_notes(cut, len, &id), -ENOENT);
		free(cut);
	}
}
END_TEST

static int from_file(const char *path, struct build_id *id)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	int ret = build_id_from_fd(fd, id);

	close(fd);
	return ret;
}

START_TEST(files)
{
	struct build_id id = {0};

	enter_new_dir();
	elfw_write(&(struct elfw){.build_id = "0123456789abcdefghij"}, "elf");
	ck_assert_int_eq(from_file("elf", &id), 0);
	ck_assert_uint_eq(id.size, 20);
	ck_assert_mem_eq(id.bytes, "0123456789abcdefghij", 20);
	elfw_write(&(struct elfw){0}, "elf");
	ck_assert_int_eq(from_file("elf", &id), -ENOENT);
	write_file(
		"script",
		"#!/bin/sh\n# a script that is longer than the header of an ELF file, a little\n");
	ck_assert_int_eq(from_file("script", &id), -ENOEXEC);
}
END_TEST

SUITE_MAIN("buildid", hex, second_note, hostile_notes, files)
