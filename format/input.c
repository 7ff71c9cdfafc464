// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/input.h"

#include <errno.h>
#include <string.h>

#include "common/crc32c.h"
#include "common/minmax.h"

/* zstd frame header, RFC 8878 section 3.1.1.1: magic, descriptor, window. */
#define ZSTD_MAGIC          0xfd2fb528u
#define ZSTD_DESCRIPTOR_OFF 4
#define ZSTD_WINDOW_OFF     5
#define ZSTD_MIN_HEADER     6
#define ZSTD_SINGLE_SEGMENT 0x20
#define ZSTD_RESERVED       0x08
#define ZSTD_CHECKSUM       0x04
#define ZSTD_DICTIONARY_ID  0x03

int input_init(struct input *in, prof_read_fn read, void *ctx)
{
	*in = (struct input){.read = read, .ctx = ctx, .dctx = ZSTD_createDCtx()};
	return in->dctx ? 0 : -ENOMEM;
}

void input_deinit(struct input *in)
{
	ZSTD_freeDCtx(in->dctx);
	vec_free(&in->encoded);
	vec_free(&in->payload);
}

/* Reads @len bytes, fewer only at the end of the source. Sets *@got to their number. */
static int read_full(struct input *in, uint8_t *buf, size_t len, size_t *got, struct fault *fault)
{
	*got = 0;
	while (*got < len) {
		ssize_t n = in->read(in->ctx, buf + *got, len - *got);

		if (n < 0)
			return fault_set(fault, n, "failed to read: %s", strerrordesc_np(-n));
		if (n == 0)
			break;
		*got += n;
		in->bytes += n;
	}
	return 0;
}

/* Are the first @nr bytes of a file those of folded stacks: text, with a stack of two frames? */
static bool is_folded(const uint8_t *bytes, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (bytes[i] < ' ' && bytes[i] != '\n')
			return false;
	return memchr(bytes, ';', nr);
}

/* Says of what kind a file is that is no recording. */
static int refuse_file(const uint8_t *bytes, size_t nr, struct fault *fault)
{
	/* PERF_MAGIC2 in the kernel's tools/perf/util/header.c */
	if (nr >= 8 && !memcmp(bytes, "PERFILE2", 8))
		return fault_set(fault, -EPROTONOSUPPORT, "a recording of perf; use perf report");
	/* RFC 1952 */
	if (nr >= 2 && bytes[0] == 0x1f && bytes[1] == 0x8b)
		return fault_set(
			fault, -EPROTONOSUPPORT,
			"not a recording, but packed by gzip, as profiles of pprof are; go tool pprof reads those");
	if (is_folded(bytes, nr))
		return fault_set(
			fault, -EPROTONOSUPPORT,
			"folded stacks, not a recording; 'profrep html --folded' reads them");
	return fault_set(fault, -EPROTONOSUPPORT, "not a recording");
}

int input_file_header(struct input *in, struct fault *fault)
{
	uint8_t bytes[FILE_HEADER_BYTES], wanted[FILE_HEADER_BYTES];
	/* The magics of the frame and of the file identify a recording. */
	const size_t magic_bytes = 8 + sizeof(FILE_MAGIC);
	size_t got;
	int ret;

	ret = read_full(in, bytes, sizeof(bytes), &got, fault);
	if (ret)
		return ret;
	file_header_pack(wanted);
	if (memcmp(bytes, wanted, min_u64(got, magic_bytes)) != 0)
		return refuse_file(bytes, got, fault);
	if (got < sizeof(bytes))
		return fault_set(fault, -ENODATA, "the recording ends inside it");
	if (!crc_is_right(crc32c(0, bytes, 24), get_le(bytes + 24, 4)))
		return fault_corrupt(fault, "wrong CRC");
	if (get_le(bytes + 16, 2) != PROF_VERSION_MAJOR)
		return fault_set(fault, -EPROTONOSUPPORT, "version %u.%u is not supported",
				 (unsigned int)get_le(bytes + 16, 2),
				 (unsigned int)get_le(bytes + 18, 2));
	if (get_le(bytes + 20, 4))
		return fault_set(fault, -EPROTONOSUPPORT, "unknown required features 0x%x",
				 (unsigned int)get_le(bytes + 20, 4));
	return 0;
}

static int read_header(struct input *in, struct section_header *header, struct fault *fault)
{
	uint8_t bytes[SECTION_HEADER_BYTES];
	size_t got;
	int ret;

	in->section_off = in->bytes;
	in->section_type = 0;
	ret = read_full(in, bytes, sizeof(bytes), &got, fault);
	if (ret)
		return ret;
	if (got < sizeof(bytes))
		return fault_set(fault, -ENODATA,
				 got ? "the recording ends inside the section header"
				     : "the recording ends without an end record");
	if (!section_header_unpack(bytes, header))
		return fault_corrupt(fault, "not a section header, or its CRC is wrong");
	in->section_type = header->type;
	if (header->sequence != in->sequence)
		return fault_corrupt(fault, "number %u where %u is due", header->sequence,
				     in->sequence);
	in->sequence++;
	if (header->flags & ~SECTION_REQUIRED)
		return fault_set(fault, -EPROTONOSUPPORT, "unknown flags 0x%x", header->flags);
	if (header->decoded_bytes > PROF_MAX_SECTION_BYTES)
		return fault_corrupt(fault, "%u bytes exceed the limit of %u",
				     header->decoded_bytes, PROF_MAX_SECTION_BYTES);
	if (header->encoded_bytes > SECTION_MAX_ENCODED)
		return fault_corrupt(fault, "%u compressed bytes exceed the limit of %u",
				     header->encoded_bytes, SECTION_MAX_ENCODED);
	return 0;
}

/* Returns the window of the frame whose header is at @frame, RFC 8878 section 3.1.1.1.2. */
static uint64_t frame_window(const uint8_t *frame, uint64_t content_bytes)
{
	uint64_t base;

	if (frame[ZSTD_DESCRIPTOR_OFF] & ZSTD_SINGLE_SEGMENT)
		return content_bytes;
	base = 1ull << (10 + (frame[ZSTD_WINDOW_OFF] >> 3));
	return base + base / 8 * (frame[ZSTD_WINDOW_OFF] & 7);
}

static int check_frame(const struct section_header *header, const uint8_t *frame,
		       struct fault *fault)
{
	size_t len = header->encoded_bytes;
	uint8_t descriptor;

	if (len < ZSTD_MIN_HEADER || get_le(frame, 4) != ZSTD_MAGIC)
		return fault_corrupt(fault, "no zstd frame follows the section header");
	descriptor = frame[ZSTD_DESCRIPTOR_OFF];
	if ((descriptor & (ZSTD_RESERVED | ZSTD_DICTIONARY_ID)) || !(descriptor & ZSTD_CHECKSUM))
		return fault_corrupt(fault, "zstd frame header of the wrong kind");
	if (ZSTD_getFrameContentSize(frame, len) != header->decoded_bytes)
		return fault_corrupt(fault, "zstd frame declares another size than the section");
	if (frame_window(frame, header->decoded_bytes) > SECTION_MAX_WINDOW)
		return fault_corrupt(fault, "zstd window exceeds the limit of %u",
				     SECTION_MAX_WINDOW);
	if (ZSTD_findFrameCompressedSize(frame, len) != len)
		return fault_corrupt(fault, "zstd frame does not fill the section");
	return 0;
}

static int read_payload(struct input *in, const struct section_header *header,
			struct cursor *payload, struct fault *fault)
{
	size_t got, len;
	int ret;

	vec_clear(&in->encoded);
	vec_clear(&in->payload);
	if (vec_reserve(&in->encoded, header->encoded_bytes + 1) ||
	    vec_reserve(&in->payload, header->decoded_bytes + 1)) /* never NULL */
		return fault_set(fault, -ENOMEM, "out of memory");
	ret = read_full(in, in->encoded.data, header->encoded_bytes, &got, fault);
	if (ret)
		return ret;
	if (got < header->encoded_bytes)
		return fault_set(fault, -ENODATA, "the recording ends inside it");
	ret = check_frame(header, in->encoded.data, fault);
	if (ret)
		return ret;
	len = ZSTD_decompressDCtx(in->dctx, in->payload.data, header->decoded_bytes,
				  in->encoded.data, got);
	if (ZSTD_isError(len))
		return fault_corrupt(fault, "zstd: %s", ZSTD_getErrorName(len));
	if (len != header->decoded_bytes ||
	    !crc_is_right(crc32c(0, in->payload.data, len), header->payload_crc))
		return fault_corrupt(fault, "wrong CRC of the payload");
	*payload = (struct cursor){in->payload.data, in->payload.data + len, false};
	return 0;
}

int input_section(struct input *in, struct cursor *payload, struct fault *fault)
{
	struct section_header header;
	int ret;

	do {
		ret = read_header(in, &header, fault);
		if (!ret && !section_name(header.type) && header.flags & SECTION_REQUIRED)
			ret = fault_set(fault, -EPROTONOSUPPORT,
					"a required section that is not known");
		if (!ret)
			ret = read_payload(in, &header, payload, fault);
		if (ret)
			return ret;
	} while (!section_name(header.type));
	if (header.flags != section_flags(header.type))
		return fault_corrupt(fault, header.flags ? "marked as required"
							 : "not marked as required");
	return 0;
}

int input_check_eof(struct input *in, struct fault *fault)
{
	uint8_t byte;
	size_t got;
	int ret;

	ret = read_full(in, &byte, 1, &got, fault);
	if (ret)
		return ret;
	return got ? fault_corrupt(fault, "something follows the end record") : 0;
}
