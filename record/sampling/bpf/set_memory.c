// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/sampling/bpf/set_memory.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "common/compare.h"
#include "common/minmax.h"
#include "common/vec.h"

/* At most this many bytes are mapped at a time, in whole elements of a map. */
#define WINDOW_BYTES (1u << 20)

/*
 * How many slices a count has on average before a set is full. Sets are drained at least once a
 * minute. In that time most counts have one or two hits, and few have hits in every second.
 */
#define CHANGES_OF_COUNT 2

static bool is_prime(uint32_t nr)
{
	if (nr % 2 == 0)
		return nr == 2;
	for (uint32_t i = 3; (uint64_t)i * i <= nr; i += 2)
		if (nr % i == 0)
			return false;
	return true;
}

/*
 * Slots for @nr elements. At most 4/5 are in use, so that a search soon finds a free one. They are
 * a prime number, at least 3 (struct probe in bpf/count/count_sets.h).
 */
static uint32_t slots_for(uint32_t nr)
{
	uint32_t slots = max_u64(nr + nr / 4 + 1, 3);

	while (!is_prime(slots))
		slots++;
	return slots;
}

/* Lines that a stack has room for on average: 5, where no stack may have more than 1024 frames. */
static uint32_t average_lines(uint32_t max_depth)
{
	uint32_t most = STACK_LINES(max_depth);

	return min_u64(most, max_u64(5, most / 32));
}

void set_memory_choose(uint64_t stack_storage, uint64_t hash_storage, uint32_t max_depth,
		       struct set_sizes *sizes)
{
	uint32_t nr_stacks = (stack_storage + NR_SETS - 1) / NR_SETS;
	uint32_t nr_counts = (hash_storage + NR_SETS - 1) / NR_SETS;

	*sizes = (struct set_sizes){
		.max_stacks = nr_stacks,
		.max_counts = nr_counts,
		.max_lines = max_u64(nr_stacks * (uint64_t)average_lines(max_depth),
				     STACK_LINES(max_depth)),
		.nr_stack_slots = slots_for(nr_stacks),
		.nr_count_slots = slots_for(nr_counts),
		.max_changes = CHANGES_OF_COUNT * nr_counts,
	};
}

/* A part of the memory of a map: elements from @first on. */
struct window {
	void *elements;
	uint32_t first, nr;
	void *mapped; /* NULL: nothing is mapped */
	size_t mapped_bytes;
};

static void unmap_window(struct window *w)
{
	if (w->mapped)
		munmap(w->mapped, w->mapped_bytes);
	w->mapped = NULL;
}

/* Maps elements of @size bytes from @first up to @end, or as many as a window holds. */
static int map_window(struct window *w, int fd, size_t size, uint32_t first, uint32_t end,
		      struct err *err)
{
	uint64_t page_mask = sysconf(_SC_PAGESIZE) - 1;
	uint32_t nr = min_u64(end - first, WINDOW_BYTES / size);
	uint64_t off = first * (uint64_t)size, page = off & ~page_mask;
	size_t bytes = off - page + nr * size;
	char *p;

	unmap_window(w);
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, page);
	if (p == MAP_FAILED)
		return err_set(err, -errno, "failed to map the memory of BPF maps: %m");
	*w = (struct window){.elements = p + (off - page),
			     .first = first,
			     .nr = nr,
			     .mapped = p,
			     .mapped_bytes = bytes};
	return 0;
}

/* Calls the sink for the stacks that are in the window as a whole. Advances *@line past them. */
static int take_stacks(const struct window *w, const struct sampler_sink *sink, uint32_t *line)
{
	const struct stack_line *lines = w->elements;
	uint32_t at = *line - w->first;

	while (at < w->nr) {
		const struct stack_entry *stack = (const struct stack_entry *)&lines[at];
		uint32_t nr = STACK_LINES((uint64_t)stack->nr_frames);
		int ret;

		if (nr > w->nr - at)
			break;
		ret = sink->stack(sink->ctx, stack);
		if (ret)
			return ret;
		at += nr;
	}
	*line = w->first + at;
	return 0;
}

/* The lines that are in use. */
static uint32_t lines_of(const struct set_maps *maps, const struct set_state *state)
{
	if (SET_STACKS(state->stacks) > maps->sizes.max_stacks ||
	    SET_LINES(state->stacks) > maps->sizes.max_lines)
		return state->lines_end;
	return SET_LINES(state->stacks);
}

static int drain_stacks(const struct set_maps *maps, uint32_t set, const struct set_state *state,
			const struct sampler_sink *sink, struct err *err)
{
	uint32_t line = set * maps->sizes.max_lines, end = line + lines_of(maps, state);
	struct window w = {0};
	int ret = 0;

	while (!ret && line < end) {
		uint32_t before = line;

		ret = map_window(&w, maps->stack_lines, sizeof(struct stack_line), line, end, err);
		if (!ret)
			ret = take_stacks(&w, sink, &line);
		if (!ret && line == before)
			ret = err_set(err, -EIO, "failed to read the stacks: no stack ends there");
	}
	unmap_window(&w);
	return ret;
}

static int clear_stack_slots(const struct set_maps *maps, uint32_t set, struct err *err)
{
	uint32_t first = set * maps->sizes.nr_stack_slots;
	uint32_t end = first + maps->sizes.nr_stack_slots;
	struct window w = {0};
	int ret = 0;

	for (; !ret && first < end; first += w.nr) {
		ret = map_window(&w, maps->stack_slots, sizeof(uint64_t), first, end, err);
		if (!ret)
			memset(w.elements, 0, w.nr * sizeof(uint64_t));
	}
	unmap_window(&w);
	return ret;
}

/* Changes of slices, and which of them are of counts that the sink has got. */
struct changes {
	VEC(struct slice_change) all;
	size_t nr_taken;
};

static int compare_changes(const void *pa, const void *pb)
{
	const struct slice_change *a = pa, *b = pb;

	COMPARE(a->slot, b->slot);
	COMPARE(a->slice, b->slice);
	COMPARE(a->count, b->count);
	return 0;
}

/* Reads the changes of @set, and orders them by count and slice. */
static int read_changes(const struct set_maps *maps, uint32_t set, const struct set_state *state,
			struct changes *changes, struct err *err)
{
	uint32_t first = set * maps->sizes.max_changes;
	uint32_t end = first + min_u64(state->nr_changes, maps->sizes.max_changes);
	struct window w = {0};
	int ret = 0;

	for (; !ret && first < end; first += w.nr) {
		ret = map_window(&w, maps->slice_changes, sizeof(struct slice_change), first, end,
				 err);
		if (!ret)
			ret = vec_append(&changes->all, w.elements, w.nr);
	}
	unmap_window(&w);
	if (!ret && changes->all.nr)
		qsort(changes->all.data, changes->all.nr, sizeof(*changes->all.data),
		      compare_changes);
	return ret;
}

/* Finds the changes of the count at slot @at. Slots must be asked for in their order. */
static void find_changes(struct changes *changes, uint32_t at, struct sampled_count *count)
{
	size_t first = changes->nr_taken, end;

	while (first < changes->all.nr && changes->all.data[first].slot < at)
		first++;
	for (end = first; end < changes->all.nr && changes->all.data[end].slot == at;)
		end++;
	count->changes = changes->all.data + first;
	count->nr_changes = end - first;
	changes->nr_taken = end;
}

/* Calls the sink for the counts in the window, and clears their slots. */
static int take_counts(const struct window *w, struct changes *changes,
		       const struct sampler_sink *sink)
{
	struct count_slot *slots = w->elements;

	for (uint32_t i = 0; i < w->nr; i++) {
		struct sampled_count count = {.key = &slots[i].key, .value = &slots[i].value};
		int ret;

		if (!slots[i].id)
			continue;
		find_changes(changes, w->first + i, &count);
		ret = sink->count(sink->ctx, &count);
		if (ret)
			return ret;
		memset(&slots[i], 0, sizeof(slots[i]));
	}
	return 0;
}

static int drain_counts(const struct set_maps *maps, uint32_t set, const struct set_state *state,
			const struct sampler_sink *sink, struct err *err)
{
	uint32_t first = set * maps->sizes.nr_count_slots;
	uint32_t end = first + maps->sizes.nr_count_slots;
	struct changes changes = {0};
	struct window w = {0};
	int ret = read_changes(maps, set, state, &changes, err);

	for (; !ret && first < end; first += w.nr) {
		ret = map_window(&w, maps->count_slots, sizeof(struct count_slot), first, end, err);
		if (!ret)
			ret = take_counts(&w, &changes, sink);
	}
	unmap_window(&w);
	vec_free(&changes.all);
	return ret;
}

int set_memory_drain(const struct set_maps *maps, uint32_t set, const struct set_state *state,
		     const struct sampler_sink *sink, struct err *err)
{
	int ret = 0;

	if (state->stacks)
		ret = drain_stacks(maps, set, state, sink, err);
	if (!ret && state->stacks)
		ret = clear_stack_slots(maps, set, err);
	if (!ret && state->nr_counts)
		ret = drain_counts(maps, set, state, sink, err);
	return ret;
}
