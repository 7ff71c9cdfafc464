// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/kernel_entries.h"

#include <errno.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/sampler/kernel_types.h"

static int add_ids(const struct kernel_types *types, const name_vec *names, u32_vec *btf_ids)
{
	int ret = 0;

	for (uint32_t id = 1; id < types->offsets.nr && !ret; id++) {
		const char *name = kernel_types_function(types, id);

		if (name && name_vec_has(names, name))
			ret = vec_push(btf_ids, id);
	}
	return ret;
}

int kernel_entries_find(const struct pattern *pattern, const struct kernel_functions *functions,
			u32_vec *btf_ids, struct err *err)
{
	_cleanup_fclose_ FILE *kallsyms = fopen("/proc/kallsyms", "re");
	struct kernel_types types;
	name_vec names = {0};
	int ret;

	if (!kallsyms)
		return err_set(err, -errno, "failed to read '/proc/kallsyms': %m");
	ret = kernel_types_open(&types);
	if (ret)
		return err_set(err, ret, "failed to read the types of the kernel (BTF): %s",
			       strerror(-ret));
	ret = kernel_functions_names(pattern, functions, kallsyms, &names);
	if (!ret)
		ret = add_ids(&types, &names, btf_ids);
	name_vec_free(&names);
	kernel_types_close(&types);
	return ret ? err_set(err, ret, "failed to find the functions of the kernel: %s",
			     strerror(-ret))
		   : 0;
}
