// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/dwarf/parallel.h"

#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "common/minmax.h"

struct run {
	size_t nr_jobs;
	atomic_size_t next;
	job_fn *fn;
	void *ctx;
};

struct worker {
	struct run *run;
	unsigned int thread;
	pthread_t id;
};

unsigned int parallel_threads(size_t nr_jobs)
{
	cpu_set_t cpus;
	int nr = 1;

	if (!sched_getaffinity(0, sizeof(cpus), &cpus))
		nr = CPU_COUNT(&cpus);
	return max_u64(1, min_u64(nr_jobs, min_u64(nr, PARALLEL_THREADS_MAX)));
}

static void *work_through(void *arg)
{
	const struct worker *worker = arg;
	struct run *run = worker->run;
	size_t job;

	while ((job = atomic_fetch_add(&run->next, 1)) < run->nr_jobs)
		run->fn(run->ctx, worker->thread, job);
	return NULL;
}

void parallel_run(size_t nr_jobs, unsigned int nr_threads, job_fn *fn, void *ctx)
{
	struct run run = {.nr_jobs = nr_jobs, .fn = fn, .ctx = ctx};
	struct worker workers[PARALLEL_THREADS_MAX];
	sigset_t all, before;
	unsigned int nr = 1;

	sigfillset(&all);
	sigdelset(&all, SIGBUS); /* a mapped file may shrink */
	/* Signals are for the thread that knows what they mean. */
	pthread_sigmask(SIG_BLOCK, &all, &before);
	workers[0] = (struct worker){.run = &run};
	for (; nr < nr_threads; nr++) {
		workers[nr] = (struct worker){.run = &run, .thread = nr};
		if (pthread_create(&workers[nr].id, NULL, work_through, &workers[nr]))
			break;
	}
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	work_through(&workers[0]);
	for (unsigned int i = 1; i < nr; i++)
		pthread_join(workers[i].id, NULL);
}
