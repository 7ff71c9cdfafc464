// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/user_mount.h"

#include <errno.h>
#include <sys/statfs.h>
#include <sys/sysmacros.h>

#include "tests/unit/suite.h"

#define NOSUID 2 /* statvfs.h, ST_NOSUID */
#define FUSE   0x65735546
#define EXT4   0xef53
#define LOOP   7

static struct statfs played;
static int played_error;

int __wrap_fstatfs64(int fd, struct statfs *fs);

int __wrap_fstatfs64(int fd, struct statfs *fs)
{
	ck_assert_int_eq(fd, 5);
	*fs = played;
	errno = played_error;
	return played_error ? -1 : 0;
}

/* Mounts for users do not heed the rights of files. What cannot be told may be one. */
START_TEST(mounts_of_users)
{
	static const struct {
		long flags, type;
		unsigned int major;
		bool is_users;
	} cases[] = {
		{NOSUID, FUSE, 0, true},     {NOSUID, EXT4, LOOP, true}, {NOSUID, EXT4, 8, false},
		{0, FUSE, 0, false},         {0, EXT4, LOOP, false},     {1, FUSE, LOOP, false},
		{NOSUID | 1, FUSE, 8, true},
	};
	struct stat st = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		played = (struct statfs){.f_flags = cases[i].flags, .f_type = cases[i].type};
		st.st_dev = makedev(cases[i].major, 1);
		ck_assert_int_eq(user_mount_has(5, &st), cases[i].is_users);
	}
	played = (struct statfs){0};
	played_error = EIO;
	ck_assert(user_mount_has(5, &st));
}
END_TEST

SUITE_MAIN("user_mount", mounts_of_users)
