/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tells the BPF program how to walk the code that HotSpot has made in a process. The looker reads
 * that from the process.
 */
#ifndef RECORD_UNWIND_JAVA_MACHINES_H
#define RECORD_UNWIND_JAVA_MACHINES_H

#include <stdbool.h>
#include <stdint.h>

#include "bpf/languages.h"
#include "record/system/looker.h"

/*
 * Reads the machine of @pid, whose library is @in with offset 0 of the file at @base, into @map,
 * that of bpf/java_frames.h. Returns false if there is none, or none yet.
 */
bool java_machines_put(int map, struct looker *looker, uint32_t pid, const struct interpreter *in,
		       uint64_t base);

#endif
