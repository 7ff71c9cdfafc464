// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/minidebug.h"

#include <errno.h>
#include <lzma.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "common/io.h"

/* Bytes that .gnu_debugdata may unpack to. A browser's would have 20 MB. */
#define UNPACKED_BYTES_MAX (64u << 20)

/* Memory of the decoder. xz -9, the hungriest preset, needs 65 MiB. */
#define DECODER_BYTES_MAX (80u << 20)

#define CHUNK_BYTES (64u << 10)

/* Takes what the decoder has made. Returns 0, -EFBIG, or the error of a write. */
static int store_chunk(int fd, const uint8_t *chunk, size_t size, uint64_t *total,
		       struct file_budget *budget)
{
	*total += size;
	if (*total > UNPACKED_BYTES_MAX || !file_budget_charge(budget, size))
		return -EFBIG;
	return io_write_all(fd, chunk, size);
}

/* Unpacks @packed into @fd. Returns 0, -ENOMEM, or a negative errno for what cannot be unpacked. */
static int unpack(const Elf_Data *packed, int fd, struct file_budget *budget)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&stream, DECODER_BYTES_MAX, 0);
	uint8_t chunk[CHUNK_BYTES];
	uint64_t total = 0;
	int ret = 0;

	stream.next_in = packed->d_buf;
	stream.avail_in = packed->d_size;
	while (status == LZMA_OK && !ret) {
		stream.next_out = chunk;
		stream.avail_out = sizeof(chunk);
		status = lzma_code(&stream, LZMA_FINISH);
		ret = store_chunk(fd, chunk, sizeof(chunk) - stream.avail_out, &total, budget);
	}
	lzma_end(&stream);
	if (status == LZMA_MEM_ERROR)
		return -ENOMEM;
	return ret || status == LZMA_STREAM_END ? ret : -EBADMSG;
}

int minidebug_open(struct elf_file *outer, struct elf_file *inner, bool *is_open)
{
	size_t index = elf_file_find_section(outer, ".gnu_debugdata");
	const Elf_Data *packed = elf_file_section_data(outer, index);
	_cleanup_close_ int fd = -1;
	int ret;

	*is_open = false;
	if (!packed || !packed->d_buf)
		return outer->out_of_memory ? -ENOMEM : 0;
	fd = memfd_create("minidebug", MFD_CLOEXEC);
	if (fd < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	ret = unpack(packed, fd, outer->budget);
	if (!ret)
		ret = elf_file_open(inner, TAKE_FD(fd), outer->budget);
	*is_open = !ret;
	return ret == -ENOMEM ? ret : 0;
}
