/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random epochs that keep the rules of the format. */
#ifndef TESTS_RANDOM_WORLD_H
#define TESTS_RANDOM_WORLD_H

#include "tests/unit/random.h"
#include "tests/unit/world.h"

static inline uint64_t random_address(struct random *rng)
{
	static const uint64_t bases[] = {0, 0x400000, 0x7f0000000000, UINT64_MAX - 0xfffff};
	uint64_t base = bases[random_below(rng, 4)];

	if (random_below(rng, 2))
		return base + random_below(rng, 0x100000);
	return base + (random_below(rng, 0x100) << 12);
}

static inline void random_names(struct world *w, struct random *rng, uint32_t size)
{
	uint32_t nr = random_below(rng, size);

	while (nr--) {
		char name[64];
		uint32_t len = random_below(rng, sizeof(name));

		for (uint32_t i = 0; i < len; i++)
			name[i] = 1 + random_below(rng, random_below(rng, 8) ? 26 : 255);
		world_bytes(w, name, len);
	}
	nr = random_below(rng, size);
	while (nr--) {
		struct prof_object object = {
			.kind = random_below(rng, PROF_NR_OBJECT_KINDS),
			.flags = random_below(rng, 2),
			.build_id_size = random_below(rng, 2) ? 20 : random_below(rng, 65),
			.path = random_below(rng, w->strings.nr),
			.instance = random_below(rng, 2) ? 0 : random_u64(rng),
		};

		for (int i = 0; i < object.build_id_size; i++)
			object.build_id[i] = random_u64(rng);
		WORLD_PUSH(w, objects, object);
	}
	for (uint32_t i = 1; i < w->objects.nr; i++)
		if (random_below(rng, 2))
			WORLD_PUSH(w, file_infos,
				   {i, random_u64(rng) >> random_below(rng, 64),
				    random_u64(rng) >> random_below(rng, 64),
				    (int64_t)random_u64(rng) >> random_below(rng, 64),
				    random_u64(rng)});
	for (uint32_t i = 1; i < w->objects.nr; i++)
		if (!random_below(rng, 3))
			WORLD_PUSH(w, languages,
				   {i, random_below(rng, PROF_NR_LANGUAGE_ROLES),
				    random_below(rng, w->strings.nr),
				    random_below(rng, w->strings.nr)});
	for (uint32_t i = 1; i < w->objects.nr; i++)
		for (uint32_t rows = random_below(rng, 3); rows-- > 0;)
			WORLD_PUSH(w, name_sources,
				   {i, random_below(rng, PROF_NR_NAME_ORIGINS),
				    1 + random_below(rng, NAME_PARTS_ALL),
				    random_below(rng, w->strings.nr)});
}

static inline void random_lines(struct world *w, struct random *rng)
{
	for (uint32_t object = 0; object < w->objects.nr; object++) {
		uint64_t offset = random_u64(rng) >> random_below(rng, 64);

		for (uint32_t nr = random_below(rng, 4); nr-- > 0;) {
			uint32_t nr_frames = 1 + random_below(rng, 3);

			WORLD_PUSH(w, lines, {object, offset, w->source_frames.nr, nr_frames});
			while (nr_frames-- > 0)
				WORLD_PUSH(w, source_frames,
					   {random_below(rng, w->strings.nr),
					    random_below(rng, w->strings.nr), random_u64(rng),
					    nr_frames});
			if (offset == UINT64_MAX)
				break;
			offset += 1 + random_below(rng, UINT64_MAX - offset);
		}
	}
}

static inline void random_processes(struct world *w, struct random *rng, uint32_t size)
{
	uint32_t nr = random_below(rng, size), ranges[64][2];
	uint32_t nr_ranges = 1 + random_below(rng, 64);

	for (uint32_t i = 0; i < nr_ranges; i++) {
		uint32_t n = random_below(rng, 6);

		ranges[i][0] = w->mappings.nr;
		ranges[i][1] = n;
		while (n--) {
			uint64_t start = random_address(rng);
			uint64_t size_bytes = random_below(rng, 2) ? 0x1000 : random_u64(rng) >> 52;

			if (size_bytes > -start)
				size_bytes = -start;
			WORLD_PUSH(w, mappings,
				   {random_below(rng, w->objects.nr), start, size_bytes,
				    random_address(rng)});
		}
	}
	while (nr--) {
		uint32_t *range = ranges[random_below(rng, nr_ranges)];

		WORLD_PUSH(w, processes,
			   {random_u64(rng) >> (32 + random_below(rng, 32)),
			    random_u64(rng) >> random_below(rng, 64), range[0], range[1]});
	}
	for (uint32_t i = 1; i < w->processes.nr; i++)
		if (random_below(rng, 2))
			WORLD_PUSH(w, process_infos,
				   {i, random_u64(rng) >> (32 + random_below(rng, 32)),
				    random_u64(rng) >> (32 + random_below(rng, 32)),
				    random_below(rng, w->strings.nr),
				    random_below(rng, w->strings.nr),
				    random_below(rng, w->strings.nr)});
	for (uint32_t i = 1; i < w->processes.nr; i++)
		for (uint32_t k = random_below(rng, 3); k; k--)
			WORLD_PUSH(w, process_attributes,
				   {i, random_below(rng, w->strings.nr),
				    random_below(rng, w->strings.nr)});
	w->processes.data[0].first_mapping = ranges[0][0];
	w->processes.data[0].nr_mappings = ranges[0][1];
}

static inline void random_stacks(struct world *w, struct random *rng, uint32_t size)
{
	uint32_t nr = random_below(rng, size);

	while (nr--)
		WORLD_PUSH(w, frames, {random_below(rng, w->objects.nr), random_address(rng)});
	/* From the last on: a writer sorts them. */
	for (uint32_t i = w->frames.nr; i-- > 0;)
		if (!random_below(rng, 4))
			WORLD_PUSH(w, exact_frames, i);
	nr = random_below(rng, size);
	while (nr--) {
		uint32_t frames[40], len = random_below(rng, 40);

		if (!w->frames.nr)
			len = 0;
		for (uint32_t i = 0; i < len; i++)
			frames[i] = random_below(rng, random_below(rng, 2) ? w->frames.nr : 1);
		world_stack(w, frames, len, random_below(rng, len ? 3 : PROF_NR_STACK_ENDS));
	}
}

/* Spreads the rows of @w over @nr_events events, and gives some rows wakers. */
static inline void world_random_events(struct world *w, struct random *rng, uint32_t nr_events)
{
	vec_for_each(&w->counts, count) {
		count->event = random_below(rng, nr_events);
		if (random_below(rng, 3))
			continue;
		count->waker_user_stack = random_below(rng, w->stacks.nr);
		count->waker_kernel_stack = random_below(rng, w->stacks.nr);
	}
}

/* Divides the counts among slices of the epoch. */
static inline void random_slices(struct world *w, struct random *rng)
{
	uint64_t length_ns = w->epoch.end_ns - w->epoch.begin_ns;

	w->epoch.slice_ns = 1 + length_ns / (1 + random_below(rng, 100));
	w->epoch.slice_phase_ns = random_u64(rng) % w->epoch.slice_ns;
	for (uint32_t row = 0; row < w->counts.nr; row++) {
		uint64_t rest = w->counts.data[row].count;
		uint64_t nr = (length_ns + w->epoch.slice_phase_ns) / w->epoch.slice_ns + 1;
		uint32_t slice = random_below(rng, nr);

		for (; rest; slice++) {
			uint64_t part = slice + 1 == nr || random_below(rng, 2)
						? rest
						: 1 + random_u64(rng) % rest;

			WORLD_PUSH(w, slices, {row, slice, part});
			rest -= part;
		}
	}
}

/* Makes label sets, and gives some counts one. */
static inline void random_labels(struct world *w, struct random *rng)
{
	WORLD_PUSH(w, label_sets, {0, 0});
	for (uint32_t nr = random_below(rng, 9); nr; nr--) {
		uint32_t first = w->labels.nr;

		for (uint32_t k = random_below(rng, 4); k; k--)
			WORLD_PUSH(w, labels,
				   {random_below(rng, w->strings.nr),
				    random_below(rng, w->strings.nr)});
		WORLD_PUSH(w, label_sets, {first, w->labels.nr - first});
	}
	vec_for_each(&w->counts, count)
		count->label_set = random_below(rng, w->label_sets.nr);
}

/* Fills @w with an epoch of up to @size rows in each table. */
static inline void world_random(struct world *w, struct random *rng, uint32_t size)
{
	uint32_t nr;

	world_init(w);
	random_names(w, rng, size);
	random_processes(w, rng, size);
	random_stacks(w, rng, size);
	nr = random_below(rng, size);
	while (nr--) {
		uint64_t offset = random_address(rng), bytes = random_below(rng, 5000);

		WORLD_PUSH(w, symbols,
			   {random_below(rng, w->objects.nr), random_below(rng, w->strings.nr),
			    offset, bytes > -offset ? -offset : bytes});
	}
	random_lines(w, rng);
	nr = random_below(rng, 2 * size);
	while (nr--)
		WORLD_COUNT(w, random_below(rng, w->processes.nr), random_below(rng, w->strings.nr),
			    random_below(rng, w->stacks.nr), random_below(rng, w->stacks.nr),
			    1 + (random_u64(rng) >> (24 + random_below(rng, 40))));
	if (random_below(rng, 2))
		vec_for_each(&w->counts, count)
			count->tid = random_u64(rng) >> (32 + random_below(rng, 32));
	if (random_below(rng, 2))
		random_labels(w, rng);
	w->epoch.begin_ns = random_u64(rng) >> 8;
	w->epoch.end_ns = w->epoch.begin_ns + random_below(rng, 1u << 30);
	if (random_below(rng, 2))
		random_slices(w, rng);
}

#endif
