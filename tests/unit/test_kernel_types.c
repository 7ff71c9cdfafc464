// SPDX-License-Identifier: GPL-2.0-or-later
/* The types are made with libbpf, and libbpf reads the copies. */
#include <bpf/btf.h>
#include <errno.h>

#include "record/sampler/kernel_types.h"
#include "tests/unit/heap.h"
#include "tests/unit/suite.h"

static struct btf *kernel, *programs, *copy;
static struct kernel_types types;

static void begin(void)
{
	kernel = btf__new_empty();
	programs = btf__new_empty();
	ck_assert_ptr_nonnull(kernel);
	ck_assert_ptr_nonnull(programs);
	copy = NULL;
}

static void end(void)
{
	kernel_types_close(&types);
	btf__free(kernel);
	btf__free(programs);
	btf__free(copy);
}

/* Adds a type of the kernel. */
static int made(int id)
{
	ck_assert_int_gt(id, 0);
	return id;
}

static void add_field(const char *name, int type, uint32_t bit_off, uint32_t bits)
{
	ck_assert_int_eq(btf__add_field(kernel, name, type, bit_off, bits), 0);
}

static void parse(void)
{
	uint32_t size;
	const void *data = btf__raw_data(kernel, &size);

	ck_assert_int_eq(kernel_types_parse(data, size, &types), 0);
}

static const struct btf_type *copied(const char *name)
{
	int id = btf__find_by_name_kind(copy, name, BTF_KIND_STRUCT);

	return id < 0 ? NULL : btf__type_by_id(copy, id);
}

static const char *member_name(const struct btf_type *t, uint32_t i)
{
	return btf__name_by_offset(copy, btf_members(t)[i].name_off);
}

/*
 * struct inner { int a, b; };
 * struct other { int c; };
 * struct task_struct {
 *	const int pid;
 *	struct inner in;
 *	union { unsigned long word; struct other *other; };
 *	struct inner list[3];
 *	enum state state : 2;
 * };
 */
static void add_kernel_types(void)
{
	int number = made(btf__add_int(kernel, "int", 4, BTF_INT_SIGNED));
	int word = made(btf__add_int(kernel, "long unsigned int", 8, 0));
	int fixed = made(btf__add_const(kernel, number));
	int inner = made(btf__add_struct(kernel, "inner", 8)), other, pointer, both, list, state;

	add_field("a", number, 0, 0);
	add_field("b", number, 32, 0);
	other = made(btf__add_struct(kernel, "other", 4));
	add_field("c", number, 0, 0);
	pointer = made(btf__add_ptr(kernel, other));
	both = made(btf__add_union(kernel, NULL, 8));
	add_field("word", word, 0, 0);
	add_field("other", pointer, 0, 0);
	list = made(btf__add_array(kernel, number, inner, 3));
	state = made(btf__add_enum(kernel, "state", 4));
	made(btf__add_struct(kernel, "task_struct", 56));
	add_field("pid", fixed, 0, 0);
	add_field("in", inner, 32, 0);
	add_field(NULL, both, 128, 0);
	add_field("list", list, 192, 0);
	add_field("state", state, 384, 2);
}

/* A program wants a struct, by a name with a flavor. */
static void want(const char *name)
{
	ck_assert_int_gt(btf__add_struct(programs, name, 8), 0);
}

START_TEST(fields_keep_their_places)
{
	const struct btf_type *task;

	add_kernel_types();
	parse();
	want("task_struct___old");
	ck_assert_int_eq(kernel_types_copy(&types, programs, &copy), 0);
	task = copied("task_struct");
	ck_assert_ptr_nonnull(task);
	ck_assert_uint_eq(task->size, 56);
	ck_assert_uint_eq(btf_vlen(task), 5);
	ck_assert_str_eq(member_name(task, 0), "pid");
	ck_assert_str_eq(member_name(task, 4), "state");
	ck_assert_uint_eq(btf_member_bit_offset(task, 1), 32);
	ck_assert_uint_eq(btf_member_bit_offset(task, 4), 384);
	ck_assert_uint_eq(btf_member_bitfield_size(task, 4), 2);
	ck_assert_int_eq(btf__resolve_size(copy, btf_members(task)[3].type), 24);
	/* The union has no name, so its fields are those of the struct. */
	ck_assert_uint_eq(btf_vlen(btf__type_by_id(copy, btf_members(task)[2].type)), 2);
}
END_TEST

START_TEST(the_rest_is_left_out)
{
	add_kernel_types();
	parse();
	want("task_struct");
	ck_assert_int_eq(kernel_types_copy(&types, programs, &copy), 0);
	ck_assert_ptr_null(copied("other"));
	ck_assert_uint_eq(copied("inner")->size, 8);
	ck_assert_uint_eq(btf_vlen(copied("inner")), 0);
	btf__free(copy);
	copy = NULL;
	/* A struct inside of another is wanted itself. */
	want("inner");
	ck_assert_int_eq(kernel_types_copy(&types, programs, &copy), 0);
	ck_assert_uint_eq(btf_vlen(copied("inner")), 2);
}
END_TEST

START_TEST(types_are_found_by_name_and_kind)
{
	int number = made(btf__add_int(kernel, "int", 4, BTF_INT_SIGNED));
	int proto = made(btf__add_func_proto(kernel, number)), func, type;

	ck_assert_int_eq(btf__add_func_param(kernel, "x", number), 0);
	made(btf__add_typedef(kernel, "same", number));
	func = made(btf__add_func(kernel, "same", BTF_FUNC_STATIC, proto));
	type = made(btf__add_typedef(kernel, "last", number));
	parse();
	ck_assert_uint_eq(kernel_types_find(&types, "same", BTF_KIND_FUNC), func);
	ck_assert_uint_eq(kernel_types_find(&types, "last", BTF_KIND_TYPEDEF), type);
	ck_assert_uint_eq(kernel_types_find(&types, "last", BTF_KIND_FUNC), 0);
	ck_assert_str_eq(kernel_types_function(&types, func), "same");
	ck_assert_ptr_null(kernel_types_function(&types, type));
}
END_TEST

/* Whatever the bytes are, there is an error or a list of types. */
START_TEST(damage)
{
	uint32_t size;
	const char *whole;
	char *data;
	int ret;

	add_kernel_types();
	whole = btf__raw_data(kernel, &size);
	want("task_struct");
	for (uint32_t nr = 0; nr < size; nr++) {
		data = malloc(nr ? nr : 1);
		memcpy(data, whole, nr);
		ck_assert_int_eq(kernel_types_parse(data, nr, &types), -EBADMSG);
		kernel_types_close(&types);
		free(data);
	}
	for (uint32_t at = 0; at < size; at++) {
		data = malloc(size);
		memcpy(data, whole, size);
		data[at] ^= 0x1f;
		ret = kernel_types_parse(data, size, &types);
		if (!ret && !kernel_types_copy(&types, programs, &copy))
			btf__free(copy);
		copy = NULL;
		kernel_types_close(&types);
		free(data);
	}
}
END_TEST

START_TEST(a_struct_inside_of_itself)
{
	made(btf__add_struct(kernel, "task_struct", 8));
	add_field("self", 1, 0, 0);
	parse();
	want("task_struct");
	ck_assert_int_eq(kernel_types_copy(&types, programs, &copy), -EBADMSG);
}
END_TEST

START_TEST(memory_is_released)
{
	add_kernel_types();
	parse();
	want("task_struct");
	heap_for_each_round(i)
	{
		ck_assert_int_eq(kernel_types_copy(&types, programs, &copy), 0);
		btf__free(copy);
		copy = NULL;
	}
	ck_assert(!heap_has_grown());
}
END_TEST

SUITE_MAIN_WITH("kernel_types", begin, end, fields_keep_their_places, the_rest_is_left_out,
		types_are_found_by_name_and_kind, damage, a_struct_inside_of_itself,
		memory_is_released)
