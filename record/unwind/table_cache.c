// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/table_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/safe_open.h"

/* "." before the name, the pid and ".tmp" after it. */
#define TEMP_NAME_SIZE (BUILD_ID_HEX_SIZE + 24)

#define FILE_MODE 0644

static int open_table(int dir_fd, const struct build_id *id)
{
	const struct safe_open_rules rules = {.lookup = SAFE_OPEN_NO_LINK};
	char name[BUILD_ID_HEX_SIZE];
	int fd;

	if (build_id_is_none(id))
		return -EINVAL;
	fd = safe_open(dir_fd, build_id_hex(id, name), &rules);
	return fd == -EINVAL ? -EBADMSG : fd;
}

int table_cache_get(int dir_fd, const struct build_id *id, struct unwind_table *table)
{
	_cleanup_close_ int fd = open_table(dir_fd, id);

	return fd < 0 ? fd : unwind_table_read(fd, table);
}

int table_cache_get_hash(int dir_fd, const struct build_id *id,
			 uint8_t hash[static UNWIND_HASH_BYTES])
{
	_cleanup_close_ int fd = open_table(dir_fd, id);

	return fd < 0 ? fd : unwind_table_read_hash(fd, hash);
}

/* Writes the new file @temp. The caller removes it on failure, too, for it may exist then. */
static int write_temp(int dir_fd, const char *temp, const struct unwind_table *table)
{
	_cleanup_close_ int fd = -1;
	int ret;

	/* An earlier recorder with this pid may have left it. */
	unlinkat(dir_fd, temp, 0);
	fd = openat(dir_fd, temp, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	ret = unwind_table_write(fd, table);
	if (!ret && fchmod(fd, FILE_MODE))
		ret = -errno;
	return ret;
}

int table_cache_put(int dir_fd, const struct build_id *id, const struct unwind_table *table)
{
	char name[BUILD_ID_HEX_SIZE], temp[TEMP_NAME_SIZE];
	int ret;

	if (build_id_is_none(id))
		return -EINVAL;
	build_id_hex(id, name);
	snprintf(temp, sizeof(temp), ".%s.%d.tmp", name, getpid());
	ret = write_temp(dir_fd, temp, table);
	/* Not synced: a file that a crash cut short is no valid table. */
	if (!ret && renameat(dir_fd, temp, dir_fd, name))
		ret = -errno;
	if (ret)
		unlinkat(dir_fd, temp, 0);
	return ret;
}
