// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/schedule.h"

#include "common/clock.h"

/*
 * Epochs share nothing, so each costs its strings, symbols and frames anew: four in 30 seconds make
 * a file a third larger than one. So they grow: each lasts this many times what went before it,
 * within bounds. A kill costs a minute at most, and seconds at the beginning.
 */
#define EPOCH_GROWTH 5
#define EPOCH_MIN_NS (5 * NS_PER_S)
#define EPOCH_MAX_NS (60 * NS_PER_S)

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

void schedule_begin(struct schedule *s, uint64_t start_ns, uint64_t duration_ns,
		    uint64_t interval_ns, uint64_t rotate_ns)
{
	*s = (struct schedule){
		.start_ns = start_ns,
		.epoch_begin_ns = start_ns,
		.interval_ns = interval_ns,
		.rotate_ns = rotate_ns,
		.rotate_due_ns = rotate_ns ? start_ns + rotate_ns : SCHEDULE_NEVER,
		.end_ns = duration_ns ? start_ns + duration_ns : SCHEDULE_NEVER,
	};
}

void schedule_rotate(struct schedule *s, uint64_t start_ns)
{
	s->start_ns = s->epoch_begin_ns = start_ns;
	if (!s->rotate_ns)
		return;
	if (start_ns < s->rotate_due_ns)
		s->rotate_due_ns = start_ns;
	while (s->rotate_due_ns <= start_ns)
		s->rotate_due_ns += s->rotate_ns;
}

uint64_t schedule_interval_end(const struct schedule *s)
{
	if (!s->interval_ns)
		return SCHEDULE_NEVER;
	return s->start_ns +
	       ((s->epoch_begin_ns - s->start_ns) / s->interval_ns + 1) * s->interval_ns;
}

uint64_t schedule_epoch_due(const struct schedule *s)
{
	uint64_t length = EPOCH_GROWTH * (s->epoch_begin_ns - s->start_ns);

	if (length < EPOCH_MIN_NS)
		length = EPOCH_MIN_NS;
	if (length > EPOCH_MAX_NS)
		length = EPOCH_MAX_NS;
	return min_u64(s->epoch_begin_ns + length, schedule_interval_end(s));
}

uint64_t schedule_next(const struct schedule *s)
{
	return min_u64(min_u64(s->rotate_due_ns, s->end_ns), schedule_epoch_due(s));
}

uint64_t schedule_planned_s(const struct schedule *s)
{
	uint64_t due = min_u64(s->rotate_due_ns, s->end_ns);

	return due == SCHEDULE_NEVER ? 0 : (due - s->start_ns + NS_PER_S / 2) / NS_PER_S;
}
