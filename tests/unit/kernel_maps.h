/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrays in place of the kernel's maps of mappings and address spaces: the functions of libbpf that
 * fill these maps are replaced. Included by one file of a program.
 */
#ifndef TESTS_KERNEL_MAPS_H
#define TESTS_KERNEL_MAPS_H

#include <bpf/bpf.h>
#include <check.h>
#include <errno.h>
#include <stddef.h>
#include <stdint.h>

#include <string.h>

#include "bpf/shared.h"
#include "bpf/walk/unwind.h"

enum { MAP_SPACES = 1, MAP_MAPPINGS = 2, MAP_CONTEXTS = 3 }; /* stand for descriptors */

struct kernel_space {
	uint32_t pid;
	struct unwind_space space;
};

#define KERNEL_SPACES_MAX 64

static struct kernel_space kernel_spaces[KERNEL_SPACES_MAX];
static size_t nr_kernel_spaces;
static struct unwind_mapping kernel_mappings[UNWIND_MAX_MAPPINGS];
static unsigned int nr_mapping_updates;

/* The context of one process; 0: there is none. */
static uint32_t kernel_context_pid;
static struct thread_context kernel_context;

/* The position of a process, or nr_kernel_spaces. */
static size_t find_kernel_space(uint32_t pid)
{
	size_t i = 0;

	while (i < nr_kernel_spaces && kernel_spaces[i].pid != pid)
		i++;
	return i;
}

/* The program's entry for a process, or NULL. */
static const struct unwind_space *kernel_space(uint32_t pid)
{
	size_t i = find_kernel_space(pid);

	return i < nr_kernel_spaces ? &kernel_spaces[i].space : NULL;
}

static int update_space(const struct kernel_space *new, uint64_t flags)
{
	size_t i = find_kernel_space(new->pid);

	if (i == nr_kernel_spaces && flags == BPF_EXIST)
		return -ENOENT;
	ck_assert_uint_lt(i, KERNEL_SPACES_MAX);
	kernel_spaces[i] = *new;
	nr_kernel_spaces += i == nr_kernel_spaces;
	return 0;
}

int bpf_map_update_elem(int fd, const void *key, const void *value, __u64 flags)
{
	struct kernel_space space = {.pid = *(const uint32_t *)key};

	if (fd == MAP_MAPPINGS) {
		kernel_mappings[*(const uint32_t *)key] = *(const struct unwind_mapping *)value;
		nr_mapping_updates++;
		return 0;
	}
	if (fd == MAP_CONTEXTS) {
		kernel_context_pid = space.pid;
		memcpy(&kernel_context, value, sizeof(kernel_context));
		return 0;
	}
	ck_assert_int_eq(fd, MAP_SPACES);
	space.space = *(const struct unwind_space *)value;
	return update_space(&space, flags);
}

int bpf_map_lookup_elem(int fd, const void *key, void *value)
{
	const uint32_t pid = *(const uint32_t *)key;
	const struct unwind_space *space = kernel_space(pid);

	if (fd == MAP_CONTEXTS && pid == kernel_context_pid)
		memcpy(value, &kernel_context, sizeof(kernel_context));
	else if (fd == MAP_SPACES && space)
		memcpy(value, space, sizeof(*space));
	else
		return -ENOENT;
	return 0;
}

int bpf_map_update_batch(int fd, const void *keys, const void *values, __u32 *count,
			 const struct bpf_map_batch_opts *opts)
{
	(void)opts;
	ck_assert_int_eq(fd, MAP_MAPPINGS);
	for (uint32_t i = 0; i < *count; i++)
		kernel_mappings[((const uint32_t *)keys)[i]] =
			((const struct unwind_mapping *)values)[i];
	return 0;
}

int bpf_map_delete_elem(int fd, const void *key)
{
	size_t i = find_kernel_space(*(const uint32_t *)key);

	if (fd == MAP_CONTEXTS) {
		ck_assert_uint_eq(*(const uint32_t *)key, kernel_context_pid);
		kernel_context_pid = 0;
		return 0;
	}
	ck_assert_int_eq(fd, MAP_SPACES);
	if (i == nr_kernel_spaces)
		return -ENOENT;
	kernel_spaces[i] = kernel_spaces[--nr_kernel_spaces];
	return 0;
}

/* @key NULL, or one that is not there: the first. */
int bpf_map_get_next_key(int fd, const void *key, void *next_key)
{
	size_t i = key ? find_kernel_space(*(const uint32_t *)key) + 1 : 0;

	ck_assert_int_eq(fd, MAP_SPACES);
	if (i > nr_kernel_spaces)
		i = 0;
	if (i == nr_kernel_spaces)
		return -ENOENT;
	*(uint32_t *)next_key = kernel_spaces[i].pid;
	return 0;
}

#endif
