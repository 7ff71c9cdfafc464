// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/packed_file.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <zlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/minmax.h"
#include "elf/unpack_xz.h"

/* The largest module of a distribution has 400 MB with its debug information. */
#define UNPACKED_BYTES_MAX (512u << 20)

/* A packed file may unfold to this many bytes or times its size, whichever is more. */
#define UNPACKED_BYTES_SMALL (64u << 20)
#define UNPACKED_TIMES_MAX   64

#define CHUNK_BYTES (64u << 10)

/* zstd packs with a larger window only if it is told to. */
#define WINDOW_LOG_MAX 27

/* zlib finds out by itself that a stream is gzip's. */
#define ANY_HEADER (15 + 32)

/* All functions here are like unpack_xz. A packed file is one stream, or several in a row. */
typedef int unpack_fn(const void *packed, size_t size, int fd, uint64_t max_bytes,
		      uint64_t *nr_bytes);

/* Writes @nr bytes more than *@nr_bytes. */
static int write_chunk(int fd, const uint8_t *chunk, size_t nr, uint64_t max_bytes,
		       uint64_t *nr_bytes)
{
	*nr_bytes += nr;
	return *nr_bytes > max_bytes ? -EFBIG : io_write_all(fd, chunk, nr);
}

/* Goes on with the stream after one that ended. Returns Z_OK, or Z_STREAM_END after the last. */
static int begin_next_gzip(z_stream *stream)
{
	static const uint8_t magic[] = {0x1f, 0x8b};

	if (stream->avail_in < sizeof(magic) || memcmp(stream->next_in, magic, sizeof(magic)) != 0)
		return Z_STREAM_END;
	return inflateReset(stream);
}

static int unpack_gzip(const void *packed, size_t size, int fd, uint64_t max_bytes,
		       uint64_t *nr_bytes)
{
	z_stream stream = {.next_in = (void *)packed, .avail_in = min_u64(size, UINT_MAX)};
	uint8_t chunk[CHUNK_BYTES];
	int ret = 0, status = inflateInit2(&stream, ANY_HEADER);

	*nr_bytes = 0;
	if (status != Z_OK)
		return -ENOMEM;
	while (status == Z_OK && !ret) {
		stream.next_out = chunk;
		stream.avail_out = sizeof(chunk);
		status = inflate(&stream, Z_NO_FLUSH);
		ret = write_chunk(fd, chunk, sizeof(chunk) - stream.avail_out, max_bytes, nr_bytes);
		if (status == Z_STREAM_END)
			status = begin_next_gzip(&stream);
	}
	inflateEnd(&stream);
	if (status == Z_MEM_ERROR)
		return -ENOMEM;
	return ret || status == Z_STREAM_END ? ret : -EBADMSG;
}

static int unpack_zstd(const void *packed, size_t size, int fd, uint64_t max_bytes,
		       uint64_t *nr_bytes)
{
	ZSTD_inBuffer in = {.src = packed, .size = size};
	ZSTD_DStream *stream = ZSTD_createDStream();
	uint8_t chunk[CHUNK_BYTES];
	size_t status = 1, before = 0;
	int ret = 0;

	*nr_bytes = 0;
	if (!stream)
		return -ENOMEM;
	ZSTD_DCtx_setParameter(stream, ZSTD_d_windowLogMax, WINDOW_LOG_MAX);
	while ((status || in.pos < in.size) && !ret) {
		ZSTD_outBuffer out = {.dst = chunk, .size = sizeof(chunk)};

		before = in.pos;
		status = ZSTD_decompressStream(stream, &out, &in);
		if (ZSTD_isError(status) || (status && !out.pos && in.pos == before))
			ret = -EBADMSG;
		else
			ret = write_chunk(fd, chunk, out.pos, max_bytes, nr_bytes);
	}
	ZSTD_freeDStream(stream);
	return ret;
}

/* Returns the function that unpacks what begins with @bytes, or NULL. */
static unpack_fn *find_unpacker(const struct mapped_bytes *bytes)
{
	static const struct {
		uint8_t magic[6];
		uint8_t size;
		unpack_fn *unpack;
	} kinds[] = {
		{{0xfd, '7', 'z', 'X', 'Z', 0}, 6, unpack_xz},
		{{0x28, 0xb5, 0x2f, 0xfd}, 4, unpack_zstd},
		{{0x1f, 0x8b}, 2, unpack_gzip},
	};

	for (size_t i = 0; i < ARRAY_SIZE(kinds); i++)
		if (bytes->size >= kinds[i].size &&
		    !memcmp(bytes->data, kinds[i].magic, kinds[i].size))
			return kinds[i].unpack;
	return NULL;
}

static int unpack_bytes(const struct mapped_bytes *bytes, int fd, struct file_budget *budget)
{
	unpack_fn *unpack = find_unpacker(bytes);
	uint64_t nr_bytes = 0,
		 max = max_u64(bytes->size * UNPACKED_TIMES_MAX, UNPACKED_BYTES_SMALL);
	int ret;

	if (!unpack)
		return -EIO;
	max = min_u64(max, UNPACKED_BYTES_MAX);
	if (budget)
		max = min_u64(max, budget->bytes_left);
	ret = unpack(bytes->data, bytes->size, fd, max, &nr_bytes);
	if (!file_budget_charge(budget, nr_bytes))
		ret = -EFBIG;
	return ret == -ENOMEM || !ret ? ret : -EIO;
}

int packed_file_unpack(int fd, struct file_budget *budget, int *unpacked)
{
	_cleanup_close_ int memory = memfd_create("unpacked", MFD_CLOEXEC);
	struct mapped_bytes bytes;
	struct stat st;
	int ret;

	if (memory < 0)
		return errno == ENOMEM ? -ENOMEM : -EIO;
	if (fstat(fd, &st) || !file_budget_charge(budget, st.st_size))
		return -EIO;
	ret = mapped_bytes_get(fd, 0, st.st_size, &bytes);
	if (ret)
		return ret;
	ret = unpack_bytes(&bytes, memory, budget);
	mapped_bytes_release(&bytes);
	if (!ret)
		*unpacked = TAKE_FD(memory);
	return ret;
}
