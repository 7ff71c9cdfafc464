// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/fault.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

int fault_set(struct fault *fault, int code, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(fault->text, sizeof(fault->text), fmt, ap);
	va_end(ap);
	return code;
}

int fault_in_row(struct fault *fault, int code, const char *row, uint64_t nr)
{
	struct fault inner = *fault;

	return fault_set(fault, code, "%s %" PRIu64 ": %s", row, nr, inner.text);
}
