// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/err.h"

#include <stdarg.h>

#include "common/text.h"

int err_set(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	vsnprintf(err->text, sizeof(err->text), fmt, ap);
	va_end(ap);
	err->hint[0] = '\0';
	return code;
}

int err_hint(struct err *err, int code, const char *fmt, ...)
{
	va_list ap;

	if (!err)
		return code;
	va_start(ap, fmt);
	vsnprintf(err->hint, sizeof(err->hint), fmt, ap);
	va_end(ap);
	return code;
}

void err_print(const struct err *err, const char *program, FILE *out)
{
	fprintf(out, "%s: ", program);
	text_print(out, err->text, TEXT_MESSAGE);
	fputc('\n', out);
	if (err->hint[0]) {
		fprintf(out, "%s: hint: ", program);
		text_print(out, err->hint, TEXT_MESSAGE);
		fputc('\n', out);
	}
}
