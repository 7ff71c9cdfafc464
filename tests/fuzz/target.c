// SPDX-License-Identifier: GPL-2.0-or-later
/* What libFuzzer calls, of each target; tests/fuzz/input.h says what an input is. */
#include "tests/fuzz/input.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	input_run(data, len, 0);
	return 0;
}
