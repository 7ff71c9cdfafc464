/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A process whose memory is an input again and again: no address is without memory. */
#ifndef TESTS_FUZZ_ENDLESS_MEMORY_H
#define TESTS_FUZZ_ENDLESS_MEMORY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "common/minmax.h"

static struct image {
	const uint8_t *bytes;
	size_t nr; /* not 0 */
} image;

/* A read of struct machine_memory. */
static long read_image(void *ctx, uint64_t addr, void *buf, size_t len)
{
	(void)ctx;
	for (size_t done = 0; done < len;) {
		size_t off = (addr + done) % image.nr, nr = min_u64(len - done, image.nr - off);

		memcpy((char *)buf + done, image.bytes + off, nr);
		done += nr;
	}
	return len;
}

#endif
