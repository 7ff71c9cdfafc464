// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/proc/proc_info.h"

#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "format/prof.h"
#include "tests/unit/suite.h"

START_TEST(status)
{
	struct proc_identity s;

	proc_identity_parse("Name:\tnginx\nUmask:\t0022\nTgid:\t70\nPid:\t70\nUid:\t0\t33\t34\t35\n"
			    "NStgid:\t70\t12\t1\nNSpid:\t71\t13\t2\n",
			    &s);
	ck_assert_str_eq(s.name, "nginx");
	ck_assert_uint_eq(s.uid, 33);
	ck_assert_uint_eq(s.ns_pid, 1);
}
END_TEST

/* The kernel escapes newlines in names, so no name can pass for another line. */
START_TEST(status_of_hostile_names)
{
	struct proc_identity s;
	char text[300];

	proc_identity_parse("Name:\ta\\nUid:\\\\b\nUid:\t1\t2\t3\t4\n", &s);
	ck_assert_str_eq(s.name, "a\nUid:\\b");
	ck_assert_uint_eq(s.uid, 2);
	ck_assert_uint_eq(s.ns_pid, 0);
	snprintf(text, sizeof(text), "Name:\t%0200d\n", 0);
	proc_identity_parse(text, &s);
	ck_assert_uint_eq(strlen(s.name), PROC_NAME_SIZE - 1);
}
END_TEST

START_TEST(status_of_nothing)
{
	static const char *const texts[] = {
		"",        "\n",           "Name:",     "Uid:\t",
		"Uid:\t1", "Uid:\tx\ty\n", "NStgid:\n", "xName:\ty\nNameless:\tz\n"};

	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		struct proc_identity s;

		proc_identity_parse(texts[i], &s);
		ck_assert_str_eq(s.name, "");
		ck_assert_uint_eq(s.uid, PROF_UID_UNKNOWN);
		ck_assert_uint_eq(s.ns_pid, 0);
	}
}
END_TEST

static void expect_cgroup(const char *text, const char *path)
{
	size_t len = 0;
	const char *found = proc_cgroup_parse(text, &len);

	if (!path) {
		ck_assert_ptr_null(found);
		return;
	}
	ck_assert_ptr_nonnull(found);
	ck_assert_uint_eq(len, strlen(path));
	ck_assert_mem_eq(found, path, len);
}

START_TEST(cgroups)
{
	expect_cgroup("0::/system.slice/nginx.service\n", "/system.slice/nginx.service");
	expect_cgroup("12:cpu,cpuacct:/a\n1:name=systemd:/b\n0::/c:d e\n", "/c:d e");
	expect_cgroup("12:cpu,cpuacct:/a\n1:name=systemd:/b\n", "/a");
	expect_cgroup("0::/", "/");
	expect_cgroup("0::\n", "");
	expect_cgroup("", NULL);
	expect_cgroup("nonsense\n12\n12:x\n", NULL);
	expect_cgroup("12:x\n3:y:/z\n", "/z");
}
END_TEST

START_TEST(of_this_process)
{
	struct proc_info info = {0};
	char exe[4096];
	ssize_t len = readlink("/proc/self/exe", exe, sizeof(exe) - 1);

	ck_assert_int_gt(len, 0);
	exe[len] = '\0';
	ck_assert_int_eq(proc_info_read(NULL, getpid(), &info), 0);
	ck_assert_uint_eq(info.identity.uid, geteuid());
	ck_assert_uint_ne(info.identity.ns_pid, 0);
	ck_assert_str_eq(info.exe.data, exe);
	ck_assert_int_ne(info.identity.name[0], '\0');
	/* Kept for every process that begins: no more than the texts take. */
	ck_assert_uint_le(info.cgroup.cap, 2 * info.cgroup.nr + VEC_FIRST_CAP);
	ck_assert_uint_le(info.exe.cap, 2 * info.exe.nr + VEC_FIRST_CAP);
	/* Above PID_MAX_LIMIT: there is none. */
	ck_assert_int_eq(proc_info_read(NULL, 5000001, &info), 0);
	ck_assert_str_eq(info.identity.name, "");
	ck_assert_uint_eq(info.exe.nr, 0);
	ck_assert_uint_eq(info.cgroup.nr, 0);
	proc_info_deinit(&info);
}
END_TEST

static void *read_own(void *identity)
{
	ck_assert_int_eq(proc_identity_read(syscall(SYS_gettid), identity), 0);
	return NULL;
}

/* /proc/PID is there for a thread that is not the main one, too. */
START_TEST(of_a_thread)
{
	struct proc_identity identity;
	pthread_t thread;

	ck_assert_int_eq(pthread_create(&thread, NULL, read_own, &identity), 0);
	ck_assert_int_eq(pthread_join(thread, NULL), 0);
	ck_assert_str_eq(identity.name, "");
	ck_assert_uint_eq(identity.uid, PROF_UID_UNKNOWN);
}
END_TEST

SUITE_MAIN("proc_info", status, status_of_hostile_names, status_of_nothing, cgroups,
	   of_this_process, of_a_thread)
