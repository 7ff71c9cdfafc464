// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * put_probes FILE PLACE...: puts uprobes into the file, as other tools do, says that they are
 * there, and keeps them until it is killed. PLACE is an offset in the file, and "return:" before it
 * makes a return probe.
 */
#include <linux/perf_event.h>
#include <err.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PMU "/sys/bus/event_source/devices/uprobe/"

/* The number in the file @path, after the text @before. */
static unsigned int read_number(const char *path, const char *before)
{
	char text[64] = "";
	FILE *f = fopen(path, "r");

	if (!f || !fgets(text, sizeof(text), f) || strncmp(text, before, strlen(before)))
		err(1, "%s", path);
	fclose(f);
	return strtoul(text + strlen(before), NULL, 10);
}

static void put_probe(const char *file, const char *place)
{
	static const char returns[] = "return:";
	struct perf_event_attr attr = {.size = sizeof(attr)};
	int is_return = !strncmp(place, returns, strlen(returns));

	attr.type = read_number(PMU "type", "");
	if (is_return) {
		attr.config = 1ULL << read_number(PMU "format/retprobe", "config:");
		place += strlen(returns);
	}
	attr.config1 = (uintptr_t)file;
	attr.config2 = strtoull(place, NULL, 0);
	/* A probe is in all processes, whatever the CPU that counts its hits. */
	if (syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC) < 0)
		err(1, "failed to put a probe at '%s' of '%s'", place, file);
}

int main(int argc, char **argv)
{
	if (argc < 3)
		return 2;
	for (int i = 2; i < argc; i++)
		put_probe(argv[1], argv[i]);
	puts("the probes are there");
	fflush(stdout);
	for (;;)
		pause();
}
