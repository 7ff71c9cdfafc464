/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The time that a fuzz target may take for one input. No input of INPUT_MAX_BYTES may keep the
 * programs busy for longer, so this holds in the replay of a corpus, too.
 */
#ifndef TESTS_FUZZ_BUDGET_H
#define TESTS_FUZZ_BUDGET_H

#include <stddef.h>
#include <stdint.h>

/* Milliseconds of CPU time, of this process and of the children that it waits for. */
#define BUDGET_MS 1000

/* Runs input_run. Aborts if that takes more than the budget. */
void budget_run(const uint8_t *data, size_t len, int verbose);

#endif
