// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/unwind/early_java.h"

static enum unwind_machine machine_of(const struct early_java *java,
				      const struct early_sample *sample)
{
	return space_maps_machine(java->spaces, sample->key.tgid, sample->space_id);
}

void early_java_expect(const struct early_java *java, const struct early_sample *sample,
		       struct unwind_mapping *mapping)
{
	if (mapping->pages == UNWIND_WITHOUT_TABLE &&
	    machine_of(java, sample) == UNWIND_MACHINE_EXPECTED)
		mapping->pages = UNWIND_TABLE_ASKED_FOR;
}

int early_java_walk(void *ctx, const struct early_sample *sample, struct unwind_frame *frame,
		    struct java_stretch *stretch)
{
	const struct early_java *java = ctx;
	const struct machine *machine = NULL;

	if (machine_of(java, sample) == UNWIND_MACHINE_READY)
		machine = machines_find(java->machines, sample->key.tgid, MACHINE_JAVA);
	if (!machine || !java_stretch_walk(java->machines->looker, machine, sample, frame, stretch))
		return 0;
	for (uint32_t i = 0; i < stretch->nr; i++) {
		int ret = method_names_want_unnamed(java->methods, java->functions, sample,
						    &stretch->frames[i]);

		if (ret)
			return ret;
	}
	return 1;
}
