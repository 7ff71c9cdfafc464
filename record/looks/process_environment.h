/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The service that the environment of a process names, for programs that publish no context: the
 * variables of OpenTelemetry's SDKs (opentelemetry.io/docs/specs/otel/configuration/
 * sdk-environment-variables). An environment may hold secrets, so it is read only if the user asks.
 */
#ifndef RECORD_LOOKS_PROCESS_ENVIRONMENT_H
#define RECORD_LOOKS_PROCESS_ENVIRONMENT_H

#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/looks/looker.h"

/* The most bytes of an environment that are looked at. */
#define ENVIRONMENT_MAX (64u << 10)

/*
 * Takes OTEL_SERVICE_NAME, and the attributes in OTEL_RESOURCE_ATTRIBUTES that name a service, out
 * of the environment @bytes into @attributes, in place of its contents: key and value by turns,
 * each with a NUL. A variable without its NUL was cut, and is none. Returns 0 or -ENOMEM.
 */
int process_environment_parse(const char *bytes, size_t len, char_vec *attributes);

/*
 * Finds the addresses of the environment, [*begin, *end), in the text of /proc/PID/stat. Returns
 * false if it does not tell them.
 */
bool process_environment_find(const char *stat, uint64_t *begin, uint64_t *end);

/*
 * Has the looker read the environment with which @pid began, into @attributes as
 * process_environment_parse. The process can lie, but about itself alone. Returns 0 or -ENOMEM.
 */
int process_environment_read(struct looker *looker, uint32_t pid, char_vec *attributes);

#endif
