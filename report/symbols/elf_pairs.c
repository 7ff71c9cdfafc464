// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/elf_pairs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/cleanup.h"
#include "report/symbols/debug_links.h"

static void close_pair(struct elf_pair *pair)
{
	if (!pair)
		return;
	if (pair->has_binary)
		elf_file_close(&pair->binary);
	if (pair->has_debug)
		elf_file_close(&pair->debug);
	debug_info_close(pair->info);
	free(pair->binary_path);
	free(pair->debug_path);
	free((char *)pair->wanted.path);
	free(pair);
}

/*
 * Opens the file at *@fd, unless that is -1, and takes its name if it is a proper ELF file. Returns
 * 0 or -ENOMEM.
 */
static int open_elf(struct elf_file *file, struct file_budget *budget, int *fd, char **path,
		    bool *is_open, char **name)
{
	int ret;

	if (*fd < 0)
		return 0;
	ret = elf_file_open(file, TAKE_FD(*fd), budget);
	*is_open = !ret;
	if (*is_open) {
		elf_file_map_sections(file);
		*name = TAKE_PTR(*path);
	}
	return ret == -ENOMEM ? ret : 0;
}

static int open_files(struct elf_pair *pair, struct file_budget *budget, struct debug_files *files)
{
	int ret = open_elf(&pair->binary, budget, &files->binary_fd, &files->binary_path,
			   &pair->has_binary, &pair->binary_path);

	if (!ret)
		ret = open_elf(&pair->debug, budget, &files->debug_fd, &files->debug_path,
			       &pair->has_debug, &pair->debug_path);
	if (ret)
		return ret;
	/*
	 * The recorded path has a debug file, so the offsets of its segments cannot be trusted
	 * either.
	 */
	if (pair->has_binary && !pair->has_debug && elf_file_is_debug_only(&pair->binary)) {
		pair->debug = pair->binary;
		pair->has_debug = true;
		pair->has_binary = false;
	}
	return 0;
}

/* Makes the pair of the files that were found. Returns 0 or -ENOMEM. */
static int make_pair(const struct debug_roots *roots, const struct debug_wanted *wanted,
		     struct debug_files *files, struct elf_pair **pair)
{
	struct elf_pair *new = calloc(1, sizeof(*new));
	int ret = -ENOMEM;

	if (!new)
		return ret;
	new->is_fetched = files->is_fetched;
	new->wanted = *wanted;
	new->wanted.pids = NULL;
	new->wanted.nr_pids = 0;
	new->wanted.releases = NULL;
	new->wanted.nr_releases = 0;
	new->wanted.path = strdup(wanted->path);
	if (wanted->file) {
		new->file = *wanted->file;
		new->wanted.file = &new->file;
	}
	if (new->wanted.path)
		ret = open_files(new, roots->budget, files);
	if (ret)
		close_pair(new);
	else
		*pair = new;
	return ret;
}

static bool is_equal_info(const struct prof_file_info *a, const struct prof_file_info *b)
{
	if (!a || !b)
		return a == b;
	return a->inode == b->inode && a->size == b->size && a->mtime_ns == b->mtime_ns &&
	       a->ctime_ns == b->ctime_ns;
}

static bool is_wanted(const struct elf_pair *pair, const struct debug_wanted *wanted)
{
	const struct debug_wanted *have = &pair->wanted;

	return build_id_equal(&have->build_id, &wanted->build_id) &&
	       have->is_deleted == wanted->is_deleted &&
	       have->is_of_this_boot == wanted->is_of_this_boot &&
	       have->is_kernel == wanted->is_kernel &&
	       have->recorded_realtime_ns == wanted->recorded_realtime_ns &&
	       is_equal_info(have->file, wanted->file) && !strcmp(have->path, wanted->path);
}

/* Takes pair @i out of those that are kept. */
static struct elf_pair *take_out(struct elf_pairs *pairs, size_t i)
{
	struct elf_pair *pair = pairs->kept.data[i];

	pairs->kept.nr--;
	memmove(&pairs->kept.data[i], &pairs->kept.data[i + 1],
		(pairs->kept.nr - i) * sizeof(*pairs->kept.data));
	pairs->bytes -= pair->bytes;
	return pair;
}

int elf_pairs_get(struct elf_pairs *pairs, const struct debug_roots *roots,
		  const struct debug_wanted *wanted, struct elf_pair **pair, enum debug_miss *miss)
{
	struct elf_pair *new = NULL;
	struct debug_files files;
	int ret;

	for (size_t i = pairs->kept.nr; i-- > 0;)
		if (is_wanted(pairs->kept.data[i], wanted)) {
			*pair = take_out(pairs, i);
			return 0;
		}
	ret = debug_files_find(roots, wanted, &files, miss);
	if (ret)
		return ret;
	if (*miss == DEBUG_FOUND)
		ret = make_pair(roots, wanted, &files, &new);
	debug_files_close(&files);
	if (ret)
		return ret;
	if (new && !new->has_binary && !new->has_debug) {
		close_pair(new);
		new = NULL;
		*miss = DEBUG_NOT_READABLE;
	}
	*pair = new;
	return 0;
}

/* Opens the debug information of @elf at @path, and the file that it shares with others. */
static int open_info(struct elf_file *elf, const char *path, const struct debug_roots *roots,
		     struct debug_info **info)
{
	struct debug_info *alt = NULL;
	int ret = debug_info_open(elf, DEBUG_INFO_WHOLE, info);

	if (ret || !*info)
		return ret;
	ret = debug_links_open_alt(roots, elf, path, &alt, &(*info)->missing_alt);
	if (!ret && alt)
		ret = debug_info_set_alt(*info, alt);
	if (ret)
		debug_info_close(alt);
	return ret;
}

int elf_pair_info(struct elf_pair *pair, const struct debug_roots *roots, struct debug_info **info)
{
	int ret = 0;

	if (!pair->has_asked && pair->has_debug)
		ret = open_info(&pair->debug, pair->debug_path, roots, &pair->info);
	pair->is_info_of_debug |= !pair->has_asked && pair->info;
	if (!ret && !pair->has_asked && !pair->info && pair->has_binary)
		ret = open_info(&pair->binary, pair->binary_path, roots, &pair->info);
	pair->has_asked |= !ret;
	*info = pair->info;
	return ret;
}

/* The bytes of memory that @file takes: those that were read, or all of a file in memory. */
static uint64_t bytes_kept(const struct elf_file *file)
{
	struct stat st;

	if (fstat(file->fd, &st))
		return 0;
	if (!st.st_nlink)
		return st.st_size; /* packed_file_unpack has made it */
	return (uint64_t)st.st_size < file->bytes_left ? 0
						       : (uint64_t)st.st_size - file->bytes_left;
}

void elf_pairs_put(struct elf_pairs *pairs, struct elf_pair *pair)
{
	if (!pairs->keeps || vec_push(&pairs->kept, pair)) {
		close_pair(pair);
		return;
	}
	pair->bytes = pair->info ? debug_info_memory(pair->info) : 0;
	pair->bytes += (pair->has_binary ? bytes_kept(&pair->binary) : 0) +
		       (pair->has_debug ? bytes_kept(&pair->debug) : 0);
	pairs->bytes += pair->bytes;
	while (pairs->kept.nr > ELF_PAIRS_KEPT || pairs->bytes > ELF_PAIRS_KEPT_BYTES)
		close_pair(take_out(pairs, 0));
}

void elf_pairs_deinit(struct elf_pairs *pairs)
{
	vec_for_each(&pairs->kept, pair)
		close_pair(*pair);
	vec_free(&pairs->kept);
}
