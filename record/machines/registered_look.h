/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The looker reads what processes have registered (record/machines/registered_code.h), in a bounded
 * time.
 */
#ifndef RECORD_MACHINES_REGISTERED_LOOK_H
#define RECORD_MACHINES_REGISTERED_LOOK_H

#include <stdint.h>

#include "record/looks/file_send.h"
#include "record/looks/looker.h"
#include "record/machines/registered_code.h"

/* Has the looker do registered_code_read in process @pid. Also returns errors of looker_ask. */
int registered_code_ask(struct looker *looker, uint32_t pid, uint64_t descriptor,
			struct registered_code *code);

/*
 * As file_send, of the file that registered_code_write makes of the process of @place, with
 * place->start as base and place->made_by as descriptor.
 */
int registered_code_send(struct looker *looker, const struct file_place *place,
			 const struct file_message *message, struct sent_file *sent);

/*
 * Has the looker do registered_code_name. Returns a descriptor of the lines, which is the caller's,
 * or a negative errno.
 */
int registered_code_describe(struct looker *looker, uint32_t pid, uint64_t descriptor);

#endif
