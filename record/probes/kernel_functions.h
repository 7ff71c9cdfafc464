/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The functions of the kernel that probes can be attached to. */
#ifndef RECORD_PROBES_KERNEL_FUNCTIONS_H
#define RECORD_PROBES_KERNEL_FUNCTIONS_H

#include <stdio.h>
#include <stdint.h>

#include "common/err.h"
#include "common/parse.h"
#include "common/vec.h"
#include "common/words.h"
#include "record/probes/name_vec.h"
#include "record/probes/pattern.h"

struct kernel_functions {
	u64_vec addrs;        /* ascending, each once */
	uint64_t nr_left_out; /* functions that match, but take no probes */
	bool are_hidden;      /* the addresses are not ours to see */
};

/*
 * Finds the functions that @pattern matches: in /proc/kallsyms, and where the kernel lists what can
 * be traced, there, too. Returns 0, also if there are none, or a negative errno with @err set.
 */
int kernel_functions_find(const struct pattern *pattern, struct kernel_functions *found,
			  struct err *err);

/*
 * The work of kernel_functions_find. @kallsyms is read from its position. @traceable is the text of
 * available_filter_functions, @blacklist that of kprobes/blacklist; NULL: not known. Returns 0 or
 * -ENOMEM.
 */
int kernel_functions_read(const struct pattern *pattern, FILE *kallsyms, FILE *traceable,
			  FILE *blacklist, struct kernel_functions *found);

/*
 * Adds the names of @functions that @pattern matches, and that no other function has. @kallsyms is
 * read from its position. Returns 0 or -ENOMEM.
 */
int kernel_functions_names(const struct pattern *pattern, const struct kernel_functions *functions,
			   FILE *kallsyms, name_vec *names);

/*
 * Adds all names of @functions that @pattern matches. Returns 0 or a negative errno, with @err set
 * unless it is -ENOMEM.
 */
int kernel_functions_list(const struct pattern *pattern, const struct kernel_functions *functions,
			  name_vec *names, struct err *err);

/* Has the kernel a function of that name? */
bool kernel_functions_have(const char *name);

/*
 * Tries the name of each function of the kernel for @similar. Returns a copy of the name that won,
 * which @similar borrows and the caller frees; NULL: none has.
 */
char *kernel_functions_suggest(struct suggestion *similar);

void kernel_functions_deinit(struct kernel_functions *functions);

#endif
