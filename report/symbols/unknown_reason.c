// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/symbols/unknown_reason.h"

const char *unknown_reason_text(enum unknown_reason reason)
{
	static const char *const texts[] = {
		[KNOWN] = "known",
		[UNKNOWN_UNMAPPED] = "no mapping",
		[UNKNOWN_ANONYMOUS] = "anonymous memory",
		[UNKNOWN_NOT_RECORDED] = "no symbols in the recording",
		[UNKNOWN_NO_FILE] = "file not found",
		[UNKNOWN_OTHER_FILE] = "file has another build-id",
		[UNKNOWN_CHANGED] = "file has changed since",
		[UNKNOWN_NOT_READABLE] = "file not readable",
		[UNKNOWN_NO_SYMBOLS] = "file has no symbols",
		[UNKNOWN_NO_SYMBOL] = "no symbol at the address",
		[UNKNOWN_BUDGET] = "not read, too much to read",
	};

	return texts[reason];
}

enum unknown_reason unknown_reason_of_miss(enum debug_miss miss)
{
	switch (miss) {
	case DEBUG_OTHER_FILE:
		return UNKNOWN_OTHER_FILE;
	case DEBUG_CHANGED_FILE:
		return UNKNOWN_CHANGED;
	case DEBUG_NOT_READABLE:
		return UNKNOWN_NOT_READABLE;
	default:
		return UNKNOWN_NO_FILE;
	}
}
