/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the program of the processes whose threads publish the requests that they work for. Nothing
 * says when a process begins to, and its context can change at any time. So the recorder looks when
 * the process has its first sample or new mappings, then less and less often, and once a second
 * where it has found a context.
 */
#ifndef RECORD_UNWIND_SPACE_CONTEXTS_H
#define RECORD_UNWIND_SPACE_CONTEXTS_H

#include "record/unwind/space_maps.h"

/* Looks at the processes for which it is time. */
void space_contexts_look(struct space_maps *spaces);

#endif
