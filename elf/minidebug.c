// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/minidebug.h"

#include <errno.h>
#include <sys/mman.h>

#include "common/cleanup.h"
#include "elf/unpack_xz.h"

/* Unpacks @packed into @fd. Returns as unpack_xz. */
static int unpack(struct elf_bytes packed, int fd, struct file_budget *budget)
{
	uint64_t nr_bytes, max = MINIDEBUG_BYTES_MAX;
	int ret;

	if (budget && budget->bytes_left < max)
		max = budget->bytes_left;
	ret = unpack_xz(packed.data, packed.size, fd, max, &nr_bytes);
	return file_budget_charge(budget, nr_bytes) ? ret : -EFBIG;
}

int minidebug_open(struct elf_file *outer, struct elf_file *inner, bool *is_open)
{
	size_t index = elf_file_find_section(outer, ".gnu_debugdata");
	struct elf_bytes packed = elf_file_section_bytes(outer, index);
	_cleanup_close_ int fd = -1;
	int ret;

	*is_open = false;
	if (!packed.data)
		return outer->out_of_memory ? -ENOMEM : 0;
	fd = memfd_create("minidebug", MFD_CLOEXEC);
	if (fd < 0)
		return errno == ENOMEM ? -ENOMEM : 0;
	ret = unpack(packed, fd, outer->budget);
	outer->is_too_large |= ret == -EFBIG;
	if (!ret)
		ret = elf_file_open(inner, TAKE_FD(fd), outer->budget);
	*is_open = !ret;
	if (!ret && outer->maps_sections)
		elf_file_map_sections(inner);
	return ret == -ENOMEM ? ret : 0;
}
