// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/cpus.h"

#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"

#define ONLINE_PATH   "/sys/devices/system/cpu/online"
#define POSSIBLE_PATH "/sys/devices/system/cpu/possible"

static int read_list(const char *path, u32_vec *cpus, struct err *err)
{
	_cleanup_fclose_ FILE *f = fopen(path, "re");
	char line[4096];
	int ret;

	if (!f)
		return err_set(err, -errno, "failed to open '%s': %m", path);
	if (!fgets(line, sizeof(line), f))
		return err_set(err, -EIO, "failed to read '%s': it is empty", path);
	line[strcspn(line, "\n")] = '\0';
	ret = parse_u32_list(line, 0, UINT32_MAX - 1, true, cpus);
	if (ret == -ENOMEM)
		return err_set(err, ret, "failed to read '%s': out of memory", path);
	if (ret)
		return err_set(err, ret, "failed to read '%s': unexpected '%s'", path, line);
	return 0;
}

int cpus_online(u32_vec *cpus, struct err *err)
{
	return read_list(ONLINE_PATH, cpus, err);
}

int cpus_possible(u32_vec *cpus, struct err *err)
{
	return read_list(POSSIBLE_PATH, cpus, err);
}

bool cpus_find(const u32_vec *cpus, uint32_t cpu, size_t *index)
{
	for (size_t i = 0; i < cpus->nr; i++) {
		if (cpus->data[i] != cpu)
			continue;
		*index = i;
		return true;
	}
	return false;
}

bool cpus_has(const u32_vec *cpus, uint32_t cpu)
{
	size_t index;

	return cpus_find(cpus, cpu, &index);
}

/* Appends to @changed each of @cpus that is not in @others, and not yet in @changed. */
static int add_difference(const u32_vec *cpus, const u32_vec *others, u32_vec *changed)
{
	vec_for_each(cpus, cpu)
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

int cpus_choose(const u32_vec *wanted, u32_vec *online, u32_vec *cpus, struct err *err)
{
	int ret = cpus_online(online, err);

	for (size_t i = 0; !ret && i < online->nr; i++)
		if ((!wanted->nr || cpus_has(wanted, online->data[i])) &&
		    vec_push(cpus, online->data[i]))
			ret = err_set(err, -ENOMEM, "failed to choose the CPUs: out of memory");
	if (ret || !wanted->nr || cpus->nr == wanted->nr)
		return ret;
	vec_for_each(wanted, cpu)
		if (!cpus_has(online, *cpu))
			return err_set(err, -ENODEV, "failed to record CPU %u: it is not online",
				       *cpu);
	return 0;
}
