/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the environment says of the receiver, as for every program that speaks OTLP
 * (opentelemetry.io/docs/specs/otel/protocol/exporter).
 */
#ifndef REPORT_PUSH_OTLP_ENVIRONMENT_H
#define REPORT_PUSH_OTLP_ENVIRONMENT_H

#include "common/err.h"
#include "common/option_spec.h"

/* Returns the URL, borrowed from the environment; NULL: it has none. */
const char *otlp_environment_url(void);

/*
 * Appends the headers of the environment to @headers, as "NAME: VALUE" that the caller frees.
 * Returns 0 or a negative errno with @err set, which never holds a value: it may be a secret.
 */
int otlp_environment_headers(string_vec *headers, struct err *err);

#endif
