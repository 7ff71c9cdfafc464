// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/process/go_labels.h"

#include <errno.h>
#include <string.h>

#include "tests/unit/suite.h"

static struct go_runtime go;

static int look_up(const char *version)
{
	return go_labels_layout(version, strlen(version), &go);
}

START_TEST(known)
{
	static const struct {
		const char *version;
		unsigned int curg, labels;
		bool is_map;
	} versions[] = {
		{"go1.19", 192, 360, true},     {"go1.20.14", 192, 360, true},
		{"go1.21rc2", 192, 344, true},  {"go1.22.2", 192, 344, true},
		{"go1.23.1", 192, 352, true},   {"go1.24.4 X:noswissmap", 192, 352, false},
		{"go1.25.12", 184, 344, false}, {"go1.26.10", 184, 352, false},
		{"go1.27.3", 184, 352, false},
	};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		ck_assert_int_eq(look_up(versions[i].version), 0);
		ck_assert_uint_eq(go.m, 48);
		ck_assert_uint_eq(go.curg, versions[i].curg);
		ck_assert_uint_eq(go.labels, versions[i].labels);
		ck_assert_uint_eq(go.is_map, versions[i].is_map);
	}
}
END_TEST

START_TEST(unknown)
{
	static const char *const versions[] = {"",
					       "go",
					       "go1.",
					       "go1.18.10",
					       "go1.28",
					       "go2.20",
					       "xo1.19",
					       "go1.4294967317",
					       "go1.199",
					       "1.19",
					       "devel go1.24-af278bfb1f"};

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++)
		ck_assert_int_eq(look_up(versions[i]), -ENOENT);
	/* the digit behind the end does not count */
	ck_assert_int_eq(go_labels_layout("go1.19", 5, &go), -ENOENT);
}
END_TEST

SUITE_MAIN("go_labels", known, unknown)
