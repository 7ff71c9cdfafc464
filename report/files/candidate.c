// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/files/candidate.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "common/io.h"
#include "common/minmax.h"
#include "common/safe_open.h"
#include "elf/unpack_xz.h"

/*
 * Files that are packed as a whole, as distributions pack modules of the kernel: by xz, zstd or
 * gzip. They are anybody's, so the unpacked bytes and the memory of the decoder are limited.
 */

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

/*
 * Unpacks the file at @fd into memory, which *@unpacked then is a descriptor of. The unpacked bytes
 * are charged to @budget (NULL: none). Returns 0, -ENOMEM, or -EIO: not packed in a known way,
 * damaged, or too large.
 */
static int packed_file_unpack(int fd, struct file_budget *budget, int *unpacked)
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

/* A file is sparse if less than one part in this many is on the disk. */
#define SPARSE 8

void candidate_note_miss(enum debug_miss *miss, enum debug_miss reason)
{
	static const int weight[] = {
		[DEBUG_FOUND] = 0,      [DEBUG_NO_FILE] = 1,      [DEBUG_NOT_READABLE] = 2,
		[DEBUG_OTHER_FILE] = 3, [DEBUG_CHANGED_FILE] = 4,
	};

	if (weight[reason] > weight[*miss])
		*miss = reason;
}

/*
 * Opens @path in @root. Refuses empty files: files of procfs and tracefs say that they are empty,
 * and reading them may block or consume.
 */
static int open_in_root(const struct root *root, const char *path)
{
	const struct safe_open_rules rules = {
		.lookup = root->fd < 0 ? SAFE_OPEN_FOLLOW : SAFE_OPEN_IN_ROOT,
		.not_empty = true,
	};

	if (root->fd < 0 && path[0] != '/')
		return -ENOENT;
	return safe_open(root->fd < 0 ? AT_FDCWD : root->fd, path, &rules);
}

/* Opens @path in @root. Returns a file descriptor, or -1 with @miss noted. */
static int open_noting(const struct root *root, const char *path, enum debug_miss *miss)
{
	int fd = open_in_root(root, path);

	if (fd >= 0)
		return fd;
	candidate_note_miss(miss, fd == -ENOENT || fd == -ENOTDIR || fd == -ENAMETOOLONG
					  ? DEBUG_NO_FILE
					  : DEBUG_NOT_READABLE);
	return -1;
}

/* Returns 0 if the file at @fd has @build_id, -1 with @miss noted if not, or -ENOMEM. */
static int check_build_id(int fd, const struct build_id *build_id, enum debug_miss *miss)
{
	struct build_id have = {0};
	int ret = build_id_from_fd(fd, &have);

	if (ret == -ENOMEM)
		return ret;
	if (!ret || ret == -ENOENT) {
		if (build_id_equal(&have, build_id))
			return 0;
		candidate_note_miss(miss, DEBUG_OTHER_FILE);
	} else {
		candidate_note_miss(miss, DEBUG_NOT_READABLE);
	}
	return -1;
}

int candidate_open(const struct root *root, const char *path, const struct build_id *build_id,
		   enum debug_miss *miss)
{
	_cleanup_close_ int fd = open_noting(root, path, miss);
	int ret = fd < 0 ? fd : check_build_id(fd, build_id, miss);

	return ret ? ret : TAKE_FD(fd);
}

int candidate_open_packed(const struct root *root, const char *path,
			  const struct build_id *build_id, struct file_budget *budget,
			  enum debug_miss *miss)
{
	_cleanup_close_ int packed = open_noting(root, path, miss), fd = -1;
	int ret = packed < 0 ? packed : packed_file_unpack(packed, budget, &fd);

	if (packed >= 0 && ret == -EIO)
		candidate_note_miss(miss, DEBUG_NOT_READABLE);
	if (!ret)
		ret = check_build_id(fd, build_id, miss);
	if (ret)
		return ret == -ENOMEM ? ret : -1;
	return TAKE_FD(fd);
}

static int64_t time_ns(const struct timespec *time)
{
	return time->tv_sec * (int64_t)NS_PER_S + time->tv_nsec;
}

bool candidate_has_changed(int fd, bool is_host, const struct debug_wanted *wanted)
{
	const struct prof_file_info *file = wanted->file;
	struct stat st;

	if (fstat(fd, &st))
		return true;
	/* Whoever replaces a file may give the new one any mtime. */
	if (!file)
		return wanted->recorded_realtime_ns &&
		       time_ns(is_host ? &st.st_ctim : &st.st_mtim) >
			       (int64_t)wanted->recorded_realtime_ns;
	if (file->size != (uint64_t)st.st_size || file->mtime_ns != time_ns(&st.st_mtim))
		return true;
	return is_host && (file->inode != st.st_ino || file->ctime_ns != time_ns(&st.st_ctim));
}

bool candidate_has_crc(int fd, struct file_budget *budget, uint32_t crc)
{
	unsigned char buf[1 << 16];
	struct stat st;
	uint32_t sum = 0;
	off_t off = 0;
	ssize_t n;

	if (fstat(fd, &st) || st.st_blocks < st.st_size / 512 / SPARSE ||
	    !file_budget_charge(budget, st.st_size))
		return false;
	while (off < st.st_size && (n = io_pread(fd, buf, sizeof(buf), off)) > 0) {
		sum = crc32(sum, buf, n);
		off += n;
	}
	return off == st.st_size && sum == crc;
}

int candidate_open_elf(int fd, struct file_budget *budget, struct elf_file *file)
{
	int copy = fcntl(fd, F_DUPFD_CLOEXEC, 0);

	return copy < 0 ? -ENOEXEC : elf_file_open(file, copy, budget);
}

/* Returns the name of @path in @root, for the user. */
static char *shown_path(const struct root *root, const char *path)
{
	char *shown;

	if (asprintf(&shown, "%s%s%s", root->name, path[0] == '/' || !root->name[0] ? "" : "/",
		     path) < 0)
		return NULL;
	return shown;
}

/* Sets *@quality. A file that is not proper has no names. Returns 0 or -ENOMEM. */
static int find_quality(int fd, struct file_budget *budget, bool needs_lines,
			enum elf_quality *quality)
{
	struct elf_file file;
	int ret = candidate_open_elf(fd, budget, &file);

	*quality = ELF_NO_NAMES;
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	*quality = elf_file_quality(&file);
	if (needs_lines && elf_file_has_lines(&file))
		*quality = ELF_LINES;
	ret = file.out_of_memory ? -ENOMEM : 0;
	elf_file_close(&file);
	return ret;
}

int candidate_take_better(struct found *best, int fd, const struct root *root, const char *path,
			  struct file_budget *budget, bool needs_lines)
{
	struct found new = {.fd = fd};
	int ret = find_quality(fd, budget, needs_lines, &new.quality);

	if (ret || (best->fd >= 0 && new.quality <= best->quality)) {
		found_drop(&new);
		return ret;
	}
	new.path = shown_path(root, path);
	if (!new.path) {
		found_drop(&new);
		return -ENOMEM;
	}
	found_drop(best);
	*best = new;
	return 1;
}

void found_drop(struct found *found)
{
	if (found->fd >= 0)
		close(found->fd);
	free(found->path);
	*found = (struct found){.fd = -1};
}
