// SPDX-License-Identifier: GPL-2.0-or-later
/* Go's tables are not read yet. Its functions keep frame pointers. */
#include "record/cfi/go_frames.h"

#include <errno.h>

bool go_frames_function(const struct go_table *table, uint64_t i, struct go_function *function)
{
	(void)table, (void)i, (void)function;
	return false;
}

int go_frames_run(const struct go_table *table, const struct go_code codes[static GO_NR_CODES],
		  const struct go_function *function, uint64_t *nr_steps, cfi_row_fn *row,
		  void *ctx)
{
	(void)table, (void)codes, (void)function, (void)nr_steps, (void)row, (void)ctx;
	return -ENODATA;
}
