// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/series_set.h"
#include "tests/unit/suite.h"

#define ID "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

static struct model model;
static struct series_set set;
static const char *exe = "";

static void begin(void)
{
	uint32_t kernel;

	ck_assert_int_eq(model_init(&model), 0);
	ck_assert_int_eq(model_add_process(&model, 0, 0, 0, &kernel), 0);
	ck_assert_int_eq(series_set_init(&set), 0);
}

static void end(void)
{
	series_set_deinit(&set);
	model_deinit(&model);
}

static uint32_t add_string(const char *s)
{
	uint32_t id;

	ck_assert_int_eq(string_set_add(&model.strings, s, strlen(s), &id), 0);
	return id;
}

/* Returns the series of a new process of @name in @cgroup. */
static uint32_t series_of(const char *cgroup, const char *name)
{
	static uint32_t pid = 1;
	uint32_t process, id;

	ck_assert_int_eq(model_add_process(&model, pid, pid, 0, &process), 0);
	pid++;
	model.processes.data[process].info = (struct prof_process_info){
		.name = add_string(name), .exe = add_string(exe), .cgroup = add_string(cgroup)};
	ck_assert_int_eq(series_set_add(&set, &model, process, &id), 0);
	return id;
}

static void check(const char *cgroup, const char *service)
{
	uint32_t id = series_of(cgroup, "main");

	ck_assert_str_eq(series_service(&set, id), service);
	ck_assert_str_eq(series_cgroup(&set, id), cgroup);
}

START_TEST(services_of_cgroups)
{
	check("/system.slice/nginx.service", "nginx");
	check("/system.slice/nginx.service/worker", "nginx");
	check("/system.slice/system-getty.slice/getty@tty1.service", "getty@tty1");
	check("/system.slice/docker-" ID ".scope", "0123456789ab");
	check("/kubepods.slice/kubepods-pod1.slice/cri-containerd-" ID ".scope", "0123456789ab");
	check("/kubepods/besteffort/pod1/" ID, "0123456789ab");
	check("/user.slice/user-1000.slice/session-2.scope", "main");
	check("/", "main");
	check("", "main");
	check("/.service", "main");
}
END_TEST

START_TEST(processes_without_a_name)
{
	ck_assert_str_eq(series_service(&set, series_of("", "")), "[unknown]");
	exe = "/usr/lib/jvm/bin/java";
	ck_assert_str_eq(series_service(&set, series_of("", "")), "java");
	exe = "java";
	ck_assert_str_eq(series_service(&set, series_of("", "")), "java");
	ck_assert_str_eq(series_service(&set, series_of("", "main")), "main");
	exe = "";
}
END_TEST

START_TEST(the_kernel)
{
	uint32_t id;

	ck_assert_int_eq(series_set_add(&set, &model, 0, &id), 0);
	ck_assert_str_eq(series_service(&set, id), "kernel");
	ck_assert_str_eq(series_cgroup(&set, id), "");
}
END_TEST

START_TEST(equal_labels_are_one_series)
{
	uint32_t first = series_of("/system.slice/a.service", "one");

	ck_assert_uint_eq(series_of("/system.slice/a.service", "two"), first);
	ck_assert_uint_ne(series_of("/system.slice/b.service", "one"), first);
	ck_assert_uint_ne(series_of("/system.slice/a.service/sub", "one"), first);
}
END_TEST

START_TEST(names_stay)
{
	ck_assert_str_eq(series_service(&set, series_of("/x", "a\x1b[1m")), "a\x1b[1m");
	ck_assert_str_eq(series_service(&set, series_of("/my\\x2dapp.service", "a")), "my\\x2dapp");
	ck_assert_str_eq(series_cgroup(&set, series_of("/\n", "a")), "/\n");
	ck_assert_str_eq(series_cgroup(&set, series_of("/\xff", "a")), "/\\xff");
}
END_TEST

START_TEST(long_values_are_cut)
{
	char a[3 * LABEL_BYTES_MAX], b[sizeof(a)];
	uint32_t first, second;

	/* Two bytes each, so a cut can fall between them. */
	for (size_t i = 0; i < sizeof(a) - 2; i += 2)
		memcpy(a + i, "\xc3\xa9", 2);
	a[0] = a[1] = 'x';
	a[sizeof(a) - 2] = a[sizeof(a) - 1] = '\0';
	memcpy(b, a, sizeof(a));
	b[sizeof(b) - 3] = '\xaa';
	first = series_of(a, "a");
	second = series_of(b, "a");
	ck_assert_uint_ne(first, second);
	ck_assert_uint_le(strlen(series_cgroup(&set, first)), LABEL_BYTES_MAX);
	ck_assert_uint_ge(strlen(series_cgroup(&set, first)), LABEL_BYTES_MAX - 1);
	ck_assert_ptr_nonnull(strchr(series_cgroup(&set, first), '#'));
	/* The byte before the hash ends a character. */
	ck_assert_int_eq(strchr(series_cgroup(&set, first), '#')[-1], '\xa9');
}
END_TEST

SUITE_MAIN_WITH("series_set", begin, end, services_of_cgroups, processes_without_a_name, the_kernel,
		equal_labels_are_one_series, names_stay, long_values_are_cut)
