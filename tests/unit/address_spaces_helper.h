/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Address spaces under a budget of memory, for tests. */
#ifndef TESTS_ADDRESS_SPACES_HELPER_H
#define TESTS_ADDRESS_SPACES_HELPER_H

#include <inttypes.h>

#include "record/process/address_spaces.h"
#include "tests/unit/suite.h"

#define PAGE UINT64_C(0x1000)

static struct address_spaces spaces;
static struct memory_budget memory;

static void begin_spaces(void)
{
	spaces = (struct address_spaces){0};
	memory = (struct memory_budget){0};
	address_spaces_limit(&spaces, &memory);
}

/* Whatever a test did, no byte stays charged. */
static void end_spaces(void)
{
	address_spaces_deinit(&spaces);
	ck_assert_uint_eq(memory.used_bytes, 0);
}

static int try_map(uint32_t pid, uint64_t time_ns, const char *path, uint64_t first, uint64_t last,
		   uint64_t pgoff)
{
	struct mapping mapping = {.start = first, .end = last, .pgoff = pgoff};
	struct mapped_file_key key = {.path = path};
	int ret = mapped_files_get(&spaces.files, &key, &mapping.file);

	return ret ? ret : address_spaces_map(&spaces, pid, time_ns, &mapping);
}

static void map(uint32_t pid, uint64_t time_ns, const char *path, uint64_t first, uint64_t last,
		uint64_t pgoff)
{
	ck_assert_int_eq(try_map(pid, time_ns, path, first, last, pgoff), 0);
}

static const struct mapping *lookup(uint32_t pid, uint64_t time_ns, uint64_t addr)
{
	struct address_space *space = address_spaces_find(&spaces, pid, time_ns);

	return space ? address_space_lookup(space, addr, time_ns) : NULL;
}

/* At @addr is offset @off of @path at @time_ns, or no mapping if @path is NULL. */
static void expect(uint32_t pid, uint64_t time_ns, uint64_t addr, const char *path, uint64_t off)
{
	const struct mapping *m = lookup(pid, time_ns, addr);
	const char *got = m ? mapping_file(&spaces.files, m)->path : "nothing";
	uint64_t got_off = m ? m->pgoff + (addr - m->start) : 0;

	/* No assertions here: Check writes to a pipe for each, which is too slow for the model. */
	if (m && (addr < m->start || addr >= m->end))
		ck_abort_msg("the mapping does not hold 0x%" PRIx64, addr);
	if (strcmp(got, path ? path : "nothing") || got_off != off)
		ck_abort_msg("pid %u, 0x%" PRIx64 " at %" PRIu64 ": %s+0x%" PRIx64
			     ", expected %s+0x%" PRIx64,
			     pid, addr, time_ns, got, got_off, path ? path : "nothing", off);
}

#endif
