// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/schedule.h"

#include <stdbool.h>

#include "common/clock.h"
#include "common/minmax.h"

/*
 * Epochs share no tables, so each stores its strings, symbols and frames anew. Four epochs in 30
 * seconds make a file a third larger than one epoch does. Therefore epochs grow: an epoch lasts
 * this many times as long as the recording did before it, within bounds. A kill costs the samples
 * of a minute at most, and of seconds at the beginning.
 */
#define EPOCH_GROWTH 5
#define EPOCH_MIN_NS (5 * NS_PER_S)
#define EPOCH_MAX_NS (60 * NS_PER_S)

#define NAMES_PAUSE_MAX_NS (30 * NS_PER_S)

/* SCHEDULE_NEVER if @length_ns is 0. */
static uint64_t time_after(uint64_t start_ns, uint64_t length_ns)
{
	return length_ns ? start_ns + length_ns : SCHEDULE_NEVER;
}

void schedule_begin(struct schedule *s, uint64_t start_ns, const struct schedule_lengths *lengths)
{
	*s = (struct schedule){
		.lengths = *lengths,
		.start_ns = start_ns,
		.epoch_begin_ns = start_ns,
		.rotate_due_ns = time_after(start_ns, lengths->rotate_ns),
		.status_due_ns = time_after(start_ns, lengths->status_ns),
		.names_due_ns = time_after(start_ns, lengths->names_ns),
		.end_ns = time_after(start_ns, lengths->duration_ns),
	};
}

void schedule_rotate(struct schedule *s, uint64_t start_ns)
{
	s->start_ns = s->epoch_begin_ns = start_ns;
	if (!s->lengths.rotate_ns)
		return;
	if (start_ns < s->rotate_due_ns)
		s->rotate_due_ns = start_ns;
	while (s->rotate_due_ns <= start_ns)
		s->rotate_due_ns += s->lengths.rotate_ns;
}

uint64_t schedule_interval_end(const struct schedule *s)
{
	uint64_t interval_ns = s->lengths.interval_ns;

	if (!interval_ns)
		return SCHEDULE_NEVER;
	return s->start_ns + ((s->epoch_begin_ns - s->start_ns) / interval_ns + 1) * interval_ns;
}

/* When the recorder has to write the epoch at hand. */
static uint64_t epoch_due(const struct schedule *s)
{
	uint64_t length = EPOCH_GROWTH * (s->epoch_begin_ns - s->start_ns);

	if (length < EPOCH_MIN_NS)
		length = EPOCH_MIN_NS;
	if (length > EPOCH_MAX_NS)
		length = EPOCH_MAX_NS;
	return min_u64(s->epoch_begin_ns + length, schedule_interval_end(s));
}

void schedule_asked(struct schedule *s, uint64_t now_ns)
{
	s->names_due_ns = now_ns + min_u64(now_ns - s->start_ns, NAMES_PAUSE_MAX_NS);
}

uint64_t schedule_next(const struct schedule *s)
{
	uint64_t next_ns = min_u64(s->rotate_due_ns, s->end_ns);

	next_ns = min_u64(next_ns, min_u64(s->status_due_ns, s->names_due_ns));
	return min_u64(next_ns, epoch_due(s));
}

int schedule_due(const struct schedule *s, uint64_t now_ns, int asked)
{
	int due = asked;

	if (now_ns >= s->end_ns)
		return DUE_END;
	if (now_ns >= s->rotate_due_ns)
		due |= DUE_FILE;
	if (now_ns >= epoch_due(s) || due & DUE_FILE)
		due |= DUE_EPOCH;
	if (now_ns >= s->names_due_ns)
		due |= DUE_NAMES;
	if (due & (DUE_EPOCH | DUE_NAMES))
		due |= DUE_DRAIN;
	if (now_ns >= s->status_due_ns)
		due |= DUE_STATUS;
	return due;
}

uint64_t schedule_planned_ns(const struct schedule *s)
{
	uint64_t due = min_u64(s->rotate_due_ns, s->end_ns);
	bool is_whole = !(s->lengths.rotate_ns % NS_PER_S) && !(s->lengths.duration_ns % NS_PER_S);
	uint64_t unit = is_whole ? NS_PER_S : NS_PER_MS;

	return due == SCHEDULE_NEVER ? 0 : (due - s->start_ns + unit / 2) / unit * unit;
}
