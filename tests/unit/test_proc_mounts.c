// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>
#include <sys/sysmacros.h>

#include "record/proc/proc_mounts.h"
#include "tests/unit/suite.h"

static const char text[] =
	"22 1 254:1 / / rw,relatime shared:1 - ext4 /dev/root rw\n"
	"36 22 0:40 /root /mnt\\040two rw,noatime shared:1 master:2 - fuse.sshfs me@there: rw,user_id=7\n"
	"\n"
	"this is no line\n"
	"37 22 0:41 / /plain rw - overlay overlay rw,lowerdir=/a - b\n"
	"38 22 0:42 / /long rw - a_name_that_is_longer_than_any_real_one x rw";

static const char *type_of(unsigned int major, unsigned int minor)
{
	static char type[PROC_MOUNT_TYPE_SIZE];

	return proc_mounts_type(text, makedev(major, minor), type) ? type : NULL;
}

START_TEST(types)
{
	ck_assert_str_eq(type_of(254, 1), "ext4");
	ck_assert_str_eq(type_of(0, 40), "fuse.sshfs");
	ck_assert_str_eq(type_of(0, 41), "overlay");
	ck_assert_str_eq(type_of(0, 42), "a_name_that_is_longer_than_any_");
	ck_assert_ptr_null(type_of(0, 43));
}
END_TEST

START_TEST(ids)
{
	ck_assert(proc_mounts_has(text, 22));
	ck_assert(proc_mounts_has(text, 38));
	ck_assert(!proc_mounts_has(text, 1));
	ck_assert(!proc_mounts_has(text, 2));
	ck_assert(!proc_mounts_has(text, 222));
	ck_assert(!proc_mounts_has("", 22));
}
END_TEST

SUITE_MAIN("proc_mounts", types, ids)
