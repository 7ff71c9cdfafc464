/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The recorder's options. */
#ifndef RECORD_RUN_RECORD_OPTIONS_H
#define RECORD_RUN_RECORD_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "common/clock.h"
#include "common/err.h"
#include "common/option_spec.h"
#include "common/parse.h"
#include "record/output/rotation.h"
#include "record/probes/hit_weights.h"
#include "record/probes/pattern.h"
#include "record/looks/label_keys.h"
#include "record/sampling/bpf/sampler_load.h"
#include "record/sampling/bpf/event_names.h"

/*
 * Defaults, which --help prints, too. bcc has those of the rate and of the storage. At 49 Hertz the
 * samples are out of step with work that the host does 50 or 100 times a second.
 */
#define DEFAULT_OUTPUT        "profrec.prof"
#define DEFAULT_FREQ_HZ       49
#define DEFAULT_STACK_STORAGE 16384
#define DEFAULT_HASH_STORAGE  40960
#define DEFAULT_NAMES_WAIT    30 /* seconds */
#define DEFAULT_OVERHEAD      5  /* percent of a CPU */
#define DEFAULT_LABEL_SETS    4096
#define DEFAULT_MEMORY_M      256 /* MiB */

#define DURATION_MAX_NS (99999999 * NS_PER_S)

/* How the recorder walks stacks of user space. */
enum unwind_mode {
	UNWIND_AUTO,  /* by tables if the kernel can */
	UNWIND_FP,    /* along frame pointers */
	UNWIND_DWARF, /* by tables */
};

/* A text of --weight, and the -e before it. */
struct weight_text {
	size_t event;
	const char *text;
};

/* The options whose order counts. */
struct event_options {
	string_vec texts; /* all -e */
	VEC(struct weight_text) weights;
};

/* Who takes the samples. */
enum backend_kind {
	BACKEND_AUTO, /* the first of these that the kernel allows */
	BACKEND_BPF,
	BACKEND_PERF,
	BACKEND_PTRACE,
};

struct record_options {
	const char *output;
	u32_vec pids;
	u32_vec tids;
	bool threads; /* tell threads of one name apart, of the whole host, too */
	enum backend_kind backend;
	bool follow;                        /* descendants of the pids, too */
	const char *comm;                   /* name of threads; NULL: any */
	uint64_t uid;                       /* FILTERS_ANY_UID: any */
	const char *cgroup;                 /* path or name; NULL: any */
	const char *container, *pod, *unit; /* other words for a cgroup; NULL: any */
	const char *cgroup_map;
	uint64_t mntns; /* id of a process in the mount namespace; 0: any namespace */
	const char *mntns_map;
	u32_vec cpus;           /* empty: all */
	bool list;              /* list events, and record nothing */
	char **patterns_listed; /* of the events to list; ends with NULL */
	struct event_options events;
	bool is_regex;       /* names in patterns are regular expressions */
	const char *library; /* of functions in patterns without a library; NULL: none */
	const char
		*event_text; /* the event to sample; NULL: the default, if there are no patterns */
	struct event_name event;        /* parsed from event_text */
	size_t event_position;          /* of the sampled event among the texts */
	VEC(char *) translated;         /* texts that were in the words of bpftrace */
	VEC(struct pattern) patterns;   /* parsed from the other texts */
	VEC(struct hit_weight) weights; /* one for each pattern; without a name: none */
	enum kernel_way kernel_way;     /* of attaching to functions of the kernel */
	bool off_cpu;                   /* record the time off the CPU */
	bool on_cpu;                    /* and samples on the CPU */
	uint64_t min_us, max_us;        /* shorter and longer times are left out; 0: none */
	bool by_state;                  /* an event for each state off the CPU */
	bool wakers;                    /* and the stacks of the tasks that end the waits */
	uint64_t overhead_limit;        /* of counting, in percent of a CPU; 0: none */
	bool shed;                      /* above it, count fewer hits */
	uint64_t hit_period;            /* 1 hit of patterns in this many is counted */
	uint64_t freq_hz;               /* of the sampled event; 0: by period */
	uint64_t period;
	bool user_only;
	bool kernel_only;
	bool include_idle;
	uint64_t stack_storage;
	uint64_t hash_storage;
	uint64_t max_depth; /* frames of a stack at most; 0: the default */
	enum unwind_mode unwind;
	const char *unwind_cache; /* directory that keeps tables; NULL: none */
	uint32_t languages;       /* whose functions are found: 1 << enum language each */
	struct label_keys labels; /* by which requests are told apart */
	bool traces;              /* ids of traces are kept, too: labels.has_traces */
	uint64_t label_sets;      /* of them at most */
	uint64_t max_memory;      /* bytes */
	bool no_names;            /* names of functions in files are not looked up */
	uint64_t names_wait_ns;   /* for such names, after sampling has ended */
	bool service_env;         /* environments of processes are read for their services */
	bool no_slices;           /* counts are not kept by slices of time */
	uint64_t slice_ns;        /* the length of a slice */
	bool quiet;
	uint64_t interval_ns;     /* 0: no intervals */
	const char *rotate;       /* text of the option; NULL: not given */
	struct rotation rotation; /* parsed from rotate */
	uint64_t repeat;          /* recordings one after the other; 0: one */
	uint64_t pause_ns;        /* between them */
	uint64_t duration_ns;     /* 0: until a signal */
	char **command;           /* NULL: none; ends with NULL */
	char *command_line;       /* all arguments, joined by spaces */
};

/* The program's options: their rows, for the command line, --help, manual page and completion. */
extern const struct program_spec record_program;

void record_options_deinit(struct record_options *options);

#endif
