// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/debug_links.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

#define DEBUG_DIR "/usr/lib/debug"

static const struct root this_machine = {.fd = -1, .name = "", .is_host = true};

/* A link to a file that is looked for. */
struct link {
	const struct debug_roots *roots;
	struct build_id build_id; /* size 0: the file has none */
	enum debug_info_kind kind;
};

/* Tries the file at @path in @root. Returns 0 with *@info set if it is the one, or -ENOMEM. */
static int try_path(const struct link *link, const struct root *root, const char *path,
		    struct debug_info **info)
{
	enum debug_miss miss = DEBUG_FOUND;
	struct elf_file elf;
	int fd, ret;

	if (*info)
		return 0;
	fd = candidate_open(root, path, &link->build_id, &miss);
	if (fd < 0)
		return fd == -ENOMEM ? fd : 0;
	ret = elf_file_open(&elf, fd, link->roots->budget);
	if (ret)
		return ret == -ENOMEM ? ret : 0;
	ret = debug_info_open(&elf, link->kind, info);
	elf_file_close(&elf);
	return ret;
}

/* Tries @path in the user's root, then on this machine. */
static int try_roots(const struct link *link, const char *path, struct debug_info **info)
{
	const struct root symfs = {.fd = link->roots->symfs_fd, .name = link->roots->symfs};
	int ret = symfs.fd >= 0 ? try_path(link, &symfs, path, info) : 0;

	return ret ? ret : try_path(link, &this_machine, path, info);
}

/* Tries the file of the link's build-id below @dir in @root. */
static int try_id(const struct link *link, const struct root *root, const char *dir,
		  struct debug_info **info)
{
	_cleanup_free_ char *path = NULL;
	char hex[BUILD_ID_HEX_SIZE];

	build_id_hex(&link->build_id, hex);
	if (asprintf(&path, "%s/.build-id/%.2s/%s.debug", dir, hex, hex + 2) < 0)
		return -ENOMEM;
	return try_path(link, root, path, info);
}

/* Tries the places of files that are known by their build-ids. */
static int try_ids(const struct link *link, struct debug_info **info)
{
	const struct debug_roots *roots = link->roots;
	const struct root symfs = {.fd = roots->symfs_fd, .name = roots->symfs};
	int ret = 0;

	if (symfs.fd >= 0)
		ret = try_id(link, &symfs, "", info);
	if (!ret && symfs.fd >= 0)
		ret = try_id(link, &symfs, DEBUG_DIR, info);
	for (size_t i = 0; i < roots->more_dirs.nr && !ret; i++)
		ret = try_id(link, &this_machine, roots->more_dirs.names[i], info);
	if (ret)
		return ret;
	return try_id(link, &this_machine, roots->debug_dir ? roots->debug_dir : DEBUG_DIR, info);
}

/* Tries @name, in the directory of the file at @path unless it is absolute. */
static int try_beside(const struct link *link, const char *path, const char *name,
		      struct debug_info **info)
{
	const char *slash = path ? strrchr(path, '/') : NULL;
	_cleanup_free_ char *joined = NULL;

	if (name[0] == '/')
		return try_roots(link, name, info);
	if (!slash)
		return 0;
	if (asprintf(&joined, "%.*s/%s", (int)(slash - path), path, name) < 0)
		return -ENOMEM;
	return try_path(link, &this_machine, joined, info);
}

int debug_links_open_alt(const struct debug_roots *roots, struct elf_file *elf, const char *path,
			 struct debug_info **alt)
{
	const Elf_Data *data =
		elf_file_section_data(elf, elf_file_find_section(elf, ".gnu_debugaltlink"));
	struct link link = {.roots = roots, .kind = DEBUG_INFO_WHOLE};
	size_t len, left;
	int ret;

	*alt = NULL;
	if (!data || !data->d_buf)
		return elf->out_of_memory ? -ENOMEM : 0;
	len = strnlen(data->d_buf, data->d_size);
	left = data->d_size - len;
	if (!len || left < 2 || left - 1 > sizeof(link.build_id.bytes))
		return 0;
	link.build_id.size = left - 1;
	memcpy(link.build_id.bytes, (const char *)data->d_buf + len + 1, left - 1);
	ret = try_beside(&link, path, data->d_buf, alt);
	if (!ret && link.build_id.size >= 2)
		ret = try_ids(&link, alt);
	return ret;
}

/* Copies a text of the debug information. Returns NULL without memory. */
static char *copy_text(struct dwarf_text text)
{
	return text.s ? strndup(text.s, text.len) : strdup("");
}

static int open_split(void *ctx, const struct dwarf_unit *skeleton, struct dwarf_file **file)
{
	const struct debug_splits *splits = ctx;
	struct link link = {.roots = splits->roots, .kind = DEBUG_INFO_SPLIT};
	_cleanup_free_ char *dir = copy_text(skeleton->comp_dir);
	_cleanup_free_ char *name = copy_text(skeleton->dwo_name);
	_cleanup_free_ char *path = NULL;
	struct debug_info *info = NULL;
	int ret;

	if (!dir || !name || asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	ret = try_roots(&link, name[0] == '/' ? name : path, &info);
	/* Programs are moved together with their split files. */
	if (!ret)
		ret = try_beside(&link, splits->path, name, &info);
	*file = info ? &info->file : NULL;
	return ret;
}

static void close_split(void *ctx, struct dwarf_file *file)
{
	(void)ctx;
	debug_info_close((struct debug_info *)((char *)file - offsetof(struct debug_info, file)));
}

struct split_opener debug_links_splits(struct debug_splits *splits)
{
	return (struct split_opener){.open = open_split, .close = close_split, .ctx = splits};
}
