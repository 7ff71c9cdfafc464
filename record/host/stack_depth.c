// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/host/stack_depth.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "common/minmax.h"
#include "common/parse.h"
#include "common/readfile.h"
#include "format/prof.h"

#define SYSCTL_PATH "/proc/sys/kernel/perf_event_max_stack"

uint32_t stack_depth_limit(void)
{
	char_vec text = {0};
	uint64_t limit = STACK_DEPTH_DEFAULT;

	if (!read_file(SYSCTL_PATH, 64, &text)) {
		text.data[strcspn(text.data, "\n")] = '\0';
		parse_u64(text.data, 0, UINT32_MAX, &limit);
	}
	vec_free(&text);
	return limit;
}

int stack_depth_choose(uint64_t wanted, uint32_t limit, bool by_tables, struct stack_depth *depth,
		       struct err *err)
{
	if (wanted > limit && !by_tables) {
		err_set(err, -E2BIG,
			"failed to record stacks of %" PRIu64
			" frames: kernel.perf_event_max_stack allows %" PRIu32,
			wanted, limit);
		return err_hint(err, -E2BIG, "sysctl kernel.perf_event_max_stack=%" PRIu64, wanted);
	}
	/* The programs need room even if the kernel allows none. */
	depth->of_helper = max_u64(1, min_u64(limit, wanted ? wanted : STACK_DEPTH_DEFAULT));
	if (by_tables)
		depth->most = wanted ? wanted : STACK_DEPTH_BY_TABLES;
	else
		depth->most = depth->of_helper;
	return 0;
}
