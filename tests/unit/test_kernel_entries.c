// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers of functions in the kernel's types. The test plays these (--wrap). */
#include "record/probes/kernel_entries.h"

#include <bpf/btf.h>
#include <errno.h>

#include "tests/unit/suite.h"

static int open_error, names_error;
static size_t nr_closed;

struct btf *__wrap_btf__load_vmlinux_btf(void);
void __wrap_btf__free(struct btf *types);
void __real_btf__free(struct btf *types);
int __wrap_kernel_functions_names(const struct pattern *pattern,
				  const struct kernel_functions *found, FILE *kallsyms,
				  name_vec *names);

/* Types 1 to 4. The numbers of functions are those of types. */
struct btf *__wrap_btf__load_vmlinux_btf(void)
{
	static const char *const functions[] = {"udp_send", "tcp_send", "tcp_recv"};
	struct btf *types;

	errno = open_error;
	if (open_error)
		return NULL;
	types = btf__new_empty();
	ck_assert_ptr_nonnull(types);
	ck_assert_int_eq(btf__add_struct(types, "void", 0), 1);
	for (int i = 0; i < 3; i++)
		ck_assert_int_eq(btf__add_func(types, functions[i], BTF_FUNC_STATIC, 0), i + 2);
	return types;
}

void __wrap_btf__free(struct btf *types)
{
	nr_closed++;
	__real_btf__free(types);
}

int __wrap_kernel_functions_names(const struct pattern *pattern,
				  const struct kernel_functions *found, FILE *kallsyms,
				  name_vec *names)
{
	(void)pattern, (void)found;
	ck_assert_ptr_nonnull(kallsyms);
	ck_assert_int_eq(vec_push(names, strdup("tcp_recv")), 0);
	ck_assert_int_eq(vec_push(names, strdup("tcp_send")), 0);
	ck_assert_int_eq(vec_push(names, strdup("void")), 0);
	return names_error;
}

START_TEST(numbers_of_functions)
{
	const struct pattern pattern = {0};
	const struct kernel_functions found = {0};
	name_vec names = {0};
	u32_vec ids = {0};
	struct err err;

	ck_assert_int_eq(kernel_entries_find(&pattern, &found, &ids, NULL, &err), 0);
	ck_assert_uint_eq(ids.nr, 2);
	vec_clear(&ids);
	nr_closed = 0;
	ck_assert_int_eq(kernel_entries_find(&pattern, &found, &ids, &names, &err), 0);
	ck_assert_uint_eq(ids.nr, 2); /* number 0 is no type */
	ck_assert_uint_eq(ids.data[0], 3);
	ck_assert_uint_eq(ids.data[1], 4);
	ck_assert_uint_eq(names.nr, 2);
	ck_assert_str_eq(names.data[0], "tcp_send");
	ck_assert_str_eq(names.data[1], "tcp_recv");
	ck_assert_uint_eq(nr_closed, 1);
	names_error = -ENOMEM;
	ck_assert_int_eq(kernel_entries_find(&pattern, &found, &ids, &names, &err), -ENOMEM);
	ck_assert_str_eq(err.text,
			 "failed to find the functions of the kernel: Cannot allocate memory");
	ck_assert_uint_eq(ids.nr, 2);
	ck_assert_uint_eq(nr_closed, 2);
	open_error = ENOENT;
	ck_assert_int_eq(kernel_entries_find(&pattern, &found, &ids, &names, &err), -ENOENT);
	ck_assert_str_eq(err.text,
			 "failed to read the types of the kernel (BTF): No such file or directory");
	vec_free(&ids);
	name_vec_free(&names);
}
END_TEST

SUITE_MAIN("kernel_entries", numbers_of_functions)
