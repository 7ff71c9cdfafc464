// SPDX-License-Identifier: GPL-2.0-or-later
/* What the side-band of the kernel tells of programs that the tests start. */
#include "record/process/program_records.h"

#include <errno.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "common/clock.h"
#include "record/process/proc_scan.h"
#include "record/host/cpus.h"
#include "tests/unit/suite.h"

static struct sideband *sb;
static struct mapped_files files;
static mapping_vec told;
static pid_t child; /* reads from a pipe until it is killed */

static void begin(void)
{
	struct err err = {0};
	u32_vec cpus = {0};
	int ret = cpus_online(&cpus, &err);

	ck_assert_msg(!ret && !sideband_create(&cpus, &sb, &err), "%s", err.text);
	vec_free(&cpus);
}

static void end(void)
{
	if (child > 0 && !kill(child, SIGKILL))
		waitpid(child, NULL, 0);
	sideband_destroy(sb);
	mapped_files_deinit(&files);
	vec_free(&told);
}

/* Starts a program, or a child that stays this one, and waits until it has begun. */
static void start(bool is_program)
{
	int in[2], out[2];
	char byte;

	ck_assert(!pipe(in) && !pipe(out));
	ck_assert_int_eq(write(in[1], "", 1), 1);
	child = fork();
	if (!child) {
		dup2(in[0], STDIN_FILENO);
		dup2(out[1], STDOUT_FILENO);
		if (is_program)
			execl("/bin/cat", "cat", NULL);
		ck_assert_int_eq(write(STDOUT_FILENO, "", 1), 1);
		pause();
	}
	ck_assert_int_eq(read(out[0], &byte, 1), 1);
	close(out[0]);
	close(out[1]);
	close(in[0]);
}

/* The number of executable pages of the child, as the kernel counts them. */
static uint32_t exec_pages(void)
{
	char path[64], line[256];
	unsigned long sum = 0, kib;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", child);
	f = fopen(path, "r");
	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f))
		if (sscanf(line, "VmExe: %lu", &kib) == 1 || sscanf(line, "VmLib: %lu", &kib) == 1)
			sum += kib;
	fclose(f);
	return sum * 1024 / sysconf(_SC_PAGESIZE);
}

static int read_records(uint32_t pages)
{
	return program_records_read(sb, child, pages, &files, &told);
}

/* The side-band tells what /proc tells. */
START_TEST(a_program)
{
	mapping_vec scanned = {0};

	start(true);
	ck_assert_int_eq(read_records(exec_pages()), 0);
	ck_assert_int_eq(proc_scan_mappings(child, 0, &files, &scanned), 0);
	ck_assert_uint_ge(told.nr, 3);
	ck_assert_uint_eq(told.nr, scanned.nr);
	for (size_t i = 0; i < told.nr; i++) {
		const struct mapping *a = &told.data[i], *b = &scanned.data[i];
		const struct mapped_file *x = mapping_file(&files, a), *y = mapping_file(&files, b);

		ck_assert(a->start == b->start && a->end == b->end && a->pgoff == b->pgoff);
		ck_assert_int_eq(x->kind, y->kind);
		ck_assert_str_eq(x->path, y->path);
		ck_assert(build_id_equal(mapped_file_build_id(x), mapped_file_build_id(y)));
	}
	vec_free(&scanned);
}
END_TEST

/* The sample was taken before all libraries were there, or the program has unmapped code. */
START_TEST(other_pages)
{
	uint32_t pages;

	start(true);
	pages = exec_pages();
	ck_assert_int_eq(read_records(pages), 0);
	ck_assert_int_eq(
		read_records((told.data[0].end - told.data[0].start) / sysconf(_SC_PAGESIZE)), 0);
	ck_assert_int_eq(read_records(pages + 1), -ENOENT);
	ck_assert_int_eq(read_records(pages - 1), -ENOENT);
}
END_TEST

START_TEST(not_a_program)
{
	start(false);
	ck_assert_int_eq(read_records(exec_pages()), -ENOENT);
	child = getpid();
	ck_assert_int_eq(read_records(exec_pages()), -ENOENT);
	child = 0;
}
END_TEST

/* Code that has no file, or has moved, is more than the records tell. */
START_TEST(other_records)
{
	struct sideband_record record = {.type = SIDEBAND_MMAP, .addr = 0x1000, .size = 0x1000};
	uint32_t pages;

	start(true);
	pages = exec_pages();
	record.pid = child + 1;
	record.time_ns = clock_monotonic_ns();
	ck_assert_int_eq(sideband_add(sb, &record), 0);
	ck_assert_int_eq(read_records(pages), 0);
	record.pid = child;
	ck_assert_int_eq(sideband_add(sb, &record), 0);
	ck_assert_int_eq(read_records(pages), -ENOENT);
}
END_TEST

START_TEST(code_that_moved)
{
	struct sideband_record record = {.type = SIDEBAND_MOVE, .addr = 0x1000, .size = 0x1000};

	start(true);
	record.pid = child;
	record.time_ns = clock_monotonic_ns();
	ck_assert_int_eq(sideband_add(sb, &record), 0);
	ck_assert_int_eq(read_records(exec_pages()), -ENOENT);
}
END_TEST

static int take(void *ctx, const struct sideband_record *record)
{
	(void)ctx;
	(void)record;
	return 0;
}

/* Who has the records knows the mappings. */
START_TEST(records_that_are_gone)
{
	start(true);
	ck_assert_int_eq(sideband_read(sb, UINT64_MAX, take, NULL), 0);
	ck_assert_int_eq(read_records(exec_pages()), -ENOENT);
}
END_TEST

/* Why the kernel gives us no side-band, or NULL. */
static const char *missing(void)
{
	static struct err err;
	u32_vec cpus = {0};
	int ret = cpus_online(&cpus, &err);

	if (!ret)
		ret = sideband_create(&cpus, &sb, &err);
	vec_free(&cpus);
	sideband_destroy(sb);
	sb = NULL;
	return ret ? err.text : NULL;
}

static const struct suite suite = {
	.name = "program_records", .missing = missing, .begin = begin, .end = end};

SUITE_MAIN_OF(suite, a_program, other_pages, not_a_program, other_records, code_that_moved,
	      records_that_are_gone)
