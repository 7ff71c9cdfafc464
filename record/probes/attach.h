/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Attaches BPF programs to probes. Each attachment carries the number of its event, which the
 * program asks for (bpf_get_attach_cookie), and for user space whether a function begins there
 * (PROBE_AT_ENTRY). All functions return a descriptor, which holds the
 * attachment until it is closed, or a negative errno.
 */
#ifndef RECORD_PROBES_ATTACH_H
#define RECORD_PROBES_ATTACH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "record/probes/user_functions.h"

/* Can one call attach a program to many functions of user space (Linux 6.6)? */
bool attach_can_user_multi(void);

/* Can one call attach a program to many functions of the kernel (Linux 5.18, CONFIG_FPROBE)? */
bool attach_can_kernel_multi(void);

int attach_tracepoint(int prog_fd, uint64_t id, uint32_t event);

/* The @nr places of the file at @file_fd by one call. */
int attach_user_multi(int prog_fd, int file_fd, const struct user_place *places, size_t nr,
		      uint32_t event);

/* One place by a perf event. */
int attach_user(int prog_fd, int file_fd, const struct user_place *place, uint32_t event);

/* The functions at @nr addresses by one call. */
int attach_kernel_multi(int prog_fd, const uint64_t *addrs, size_t nr, uint32_t event);

/* One function by a perf event. */
int attach_kernel(int prog_fd, uint64_t addr, uint32_t event);

/* A copy of the program of sampler_copy_entry, by fentry to the function that it was made for. */
int attach_entry(int prog_fd, uint32_t event);

/* Can a program be attached by fentry to the function @btf_id? Returns 0 or a negative errno. */
int attach_check_entry(uint32_t btf_id);

#endif
