/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPU lists: which CPUs are online, and lists as the kernel and users write them ("0-3,7"). */
#ifndef RECORD_CPUS_H
#define RECORD_CPUS_H

#include "common/err.h"
#include "common/parse.h"

/* Appends the CPUs that are online, ascending. Returns 0 or a negative errno with @err set. */
int cpus_online(u32_vec *cpus, struct err *err);

/* Writes @cpus, which are ascending, in list form. Returns a string the caller frees, or NULL. */
char *cpus_format(const u32_vec *cpus);

#endif
