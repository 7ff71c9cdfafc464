// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/copied_text.h"

#include <errno.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/minmax.h"
#include "record/proc/proc_query.h"

#define MEMFD_PREFIX "/memfd:" /* memfd_create in mm/memfd.c */

/* Most memory without a file that is passed on the way to a mapping of a file. */
#define NEIGHBOURS_MAX 8

/* Most segments of a file that is looked at. Linkers make a dozen. */
#define SEGMENTS_MAX 64

/* Most comparisons in a look. A program that copies the text of each library makes some dozens. */
#define COMPARED_MAX 64

/* Pages of a mapping that are compared: the first, the last, and those at equal distances. */
#define COMPARED_PAGES 8

/* Bytes of each, from its beginning. */
#define COMPARED_BYTES 4096

/* Size of a huge page. The last one may reach into the gap that the linker left behind the text. */
#define HUGE_BYTES (UINT64_C(2) << 20)

static bool is_memfd(const char *path)
{
	return !strncmp(path, MEMFD_PREFIX, strlen(MEMFD_PREFIX));
}

bool copied_text_may_be(const struct proc_map *map)
{
	return is_memfd(map->path) || mapped_file_kind(map->path) == MAPPED_ANON;
}

static void close_file(struct copied_text *c)
{
	elf_image_close(&c->image);
	cleanup_close(&c->fd);
	c->fd = -1;
	c->is_read = false;
}

void copied_text_pass(struct copied_text *c, const struct proc_map *map)
{
	size_t len = strlen(map->path) + 1;

	if (copied_text_may_be(map) || mapped_file_kind(map->path) != MAPPED_FILE ||
	    len > sizeof(c->path))
		return;
	/* Many mappings of a JIT compiler may be beside one of a file. */
	if (c->neighbour.start != map->start || c->neighbour.end != map->end)
		close_file(c);
	c->neighbour = *map;
	c->neighbour.path = memcpy(c->path, map->path, len);
}

bool copied_text_ask(struct copied_text *c, int maps_fd, uint64_t addr)
{
	char name[PATH_MAX];
	struct proc_map map;

	if (c->asked_to && c->asked_from <= addr && addr <= c->asked_to)
		return c->answer;
	c->asked_from = addr;
	c->asked_to = 0;
	c->answer = false;
	for (int i = 0; i < NEIGHBOURS_MAX; i++) {
		if (look_touch(c->look, look_process(c->memory.pid)))
			return false;
		if (proc_query_file(maps_fd, addr, name, &map))
			map = (struct proc_map){.start = UINT64_MAX};
		if (!c->asked_to)
			c->asked_to = map.start;
		if (map.start == UINT64_MAX)
			return false;
		if (!copied_text_may_be(&map)) {
			copied_text_pass(c, &map);
			c->answer = map.pgoff;
			return c->answer;
		}
		addr = map.end;
	}
	return false;
}

/* Opens the file of @map, whose device becomes *@dev. Returns a descriptor or a negative errno. */
static int open_mapped(struct copied_text *c, const struct proc_map *map, uint64_t *dev)
{
	const struct file_place place = {
		.pid = c->memory.pid, .start = map->start, .end = map->end};
	struct mapped_file file = {.kind = MAPPED_FILE,
				   .identity = {.dev = map->dev, .inode = map->inode}};
	char path[PATH_MAX];
	size_t len = mapped_file_path_bytes(MAPPED_FILE, map->path, &file.deleted);

	if (len >= sizeof(path))
		return -ENAMETOOLONG;
	memcpy(path, map->path, len);
	path[len] = '\0';
	file.path = path;
	mapped_file_look(c->look, c->number, &file, &place);
	*dev = file.identity.dev;
	return mapped_file_open(c->look, &file, &place);
}

/* Opens the neighbour's file, once. Returns whether its segments are known. */
static bool open_file(struct copied_text *c)
{
	if (c->is_read || !c->neighbour.path)
		return c->image.segments;
	c->is_read = true;
	c->fd = open_mapped(c, &c->neighbour, &c->dev);
	if (c->fd < 0 || look_touch(c->look, look_device(c->dev)) ||
	    elf_image_open_segments(c->fd, &c->image) || c->image.header.e_phnum > SEGMENTS_MAX)
		elf_image_close(&c->image);
	return c->image.segments;
}

/* Are all bytes one, as where nothing was ever written? That tells nothing. */
static bool is_filled(const char *bytes, size_t len)
{
	return !memcmp(bytes, bytes + 1, len - 1);
}

/*
 * Reads @len bytes of @map, which are @at behind its beginning. A process has few pages of a memfd
 * in its memory before it uses them, and nobody else is asked for the others. Returns 0 or -EFAULT.
 */
static int read_copy(struct copied_text *c, const struct proc_map *map, int memfd, uint64_t at,
		     char *buf, size_t len)
{
	long nr = look_touch(c->look, look_process(c->memory.pid));

	if (!nr && memfd >= 0)
		nr = io_pread(memfd, buf, len, map->pgoff + at);
	else if (!nr)
		nr = resident_memory_read(&c->memory, map->start + at, buf, len);
	return nr == (long)len ? 0 : -EFAULT;
}

/* Compares pages of the first @len bytes of @map with the file at @off. */
static bool has_bytes(struct copied_text *c, const struct proc_map *map, int memfd, uint64_t off,
		      uint64_t len)
{
	const uint64_t page_bytes = sysconf(_SC_PAGESIZE), last = (len - 1) / page_bytes;
	const uint64_t nr = min_u64(last + 1, COMPARED_PAGES);
	char copy[COMPARED_BYTES], bytes[COMPARED_BYTES];
	uint64_t nr_same = 0;

	for (uint64_t i = 0; i < nr; i++) {
		const uint64_t at = (nr > 1 ? last * i / (nr - 1) : 0) * page_bytes;
		const size_t part = min_u64(len - at, COMPARED_BYTES);

		if (look_touch(c->look, look_device(c->dev)) ||
		    elf_image_read(&c->image, off + at, bytes, part))
			return false;
		if (read_copy(c, map, memfd, at, copy, part))
			continue;
		if (memcmp(copy, bytes, part))
			return false;
		nr_same += !is_filled(bytes, part);
	}
	return nr_same >= min_u64(nr, 2);
}

static bool is_copy(struct copied_text *c, const struct proc_map *map, uint64_t off, uint64_t len)
{
	_cleanup_close_ int memfd = -1;
	struct statfs fs;
	uint64_t dev;

	if (is_memfd(map->path)) {
		memfd = open_mapped(c, map, &dev);
		/* Any file can have such a name. */
		if (memfd < 0 || fstatfs(memfd, &fs) ||
		    (fs.f_type != TMPFS_MAGIC && fs.f_type != HUGETLBFS_MAGIC))
			return false;
	}
	return has_bytes(c, map, memfd, off, len);
}

/* Is @map a copy of @text, which lies @distance above its offsets in the file? */
static bool is_copy_of(struct copied_text *c, const struct proc_map *map, const Elf64_Phdr *text,
		       uint64_t distance, uint64_t *pgoff)
{
	const uint64_t page_bytes = sysconf(_SC_PAGESIZE), off = map->start - distance;
	const uint64_t end = text->p_offset + text->p_filesz;

	if (text->p_type != PT_LOAD || !(text->p_flags & PF_X) || off % page_bytes ||
	    off < (text->p_offset & -page_bytes) || off >= end ||
	    map->end - distance > ((end + HUGE_BYTES - 1) & -HUGE_BYTES) ||
	    c->nr_compared++ >= COMPARED_MAX)
		return false;
	if (!is_copy(c, map, off, min_u64(map->end - map->start, end - off)))
		return false;
	*pgoff = off;
	return true;
}

/* Is the neighbour a part of segment @ph? Two segments may have one page of the file in common. */
static bool is_neighbour(const struct copied_text *c, const Elf64_Phdr *ph)
{
	const uint64_t page_bytes = sysconf(_SC_PAGESIZE), off = c->neighbour.pgoff;

	return ph->p_type == PT_LOAD && off >= (ph->p_offset & -page_bytes) &&
	       off < ph->p_offset + ph->p_filesz;
}

bool copied_text_find(struct copied_text *c, const struct proc_map *map, uint64_t *pgoff)
{
	const uint64_t base = c->neighbour.start - c->neighbour.pgoff;
	const Elf64_Phdr *ph;
	size_t nr;

	if (c->nr_compared >= COMPARED_MAX || !open_file(c))
		return false;
	ph = c->image.segments;
	nr = c->image.header.e_phnum;
	for (size_t i = 0; i < nr; i++) {
		const uint64_t bias = base + ph[i].p_offset - ph[i].p_vaddr;

		for (size_t k = 0; is_neighbour(c, &ph[i]) && k < nr; k++)
			if (is_copy_of(c, map, &ph[k], bias + ph[k].p_vaddr - ph[k].p_offset,
				       pgoff))
				return true;
	}
	return false;
}

void copied_text_deinit(struct copied_text *c)
{
	close_file(c);
	resident_memory_deinit(&c->memory);
}
