/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The reasons for which frames stay without names. */
#ifndef REPORT_SYMBOLS_UNKNOWN_REASON_H
#define REPORT_SYMBOLS_UNKNOWN_REASON_H

#include "report/files/candidate.h"

/* The reason for which a frame has no name. */
enum unknown_reason {
	KNOWN = 0,
	UNKNOWN_UNMAPPED,  /* no mapping covers the address */
	UNKNOWN_ANONYMOUS, /* memory without a file, and the recording has no symbols for it */
	/* kernel or vdso, whose symbols come with the recording or not at all */
	UNKNOWN_NOT_RECORDED,
	UNKNOWN_NO_FILE,      /* the file was not found */
	UNKNOWN_OTHER_FILE,   /* a file with another build-id is there */
	UNKNOWN_CHANGED,      /* the file has changed since the recording */
	UNKNOWN_NOT_READABLE, /* the file cannot be opened or is no proper ELF file */
	UNKNOWN_NO_SYMBOLS,   /* the file has no function symbols */
	UNKNOWN_NO_SYMBOL,    /* no symbol covers the address */
	UNKNOWN_BUDGET,       /* the files of the report are too large together */
};

/* Returns the reason in a few words. */
const char *unknown_reason_text(enum unknown_reason reason);

/* Returns the reason for which an object without files has no names. */
enum unknown_reason unknown_reason_of_miss(enum debug_miss miss);

#endif
