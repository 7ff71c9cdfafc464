// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/run/confine.h"

#include <linux/capability.h>

#include "common/cleanup.h"
#include "record/host/privilege.h"

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

static bool needs_no_owner(void *ctx)
{
	const struct recordings *recordings = ctx;

	return !recordings->is_pattern || !recordings->out.is_given;
}

static bool can_keep_tables(void *ctx)
{
	const struct unwinder *unwinder = *(const struct unwinder **)ctx;
	int reason;

	return !unwinder || unwinder_may_keep(unwinder, &reason);
}

int confine_recorder(struct sampler *sampler, struct recordings *recordings,
		     const struct unwinder *unwinder, struct err *err)
{
	const struct privilege_need needs[] = {
		/*
		 * Before Linux 5.19 every bpf() call takes it if unprivileged_bpf_disabled is set.
		 * Later kernels ask for it when maps are made, as the unwinder's tables are.
		 */
		{CAP_BPF, unwinder ? NULL : can_read_maps, sampler},
		/* To give the file its name in a directory of another user. */
		{CAP_DAC_OVERRIDE, can_create, recordings},
		/* To keep unwind tables in a directory of another user. */
		{CAP_DAC_OVERRIDE, can_keep_tables, &unwinder},
		/* To give the next files to the user who called sudo. */
		{CAP_CHOWN, needs_no_owner, recordings},
		/* To replace a file of another user in a sticky directory. */
		{CAP_FOWNER, can_replace, recordings},
		/*
		 * The next three are for a looker that takes over (record/looks/looker.h). To read
		 * /proc/PID/maps of processes that begin later:
		 */
		{CAP_SYS_PTRACE, NULL, NULL},
		/* To read mapped files that only their users may read. */
		{CAP_DAC_READ_SEARCH, NULL, NULL},
		/* To open /proc/PID/map_files. */
		{CAP_CHECKPOINT_RESTORE, NULL, NULL},
		/* To end children that have users of their own, and a command that became another
		   user. */
		{CAP_KILL, NULL, NULL},
	};

	return privilege_drop(needs, ARRAY_SIZE(needs), err);
}
