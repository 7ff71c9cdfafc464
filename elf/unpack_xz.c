// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/unpack_xz.h"

#include <errno.h>
#include <lzma.h>

#include "common/io.h"

/* Memory of the decoder. xz -9, the hungriest preset, needs 65 MiB. */
#define DECODER_BYTES_MAX (80u << 20)

#define CHUNK_BYTES (64u << 10)

int unpack_xz(const void *packed, size_t size, int fd, uint64_t max_bytes, uint64_t *nr_bytes)
{
	lzma_stream stream = LZMA_STREAM_INIT;
	lzma_ret status = lzma_stream_decoder(&stream, DECODER_BYTES_MAX, LZMA_CONCATENATED);
	uint8_t chunk[CHUNK_BYTES];
	int ret = 0;

	*nr_bytes = 0;
	stream.next_in = packed;
	stream.avail_in = size;
	while (status == LZMA_OK && !ret) {
		stream.next_out = chunk;
		stream.avail_out = sizeof(chunk);
		status = lzma_code(&stream, LZMA_FINISH);
		*nr_bytes += sizeof(chunk) - stream.avail_out;
		ret = *nr_bytes > max_bytes
			      ? -EFBIG
			      : io_write_all(fd, chunk, sizeof(chunk) - stream.avail_out);
	}
	lzma_end(&stream);
	if (status == LZMA_MEM_ERROR)
		return -ENOMEM;
	return ret || status == LZMA_STREAM_END ? ret : -EBADMSG;
}
