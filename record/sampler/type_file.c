// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampler/type_file.h"

#include <errno.h>
#include <stdio.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "common/io.h"

static int open_file(struct type_file *file)
{
	int ret = kernel_types_open(&file->types);

	if (!ret)
		ret = tracing_programs_register(&file->tracing, &file->types);
	if (ret)
		return ret;
	file->fd = memfd_create("profrec-types", MFD_CLOEXEC);
	if (file->fd < 0)
		return -errno;
	snprintf(file->path, sizeof(file->path), "/proc/self/fd/%d", file->fd);
	return 0;
}

void type_file_begin(struct type_file *file)
{
	*file = (struct type_file){.fd = -1};
	if (open_file(file))
		type_file_end(file);
}

int type_file_fill(const struct type_file *file, const struct btf *programs)
{
	struct btf *copy;
	const void *bytes;
	uint32_t size;
	int ret;

	if (file->fd < 0)
		return 0;
	ret = kernel_types_copy(&file->types, programs, &copy);
	if (ret)
		return ret;
	bytes = btf__raw_data(copy, &size);
	ret = bytes ? io_write_all(file->fd, bytes, size) : -ENOMEM;
	btf__free(copy);
	return ret;
}

void type_file_end(struct type_file *file)
{
	tracing_programs_unregister(&file->tracing);
	kernel_types_close(&file->types);
	cleanup_close(&file->fd);
	*file = (struct type_file){.fd = -1};
}
