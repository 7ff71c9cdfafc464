// SPDX-License-Identifier: GPL-2.0-or-later
/* stackid HZ: runs stackid.bpf.c on every CPU until it is killed. See there. */
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "bench/stackid.skel.h"

static int open_on_cpu(int cpu, unsigned long hz)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.freq = 1,
		.sample_freq = hz,
	};

	return syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);
}

int main(int argc, char **argv)
{
	unsigned long hz = argc == 2 ? strtoul(argv[1], NULL, 10) : 0;
	struct stackid_bpf *bpf = hz ? stackid_bpf__open_and_load() : NULL;

	if (!bpf) {
		fprintf(stderr, hz ? "stackid: failed to load\n" : "usage: stackid HZ\n");
		return 1;
	}
	for (int cpu = 0; cpu < libbpf_num_possible_cpus(); cpu++) {
		int fd = open_on_cpu(cpu, hz);

		if (fd >= 0 && !bpf_program__attach_perf_event(bpf->progs.count_stackids, fd)) {
			fprintf(stderr, "stackid: failed to attach to CPU %d\n", cpu);
			return 1;
		}
	}
	pause();
	return 0;
}
