// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cpus.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

#define ONLINE_PATH "/sys/devices/system/cpu/online"

int cpus_online(u32_vec *cpus, struct err *err)
{
	_cleanup_fclose_ FILE *f = fopen(ONLINE_PATH, "re");
	char line[4096];
	int ret;

	if (!f)
		return err_set(err, -errno, "failed to open '%s': %m", ONLINE_PATH);
	if (!fgets(line, sizeof(line), f))
		return err_set(err, -EIO, "failed to read '%s': it is empty", ONLINE_PATH);
	line[strcspn(line, "\n")] = '\0';
	ret = parse_u32_list(line, 0, UINT32_MAX - 1, true, cpus);
	if (ret == -ENOMEM)
		return err_set(err, ret, "failed to read '%s': out of memory", ONLINE_PATH);
	if (ret)
		return err_set(err, ret, "failed to read '%s': unexpected '%s'", ONLINE_PATH, line);
	return 0;
}

char *cpus_format(const u32_vec *cpus)
{
	char *text = NULL;
	size_t size;
	FILE *f = open_memstream(&text, &size);

	if (!f)
		return NULL;
	for (size_t i = 0; i < cpus->nr;) {
		size_t last = i;

		while (last + 1 < cpus->nr && cpus->data[last + 1] == cpus->data[last] + 1)
			last++;
		fprintf(f, "%s%u", i ? "," : "", cpus->data[i]);
		if (last > i)
			fprintf(f, "-%u", cpus->data[last]);
		i = last + 1;
	}
	if (fclose(f)) {
		free(text);
		return NULL;
	}
	return text;
}
