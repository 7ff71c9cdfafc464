// SPDX-License-Identifier: GPL-2.0-or-later
/* libFuzzer calls these functions of each target. tests/fuzz/input.h describes an input. */
#include "tests/fuzz/budget.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	budget_run(data, len, 0);
	return 0;
}
