/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The samples of each function, or of each process, file and so on. Self are the samples at whose
 * leaf a function is, total those with the function anywhere in the stack: once for a stack,
 * however often the function called itself.
 */
#ifndef REPORT_PRINT_TOP_COUNTS_H
#define REPORT_PRINT_TOP_COUNTS_H

#include "report/print/named_things.h"

enum top_by {
	TOP_FUNCTIONS = 0,
	TOP_FILES,     /* of the frames */
	TOP_COMMS,     /* names of threads */
	TOP_LABELS,    /* values of a label, which rows have in place of that name */
	TOP_PROCESSES, /* by process id */
	TOP_THREADS,   /* of a process, by id if the recording has ids, else by name */
	TOP_CGROUPS,
	TOP_CONTAINERS,
	TOP_PODS,
	TOP_UNITS,
	TOP_SERVICES,
	TOP_USERS, /* by user id */
	TOP_CPUS,  /* that the recorder sampled */
	NR_TOP_BY,
};

/* Returns true if things of @by are parts of stacks, which have a self and a total. */
static inline bool top_has_stacks(enum top_by by)
{
	return by == TOP_FUNCTIONS || by == TOP_FILES;
}

/* The order of the things. */
enum top_sort {
	TOP_SORT_SELF = 0, /* then total */
	TOP_SORT_TOTAL,    /* then self */
	TOP_SORT_CPUS,     /* as by self, which it is a multiple of */
	TOP_SORT_NAME,
};

/* The function of a stack that its self counts for. */
enum top_leaf {
	TOP_LEAF_AUTO = 0, /* of hits and times off the CPU the first own one, else the leaf */
	TOP_LEAF_OWN,      /* the first of the user's own code: own_leaf_find */
	TOP_LEAF_EXACT,
};

/* What to count, and in which order. */
struct top_choice {
	enum top_by by;
	enum top_sort sort;
	enum top_leaf leaf;
	bool has_processes; /* find the process with most of each function's samples */
};

struct top_count {
	uint32_t thing;
	uint64_t self, total;
	uint64_t last_row; /* that counted, from 1 */
	/*
	 * With has_processes: the process with most of total, and the number of all by their ids.
	 */
	uint32_t process, nr_processes;
	uint64_t most;
};

/* The part of a thing's total that is of a process. */
struct top_part {
	uint32_t thing, pid, process;
	uint64_t total;
};

/* top_counts_make makes them. */
struct top_counts {
	const struct top_choice *choice;
	bool has_own_leaves; /* self is not that of leaves */
	struct named_things things;
	VEC(struct top_count) items; /* sorted, by thing before that */
	uint64_t nr_rows, sum;       /* of the rows */
	VEC(struct top_part) parts;
	struct index part_index;
};

/*
 * Counts the rows of the event of @p, and sorts them; ties are in the order of names. @p and
 * @choice are borrowed until top_counts_deinit. Adds the stacks that rows lack to @summary. Returns
 * 0, -ENOMEM, or -ENODATA if the recording does not tell CPUs. Call top_counts_deinit in all cases.
 */
int top_counts_make(struct top_counts *counts, const struct printout *p,
		    const struct top_choice *choice, struct rows_summary *summary);

/*
 * Sums up the counts of parts of a recording: begins with none, adds those of each part, and sorts
 * them for the event of @p. Things of one name are one. Returns 0 or -ENOMEM. Call
 * top_counts_deinit in all cases.
 */
int top_counts_begin_sum(struct top_counts *sum, const struct printout *p,
			 const struct top_choice *choice);
int top_counts_add(struct top_counts *sum, const struct top_counts *counts);
void top_counts_end_sum(struct top_counts *sum, const struct printout *p);

/* Prints the id and the name of @process of the model. */
void top_counts_put_process(const struct top_counts *counts, uint32_t process, struct textbuf *out);

void top_counts_deinit(struct top_counts *counts);

#endif
