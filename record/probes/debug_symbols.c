// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/debug_symbols.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/buildid.h"
#include "common/cleanup.h"
#include "common/safe_open.h"
#include "elf/unpack_xz.h"

#define DEBUG_DIR "/usr/lib/debug"

/* Opens the debug file. Returns a descriptor, or a negative errno if there is none. */
static int open_debug_file(const struct elf_image *elf)
{
	_cleanup_free_ char *path = NULL;
	_cleanup_close_ int fd = -1;
	struct build_id id, found;
	int ret = build_id_from_fd(elf->fd, &id);

	if (ret)
		return ret;
	path = build_id_debug_path(&id, DEBUG_DIR);
	if (!path)
		return -ENOMEM;
	fd = safe_open(AT_FDCWD, path, &(struct safe_open_rules){0});
	if (fd < 0)
		return fd;
	ret = build_id_from_fd(fd, &found);
	if (!ret && !build_id_equal(&id, &found))
		ret = -ENOENT;
	return ret ? ret : TAKE_FD(fd);
}

static int open_minidebug(const struct elf_image *elf)
{
	const Elf64_Shdr *section = elf_image_find_section(elf, ".gnu_debugdata");
	_cleanup_free_ void *packed = NULL;
	_cleanup_close_ int fd = -1;
	uint64_t nr_bytes;
	int ret;

	if (!section)
		return -ENOENT;
	ret = elf_image_read_section(elf, section, &packed);
	if (ret)
		return ret;
	fd = memfd_create("minidebug", MFD_CLOEXEC);
	if (fd < 0)
		return -errno;
	ret = unpack_xz(packed, section->sh_size, fd, MINIDEBUG_BYTES_MAX, &nr_bytes);
	return ret ? ret : TAKE_FD(fd);
}

int debug_symbols_open(const struct elf_image *elf)
{
	int fd = open_debug_file(elf);

	if (fd < 0 && fd != -ENOMEM)
		fd = open_minidebug(elf);
	return fd < 0 && fd != -ENOMEM ? -ENOENT : fd;
}
