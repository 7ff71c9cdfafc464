/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Frames of Java in early samples: where their machines are, and who wants their names. */
#ifndef RECORD_UNWIND_EARLY_JAVA_H
#define RECORD_UNWIND_EARLY_JAVA_H

#include "record/machines/java_stretch.h"
#include "record/machines/method_names.h"
#include "record/unwind/space_maps.h"

struct early_java {
	const struct space_maps *spaces;
	const struct machines *machines;
	struct method_names *methods;
	const struct function_names *functions;
};

/*
 * Code of a machine that has not begun yet is like code whose table is being made: @mapping of the
 * process of @sample says so from now on.
 */
void early_java_expect(const struct early_java *java, const struct early_sample *sample,
		       struct unwind_mapping *mapping);

/* An early_samples_java_fn. @ctx is a struct early_java. */
int early_java_walk(void *ctx, const struct early_sample *sample, struct unwind_frame *frame,
		    struct java_stretch *stretch);

#endif
