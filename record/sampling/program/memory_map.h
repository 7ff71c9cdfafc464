/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps in the recorder's own memory. They take the place of the kernel's where the programs of bpf/
 * run in the recorder (record/sampling/program/), and behave like them: the same types, the same
 * layout of elements, the same errors. Nothing here takes locks, since one thread uses them.
 */
#ifndef RECORD_SAMPLING_PROGRAM_MEMORY_MAP_H
#define RECORD_SAMPLING_PROGRAM_MEMORY_MAP_H

#include <linux/bpf.h>
#include <stddef.h>
#include <stdint.h>

/* What a map is made of, in the terms of bpf(2). */
struct map_shape {
	enum bpf_map_type type; /* an array, a hash, or a ring buffer */
	uint32_t key_size, value_size;
	uint32_t max_entries; /* of a ring buffer: bytes */
};

/*
 * The programs know a map by a pointer to it. It begins with a pointer to itself, so that a map of
 * a program, which begins with a pointer to its struct memory_map, can be told to them the same way
 * (memory_map_of).
 */
struct memory_map {
	struct memory_map *self;
	struct map_shape shape;
	uint32_t stride;  /* bytes of an element, as the kernel rounds them */
	uint32_t nr_cpus; /* possible CPUs in a PERCPU_ARRAY, else 1 */
	int fd;           /* of the map's memory; only arrays can be mapped */
	size_t bytes;
	char *memory;
	/* Hashes: */
	uint32_t nr, nr_slots;
	uint32_t *slots; /* number of the element + 1; 0: free */
	uint32_t *free;  /* numbers of elements that are not in use */
	/* Ring buffers: */
	size_t end;      /* of the records that nobody has taken yet */
	size_t reserved; /* bytes behind them that a program is filling in */
	int wake_fd; /* an eventfd that is readable while there are records; -1: none. Borrowed */
};

/*
 * The programs see the elements of PERCPU_ARRAYs of this CPU: its position among the possible ones.
 */
extern uint32_t memory_map_cpu;

/* Says how many CPUs are possible, before any map is made. */
void memory_maps_set_cpus(uint32_t nr);

/*
 * Makes a map of @shape. Returns a descriptor, which maps an array's memory, or a negative errno.
 * memory_maps_close releases it.
 */
int memory_map_create(const struct map_shape *shape);

/* The map of a descriptor, or NULL if that is none of memory_map_create. */
struct memory_map *memory_map_of_fd(int fd);

/* Releases all maps. */
void memory_maps_close(void);

static inline struct memory_map *memory_map_of(const void *map)
{
	return *(struct memory_map *const *)map;
}

/*
 * As the helper functions of the kernel for programs: an element stays where it is until it is
 * deleted. An array of maps hands out maps.
 */
void *memory_map_lookup(const struct memory_map *map, const void *key);
int memory_map_update(struct memory_map *map, const void *key, const void *value, uint64_t flags);
int memory_map_delete(struct memory_map *map, const void *key);

/*
 * As bpf(2) of a process, which sees all CPUs of a PERCPU_ARRAY. All return 0 or a negative errno.
 */
int memory_map_read(const struct memory_map *map, const void *key, void *value);
int memory_map_write(struct memory_map *map, const void *key, const void *value, uint64_t flags);
int memory_map_next_key(const struct memory_map *map, const void *key, void *next);

/* A record of @bytes, which memory_ring_submit or memory_ring_discard ends. NULL: no room. */
void *memory_ring_reserve(struct memory_map *ring, size_t bytes);
void memory_ring_submit(struct memory_map *ring);
void memory_ring_discard(struct memory_map *ring);

/*
 * Calls @take for each record of the ring, and empties it. Returns 0 or the first negative result
 * of @take; the other records are gone then, too.
 */
int memory_ring_consume(struct memory_map *ring, int (*take)(void *ctx, void *record, size_t bytes),
			void *ctx);

#endif
