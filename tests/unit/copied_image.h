/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * This program, mapped once more at a free place as the loader would do it, but with memory in
 * place of its text.
 */
#ifndef TESTS_UNIT_COPIED_IMAGE_H
#define TESTS_UNIT_COPIED_IMAGE_H

#include <fcntl.h>
#include <link.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/suite.h"

#define IMAGE_SEGMENTS 8

static struct {
	ElfW(Phdr) segments[IMAGE_SEGMENTS]; /* PT_LOAD, in the order of the file */
	size_t nr, text;                     /* the number of the segment of text */
	uint64_t page_bytes;
	char *own, *base; /* addresses of 0 in the file: of this program, and of the image */
	size_t bytes;
} image;

/* A callback of dl_iterate_phdr, whose first object is the program. */
static int take_segments(struct dl_phdr_info *info, size_t size, void *unused)
{
	(void)size;
	(void)unused;
	image.own = (char *)info->dlpi_addr;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *ph = &info->dlpi_phdr[i];

		if (ph->p_type != PT_LOAD || image.nr == IMAGE_SEGMENTS)
			continue;
		if (ph->p_flags & PF_X)
			image.text = image.nr;
		image.segments[image.nr++] = *ph;
		image.bytes = ph->p_vaddr + ph->p_memsz;
	}
	return 1;
}

/* The address of segment @i in the image, and the bytes of its pages that are in the file. */
static char *image_segment(size_t i, size_t *bytes)
{
	const ElfW(Phdr) *ph = &image.segments[i];
	uint64_t start = ph->p_vaddr & -image.page_bytes;

	*bytes = ((ph->p_vaddr + ph->p_filesz - 1) & -image.page_bytes) + image.page_bytes - start;
	return image.base + start;
}

static void *image_map(void *at, size_t bytes, int flags, int fd, uint64_t off)
{
	void *p = mmap(at, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | flags, fd, (off_t)off);

	ck_assert_ptr_ne(p, MAP_FAILED);
	return p;
}

/* Maps all of the image but its text. */
static void image_begin(void)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);

	memset(&image, 0, sizeof(image));
	image.page_bytes = sysconf(_SC_PAGESIZE);
	dl_iterate_phdr(take_segments, NULL);
	image.base = image_map(NULL, image.bytes, MAP_ANONYMOUS, -1, 0);
	for (size_t i = 0; i < image.nr; i++) {
		size_t bytes;
		char *at = image_segment(i, &bytes);

		if (i != image.text)
			image_map(at, bytes, MAP_FIXED, fd,
				  image.segments[i].p_offset & -image.page_bytes);
	}
	close(fd);
}

static void image_end(void)
{
	munmap(image.base, image.bytes);
}

/* Writes a copy of the text to its place, from page @first to @last of it, and makes it code. */
static char *image_copy_text(size_t first, size_t last)
{
	size_t bytes = (last + 1 - first) * image.page_bytes, all;
	char *to = image_segment(image.text, &all) + first * image.page_bytes;

	ck_assert_uint_le((last + 1) * image.page_bytes, all);
	memcpy(to, image.own + (to - image.base), bytes);
	ck_assert_int_eq(mprotect(to, bytes, PROT_READ | PROT_WRITE | PROT_EXEC), 0);
	return to;
}

/* The number of the last page of the text. */
static size_t image_last_page(void)
{
	size_t bytes;

	image_segment(image.text, &bytes);
	return bytes / image.page_bytes - 1;
}

/* The offset in the file of @at, which is in the text. */
static uint64_t image_offset(const char *at)
{
	const ElfW(Phdr) *ph = &image.segments[image.text];

	return (uint64_t)(at - image.base) - ph->p_vaddr + ph->p_offset;
}

#endif
