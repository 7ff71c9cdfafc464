// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <elf.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/crc32c.h"
#include "record/cfi/unwind_table.h"
#include "tests/fuzz/made_elf.h"

#define CODE_OFF   0x10000
#define CODE_SIZE  0x80000
#define CODE_VADDR 0x401000

/* Offset of the checksum in a table's bytes. */
#define CRC_AT  28
#define CRC_END 32

/* The one section, by the first byte of an input. */
static const char *section_name(uint8_t kind)
{
	if (kind & 0x80)
		return ".gopclntab";
	return kind & 1 ? ".debug_frame" : ".eh_frame";
}

/* A file with room for code and the section @name. */
static int make_elf(const uint8_t *section, size_t len, const char *name)
{
	const Elf64_Phdr code = {.p_type = PT_LOAD,
				 .p_flags = PF_R | PF_X,
				 .p_offset = CODE_OFF,
				 .p_vaddr = CODE_VADDR,
				 .p_filesz = CODE_SIZE};
	const struct made_section made = {
		.name = name,
		.type = SHT_PROGBITS,
		.vaddr = 0x500000,
		.bytes = section,
		.size = len,
	};

	return made_elf(&code, &made, 1);
}

/* Bytes of a table, with the right checksum. */
static int make_table(const uint8_t *data, size_t len)
{
	int fd = made_file(data, len);
	uint8_t header[CRC_END] = {0};
	uint32_t crc;

	if (len < CRC_END)
		return fd;
	memcpy(header, data, CRC_AT);
	crc = crc32c(crc32c(0, header, sizeof(header)), data + CRC_END, len - CRC_END);
	if (pwrite(fd, &crc, sizeof(crc), CRC_AT) != sizeof(crc))
		abort();
	return fd;
}

/* Uses the table as the walk does. */
static void use(const struct unwind_table *table)
{
	for (uint32_t i = 0; i < table->nr_pages; i++) {
		uint64_t off = table->first_off + (uint64_t)i * UNWIND_PAGE_SIZE;

		for (uint32_t at = 0; at < UNWIND_PAGE_SIZE; at += 4099)
			if (unwind_table_find(table, off + at)->cfa > UNWIND_CFA_UNSUPPORTED)
				abort();
	}
}

/* A table that was made and written must be good when it is read. */
static void write_and_read(const struct unwind_table *table)
{
	struct unwind_table again;
	int fd = memfd_create("table", MFD_CLOEXEC);

	if (unwind_table_write(fd, table) || lseek(fd, 0, SEEK_SET) ||
	    unwind_table_read(fd, &again))
		abort();
	unwind_table_deinit(&again);
	close(fd);
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	bool is_table = len >= 4 && !memcmp(data, "PUWT", 4);
	struct unwind_table table;
	int fd, ret;

	if (!len || len > INPUT_MAX_BYTES)
		return;
	if (is_table)
		fd = make_table(data, len);
	else if (len >= SELFMAG && !memcmp(data, ELFMAG, SELFMAG))
		fd = made_file(data, len);
	else
		fd = make_elf(data + 1, len - 1, section_name(data[0]));
	ret = is_table ? unwind_table_read(fd, &table) : unwind_table_build(fd, &table);
	if (verbose)
		printf("%s\n", ret ? strerror(-ret) : "a table");
	if (!ret) {
		use(&table);
		write_and_read(&table);
		unwind_table_deinit(&table);
	}
	close(fd);
}
