// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/kernel_entries.h"

#include <bpf/btf.h>
#include <errno.h>
#include <string.h>

#include "common/cleanup.h"

static int add_ids(const struct btf *btf, const name_vec *names, u32_vec *btf_ids)
{
	uint32_t nr = btf__type_cnt(btf);
	int ret = 0;

	for (uint32_t id = 1; id < nr && !ret; id++) {
		const struct btf_type *type = btf__type_by_id(btf, id);

		if (btf_is_func(type) &&
		    name_vec_has(names, btf__name_by_offset(btf, type->name_off)))
			ret = vec_push(btf_ids, id);
	}
	return ret;
}

int kernel_entries_find(const struct pattern *pattern, const struct kernel_functions *functions,
			u32_vec *btf_ids, struct err *err)
{
	struct btf *btf = btf__load_vmlinux_btf();
	_cleanup_fclose_ FILE *kallsyms = fopen("/proc/kallsyms", "re");
	name_vec names = {0};
	int ret;

	if (!btf || !kallsyms) {
		ret = -errno;
		btf__free(btf);
		return err_set(err, ret, "failed to read the types of the kernel (BTF): %s",
			       strerror(-ret));
	}
	ret = kernel_functions_names(pattern, functions, kallsyms, &names);
	if (!ret)
		ret = add_ids(btf, &names, btf_ids);
	name_vec_free(&names);
	btf__free(btf);
	return ret ? err_set(err, ret, "failed to find the functions of the kernel: %s",
			     strerror(-ret))
		   : 0;
}
