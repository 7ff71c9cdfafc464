// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/copied_text.h"

#include <errno.h>

#include "record/proc/proc_query.h"
#include "record/process/proc_scan.h"
#include "tests/unit/copied_image.h"
#include "tests/unit/suite.h"

static struct mapped_files files;
static mapping_vec mappings;

#define PLAYED_FD 4711

static unsigned int nr_questions;

int __real_proc_query_file(int fd, uint64_t addr, char *name, struct proc_map *map);
int __wrap_proc_query_file(int fd, uint64_t addr, char *name, struct proc_map *map);

int __wrap_proc_query_file(int fd, uint64_t addr, char *name, struct proc_map *map)
{
	if (fd != PLAYED_FD)
		return __real_proc_query_file(fd, addr, name, map);
	nr_questions++;
	if (addr >= 0x21000)
		return -ENOENT;
	*map = (struct proc_map){.start = 0x10000, .end = 0x11000, .pgoff = 0x1000, .path = "/a"};
	if (addr >= 0x11000)
		*map = (struct proc_map){.start = 0x20000, .end = 0x21000, .path = "/b"};
	return 0;
}

static void begin(void)
{
	files = (struct mapped_files){0};
	mappings = (mapping_vec){0};
	image_begin();
}

static void end(void)
{
	image_end();
	vec_free(&mappings);
	mapped_files_deinit(&files);
}

/* What a scan of this process tells of the mapping at @at. */
static const struct mapping *scan_at(const char *at)
{
	const struct mapping *m;

	ck_assert_int_eq(proc_scan_mappings(getpid(), 0, &files, &mappings), 0);
	m = mappings_find(&mappings, (uintptr_t)at);
	ck_assert_ptr_nonnull(m);
	return m;
}

static void expect_text(const char *at)
{
	const struct mapping *m = scan_at(at);
	const struct mapped_file *file = mapping_file(&files, m);

	ck_assert_int_eq(file->kind, MAPPED_FILE);
	ck_assert_ptr_nonnull(strstr(file->path, "test_copied_text"));
	ck_assert(!build_id_is_none(mapped_file_build_id(file)));
	ck_assert(file->identity.is_stat);
	ck_assert_uint_eq(m->pgoff + ((uintptr_t)at - m->start), image_offset(at));
}

static void expect_memory(const char *at)
{
	const struct mapping *m = scan_at(at);

	ck_assert_int_eq(mapping_file(&files, m)->kind, MAPPED_ANON);
	ck_assert_uint_eq(m->pgoff, 0);
}

START_TEST(all_of_the_text)
{
	expect_text(image_copy_text(0, image_last_page()));
}
END_TEST

/* The rest is no code, so a mapping of another segment tells. */
START_TEST(a_part_of_the_text)
{
	expect_text(image_copy_text(1, image_last_page() - 1));
}
END_TEST

START_TEST(one_page)
{
	expect_text(image_copy_text(1, 1));
}
END_TEST

START_TEST(other_bytes)
{
	size_t last = image_last_page();
	char *text = image_copy_text(0, last);

	text[image.page_bytes] ^= 1; /* not among those that are compared, if there are many */
	if (last > 16)
		expect_text(text);
	text[image.segments[image.text].p_vaddr % image.page_bytes] ^= 1;
	expect_memory(text);
	text[image.segments[image.text].p_vaddr % image.page_bytes] ^= 1;
	text[last * image.page_bytes] ^= 1;
	expect_memory(text);
}
END_TEST

START_TEST(nothing_was_written)
{
	size_t bytes;
	char *text = image_segment(image.text, &bytes);

	ck_assert_int_eq(mprotect(text, bytes, PROT_READ | PROT_EXEC), 0);
	expect_memory(text);
}
END_TEST

START_TEST(another_place)
{
	char *text = image_copy_text(0, image_last_page());

	memmove(text + image.page_bytes, text, (image_last_page() - 1) * image.page_bytes);
	expect_memory(text);
}
END_TEST

START_TEST(a_memfd)
{
	int fd = memfd_create("text", MFD_CLOEXEC);
	size_t bytes;
	char *text = image_segment(image.text, &bytes), *from = image.own + (text - image.base);
	char path[64];
	int opened;

	ck_assert_int_eq(write(fd, from, bytes), (ssize_t)bytes);
	ck_assert_ptr_eq(mmap(text, bytes, PROT_READ | PROT_EXEC, MAP_SHARED | MAP_FIXED, fd, 0),
			 text);
	snprintf(path, sizeof(path), "/proc/self/map_files/%lx-%lx", (uintptr_t)text,
		 (uintptr_t)text + bytes);
	opened = open(path, O_RDONLY | O_CLOEXEC);
	if (opened < 0)
		SKIP_TEST("a memfd is opened through map_files, which takes a capability");
	close(opened);
	expect_text(text);
	ck_assert_int_eq(pwrite(fd, "?", 1, (off_t)bytes - (off_t)image.page_bytes), 1);
	mapped_files_deinit(&files);
	ck_assert_str_eq(mapping_file(&files, scan_at(text))->path, "/memfd:text");
	close(fd);
}
END_TEST

/* Where the kernel cannot be asked, the text of all mappings passes by. */
START_TEST(the_neighbour_below)
{
	struct copied_text c = COPIED_TEXT_INIT(NULL, getpid(), looker_next_number(NULL), 0);
	char *text = image_copy_text(0, image_last_page()), path[PATH_MAX] = "";
	size_t first_bytes;
	char *first = image_segment(0, &first_bytes);
	struct proc_map below = {
		.start = (uintptr_t)first, .end = (uintptr_t)first + first_bytes, .path = path};
	struct proc_map map = {.start = (uintptr_t)text,
			       .end = (uintptr_t)text + (image_last_page() + 1) * image.page_bytes,
			       .path = ""};
	uint64_t pgoff = 0;
	struct stat st;

	if (image.text == 0)
		SKIP_TEST("text is the first segment");
	ck_assert(copied_text_may_be(&map));
	ck_assert(!copied_text_find(&c, &map, &pgoff)); /* nothing is beside it */
	ck_assert_int_ge(readlink("/proc/self/exe", path, sizeof(path) - 1), 0);
	ck_assert_int_eq(stat(path, &st), 0);
	below.dev = st.st_dev;
	below.inode = st.st_ino;
	ck_assert(!copied_text_may_be(&below));
	copied_text_pass(&c, &below);
	copied_text_pass(&c, &map); /* memory is no neighbour */
	ck_assert(copied_text_find(&c, &map, &pgoff));
	ck_assert_uint_eq(pgoff, image_offset(text));
	/* A look compares no more than so much. */
	while (c.nr_compared < 64)
		ck_assert(copied_text_find(&c, &map, &pgoff));
	ck_assert(!copied_text_find(&c, &map, &pgoff));
	copied_text_deinit(&c);
}
END_TEST

/*
 * Questions to a kernel that the test plays; files are at 0x10000 and, from their start, 0x20000.
 */
START_TEST(each_way_to_a_file_once)
{
	static const struct {
		uint64_t addr;
		unsigned int nr; /* of all questions */
		bool answer;
	} cases[] = {
		{0x1000, 1, true},   {0x1000, 1, true},   {0x9000, 1, true},   {0x10000, 1, true},
		{0x10fff, 2, true},  {0x11000, 3, false}, {0x12000, 3, false}, {0x20000, 3, false},
		{0x21000, 4, false}, {0x90000, 4, false}, {0x8000, 5, true},   {0x7fff, 6, true},
	};
	struct copied_text c = COPIED_TEXT_INIT(NULL, 1, 0, 0);

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		ck_assert_int_eq(copied_text_ask(&c, PLAYED_FD, cases[i].addr), cases[i].answer);
		ck_assert_uint_eq(nr_questions, cases[i].nr);
	}
	copied_text_deinit(&c);
}
END_TEST

SUITE_MAIN_WITH("copied_text", begin, end, all_of_the_text, a_part_of_the_text, one_page,
		other_bytes, nothing_was_written, another_place, a_memfd, the_neighbour_below,
		each_way_to_a_file_once)
