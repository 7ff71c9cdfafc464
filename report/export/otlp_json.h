/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * OTLP's mapping to JSON (opentelemetry.io/docs/specs/otlp, "JSON Protobuf Encoding"): that of
 * protobuf, with names in lowerCamelCase and ids in hexadecimal digits.
 */
#ifndef REPORT_EXPORT_OTLP_JSON_H
#define REPORT_EXPORT_OTLP_JSON_H

#include "report/text/textbuf.h"

/* Appends the request that was packed as @len @bytes. Returns 0 or -ENOMEM. */
int otlp_json_put(struct textbuf *out, const void *bytes, size_t len);

#endif
