/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ids that /etc/subuid gives to users, and by which owner each of them counts. */
#ifndef RECORD_SHARES_OWNER_IDS_H
#define RECORD_SHARES_OWNER_IDS_H

#include <stdint.h>

#include "bpf/owner_room.h"

/*
 * Reads @path, whose format is that of subuid(5). Before that, and where there is no such file,
 * each id counts by itself. So do ids below OWNER_IDS, and those beyond OWNER_RANGES_MAX ranges.
 * Returns 0 or -ENOMEM.
 */
int owner_ids_read(const char *path);

/* The id by which @uid counts in all that is shared by users: see bpf/owner_room.h. */
uint32_t owner_id(uint32_t uid);

/* What was read, for the programs. */
extern struct owner_range owner_ranges_read[OWNER_RANGES_MAX];

#endif
