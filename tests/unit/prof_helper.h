/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the tests of format/ share: recordings in memory, random epochs, and epochs as sorted text,
 * in which ids do not show, so that two epochs that mean the same compare equal.
 */
#ifndef TESTS_PROF_HELPER_H
#define TESTS_PROF_HELPER_H

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/vec.h"
#include "format/prof.h"
#include "format/reader.h"
#include "format/writer.h"

struct memory {
	uint8_t *data;
	size_t nr, cap;
	size_t pos;   /* of reading */
	size_t chunk; /* most that one read returns; 0: no limit */
};

static inline int memory_write(void *ctx, const void *buf, size_t len)
{
	struct memory *m = ctx;

	return vec_append(m, (const uint8_t *)buf, len);
}

static inline ssize_t memory_read(void *ctx, void *buf, size_t len)
{
	struct memory *m = ctx;
	size_t left = m->nr - m->pos;

	if (len > left)
		len = left;
	if (m->chunk && len > m->chunk)
		len = m->chunk;
	if (len)
		memcpy(buf, m->data + m->pos, len);
	m->pos += len;
	return len;
}

/* xorshift64: the same numbers on every machine. */
static inline uint64_t rnd(uint64_t *state)
{
	*state ^= *state << 13;
	*state ^= *state >> 7;
	*state ^= *state << 17;
	return *state;
}

static inline uint64_t rnd_below(uint64_t *state, uint64_t n)
{
	return (rnd(state) >> 11) % n;
}

/* Tables that can be appended to. */
struct world {
	VEC(struct prof_string) strings;
	VEC(struct prof_object) objects;
	VEC(struct prof_process) processes;
	VEC(struct prof_mapping) mappings;
	VEC(struct prof_frame) frames;
	VEC(struct prof_stack) stacks;
	VEC(uint32_t) stack_frames;
	VEC(struct prof_count) counts;
	VEC(struct prof_symbol) symbols;
	VEC(struct prof_process_info) process_infos;
	VEC(struct prof_file_info) file_infos;
	VEC(uint32_t) exact_frames;
	struct prof_epoch epoch;
};

#define WORLD_PUSH(w, table, ...)                                                                  \
	({                                                                                         \
		__typeof__(*(w)->table.data) _elem = __VA_ARGS__;                                  \
		if (vec_push(&(w)->table, _elem))                                                  \
			abort();                                                                   \
		(uint32_t)((w)->table.nr - 1);                                                     \
	})

static inline uint32_t world_bytes(struct world *w, const void *s, uint32_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		abort();
	memcpy(copy, s, len);
	copy[len] = 0;
	return WORLD_PUSH(w, strings, {copy, len});
}

static inline uint32_t world_string(struct world *w, const char *s)
{
	return world_bytes(w, s, strlen(s));
}

static inline void world_init(struct world *w)
{
	memset(w, 0, sizeof(*w));
	world_string(w, "");
	WORLD_PUSH(w, objects, {0});
	WORLD_PUSH(w, processes, {0});
	WORLD_PUSH(w, stacks, {0});
}

static inline const struct prof_epoch *world_epoch(struct world *w)
{
	w->epoch.strings = w->strings.data;
	w->epoch.objects = w->objects.data;
	w->epoch.processes = w->processes.data;
	w->epoch.mappings = w->mappings.data;
	w->epoch.frames = w->frames.data;
	w->epoch.stacks = w->stacks.data;
	w->epoch.stack_frames = w->stack_frames.data;
	w->epoch.counts = w->counts.data;
	w->epoch.symbols = w->symbols.data;
	w->epoch.process_infos = w->process_infos.data;
	w->epoch.nr_process_infos = w->process_infos.nr;
	w->epoch.file_infos = w->file_infos.data;
	w->epoch.nr_file_infos = w->file_infos.nr;
	w->epoch.exact_frames = w->exact_frames.data;
	w->epoch.nr_exact_frames = w->exact_frames.nr;
	w->epoch.nr_strings = w->strings.nr;
	w->epoch.nr_objects = w->objects.nr;
	w->epoch.nr_processes = w->processes.nr;
	w->epoch.nr_mappings = w->mappings.nr;
	w->epoch.nr_frames = w->frames.nr;
	w->epoch.nr_stacks = w->stacks.nr;
	w->epoch.nr_stack_frames = w->stack_frames.nr;
	w->epoch.nr_counts = w->counts.nr;
	w->epoch.nr_symbols = w->symbols.nr;
	return &w->epoch;
}

static inline void world_deinit(struct world *w)
{
	vec_for_each(&w->strings, s)
		free((char *)s->s);
	vec_free(&w->strings);
	vec_free(&w->objects);
	vec_free(&w->processes);
	vec_free(&w->mappings);
	vec_free(&w->frames);
	vec_free(&w->stacks);
	vec_free(&w->stack_frames);
	vec_free(&w->counts);
	vec_free(&w->symbols);
	vec_free(&w->process_infos);
	vec_free(&w->file_infos);
	vec_free(&w->exact_frames);
}

/* Appends a stack, leaf first, and its frames' ids. */
static inline uint32_t world_stack(struct world *w, const uint32_t *frames, uint16_t nr,
				   uint8_t end)
{
	uint32_t first = w->stack_frames.nr;

	if (vec_append(&w->stack_frames, frames, nr))
		abort();
	return WORLD_PUSH(w, stacks, {first, nr, end});
}

static inline uint64_t random_address(uint64_t *rng)
{
	static const uint64_t bases[] = {0, 0x400000, 0x7f0000000000, UINT64_MAX - 0xfffff};
	uint64_t base = bases[rnd_below(rng, 4)];

	if (rnd_below(rng, 2))
		return base + rnd_below(rng, 0x100000);
	return base + (rnd_below(rng, 0x100) << 12);
}

static inline void random_names(struct world *w, uint64_t *rng, uint32_t size)
{
	uint32_t nr = rnd_below(rng, size);

	while (nr--) {
		char name[64];
		uint32_t len = rnd_below(rng, sizeof(name));

		for (uint32_t i = 0; i < len; i++)
			name[i] = 1 + rnd_below(rng, rnd_below(rng, 8) ? 26 : 255);
		world_bytes(w, name, len);
	}
	nr = rnd_below(rng, size);
	while (nr--) {
		struct prof_object object = {
			.kind = rnd_below(rng, PROF_NR_OBJECT_KINDS),
			.flags = rnd_below(rng, 2),
			.build_id_size = rnd_below(rng, 2) ? 20 : rnd_below(rng, 65),
			.path = rnd_below(rng, w->strings.nr),
			.instance = rnd_below(rng, 2) ? 0 : rnd(rng),
		};

		for (int i = 0; i < object.build_id_size; i++)
			object.build_id[i] = rnd(rng);
		WORLD_PUSH(w, objects, object);
	}
	for (uint32_t i = 1; i < w->objects.nr; i++)
		if (rnd_below(rng, 2))
			WORLD_PUSH(w, file_infos,
				   {i, rnd(rng) >> rnd_below(rng, 64),
				    rnd(rng) >> rnd_below(rng, 64),
				    (int64_t)rnd(rng) >> rnd_below(rng, 64), rnd(rng)});
}

static inline void random_processes(struct world *w, uint64_t *rng, uint32_t size)
{
	uint32_t nr = rnd_below(rng, size), ranges[64][2];
	uint32_t nr_ranges = 1 + rnd_below(rng, 64);

	for (uint32_t i = 0; i < nr_ranges; i++) {
		uint32_t n = rnd_below(rng, 6);

		ranges[i][0] = w->mappings.nr;
		ranges[i][1] = n;
		while (n--) {
			uint64_t start = random_address(rng);
			uint64_t size_bytes = rnd_below(rng, 2) ? 0x1000 : rnd(rng) >> 52;

			if (size_bytes > -start)
				size_bytes = -start;
			WORLD_PUSH(w, mappings,
				   {rnd_below(rng, w->objects.nr), start, size_bytes,
				    random_address(rng)});
		}
	}
	while (nr--) {
		uint32_t *range = ranges[rnd_below(rng, nr_ranges)];

		WORLD_PUSH(w, processes,
			   {rnd(rng) >> (32 + rnd_below(rng, 32)), rnd(rng) >> rnd_below(rng, 64),
			    range[0], range[1]});
	}
	for (uint32_t i = 1; i < w->processes.nr; i++)
		if (rnd_below(rng, 2))
			WORLD_PUSH(w, process_infos,
				   {i, rnd(rng) >> (32 + rnd_below(rng, 32)),
				    rnd(rng) >> (32 + rnd_below(rng, 32)),
				    rnd_below(rng, w->strings.nr), rnd_below(rng, w->strings.nr),
				    rnd_below(rng, w->strings.nr)});
	w->processes.data[0].first_mapping = ranges[0][0];
	w->processes.data[0].nr_mappings = ranges[0][1];
}

static inline void random_stacks(struct world *w, uint64_t *rng, uint32_t size)
{
	uint32_t nr = rnd_below(rng, size);

	while (nr--)
		WORLD_PUSH(w, frames, {rnd_below(rng, w->objects.nr), random_address(rng)});
	/* From the last on: a writer sorts them. */
	for (uint32_t i = w->frames.nr; i-- > 0;)
		if (!rnd_below(rng, 4))
			WORLD_PUSH(w, exact_frames, i);
	nr = rnd_below(rng, size);
	while (nr--) {
		uint32_t frames[40], len = rnd_below(rng, 40);

		if (!w->frames.nr)
			len = 0;
		for (uint32_t i = 0; i < len; i++)
			frames[i] = rnd_below(rng, rnd_below(rng, 2) ? w->frames.nr : 1);
		world_stack(w, frames, len, rnd_below(rng, len ? 3 : PROF_NR_STACK_ENDS));
	}
}

/* Fills @w with an epoch of up to @size rows in each table. */
static inline void world_random(struct world *w, uint64_t *rng, uint32_t size)
{
	uint32_t nr;

	world_init(w);
	random_names(w, rng, size);
	random_processes(w, rng, size);
	random_stacks(w, rng, size);
	nr = rnd_below(rng, size);
	while (nr--) {
		uint64_t offset = random_address(rng), bytes = rnd_below(rng, 5000);

		WORLD_PUSH(w, symbols,
			   {rnd_below(rng, w->objects.nr), rnd_below(rng, w->strings.nr), offset,
			    bytes > -offset ? -offset : bytes});
	}
	nr = rnd_below(rng, 2 * size);
	while (nr--)
		WORLD_PUSH(w, counts,
			   {rnd_below(rng, w->processes.nr), rnd_below(rng, w->strings.nr),
			    rnd_below(rng, w->stacks.nr), rnd_below(rng, w->stacks.nr),
			    1 + (rnd(rng) >> (24 + rnd_below(rng, 40)))});
	w->epoch.begin_ns = rnd(rng) >> 8;
	w->epoch.end_ns = w->epoch.begin_ns + rnd_below(rng, 1u << 30);
}

static inline void print_string(FILE *f, const struct prof_epoch *e, uint32_t id)
{
	fputc('"', f);
	for (uint32_t i = 0; i < e->strings[id].len; i++)
		fprintf(f, "%02x", (uint8_t)e->strings[id].s[i]);
	fputc('"', f);
}

static inline void print_object(FILE *f, const struct prof_epoch *e, uint32_t id)
{
	const struct prof_object *object = &e->objects[id];

	fprintf(f, "(%u %u %u ", object->kind, object->flags, object->instance);
	print_string(f, e, object->path);
	fputc(' ', f);
	for (int i = 0; i < object->build_id_size; i++)
		fprintf(f, "%02x", object->build_id[i]);
	fputc(')', f);
}

static inline void print_stack(FILE *f, const struct prof_epoch *e, uint32_t id)
{
	const struct prof_stack *stack = &e->stacks[id];

	fprintf(f, " [%u", stack->end);
	for (uint32_t i = 0; i < stack->nr_frames; i++) {
		const struct prof_frame *frame =
			&e->frames[e->stack_frames[stack->first_frame + i]];

		fputc(' ', f);
		print_object(f, e, frame->object);
		fprintf(f, "+%" PRIx64, frame->offset);
	}
	fputc(']', f);
}

static inline int compare_lines(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Sorts the lines of @text; the result is the caller's. */
static inline char *sort_lines(char *text)
{
	VEC(char *) lines = {0};
	char *save = NULL, *sorted = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&sorted, &size);

	for (char *line = strtok_r(text, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		if (vec_push(&lines, line))
			abort();
	if (lines.nr)
		qsort(lines.data, lines.nr, sizeof(*lines.data), compare_lines);
	vec_for_each(&lines, line)
		fprintf(f, "%s\n", *line);
	fclose(f);
	vec_free(&lines);
	free(text);
	return sorted;
}

static inline void print_process_rows(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_processes; i++) {
		const struct prof_process *process = &e->processes[i];

		fprintf(f, "process %u %" PRIu64 " %u\n", process->pid, process->generation,
			process->nr_mappings);
		for (uint32_t j = 0; j < process->nr_mappings; j++) {
			const struct prof_mapping *m = &e->mappings[process->first_mapping + j];

			fprintf(f, "mapping %u %" PRIu64 " %" PRIx64 " %" PRIx64 " %" PRIx64 " ",
				process->pid, process->generation, m->start, m->size, m->pgoff);
			print_object(f, e, m->object);
			fputc('\n', f);
		}
	}
}

static inline void print_process_infos(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_process_infos; i++) {
		const struct prof_process_info *info = &e->process_infos[i];
		const struct prof_process *process = &e->processes[info->process];

		fprintf(f, "info %u %" PRIu64 " %u %u ", process->pid, process->generation,
			info->ns_pid, info->uid);
		print_string(f, e, info->name);
		print_string(f, e, info->exe);
		print_string(f, e, info->cgroup);
		fputc('\n', f);
	}
}

static inline void print_file_infos(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_file_infos; i++) {
		const struct prof_file_info *info = &e->file_infos[i];

		fprintf(f, "file ");
		print_object(f, e, info->object);
		fprintf(f, " %" PRIu64 " %" PRIu64 " %" PRId64 " %" PRId64 "\n", info->inode,
			info->size, info->mtime_ns, info->ctime_ns);
	}
}

static inline void print_exact_frames(FILE *f, const struct prof_epoch *e)
{
	for (uint32_t i = 0; i < e->nr_exact_frames; i++) {
		const struct prof_frame *frame = &e->frames[e->exact_frames[i]];

		fprintf(f, "exact ");
		print_object(f, e, frame->object);
		fprintf(f, "+%" PRIx64 "\n", frame->offset);
	}
}

/* Everything in @e as text, whatever the order of its tables. The caller frees it. */
static inline char *epoch_text(const struct prof_epoch *e)
{
	char *text = NULL;
	size_t size = 0;
	FILE *f = open_memstream(&text, &size);

	fprintf(f, "time %" PRIu64 " %" PRIu64 "\n", e->begin_ns, e->end_ns);
	for (uint32_t i = 0; i < e->nr_strings; i++) {
		fprintf(f, "string ");
		print_string(f, e, i);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < e->nr_objects; i++) {
		fprintf(f, "object ");
		print_object(f, e, i);
		fputc('\n', f);
	}
	print_process_rows(f, e);
	print_process_infos(f, e);
	print_file_infos(f, e);
	print_exact_frames(f, e);
	for (uint32_t i = 0; i < e->nr_symbols; i++) {
		fprintf(f, "symbol ");
		print_object(f, e, e->symbols[i].object);
		fprintf(f, "+%" PRIx64 " %" PRIx64 " ", e->symbols[i].offset, e->symbols[i].size);
		print_string(f, e, e->symbols[i].name);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < e->nr_stacks; i++) {
		fprintf(f, "stack");
		print_stack(f, e, i);
		fputc('\n', f);
	}
	for (uint32_t i = 0; i < e->nr_counts; i++) {
		const struct prof_count *count = &e->counts[i];

		fprintf(f, "count %" PRIu64 " %u %" PRIu64 " ", count->count,
			e->processes[count->process].pid, e->processes[count->process].generation);
		print_string(f, e, count->comm);
		print_stack(f, e, count->user_stack);
		print_stack(f, e, count->kernel_stack);
		fputc('\n', f);
	}
	fclose(f);
	return sort_lines(text);
}

static const struct prof_meta test_meta = {
	.hostname = "host",
	.kernel_release = "6.1.0",
	.kernel_version = "#1 SMP",
	.arch = "x86_64",
	.recorder = "profrec 0.1.0",
	.command_line = "profrec 10",
	.event = "cpu-clock",
	.cpus = "0-1",
	.command = "",
	.event_type = 1,
	.event_config = 0,
	.freq_hz = 49,
	.start_realtime_ns = 1700000000000000000,
	.start_monotonic_ns = 12345678901,
	.duration_ns = 10000000000,
	.stack_storage = 16384,
	.hash_storage = 16384,
	.nr_cpus = 2,
	.pids = (const uint32_t[]){1, 70000},
	.nr_pids = 2,
	.filters = "uid 1000",
	.tids = (const uint32_t[]){4194304},
	.nr_tids = 1,
	.max_stack_depth = 127,
	.unwinding = PROF_UNWINDING_TABLES,
	.host =
		{
			.boot_id = "7f9d7c2e-0000-4000-8000-000000000000",
			.cpu_model = "A CPU @ 3.00GHz",
			.hypervisor = "KVMKVMKVM",
			.nr_cpus_online = 2,
			.nr_cpus_possible = 64,
			.memory_bytes = UINT64_C(8) << 30,
		},
	.loads = {25, 50, 1075},
	.interval_ns = UINT64_C(1000000000),
	.zone = PROF_ZONE_UTC + 120,
};

static const struct prof_end test_end = {
	.duration_ns = 10000000123,
	.taken = 1006,
	.counted = 1000,
	.lost = {1, 2, 3},
	.missed_user = {4, 5, 6},
	.missed_kernel = {7, 8, 9},
	.idle = 10,
	.filtered = 11,
	.lost_records = 12,
	.reason = PROF_END_SIGNAL,
	.cpu_taken = (const uint64_t[]){500, 506},
	.nr_cpu_taken = 2,
	.nr_cpus_changed = 1,
	.unfollowed = 13,
	.loads = {125, 75, 1100},
};

#endif
