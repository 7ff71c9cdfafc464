// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/debug_links.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "report/dwarf/split_package.h"

#define DEBUG_DIR "/usr/lib/debug"

/* The endings of debug files and of packages. */
#define DEBUG   ".debug"
#define PACKAGE ".dwp"

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
	struct stat st;
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
	if (!ret && *info && !fstat(elf.fd, &st)) {
		(*info)->dev = st.st_dev;
		(*info)->inode = st.st_ino;
	}
	elf_file_close(&elf);
	return ret;
}

/* Tries @path in the user's root, then on this host. */
static int try_roots(const struct link *link, const char *path, struct debug_info **info)
{
	const struct root symfs = {.fd = link->roots->symfs_fd, .name = link->roots->symfs};
	int ret = symfs.fd >= 0 ? try_path(link, &symfs, path, info) : 0;

	return ret ? ret : try_path(link, &this_machine, path, info);
}

/* Tries the file of @id with the ending @ending below @dir in @root. */
static int try_id(const struct link *link, const struct build_id *id, const char *ending,
		  const struct root *root, const char *dir, struct debug_info **info)
{
	_cleanup_free_ char *path = NULL;
	char hex[BUILD_ID_HEX_SIZE];

	build_id_hex(id, hex);
	if (asprintf(&path, "%s/.build-id/%.2s/%s%s", dir, hex, hex + 2, ending) < 0)
		return -ENOMEM;
	return try_path(link, root, path, info);
}

/* Tries the places of files that are known by their build-ids. */
static int try_ids(const struct link *link, const struct build_id *id, const char *ending,
		   struct debug_info **info)
{
	const struct debug_roots *roots = link->roots;
	const struct root symfs = {.fd = roots->symfs_fd, .name = roots->symfs};
	int ret = 0;

	if (id->size < 2)
		return 0;
	if (symfs.fd >= 0)
		ret = try_id(link, id, ending, &symfs, "", info);
	if (!ret && symfs.fd >= 0)
		ret = try_id(link, id, ending, &symfs, DEBUG_DIR, info);
	for (size_t i = 0; i < roots->more_dirs.nr && !ret; i++)
		ret = try_id(link, id, ending, &this_machine, roots->more_dirs.names[i], info);
	if (ret)
		return ret;
	return try_id(link, id, ending, &this_machine,
		      roots->debug_dir ? roots->debug_dir : DEBUG_DIR, info);
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
			 struct debug_info **alt, char **missing)
{
	struct elf_bytes bytes =
		elf_file_section_bytes(elf, elf_file_find_section(elf, ".gnu_debugaltlink"));
	_cleanup_free_ char *name = NULL;
	struct link link = {.roots = roots, .kind = DEBUG_INFO_WHOLE};
	size_t len, left;
	int ret;

	*alt = NULL;
	*missing = NULL;
	if (!bytes.data)
		return elf->out_of_memory ? -ENOMEM : 0;
	len = strnlen((const char *)bytes.data, bytes.size);
	left = bytes.size - len;
	if (!len || left < 2 || left - 1 > sizeof(link.build_id.bytes))
		return 0;
	link.build_id.size = left - 1;
	memcpy(link.build_id.bytes, bytes.data + len + 1, left - 1);
	name = strndup((const char *)bytes.data, len);
	if (!name)
		return -ENOMEM;
	ret = try_beside(&link, path, name, alt);
	if (!ret)
		ret = try_ids(&link, &link.build_id, DEBUG, alt);
	if (!ret && !*alt)
		*missing = TAKE_PTR(name);
	return ret;
}

/* Copies a text of the debug information. Returns NULL without memory. */
static char *copy_text(struct dwarf_text text)
{
	return text.s ? strndup(text.s, text.len) : strdup("");
}

/* Tries the file of one unit. */
static int try_unit(const struct debug_splits *splits, const struct dwarf_unit *skeleton,
		    struct debug_info **info)
{
	const struct link link = {.roots = splits->roots, .kind = DEBUG_INFO_SPLIT};
	_cleanup_free_ char *dir = copy_text(skeleton->comp_dir);
	_cleanup_free_ char *name = copy_text(skeleton->dwo_name);
	_cleanup_free_ char *path = NULL;
	int ret;

	if (!dir || !name || asprintf(&path, "%s/%s", dir, name) < 0)
		return -ENOMEM;
	ret = try_roots(&link, name[0] == '/' ? name : path, info);
	/* Programs are moved together with their split files. */
	return ret ? ret
		   : try_beside(&link, splits->binary ? splits->binary : splits->debug, name, info);
}

/* Tries the package of the file at @path, which may be NULL: PATH.dwp. */
static int try_package(const struct link *link, const char *path, struct debug_info **info)
{
	_cleanup_free_ char *package = NULL;

	if (!path)
		return 0;
	if (asprintf(&package, "%s" PACKAGE, path) < 0)
		return -ENOMEM;
	return try_path(link, &this_machine, package, info);
}

/* Looks for the package, beside the binary or its debug file, then by the build-id. */
static int find_package(struct debug_splits *splits)
{
	const struct link link = {.roots = splits->roots, .kind = DEBUG_INFO_SPLIT};
	const char *debug = splits->debug;
	size_t len = debug ? strlen(debug) : 0;
	_cleanup_free_ char *base = NULL;
	int ret;

	/* Of app.debug, the package is app.dwp, since the binary is app. */
	if (len > strlen(DEBUG) && !strcmp(debug + len - strlen(DEBUG), DEBUG)) {
		base = strndup(debug, len - strlen(DEBUG));
		if (!base)
			return -ENOMEM;
	}
	ret = try_package(&link, splits->binary, &splits->package);
	if (!ret)
		ret = try_package(&link, debug, &splits->package);
	if (!ret)
		ret = try_package(&link, base, &splits->package);
	return ret ? ret : try_ids(&link, &splits->build_id, PACKAGE, &splits->package);
}

/* Takes the unit out of the package. Sets *@info to its part, or to NULL if it has none. */
static int take_unit(struct debug_splits *splits, const struct dwarf_unit *skeleton,
		     struct debug_info **info, uint64_t *bytes)
{
	struct debug_info *unit;
	int ret = splits->has_asked ? 0 : find_package(splits);

	if (ret)
		return ret;
	if (!splits->has_asked && splits->package)
		*bytes += dwarf_file_bytes(&splits->package->file);
	splits->has_asked = true;
	if (!splits->package)
		return 0;
	unit = calloc(1, sizeof(*unit));
	if (!unit)
		return -ENOMEM;
	if (split_package_find(&splits->package->file, skeleton->dwo_id, &unit->file))
		*info = unit;
	else
		debug_info_close(unit);
	return 0;
}

/*
 * Adds to *@bytes those of a file that was opened for the first time. All skeletons may name one
 * file, and each could have it read as a whole. Returns 0 or -ENOMEM.
 */
static int count_bytes(struct debug_splits *splits, const struct debug_info *info, uint64_t *bytes)
{
	const struct opened_split id = {info->dev, info->inode};
	uint64_t hash = hash_bytes(&id, sizeof(id), 0);

	index_for_each(&splits->by_id, hash, i) {
		if (splits->opened.data[i].dev == id.dev &&
		    splits->opened.data[i].inode == id.inode)
			return 0;
	}
	*bytes += dwarf_file_bytes(&info->file);
	return index_push(&splits->by_id, &splits->opened, hash, id);
}

static int open_split(void *ctx, const struct dwarf_unit *skeleton, struct dwarf_file **file,
		      uint64_t *bytes)
{
	struct debug_splits *splits = ctx;
	struct debug_info *info = NULL;
	int ret = take_unit(splits, skeleton, &info, bytes);

	if (!ret && !info) {
		ret = try_unit(splits, skeleton, &info);
		if (!ret && info)
			ret = count_bytes(splits, info, bytes);
	}
	*file = info ? &info->file : NULL;
	return ret;
}

static void close_split(void *ctx, struct dwarf_file *file)
{
	(void)ctx;
	debug_info_close((struct debug_info *)((char *)file - offsetof(struct debug_info, file)));
}

void debug_splits_close(struct debug_splits *splits)
{
	debug_info_close(splits->package);
	splits->package = NULL;
	vec_free(&splits->opened);
	index_deinit(&splits->by_id);
}

struct split_opener debug_links_splits(struct debug_splits *splits)
{
	return (struct split_opener){.open = open_split, .close = close_split, .ctx = splits};
}
