// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/host.h"

#include <stdlib.h>
#include <string.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <bpf/libbpf.h>

#include "common/readfile.h"

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
	processor_read(names->cpu_model, names->hypervisor);
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
