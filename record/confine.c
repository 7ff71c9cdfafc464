// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/confine.h"

#include <linux/capability.h>

#include "common/cleanup.h"
#include "record/system/privilege.h"

static bool can_read_maps(void *ctx)
{
	uint64_t taken;

	return !sampler_taken(ctx, &taken, NULL);
}

static bool can_create(void *ctx)
{
	return recordings_may_create(ctx);
}

static bool can_replace(void *ctx)
{
	const struct recordings *recordings = ctx;

	return outfile_may_replace(&recordings->out);
}

static bool can_keep_tables(void *ctx)
{
	const struct unwinder *unwinder = *(const struct unwinder **)ctx;

	return !unwinder || !unwinder_may_keep(unwinder);
}

static bool has_no_command(void *ctx)
{
	return !*(const bool *)ctx;
}

int confine_recorder(struct sampler *sampler, struct recordings *recordings, bool has_command,
		     const struct unwinder *unwinder, struct err *err)
{
	const struct privilege_need needs[] = {
		/*
		 * Before Linux 5.19 every bpf() call, while unprivileged_bpf_disabled is set; later
		 * those that make maps, as for the tables of an unwinder.
		 */
		{CAP_BPF, unwinder ? NULL : can_read_maps, sampler},
		/* The rename, and in the sticky directory of another user over his file. */
		{CAP_DAC_OVERRIDE, can_create, recordings},
		{CAP_DAC_OVERRIDE, can_keep_tables, &unwinder},
		{CAP_FOWNER, can_replace, recordings},
		/* Late looks at processes: maps, files that only their users may read, map_files.
		 */
		{CAP_SYS_PTRACE, NULL, NULL},
		{CAP_DAC_READ_SEARCH, NULL, NULL},
		{CAP_CHECKPOINT_RESTORE, NULL, NULL},
		/* To end a command that has become another user. */
		{CAP_KILL, has_no_command, &has_command},
	};

	return privilege_drop(needs, ARRAY_SIZE(needs), err);
}
