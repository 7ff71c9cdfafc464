// SPDX-License-Identifier: GPL-2.0-or-later
/* Nothing is known of Go's instructions yet. */
#include "record/cfi/go_code.h"

enum go_code_kind go_code_kind_of(const char *name, size_t left)
{
	(void)name, (void)left;
	return GO_NR_CODES;
}

bool go_code_read(const struct go_code codes[static GO_NR_CODES], enum go_code_kind kind,
		  struct go_stretches *stretches)
{
	(void)codes, (void)kind, (void)stretches;
	return false;
}
