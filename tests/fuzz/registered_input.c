// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <elf.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "elf/eh_frame.h"
#include "record/cfi/unwind_table.h"
#include "record/machines/registered_code.h"
#include "tests/fuzz/endless_memory.h"

/* Addresses from here on are the kernel's, which nobody can read. */
#define KERNEL (UINT64_C(1) << 63)

/* The bounds of doc/threats.md. The last line may go beyond that of all lines. */
#define NAME_BYTES_MAX  256
#define LINE_BYTES_MAX  (NAME_BYTES_MAX + 35)
#define TEXT_BYTES_MAX  ((1u << 20) + LINE_BYTES_MAX)
#define FRAME_BYTES_MAX (8u << 20)

/* Bytes of the file of which a table is made: one with all entries would take too long. */
#define TABLE_BYTES_MAX 0x10000

/* A machine_read_fn. */
static long read_user(void *ctx, uint64_t addr, void *buf, size_t len)
{
	if (addr >= KERNEL)
		return -EFAULT;
	return read_image(ctx, addr, buf, min_u64(len, KERNEL - addr));
}

static const struct machine_memory memory = {.read = read_user};

/* Aborts if the header tells of no such result. Returns @ret. */
static int known_result(int ret)
{
	if (ret && ret != -ENOENT && ret != -ENOTSUP && ret != -EFAULT)
		abort();
	return ret;
}

/*
 * Checks that the @nr bytes of .eh_frame are entries to their end, each FDE with a CIE before it.
 * Returns how many FDEs there are.
 */
static size_t check_frames(const uint8_t *bytes, uint64_t nr)
{
	const struct eh_section section = {.bytes = bytes, .size = nr};
	struct eh_entry entry;
	struct cursor program;
	struct eh_cie cie;
	size_t nr_fdes = 0;

	for (uint64_t off = 0; off < nr; off = entry.b.end - bytes) {
		if (!eh_entry_read(&section, off, &entry))
			abort();
		if (entry.is_empty || entry.is_cie)
			continue;
		if (entry.cie_off >= off || !eh_cie_read(&section, entry.cie_off, &cie, &program))
			abort();
		nr_fdes++;
	}
	return nr_fdes;
}

/* Checks the file of registered_code_write. Returns the number of its FDEs. */
static size_t check_file(int fd, uint64_t base)
{
	_cleanup_free_ uint8_t *bytes = NULL;
	off_t end = lseek(fd, 0, SEEK_CUR);
	Elf64_Shdr frames;
	Elf64_Ehdr header;

	if (lseek(fd, 0, SEEK_END) != (off_t)REGISTERED_CODE_SPAN ||
	    io_pread(fd, &header, sizeof(header), 0) != sizeof(header) ||
	    memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 ||
	    io_pread(fd, &frames, sizeof(frames), header.e_shoff + sizeof(frames)) !=
		    sizeof(frames))
		abort();
	if (frames.sh_addr != base || !frames.sh_size || frames.sh_size > FRAME_BYTES_MAX ||
	    frames.sh_offset + frames.sh_size != (uint64_t)end)
		abort();
	bytes = malloc(frames.sh_size);
	if (!bytes ||
	    io_pread(fd, bytes, frames.sh_size, frames.sh_offset) != (ssize_t)frames.sh_size)
		abort();
	return check_frames(bytes, frames.sh_size);
}

/* Makes the table of the file, as the child does. Returns how many pages of code it has. */
static uint32_t make_table(int fd)
{
	struct unwind_table table;
	int ret = unwind_table_build(fd, &table);
	uint32_t nr_pages = ret ? 0 : table.nr_pages;

	if (ret && ret != -ENODATA && ret != -EFBIG)
		abort();
	if (!ret)
		unwind_table_deinit(&table);
	return nr_pages;
}

/* Has the file made and checked. */
static void run_frames(uint64_t base, int verbose)
{
	_cleanup_close_ int fd = memfd_create("registered", MFD_CLOEXEC);
	int ret = known_result(registered_code_write(&memory, 0, base, fd));
	uint32_t nr_pages = 0;
	size_t nr_fdes = 0;
	off_t end = lseek(fd, 0, SEEK_CUR);

	if (fd < 0 || (ret && end))
		abort();
	if (!ret)
		nr_fdes = check_file(fd, base);
	if (!ret && end < TABLE_BYTES_MAX)
		nr_pages = make_table(fd);
	if (verbose)
		printf("%d, %zu functions, %u pages; ", ret, nr_fdes, nr_pages);
}

/* Is the text up to @end "ADDRESS SIZE NAME", as in a perf map? */
static bool is_line(const char *line, const char *end)
{
	for (int i = 0; i < 2; i++) {
		char *rest;

		strtoull(line, &rest, 16);
		if (rest == line || rest - line > 16 || *rest != ' ')
			return false;
		line = rest + 1;
	}
	for (const char *c = line; c < end; c++)
		if ((unsigned char)*c < ' ')
			return false;
	return line < end && end - line <= NAME_BYTES_MAX;
}

/* Has the functions named, and checks the lines. */
static void run_names(int verbose)
{
	_cleanup_free_ char *text = NULL;
	size_t nr_bytes = 0, nr_lines = 0;
	FILE *out = open_memstream(&text, &nr_bytes);
	int ret = out ? known_result(registered_code_name(&memory, 0, out)) : -ENOMEM;

	if (!out || fclose(out) || !ret != (nr_bytes > 0) || nr_bytes >= TEXT_BYTES_MAX)
		abort();
	for (const char *line = text, *end; line < text + nr_bytes; line = end + 1, nr_lines++) {
		end = memchr(line, '\n', text + nr_bytes - line);
		if (!end || !is_line(line, end))
			abort();
	}
	if (verbose)
		printf("%d, %zu lines\n", ret, nr_lines);
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	struct registered_code code = {.base = 0}, again;
	int ret;

	if (len < 64 || len > INPUT_MAX_BYTES)
		return;
	image = (struct image){data, len};
	ret = known_result(registered_code_read(&memory, 0, &code));
	if (verbose)
		printf("%d; ", ret);
	run_frames(code.base, verbose);
	run_names(verbose);
	/* The list is the same as before. */
	if (registered_code_read(&memory, 0, &again) != ret || (!ret && again.seen != code.seen))
		abort();
}
