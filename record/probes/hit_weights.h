/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The weights of --weight: argN[:TYPE] of functions, FIELD of tracepoints, and after them :bytes or
 * :ns for the unit. In the place of hits, the recording then sums them up.
 */
#ifndef RECORD_PROBES_HIT_WEIGHTS_H
#define RECORD_PROBES_HIT_WEIGHTS_H

#include <stdint.h>

#include "bpf/shared.h"
#include "common/err.h"
#include "format/prof.h"
#include "record/probes/tracepoints.h"

struct hit_weight {
	struct weight weight;
	char *name; /* of the argument or the field, with the type but without the unit */
	enum prof_event_unit unit;
};

/*
 * Parses @text. Fields still lack their place. Returns 0, -EINVAL with @err set, or -ENOMEM. The
 * caller frees the name in either case.
 */
int hit_weight_parse(const char *text, struct hit_weight *weight, struct err *err);

/*
 * Finds the place of the field, which must be one in all of @tracepoints. Returns 0 or a negative
 * errno with @err set.
 */
int hit_weight_find_field(struct hit_weight *weight, const tracepoint_vec *tracepoints,
			  struct err *err);

#endif
