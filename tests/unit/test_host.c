// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/host.h"
#include "tests/unit/suite.h"

START_TEST(described)
{
	struct host_names names;
	struct prof_host host;

	host_describe(&names, &host);
	ck_assert_uint_ge(host.nr_cpus_online, 1);
	ck_assert_uint_ge(host.nr_cpus_possible, host.nr_cpus_online);
	ck_assert_uint_ge(host.memory_bytes, 16 << 20);
	/* Groups of 8, 4, 4, 4 and 12 digits, with dashes between them. */
	ck_assert_uint_eq(strlen(host.boot_id), 36);
	ck_assert_uint_eq(strspn(host.boot_id, "0123456789abcdef-"), 36);
#ifdef __x86_64__
	ck_assert_int_ne(host.cpu_model[0], '\0');
	ck_assert_int_ne(host.cpu_model[0], ' ');
#endif
}
END_TEST

/* The kernel and the recorder must agree whether there is a hypervisor. */
START_TEST(hypervisor)
{
	struct host_names names;
	struct prof_host host;
	bool flag = system("grep -qw hypervisor /proc/cpuinfo") == 0;

	host_describe(&names, &host);
	ck_assert_int_eq(host.hypervisor[0] != '\0', flag);
}
END_TEST

START_TEST(loads)
{
	uint64_t now[PROF_NR_LOADS] = {UINT64_MAX, UINT64_MAX, UINT64_MAX};

	host_loads(now);
	for (int i = 0; i < PROF_NR_LOADS; i++)
		ck_assert_uint_lt(now[i], 100000000);
}
END_TEST

SUITE_MAIN("host", described, hypervisor, loads)
