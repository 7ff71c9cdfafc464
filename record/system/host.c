// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/system/host.h"

#ifdef __x86_64__
#include <cpuid.h>
#endif
#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "common/readfile.h"

#ifdef __x86_64__
/* Leaves of cpuid: Intel SDM volume 2A, and the range that hypervisors share. */
#define LEAF_FEATURES      1
#define LEAF_HYPERVISOR    0x40000000u
#define LEAF_BRAND         0x80000002u
#define FEATURE_HYPERVISOR (1u << 31)

/* Asks the processor, since some kernels interrupt every processor for /proc/cpuinfo. */
static void read_processor(struct host_names *names)
{
	unsigned int r[12] = {0}, a, b, c, d;

	if ((unsigned int)__get_cpuid_max(0x80000000u, NULL) >= LEAF_BRAND + 2) {
		for (unsigned int i = 0; i < 3; i++)
			__cpuid(LEAF_BRAND + i, r[4 * i], r[4 * i + 1], r[4 * i + 2], r[4 * i + 3]);
		memcpy(names->cpu_model, r, sizeof(r));
	}
	if (!__get_cpuid(LEAF_FEATURES, &a, &b, &c, &d) || !(c & FEATURE_HYPERVISOR))
		return;
	__cpuid(LEAF_HYPERVISOR, a, r[0], r[1], r[2]);
	memcpy(names->hypervisor, r, 12);
	if (!names->hypervisor[0])
		strcpy(names->hypervisor, "unnamed");
}
#else
static void read_processor(struct host_names *names)
{
	(void)names;
}
#endif

/* The names of some processors begin or end with blanks. Removes them. */
static void trim_blanks(char *s)
{
	size_t begin = strspn(s, " "), len = strlen(s + begin);

	memmove(s, s + begin, len + 1);
	while (len && s[len - 1] == ' ')
		s[--len] = '\0';
}

static void read_boot_id(struct host_names *names)
{
	char_vec text = {0};

	if (!read_file("/proc/sys/kernel/random/boot_id", sizeof(names->boot_id) - 1, &text)) {
		text.data[strcspn(text.data, "\n")] = '\0';
		strcpy(names->boot_id, text.data);
	}
	vec_free(&text);
}

void host_describe(struct host_names *names, struct prof_host *host)
{
	long online = sysconf(_SC_NPROCESSORS_ONLN);
	int possible = libbpf_num_possible_cpus();
	struct sysinfo info = {0};

	*names = (struct host_names){0};
	read_boot_id(names);
	read_processor(names);
	trim_blanks(names->cpu_model);
	sysinfo(&info);
	*host = (struct prof_host){
		.boot_id = names->boot_id,
		.cpu_model = names->cpu_model,
		.hypervisor = names->hypervisor,
		.nr_cpus_online = online > 0 && online <= (long)PROF_MAX_CPUS ? online : 0,
		.nr_cpus_possible = possible > 0 && possible <= (int)PROF_MAX_CPUS ? possible : 0,
		.memory_bytes = (uint64_t)info.totalram * info.mem_unit,
	};
}

void host_loads(uint64_t loads[PROF_NR_LOADS])
{
	double now[PROF_NR_LOADS] = {0};

	if (getloadavg(now, PROF_NR_LOADS) != PROF_NR_LOADS)
		memset(now, 0, sizeof(now));
	for (int i = 0; i < PROF_NR_LOADS; i++)
		loads[i] = now[i] * 100 + 0.5;
}
