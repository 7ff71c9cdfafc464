/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The context that a process publishes of itself for profilers: OpenTelemetry's OTEP 4719. It is a
 * small mapping whose name says OTEL_CTX, and a message in protobuf with the attributes of the
 * process's resource.
 */
#ifndef RECORD_LOOKS_PROCESS_CONTEXT_H
#define RECORD_LOOKS_PROCESS_CONTEXT_H

#include <stddef.h>
#include <stdint.h>

#include "common/vec.h"
#include "record/looks/label_keys.h"
#include "record/looks/resident_memory.h"
#include "record/looks/looker.h"

/*
 * Takes the attributes that name a service out of the message @bytes into @attributes, in place of
 * its contents: key and value by turns, each with a NUL. Takes what stands before an error. Returns
 * 0 or -ENOMEM.
 */
int process_context_parse(const void *bytes, size_t len, char_vec *attributes);

/*
 * Has the looker read the context of @pid: at *@addr, or if there is none, wherever it is. Sets
 * *@addr, 0 where there is none, and @attributes as process_context_parse. The process can lie, but
 * about itself alone. Returns 0 or -ENOMEM.
 */
int process_context_read(struct looker *looker, uint32_t pid, uint64_t *addr, char_vec *attributes);

/* The most bytes of a message that are read. */
#define CONTEXT_MESSAGE_MAX 16384

struct process_context {
	uint64_t addr;         /* 0: look for it */
	uint64_t published_ns; /* changes when the process changes the message */
	size_t nr;             /* bytes */
	char message[CONTEXT_MESSAGE_MAX];
};

/*
 * Reads the context of the process of @memory: at context->addr, or if there is none, wherever it
 * is. Only the looker calls this. Returns 0; -ENOENT with the address 0 if there is none; -ENOMEM.
 */
int process_context_fetch(struct resident_memory *memory, struct process_context *context);

/*
 * Do the threads of a process with the message @bytes publish their requests in a form that is
 * known? Sets @numbers: for each number of an attribute, its place among @wanted and 1, or 0.
 */
bool process_context_keys(const void *bytes, size_t len, const struct label_keys *wanted,
			  uint8_t numbers[LABEL_NAMES_MAX]);

#endif
