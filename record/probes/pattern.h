/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Patterns of -e that name probes, in the words of bcc's stackcount: func, lib:func, p::func,
 * p:lib:func, t:category:event, u:lib:probe, u:lib:provider:probe. A name may have wildcards (*),
 * or be a regular expression. The words of bpftrace for the types are taken, too.
 */
#ifndef RECORD_PROBES_PATTERN_H
#define RECORD_PROBES_PATTERN_H

#include <regex.h>
#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"

enum pattern_kind {
	PATTERN_KERNEL,     /* functions of the kernel */
	PATTERN_USER,       /* functions of a library or of an executable */
	PATTERN_TRACEPOINT, /* the place is the category */
	PATTERN_USDT,       /* static probes of a library or of an executable */
	PATTERN_EITHER,     /* PLACE:NAME: a tracepoint, or a function of a library */
};

/* One name that may match many. */
struct name_match {
	char *text;
	bool is_regex;
	regex_t regex; /* compiled if is_regex */
};

struct pattern {
	enum pattern_kind kind;
	const char *text;        /* as the user wrote it; borrowed */
	struct name_match place; /* category of tracepoints; library, whose text is a plain name */
	struct name_match provider; /* of static probes; text is NULL: any */
	struct name_match name;
	bool has_offset; /* the name was 0xOFFSET, an offset in the file */
	uint64_t offset;
};

struct pattern_rules {
	bool is_regex;       /* names are regular expressions */
	const char *library; /* a pattern without a place means functions of this; NULL: none */
};

/*
 * Sets *@translated to @text with a word of stackcount in place of bpftrace's, for which the caller
 * calls free; NULL: it has none of these words. Returns 0, -EINVAL with @err set, or -ENOMEM.
 */
int pattern_translate(const char *text, char **translated, struct err *err);

/*
 * Parses @text, which must outlive @pattern. Returns 0, -EINVAL with @err set, or -ENOMEM. The
 * caller calls pattern_deinit in either case.
 */
int pattern_parse(const char *text, const struct pattern_rules *rules, struct pattern *pattern,
		  struct err *err);

void pattern_deinit(struct pattern *pattern);

/* Does the whole of @name match? */
bool name_matches(const struct name_match *match, const char *name);

/* Can the name match several? */
bool name_has_wildcards(const struct name_match *match);

#endif
