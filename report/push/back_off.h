/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time to wait before a request is sent again. It doubles with each failure, so that a receiver
 * in trouble is left alone. A part of it is random, so that the hosts of a fleet do not come back
 * all at one time.
 */
#ifndef REPORT_PUSH_BACK_OFF_H
#define REPORT_PUSH_BACK_OFF_H

#include <stdint.h>

/* All zero: no failure yet. */
struct back_off {
	unsigned int nr_failures; /* one after the other */
};

/*
 * Counts a failure. Returns the nanoseconds to wait: a time between half and the whole of the
 * current step, by @random. @retry_after_s is the time that the receiver asked for, 0 if it did
 * not. The receiver can make the time longer, up to ten minutes, and never shorter.
 */
uint64_t back_off_fail(struct back_off *back_off, uint64_t retry_after_s, uint64_t random);

/* A request came through: the next failure is the first one again. */
void back_off_reset(struct back_off *back_off);

#endif
