// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/probes.h"

#include <sys/mman.h>
#include <unistd.h>

#include "tests/unit/suite.h"

/* Files that cannot be mapped are left out. */
START_TEST(files_that_are_mapped)
{
	struct probed_file files[] = {{.library.fd = memfd_create("library", MFD_CLOEXEC)},
				      {.library.fd = -1}};
	struct probe_set sets[] = {{.files = {files, ARRAY_SIZE(files), ARRAY_SIZE(files)}}};
	struct probes probes = {.sets = {sets, 1, 1}};
	unsigned char is_there;

	ck_assert_int_eq(ftruncate(files[0].library.fd, 1), 0);
	ck_assert_uint_eq(probes_map_files(&probes), 1);
	ck_assert_ptr_nonnull(files[0].mapped);
	ck_assert_ptr_null(files[1].mapped);
	ck_assert_int_eq(mincore(files[0].mapped, 1, &is_there), 0);
	probes_unmap_files(&probes);
	ck_assert_int_lt(mincore(files[0].mapped, 1, &is_there), 0);
	close(files[0].library.fd);
}
END_TEST

SUITE_MAIN("probes", files_that_are_mapped)
