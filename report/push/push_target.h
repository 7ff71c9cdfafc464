/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The receiver of profiles, as the user names it, and the labels that the user adds. */
#ifndef REPORT_PUSH_PUSH_TARGET_H
#define REPORT_PUSH_PUSH_TARGET_H

#include "common/option_spec.h"

/* Labels of one profile: Pyroscope's max_label_names_per_series, less those that profrep makes. */
#define USER_LABELS_MAX 26

/* All is borrowed. A member that the user did not give is NULL, 0 or empty. */
struct push_target {
	const char *url;
	string_vec headers;     /* NAME:VALUE */
	string_vec labels;      /* NAME=VALUE */
	const char *token_file; /* a token, or the password of user */
	const char *user, *tenant, *ca_file;
	bool is_otlp; /* it takes OTLP, not Pyroscope's Push API */
};

/* Checks headers, labels and tenant. Returns 0, or -EINVAL with @err set. */
int push_target_check(const struct push_target *target, struct err *err);

/*
 * Returns the value of the label @name that the user gave, NULL if there is none. Of several the
 * last one counts.
 */
const char *push_target_label(const struct push_target *target, const char *name);

/* Returns true if the user gave a header with a secret in it. */
bool push_target_has_secret(const struct push_target *target);

/* Returns true if @host, as in a URL, is of this machine: its traffic passes no network. */
bool host_is_loopback(const char *host);

/*
 * Reads the token in @file into @token of @size bytes. White space at the end is none of it.
 * Returns 0 or a negative errno with @err set, which never holds the token: -EINVAL for a file that
 * is empty or has characters that a header cannot have.
 */
int push_token_read(const char *file, char *token, size_t size, struct err *err);

#endif
