// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/input.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/proc/proc_maps.h"

struct sum {
	size_t nr, bytes;
};

/* A proc_map_fn: uses all that it gets. */
static int add_map(void *ctx, const struct proc_map *map)
{
	struct sum *sum = ctx;

	sum->nr++;
	sum->bytes += strlen(map->path);
	return 0;
}

void input_run(const uint8_t *data, size_t len, int verbose)
{
	_cleanup_close_ int fd = memfd_create("maps", MFD_CLOEXEC);
	char_vec scratch = {0};
	struct sum sum = {0};
	int ret;

	if (len > INPUT_MAX_BYTES)
		return;
	if (fd < 0 || pwrite(fd, data, len, 0) != (ssize_t)len)
		abort();
	ret = proc_maps_read(fd, &scratch, add_map, &sum);
	if (ret && ret != -ESRCH && ret != -EBADMSG)
		abort();
	if (sum.bytes > len)
		abort();
	if (verbose)
		printf("%zu mappings, %zu bytes of paths\n", sum.nr, sum.bytes);
	vec_free(&scratch);
}
