/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's command line. */
#ifndef RECORD_RECORD_OPTIONS_H
#define RECORD_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/err.h"
#include "common/options.h"
#include "common/parse.h"
#include "record/sampler/event_names.h"
#include "record/output/rotation.h"

/* How stacks of user space are walked. */
enum unwind_mode {
	UNWIND_AUTO,  /* by tables where the kernel can */
	UNWIND_FP,    /* along frame pointers */
	UNWIND_DWARF, /* by tables */
};

struct record_options {
	const char *output;
	u32_vec pids;
	u32_vec tids;
	bool follow;        /* children of the pids too */
	const char *comm;   /* NULL: any */
	uint64_t uid;       /* UINT64_MAX: any */
	const char *cgroup; /* path; NULL: any */
	const char *cgroup_map;
	uint64_t mntns; /* a process in the mount namespace; 0: any */
	const char *mntns_map;
	u32_vec cpus;
	const char *event_text;  /* NULL: the default */
	struct event_name event; /* what that names */
	uint64_t freq_hz;        /* 0: by period */
	uint64_t period;
	bool user_only;
	bool kernel_only;
	bool include_idle;
	uint64_t stack_storage;
	uint64_t hash_storage;
	uint64_t max_depth;      /* frames of a stack; 0: the default */
	const char *unwind_text; /* NULL: the default */
	enum unwind_mode unwind;
	const char *unwind_cache; /* NULL: none */
	bool quiet;
	uint64_t interval_s; /* 0: no intervals */
	const char *rotate;  /* as given; NULL: not */
	struct rotation rotation;
	uint64_t duration_s; /* 0: until stopped */
	char **command;      /* NULL: none; ends with NULL */
	char *command_line;  /* all arguments, joined by spaces */
};

/* Returns an options_result, or -EINVAL or -ENOMEM with @err set. Release with the deinit. */
int record_options_parse(struct record_options *options, int argc, char **argv, struct err *err);

void record_options_deinit(struct record_options *options);

#endif
