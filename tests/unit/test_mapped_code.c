// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/mapped_code.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>

#include "record/proc/proc_path.h"
#include "tests/unit/suite.h"

#define PAGE 65536 /* of any machine */

static uint64_t opened_start, opened_end;

int __wrap_proc_map_file_open(uint32_t pid, uint32_t tid, uint64_t start, uint64_t end, int flags);

int __wrap_proc_map_file_open(uint32_t pid, uint32_t tid, uint64_t start, uint64_t end, int flags)
{
	ck_assert_uint_eq(pid, (uint32_t)getpid());
	ck_assert_uint_eq(tid, pid);
	/* Nobody waits for what is mapped, and it becomes nobody's terminal. */
	ck_assert_int_eq(flags, O_RDONLY | O_NONBLOCK | O_NOCTTY);
	opened_start = start;
	opened_end = end;
	return 77;
}

static const struct mapped_code *find(const mapped_code_vec *code, const void *start)
{
	vec_for_each(code, mapping)
		if (mapping->start == (uintptr_t)start)
			return mapping;
	return NULL;
}

/* Code of files alone. */
START_TEST(files_that_a_process_has_mapped)
{
	int fd = memfd_create("some-code", MFD_CLOEXEC);
	mapped_code_vec code = {0};
	const struct mapped_code *found;
	void *text, *data, *made;

	ck_assert_int_eq(ftruncate(fd, 4 * PAGE), 0);
	text = mmap(NULL, 2 * PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd, PAGE);
	data = mmap(NULL, PAGE, PROT_READ, MAP_PRIVATE, fd, 0);
	made = mmap(NULL, PAGE, PROT_READ | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	ck_assert(text != MAP_FAILED && data != MAP_FAILED && made != MAP_FAILED);
	ck_assert_int_eq(mapped_code_read(getpid(), &code), 0);
	found = find(&code, text);
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(found->end, found->start + 2 * PAGE);
	ck_assert_uint_eq(found->pgoff, PAGE);
	ck_assert_str_eq(found->path, "/memfd:some-code (deleted)");
	ck_assert_ptr_null(find(&code, data));
	ck_assert_ptr_null(find(&code, made));
	ck_assert_int_eq(mapped_code_open(getpid(), found), 77);
	ck_assert_uint_eq(opened_start, found->start);
	ck_assert_uint_eq(opened_end, found->end);
	mapped_code_free(&code);
	ck_assert_uint_eq(code.nr, 0);
	ck_assert_int_eq(mapped_code_read(5000001, &code), -ENOENT);
	mapped_code_free(&code);
	close(fd);
}
END_TEST

START_TEST(last_parts_of_paths)
{
	static const char *const cases[][2] = {
		{"/lib/libc.so.6", "libc.so.6"},
		{"/lib/libc.so.6 (deleted)", "libc.so.6"},
		{"app", "app"},
		{"/", ""},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		char *name = mapped_code_name(cases[i][0]);

		ck_assert_str_eq(name, cases[i][1]);
		free(name);
	}
}
END_TEST

SUITE_MAIN("mapped_code", files_that_a_process_has_mapped, last_parts_of_paths)
