/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Runs jobs on several CPUs. */
#ifndef REPORT_DWARF_PARALLEL_H
#define REPORT_DWARF_PARALLEL_H

#include <stddef.h>

/* More threads than this gain little: memory is the bound. */
#define PARALLEL_THREADS_MAX 8

/* Does job @job. No two calls at a time have one @thread, which is below parallel_threads(). */
typedef void job_fn(void *ctx, unsigned int thread, size_t job);

/* Returns the number of threads for @nr_jobs jobs: at least 1. */
unsigned int parallel_threads(size_t nr_jobs);

/*
 * Calls @fn for each job below @nr_jobs, in any order, and returns after all calls. If the system
 * gives no threads, this thread does all jobs.
 */
void parallel_run(size_t nr_jobs, unsigned int nr_threads, job_fn *fn, void *ctx);

#endif
