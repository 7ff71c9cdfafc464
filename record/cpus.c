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

bool cpus_has(const u32_vec *cpus, uint32_t cpu)
{
	vec_for_each (cpus, c)
		if (*c == cpu)
			return true;
	return false;
}

/* Those of @cpus that are not in @others. */
static int add_difference(const u32_vec *cpus, const u32_vec *others, u32_vec *changed)
{
	vec_for_each (cpus, cpu)
		if (!cpus_has(others, *cpu) && !cpus_has(changed, *cpu) && vec_push(changed, *cpu))
			return -ENOMEM;
	return 0;
}

int cpus_compare(const u32_vec *before, const u32_vec *now, u32_vec *changed)
{
	int ret = add_difference(before, now, changed);

	return ret ? ret : add_difference(now, before, changed);
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
