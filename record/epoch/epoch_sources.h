/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where an epoch looks up addresses and names. */
#ifndef RECORD_EPOCH_EPOCH_SOURCES_H
#define RECORD_EPOCH_EPOCH_SOURCES_H

#include "record/process/address_spaces.h"
#include "record/looks/label_keys.h"
#include "record/looks/look_budget.h"
#include "record/process/new_processes.h"
#include "record/symbols/file_names.h"
#include "record/symbols/function_names.h"
#include "record/symbols/jit.h"
#include "record/symbols/ksyms.h"
#include "record/symbols/vdso.h"
#include "record/unwind/interpreter_maps.h"

struct epoch_sources {
	struct address_spaces *spaces;
	struct ksyms *ksyms;
	struct new_processes *new_processes;         /* NULL: none */
	const struct vdso *vdso;                     /* NULL: none */
	struct jit *jit;                             /* NULL: none */
	struct file_names *names;                    /* NULL: none */
	const struct function_names *functions;      /* NULL: none */
	const struct interpreter_maps *interpreters; /* NULL: none */
	const struct label_keys *label_keys;         /* of requests; NULL: none */
	struct look_budget *looks; /* of looks at /proc in a drain; NULL: no limit */
};

#endif
