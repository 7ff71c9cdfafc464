// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/section_bytes.h"

#include <endian.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

/* Larger sections are not read. Browsers and kernels have some 500 MB. */
#define SECTION_BYTES_MAX (UINT64_C(4) << 30)

/*
 * Limits of an unpacked section: its bytes in all, and how many there may be for each packed byte,
 * beyond some that are always allowed.
 */
#define UNPACKED_BYTES_MAX (UINT64_C(2) << 30)
#define UNPACKED_RATIO_MAX 64
#define UNPACKED_ANY_BYTES (1u << 20)

/* GNU's older compression: these bytes, the size in big-endian order, a zlib stream. */
#define OLD_MAGIC      "ZLIB"
#define OLD_HEAD_BYTES 12

#ifndef ELFCOMPRESS_ZSTD
#define ELFCOMPRESS_ZSTD 2
#endif

/* A packed section: the stream, and the size that it claims to have unpacked. */
struct packed {
	const uint8_t *stream;
	uint64_t packed_size, size;
	uint32_t type; /* ELFCOMPRESS_* */
};

/* Reads the header of a compressed section. Returns false if it is damaged. */
static bool read_head(const struct mapped_bytes *raw, bool is_old, bool is_64,
		      struct packed *packed)
{
	size_t head = is_old ? OLD_HEAD_BYTES : is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);

	if (raw->size < head)
		return false;
	packed->type = ELFCOMPRESS_ZLIB;
	if (is_old) {
		memcpy(&packed->size, raw->data + 4, sizeof(packed->size));
		packed->size = be64toh(packed->size);
		if (memcmp(raw->data, OLD_MAGIC, 4))
			return false;
	} else if (is_64) {
		Elf64_Chdr chdr;

		memcpy(&chdr, raw->data, sizeof(chdr));
		packed->type = chdr.ch_type;
		packed->size = chdr.ch_size;
	} else {
		Elf32_Chdr chdr;

		memcpy(&chdr, raw->data, sizeof(chdr));
		packed->type = chdr.ch_type;
		packed->size = chdr.ch_size;
	}
	packed->stream = raw->data + head;
	packed->packed_size = raw->size - head;
	return packed->size && packed->size <= UNPACKED_BYTES_MAX &&
	       packed->size <= UNPACKED_ANY_BYTES + packed->packed_size * UNPACKED_RATIO_MAX;
}

/* Unpacks the stream into @to. Returns false if it does not have the size that it claims. */
static bool unpack_stream(const struct packed *packed, uint8_t *to)
{
	uLongf size = packed->size;

	if (packed->type == ELFCOMPRESS_ZLIB)
		return uncompress(to, &size, packed->stream, packed->packed_size) == Z_OK &&
		       size == packed->size;
	return packed->type == ELFCOMPRESS_ZSTD &&
	       ZSTD_decompress(to, packed->size, packed->stream, packed->packed_size) ==
		       packed->size;
}

/* Unpacks the mapped bytes @raw. */
static int unpack_bytes(struct elf_file *file, bool is_old, const struct mapped_bytes *raw,
			struct section_bytes *bytes)
{
	struct packed packed;
	uint8_t *memory = NULL;
	int ret = 0;

	if (read_head(raw, is_old, file->is_64, &packed) &&
	    file_budget_charge(file->budget, packed.size)) {
		memory = malloc(packed.size);
		ret = memory ? 0 : -ENOMEM;
	}
	if (memory && unpack_stream(&packed, memory))
		*bytes = (struct section_bytes){
			.data = memory, .size = packed.size, .memory = memory};
	else
		free(memory);
	return ret;
}

int section_bytes_get(struct elf_file *file, size_t index, bool is_old, struct section_bytes *bytes)
{
	Elf_Scn *scn = elf_getscn(file->elf, index);
	struct mapped_bytes map;
	GElf_Shdr shdr;
	int ret;

	*bytes = (struct section_bytes){0};
	if (!scn || !gelf_getshdr(scn, &shdr) || shdr.sh_type == SHT_NOBITS ||
	    shdr.sh_size > SECTION_BYTES_MAX || !file_budget_charge(file->budget, shdr.sh_size))
		return 0;
	ret = mapped_bytes_get(file->fd, shdr.sh_offset, shdr.sh_size, &map);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	if (is_old || shdr.sh_flags & SHF_COMPRESSED) {
		ret = unpack_bytes(file, is_old, &map, bytes);
		mapped_bytes_release(&map);
		return ret;
	}
	*bytes = (struct section_bytes){.data = map.data, .size = map.size, .map = map};
	return 0;
}

void section_bytes_release(struct section_bytes *bytes)
{
	mapped_bytes_release(&bytes->map);
	free(bytes->memory);
	*bytes = (struct section_bytes){0};
}
