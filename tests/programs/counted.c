// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * counted N runs N rounds of a loop, and prints how many instructions and cycles of user space that
 * took, by its own counters: 0 where there are none.
 *
 * counted hold N takes N counters of each CPU until it is killed, and prints "holding".
 */
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static int open_counter(uint64_t config, int pid, int cpu)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.type = PERF_TYPE_HARDWARE,
		.config = config,
		.pinned = cpu >= 0,
		.exclude_kernel = 1,
		.exclude_hv = 1,
	};

	return syscall(SYS_perf_event_open, &attr, pid, cpu, -1, 0);
}

static uint64_t read_counter(int fd)
{
	uint64_t value = 0;

	if (fd < 0 || read(fd, &value, sizeof(value)) != sizeof(value))
		return 0;
	return value;
}

__attribute__((noinline)) static void spin(uint64_t rounds)
{
	for (uint64_t i = 0; i < rounds; i++)
		__asm__ volatile("" : : : "memory");
}

static int hold(int nr)
{
	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++)
		for (int i = 0; i < nr; i++)
			open_counter(PERF_COUNT_HW_CPU_CYCLES, -1, cpu);
	puts("holding");
	fflush(stdout);
	return pause();
}

int main(int argc, char **argv)
{
	int instructions, cycles;

	if (argc == 3 && !strcmp(argv[1], "hold"))
		return hold(atoi(argv[2]));
	instructions = open_counter(PERF_COUNT_HW_INSTRUCTIONS, 0, -1);
	cycles = open_counter(PERF_COUNT_HW_CPU_CYCLES, 0, -1);
	spin(argc > 1 ? strtoull(argv[1], NULL, 0) : 0);
	printf("instructions %llu\ncycles %llu\n", (unsigned long long)read_counter(instructions),
	       (unsigned long long)read_counter(cycles));
	return 0;
}
