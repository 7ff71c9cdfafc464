/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user of the current task, as one of those who share room for what the programs send. */
#ifndef BPF_CURRENT_OWNER_H
#define BPF_CURRENT_OWNER_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/owner_room.h"
#include "bpf/setting.h"

__setting struct owner_range owner_ranges[OWNER_RANGES_MAX];

/* The id by which that user counts, for owner_room_of. */
__verified_once __u32 current_owner(void)
{
	return owner_id_in(owner_ranges, bpf_get_current_uid_gid());
}

#endif
