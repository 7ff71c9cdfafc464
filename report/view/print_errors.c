// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/print_errors.h"

#include <string.h>

int print_error_set(int ret, const char *name, struct err *err)
{
	return ret ? err_set(err, ret, "failed to report '%s': %s", name, strerror(-ret)) : 0;
}

int print_flush(struct textbuf *out, struct err *err)
{
	int ret = textbuf_flush(out);

	return ret ? err_set(err, ret, "failed to write the report: %s", strerror(-ret)) : 0;
}
