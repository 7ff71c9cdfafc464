// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "record/epoch/epoch_files.h"
#include "record/epoch/epoch_kernel.h"
#include "record/epoch/epoch_labels.h"
#include "record/epoch/epoch_names.h"
#include "record/epoch/epoch_slices.h"
#include "record/epoch/epoch_tables.h"
#include "record/epoch/epoch_user.h"
#include "record/epoch/switch_stacks.h"
#include "record/epoch/turns.h"

/*
 * An epoch is written when it holds this much, well within the format's limits. That bounds the
 * recorder's memory (about 8 MB, and as much while it is encoded), however many stacks and
 * processes there are.
 */
#define LARGE_STACKS       (32u << 10)
#define LARGE_STACK_FRAMES (512u << 10)
#define LARGE_FRAMES       (96u << 10)
#define LARGE_PROCESSES    (4u << 10)

/*
 * These limits bound things that processes choose at will: paths of 4 KB, and mappings of a page
 * each. A single stack may add 2,048 paths, 8 MB, and names of JIT code come on top. A section of
 * an epoch has room for 16 MiB (doc/prof-format.md).
 */
#define LARGE_STRING_BYTES (2u << 20)
#define LARGE_OBJECTS      (32u << 10)
#define LARGE_MAPPINGS     (64u << 10)
#define LARGE_SYMBOLS      (128u << 10)
#define LARGE_SLICES       (128u << 10)

struct epoch {
	struct epoch_sources sources;
	struct epoch_tables tables;
	struct epoch_user user;
	struct epoch_kernel kernel;
	struct epoch_labels labels;
	struct turns turns; /* of the count at hand */
	struct epoch_slices slices;
	struct owed_names owed; /* to earlier epochs of the recording */
	/*
	 * The sums of the counts of each event in the recording, and the counts that did not fit.
	 */
	uint64_t sums[MAX_EVENTS], overflows[MAX_EVENTS];
};

/* The part of @nr that fits in the sum of @event. */
static uint64_t fit_in_sum(struct epoch *e, uint8_t event, uint64_t nr)
{
	if (nr > UINT64_MAX - e->sums[event]) {
		nr = UINT64_MAX - e->sums[event];
		e->overflows[event]++;
	}
	e->sums[event] += nr;
	return nr;
}

/* The address space of process @tgid at the end of @count, NULL for 0. Returns 0 or -ENOMEM. */
static int get_space(const struct epoch *e, const struct raw_count *count, uint32_t tgid,
		     struct address_space **space)
{
	*space = NULL;
	return tgid ? address_spaces_get(e->sources.spaces, tgid, count->value.last_ns, space) : 0;
}

/*
 * The user stack of the waker of @count, whose kernel stack is @kernel. Its space is NULL if there
 * is no such stack, or if it belongs to a task that an interrupt met.
 */
static int get_waker(const struct epoch *e, const struct raw_count *count, struct raw_stack *kernel,
		     struct user_stack *user)
{
	const struct raw_waker *waker = &count->waker;
	uint64_t time_ns = count->value.first_ns;
	bool has_stack = waker->user.id != STACK_NONE;

	*kernel = waker->kernel;
	*user = (struct user_stack){.time_ns = count->value.last_ns, .raw = &waker->user};
	switch_stack_drop_tracer(e->sources.ksyms, time_ns, kernel);
	if (switch_stack_cut_interrupt(e->sources.ksyms, time_ns, kernel))
		has_stack = false;
	return get_space(e, count, has_stack ? waker->tgid : 0, &user->space);
}

/* Adds the stacks of the task that ended the wait. */
static int add_waker(struct epoch *e, const struct raw_count *count, struct prof_count *row)
{
	struct prof_count waker = {0};
	struct raw_stack kernel;
	struct user_stack user;
	int ret = get_waker(e, count, &kernel, &user);

	if (!ret && user.space)
		ret = epoch_user_add(&e->user, &user, &waker);
	row->waker_user_stack = waker.user_stack;
	return ret ? ret
		   : epoch_kernel_add(&e->kernel, &kernel, count->value.first_ns,
				      &row->waker_kernel_stack);
}

/*
 * Adds @nr samples of @count, all taken with the mappings of @time_ns. @space is NULL for idle
 * tasks.
 */
static int add_samples(struct epoch *e, const struct raw_count *count, struct address_space *space,
		       uint64_t nr, uint64_t time_ns)
{
	const struct user_stack user = {.space = space, .time_ns = time_ns, .raw = &count->user};
	const struct count_key *key = count->key;
	struct prof_count row = {
		.count = fit_in_sum(e, key->event, nr), .event = key->event, .tid = key->tid};
	struct raw_stack kernel = count->kernel;
	uint32_t id;
	int ret;

	if (!row.count)
		return 0;
	ret = epoch_tables_string(&e->tables, key->comm, strnlen(key->comm, sizeof(key->comm)),
				  &row.comm);

	if (!ret && space)
		ret = epoch_user_add(&e->user, &user, &row);
	switch_stack_drop_tracer(e->sources.ksyms, count->value.first_ns, &kernel);
	if (!ret)
		ret = epoch_kernel_add(&e->kernel, &kernel, count->value.first_ns,
				       &row.kernel_stack);
	if (!ret)
		ret = add_waker(e, count, &row);
	if (!ret)
		ret = epoch_labels_find(&e->labels, &count->labels, &row.label_set);
	if (!ret)
		ret = epoch_tables_count(&e->tables, &row, &id);
	return ret ? ret : epoch_slices_add(&e->slices, id, row.count);
}

/* Did mappings of @space change while the samples of the count were taken? */
static bool has_changed(const struct raw_count *count, const struct address_space *space)
{
	const struct count_value *value = &count->value;

	return space && value->count > 1 &&
	       address_space_has_changed(space, value->first_ns, value->last_ns);
}

void epoch_begin_drain(struct epoch *e)
{
	rescans_clear(&e->user.rescans);
}

int epoch_prepare(struct epoch *e, const struct raw_count *count)
{
	struct raw_stack kernel;
	struct user_stack user;
	int ret = get_waker(e, count, &kernel, &user);

	if (!ret && user.space && !user.space->memory->complete)
		ret = epoch_user_prepare(&e->user, &user);
	user = (struct user_stack){.time_ns = count->value.last_ns, .raw = &count->user};
	if (!ret)
		ret = get_space(e, count, count->key->tgid, &user.space);
	if (ret || !user.space || user.space->memory->complete)
		return ret;
	ret = epoch_user_prepare(&e->user, &user);
	if (ret || !has_changed(count, user.space))
		return ret;
	user.time_ns = count->value.first_ns;
	return epoch_user_prepare(&e->user, &user);
}

/* Adds the samples of a count to the meanings that its addresses had in turn. */
static int add_turns(struct epoch *e, const struct raw_count *count, struct address_space *space)
{
	int ret = turns_divide(&e->turns, space, &count->user, &count->value);

	vec_for_each(&e->turns.turns, turn)
		if (!ret && turn->nr_samples)
			ret = add_samples(e, count, space, turn->nr_samples, turn->time_ns);
	return ret;
}

int epoch_add(struct epoch *e, const struct raw_count *count)
{
	const struct count_value *value = &count->value;
	struct address_space *space;
	int ret = get_space(e, count, count->key->tgid, &space);

	if (ret)
		return ret;
	epoch_slices_begin_count(&e->slices, count);
	return has_changed(count, space)
		       ? add_turns(e, count, space)
		       : add_samples(e, count, space, value->count, value->last_ns);
}

void epoch_begin_recording(struct epoch *e)
{
	if (e->sources.names)
		file_names_begin_recording(e->sources.names);
	memset(e->sums, 0, sizeof(e->sums));
	memset(e->overflows, 0, sizeof(e->overflows));
}

const uint64_t *epoch_overflows(const struct epoch *e)
{
	return e->overflows;
}

void epoch_begin_slices(struct epoch *e, uint64_t begin_ns, uint64_t slice_ns)
{
	e->slices.length_ns = slice_ns;
	e->slices.begin_ns = begin_ns;
}

bool epoch_is_large(const struct epoch *e)
{
	return e->tables.stacks.nr >= LARGE_STACKS || e->tables.counts.nr >= LARGE_STACKS ||
	       e->tables.stack_frames.nr >= LARGE_STACK_FRAMES ||
	       e->tables.frames.nr >= LARGE_FRAMES || e->tables.processes.nr >= LARGE_PROCESSES ||
	       e->tables.string_bytes.nr >= LARGE_STRING_BYTES ||
	       e->tables.objects.nr >= LARGE_OBJECTS || e->tables.nr_mappings >= LARGE_MAPPINGS ||
	       e->tables.symbols.nr >= LARGE_SYMBOLS || e->slices.parts.nr >= LARGE_SLICES;
}

size_t epoch_nr_counts(const struct epoch *e)
{
	return e->tables.counts.nr;
}

int epoch_ask_names(struct epoch *e, uint64_t urgent_ns)
{
	struct file_names *names = e->sources.names;

	return names ? epoch_files_ask(&e->tables, names, &e->owed, urgent_ns) : 0;
}

bool epoch_owes_names(const struct epoch *e)
{
	return e->owed.objects.nr;
}

void epoch_end_recording(struct epoch *e)
{
	if (e->sources.names)
		epoch_files_give_up(e->sources.names, &e->owed);
}

int epoch_finish(struct epoch *e, uint64_t begin_ns, uint64_t end_ns, struct prof_epoch *tables)
{
	int ret = e->sources.vdso ? epoch_names_vdso(&e->tables, e->sources.vdso) : 0;

	if (!ret && e->sources.jit)
		ret = epoch_names_jit(&e->tables, e->sources.jit);
	if (!ret && e->sources.names)
		ret = epoch_files_add(&e->tables, e->sources.names, &e->owed);
	if (!ret)
		ret = epoch_tables_lay_out(&e->tables, tables);
	if (ret)
		return ret;
	tables->begin_ns = begin_ns;
	tables->end_ns = end_ns;
	epoch_slices_lay_out(&e->slices, tables);
	return 0;
}

int epoch_reset(struct epoch *e)
{
	epoch_user_reset(&e->user);
	epoch_kernel_reset(&e->kernel);
	epoch_labels_reset(&e->labels);
	vec_clear(&e->slices.parts);
	if (e->sources.jit)
		jit_reset(e->sources.jit);
	return epoch_tables_reset(&e->tables);
}

int epoch_create(const struct epoch_sources *sources, struct epoch **epoch)
{
	struct epoch *e = calloc(1, sizeof(*e));

	if (!e)
		return -ENOMEM;
	e->sources = *sources;
	e->user = (struct epoch_user){
		.sources = &e->sources, .tables = &e->tables, .rescans.looks = sources->looks};
	e->kernel = (struct epoch_kernel){.ksyms = sources->ksyms, .tables = &e->tables};
	e->labels = (struct epoch_labels){.sources = &e->sources, .tables = &e->tables};
	if (epoch_reset(e)) {
		epoch_destroy(e);
		return -ENOMEM;
	}
	*epoch = e;
	return 0;
}

void epoch_destroy(struct epoch *e)
{
	if (!e)
		return;
	epoch_user_deinit(&e->user);
	epoch_kernel_deinit(&e->kernel);
	epoch_labels_deinit(&e->labels);
	turns_deinit(&e->turns);
	vec_free(&e->slices.parts);
	owed_names_deinit(&e->owed);
	epoch_tables_deinit(&e->tables);
	free(e);
}
