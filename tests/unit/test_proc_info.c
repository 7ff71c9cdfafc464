// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/proc_info.h"

#include <errno.h>
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

static void set_text(char_vec *to, const char *text)
{
	vec_clear(to);
	ck_assert_int_eq(vec_append(to, text, strlen(text) + 1), 0);
}

/* What is known stays, and what is not comes from the other one. */
START_TEST(filled_up)
{
	struct proc_info known = {.identity = {.name = "new", .uid = 5, .ns_pid = 6}};
	struct proc_info none = {.identity = {.uid = PROF_UID_UNKNOWN}};
	struct proc_info other = {.identity = {.name = "old", .uid = 7, .ns_pid = 8}};

	set_text(&other.exe, "/bin/old");
	set_text(&other.cgroup, "/old");
	set_text(&other.attributes, "old");
	ck_assert_int_eq(proc_info_fill(&none, &other), 0);
	ck_assert_str_eq(none.identity.name, "old");
	ck_assert_uint_eq(none.identity.uid, 7);
	ck_assert_uint_eq(none.identity.ns_pid, 8);
	ck_assert_str_eq(none.exe.data, "/bin/old");
	ck_assert_str_eq(none.cgroup.data, "/old");
	ck_assert_str_eq(none.attributes.data, "old");
	set_text(&known.exe, "/bin/new");
	set_text(&known.cgroup, "/new");
	set_text(&known.attributes, "new");
	ck_assert_int_eq(proc_info_fill(&known, &other), 0);
	ck_assert_str_eq(known.identity.name, "new");
	ck_assert_uint_eq(known.identity.uid, 5);
	ck_assert_uint_eq(known.identity.ns_pid, 6);
	ck_assert_str_eq(known.exe.data, "/bin/new");
	ck_assert_str_eq(known.cgroup.data, "/new");
	ck_assert_str_eq(known.attributes.data, "new");
	/* The cgroup of a process that is ending is another one. */
	vec_clear(&known.exe);
	ck_assert_int_eq(proc_info_fill(&known, &other), 0);
	ck_assert_str_eq(known.cgroup.data, "/old");
	set_text(&known.cgroup, "/new");
	vec_clear(&known.exe);
	vec_clear(&other.cgroup);
	vec_clear(&other.exe);
	ck_assert_int_eq(proc_info_fill(&known, &other), 0);
	ck_assert_str_eq(known.cgroup.data, "/new");
	ck_assert_uint_eq(known.exe.nr, 0);
	proc_info_deinit(&known);
	proc_info_deinit(&other);
	proc_info_deinit(&none);
}
END_TEST

/* The looker's answer, which anybody may have written. */
static struct look_answer answer;
static int answer_error;

int __real_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *out);
int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *out);

int __wrap_looker_ask(struct looker *looker, const struct look_question *question,
		      struct look_answer *out)
{
	if (!answer.nr)
		return __real_looker_ask(looker, question, out);
	*out = answer;
	return answer_error;
}

struct head {
	struct proc_identity identity;
	uint32_t exe_bytes, cgroup_bytes;
};

static void set_answer(uint32_t exe_bytes, uint32_t cgroup_bytes, const char *texts, size_t nr)
{
	struct head head = {.exe_bytes = exe_bytes, .cgroup_bytes = cgroup_bytes};

	memset(head.identity.name, 'n', sizeof(head.identity.name));
	memcpy(answer.bytes, &head, sizeof(head));
	memcpy(answer.bytes + sizeof(head), texts, nr);
	answer.nr = sizeof(head) + nr;
}

START_TEST(answers_of_the_looker)
{
	static const struct {
		uint32_t exe_bytes, cgroup_bytes;
		const char *exe, *cgroup; /* NULL: none */
	} cases[] = {
		{4, 3, "exe", "/c"}, {0, 4, NULL, "exe"}, {4, 0, "exe", NULL},
		{4, 4, "exe", NULL}, /* more than there is */
		{3, 4, NULL, NULL},  /* no end */
		{8, 0, NULL, NULL},  {4, 2, "exe", NULL}, {UINT32_MAX, 1, NULL, NULL},
	};
	struct proc_info info = {0};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		set_answer(cases[i].exe_bytes, cases[i].cgroup_bytes, "exe\0/c", 7);
		ck_assert_int_eq(proc_info_read(NULL, 7, &info), 0);
		ck_assert_uint_eq(strlen(info.identity.name), PROC_NAME_SIZE - 1);
		ck_assert_uint_eq(info.exe.nr, cases[i].exe ? strlen(cases[i].exe) + 1 : 0);
		ck_assert_uint_eq(info.cgroup.nr,
				  cases[i].cgroup ? strlen(cases[i].cgroup) + 1 : 0);
		if (cases[i].exe)
			ck_assert_str_eq(info.exe.data, cases[i].exe);
		if (cases[i].cgroup)
			ck_assert_str_eq(info.cgroup.data, cases[i].cgroup);
	}
	answer.nr = sizeof(struct head) - 1;
	ck_assert_int_eq(proc_info_read(NULL, 7, &info), 0);
	ck_assert_str_eq(info.identity.name, "");
	set_answer(0, 0, "", 0);
	answer_error = -ETIMEDOUT;
	ck_assert_int_eq(proc_info_read(NULL, 7, &info), 0);
	ck_assert_str_eq(info.identity.name, "");
	answer_error = -ENOMEM;
	ck_assert_int_eq(proc_info_read(NULL, 7, &info), -ENOMEM);
	proc_info_deinit(&info);
}
END_TEST

SUITE_MAIN("proc_info", status, status_of_hostile_names, status_of_nothing, cgroups,
	   of_this_process, of_a_thread, filled_up, answers_of_the_looker)
