/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The short names of interpreted languages. */
#ifndef RECORD_LANGUAGES_LANGUAGE_NAMES_H
#define RECORD_LANGUAGES_LANGUAGE_NAMES_H

#include <stdint.h>

#include "bpf/languages.h"

/* All languages, one bit 1 << enum language each. */
#define ALL_LANGUAGES (((1u << NR_LANGUAGES) - 1) & ~(1u << LANGUAGE_NONE))

/* The short name of @language, "py"; "" if there is no such language. */
const char *language_name(enum language language);

/* The short name of functions of @language that a compiler has put into others, "java,inl". */
const char *language_inlined_name(enum language language);

/*
 * Parses a list of names with commas, or "none", into @target, a uint32_t with a bit for each
 * language. Returns 0 or -EINVAL.
 */
int language_names_parse(const char *text, void *target);

#endif
