/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How outputs show languages. A language that is not here has its short name everywhere. */
#ifndef REPORT_VIEW_SHOWN_LANGUAGES_H
#define REPORT_VIEW_SHOWN_LANGUAGES_H

#include <stdint.h>

struct shown_language {
	const char *key;        /* the short name in recordings */
	const char *name;       /* in pages */
	const char *frame_type; /* of OpenTelemetry, profile.frame.type; NULL: there is none */
	uint32_t hue;           /* in pages, where the next 10 degrees are of this language, too */
};

/* Returns NULL if there is no such language. */
const struct shown_language *shown_language_find(const char *key);

#endif
