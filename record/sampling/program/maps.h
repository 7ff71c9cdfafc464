/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The maps of the programs, by descriptor: the kernel's, or those in the recorder's own memory
 * (record/sampling/program/memory_map.h). Whoever fills or reads a map need not know which.
 *
 * The functions return 0, or -1 with errno set, as libbpf's do since its version 1.
 */
#ifndef RECORD_SAMPLING_PROGRAM_MAPS_H
#define RECORD_SAMPLING_PROGRAM_MAPS_H

#include <stddef.h>
#include <stdint.h>

#include "record/sampling/program/memory_map.h"

int map_update(int fd, const void *key, const void *value, uint64_t flags);
int map_lookup(int fd, const void *key, void *value);
int map_delete(int fd, const void *key);
int map_next_key(int fd, const void *key, void *next);

/* As map_update for *@nr elements of an array or hash, one after the other. */
int map_update_batch(int fd, const void *keys, const void *values, uint32_t *nr);

/*
 * Makes an array that can be mapped, with one element of @value_size bytes, to be an element of the
 * array of maps @outer. Returns a descriptor, which map_close_inner closes, or a negative errno.
 */
int map_create_inner(int outer, const char *name, uint32_t value_size);
void map_close_inner(int fd);

#endif
