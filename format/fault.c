// SPDX-License-Identifier: GPL-2.0-or-later
#include "format/fault.h"

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
