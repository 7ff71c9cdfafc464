// SPDX-License-Identifier: GPL-2.0-or-later
/* The file with names is this program. */
#include "record/probes/similar_names.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/unit/suite.h"

void known_function(void);

__attribute__((noinline)) void known_function(void)
{
	__asm__ volatile("");
}

static char place[] = "ours";

static struct pattern named(enum pattern_kind kind, const char *name)
{
	return (struct pattern){
		.kind = kind, .place.text = place, .name.text = (char *)(uintptr_t)name};
}

static void expect_similar(const struct pattern *pattern, const char *want)
{
	int fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	char *similar = similar_name_in_file(fd, pattern);

	if (want)
		ck_assert_str_eq(similar, want);
	else
		ck_assert_ptr_null(similar);
	free(similar);
	close(fd);
}

START_TEST(functions_of_a_file)
{
	struct pattern pattern = named(PATTERN_USER, "known_functoin");

	known_function();
	expect_similar(&pattern, "ours:known_function");
	pattern = named(PATTERN_USER, "nothing_like_that");
	expect_similar(&pattern, NULL);
	pattern = named(PATTERN_USER, "known_functoin*");
	expect_similar(&pattern, NULL);
	pattern = named(PATTERN_USDT, "known_functoin");
	expect_similar(&pattern, NULL);
	pattern = named(PATTERN_USER, "0x10");
	pattern.has_offset = true;
	expect_similar(&pattern, NULL);
}
END_TEST

START_TEST(functions_elsewhere)
{
	const u32_vec nobody = {0};
	u32_vec pids = {0};
	struct pattern pattern = named(PATTERN_KERNEL, "malloc");
	char *other = meant_by_function(&pattern, &nobody);

	ck_assert_str_eq(other, "c:malloc");
	free(other);
	ck_assert_int_eq(vec_push(&pids, (uint32_t)getpid()), 0);
	other = meant_by_function(&pattern, &pids);
	ck_assert_str_eq(other, "c:malloc");
	free(other);
	vec_free(&pids);
	pattern = named(PATTERN_KERNEL, "fwirte");
	other = meant_by_function(&pattern, &nobody);
	ck_assert_str_eq(other, "c:fwrite");
	free(other);
	pattern = named(PATTERN_KERNEL, "vfs_raed");
	other = meant_by_function(&pattern, &nobody);
	ck_assert_str_eq(other, "vfs_read");
	free(other);
	pattern = named(PATTERN_KERNEL, "nothing_like_that");
	ck_assert_ptr_null(meant_by_function(&pattern, &nobody));
	pattern = named(PATTERN_KERNEL, "mallo*");
	ck_assert_ptr_null(meant_by_function(&pattern, &nobody));
}
END_TEST

SUITE_MAIN("similar_names", functions_of_a_file, functions_elsewhere)
