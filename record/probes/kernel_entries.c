// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/kernel_entries.h"

#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"

static int add_ids(const struct btf *types, const name_vec *names, u32_vec *btf_ids,
		   name_vec *found)
{
	int ret = 0;

	for (uint32_t id = 1; id < btf__type_cnt(types) && !ret; id++) {
		const struct btf_type *type = btf__type_by_id(types, id);
		const char *name = btf__name_by_offset(types, type->name_off);

		if (!btf_is_func(type) || !name_vec_has(names, name))
			continue;
		ret = vec_push(btf_ids, id);
		if (!ret && found)
			ret = name_vec_add(found, name);
	}
	return ret;
}

int kernel_entries_find(const struct pattern *pattern, const struct kernel_functions *functions,
			u32_vec *btf_ids, name_vec *found, struct err *err)
{
	_cleanup_fclose_ FILE *kallsyms = fopen("/proc/kallsyms", "re");
	struct btf *types;
	name_vec names = {0};
	int ret;

	if (!kallsyms)
		return err_set(err, -errno, "failed to read '/proc/kallsyms': %m");
	types = btf__load_vmlinux_btf();
	if (!types)
		return err_set(err, -errno, "failed to read the types of the kernel (BTF): %m");
	ret = kernel_functions_names(pattern, functions, kallsyms, &names);
	if (!ret)
		ret = add_ids(types, &names, btf_ids, found);
	name_vec_free(&names);
	btf__free(types);
	return ret ? err_set(err, ret, "failed to find the functions of the kernel: %s",
			     strerror(-ret))
		   : 0;
}
