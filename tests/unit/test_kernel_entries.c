// SPDX-License-Identifier: GPL-2.0-or-later
/* The numbers of functions in the kernel's types. The test plays these (--wrap). */
#include "record/probes/kernel_entries.h"

#include <errno.h>

#include "record/sampler/kernel_types.h"
#include "tests/unit/suite.h"

/* By number; NULL: a type that is no function. */
static const char *const functions[] = {"void", "udp_send", NULL, "tcp_send", "tcp_recv"};

static int open_error, names_error;
static size_t nr_closed;

int __wrap_kernel_types_open(struct kernel_types *types);
void __wrap_kernel_types_close(struct kernel_types *types);
const char *__wrap_kernel_types_function(const struct kernel_types *types, uint32_t id);
int __wrap_kernel_functions_names(const struct pattern *pattern,
				  const struct kernel_functions *found, FILE *kallsyms,
				  name_vec *names);

int __wrap_kernel_types_open(struct kernel_types *types)
{
	*types = (struct kernel_types){.offsets.nr = ARRAY_SIZE(functions)};
	return open_error;
}

void __wrap_kernel_types_close(struct kernel_types *types)
{
	(void)types;
	nr_closed++;
}

const char *__wrap_kernel_types_function(const struct kernel_types *types, uint32_t id)
{
	(void)types;
	ck_assert_uint_lt(id, ARRAY_SIZE(functions));
	return functions[id];
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
	u32_vec ids = {0};
	struct err err;

	ck_assert_int_eq(kernel_entries_find(&pattern, &found, &ids, &err), 0);
	ck_assert_uint_eq(ids.nr, 2); /* number 0 is no type */
	ck_assert_uint_eq(ids.data[0], 3);
	ck_assert_uint_eq(ids.data[1], 4);
	ck_assert_uint_eq(nr_closed, 1);
	names_error = -ENOMEM;
	ck_assert_int_eq(kernel_entries_find(&pattern, &found, &ids, &err), -ENOMEM);
	ck_assert_str_eq(err.text,
			 "failed to find the functions of the kernel: Cannot allocate memory");
	ck_assert_uint_eq(ids.nr, 2);
	ck_assert_uint_eq(nr_closed, 2);
	open_error = -ENOENT;
	ck_assert_int_eq(kernel_entries_find(&pattern, &found, &ids, &err), -ENOENT);
	ck_assert_str_eq(err.text,
			 "failed to read the types of the kernel (BTF): No such file or directory");
	vec_free(&ids);
}
END_TEST

SUITE_MAIN("kernel_entries", numbers_of_functions)
