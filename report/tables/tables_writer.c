// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/tables_writer.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

/* Room for the ids of the recordings. */
#define RECORDING_SLOTS ((size_t)1 << 17)

struct tables_writer {
	const struct tables_request *request;
	struct err *err;
	pthread_mutex_t lock; /* of the members below */
	pthread_cond_t turn_changed;
	size_t next;        /* recording that no thread has begun */
	struct id_set seen; /* recordings, by id */
	size_t turn;        /* recording whose thread may write, and use the rest */
	struct table_rows rows;
	size_t nr_read;
	int ret; /* the first error; no thread begins a recording then */
};

/* A recording on its way. */
struct job {
	size_t number;
	struct recording rec;
	bool is_open, has_turn;
	struct err err; /* the reason for which it is left out */
	int ret;
};

/* Sets the reason. That of the only recording is the error of the command, so it has the name. */
static int leave_out(struct tables_writer *w, struct job *job, const char *reason)
{
	recording_deinit(&job->rec);
	if (w->request->nr == 1)
		return err_set(&job->err, -EINVAL, "failed to make tables of '%s': %s",
			       w->request->names[job->number], reason);
	return err_set(&job->err, -EINVAL, "%s", reason);
}

/* Opens the recording in the order of the command line, so that of equal ones the first counts. */
static void open_job(struct tables_writer *w, struct job *job)
{
	const struct timespan everything = {0};

	job->ret =
		recording_open(&job->rec, w->request->names[job->number], &everything, &job->err);
	if (job->ret)
		return;
	if (job->rec.meta->nr_recordings)
		job->ret = leave_out(w, job,
				     "it was merged from several, so it has no host and no times");
	else if (!id_set_add(&w->seen, recording_id(job->rec.meta, 0)))
		job->ret = leave_out(w, job, "it is there twice");
	job->is_open = !job->ret;
}

static bool begin_job(struct tables_writer *w, struct job *job)
{
	bool has_job;

	*job = (struct job){0};
	pthread_mutex_lock(&w->lock);
	has_job = !w->ret && w->next < w->request->nr;
	if (has_job) {
		job->number = w->next++;
		open_job(w, job);
	}
	pthread_mutex_unlock(&w->lock);
	return has_job;
}

static void wait_for_turn(struct tables_writer *w, struct job *job)
{
	pthread_mutex_lock(&w->lock);
	while (w->turn != job->number)
		pthread_cond_wait(&w->turn_changed, &w->lock);
	pthread_mutex_unlock(&w->lock);
	job->has_turn = true;
}

/* Returns the first error of all recordings. */
static int error_of(struct tables_writer *w)
{
	int ret;

	pthread_mutex_lock(&w->lock);
	ret = w->ret;
	pthread_mutex_unlock(&w->lock);
	return ret;
}

static void end_turn(struct tables_writer *w, int ret)
{
	pthread_mutex_lock(&w->lock);
	w->turn++;
	w->ret = w->ret ? w->ret : ret;
	pthread_cond_broadcast(&w->turn_changed);
	pthread_mutex_unlock(&w->lock);
}

static int out_of_memory(struct err *err)
{
	return err_set(err, -ENOMEM, "failed to make tables: out of memory");
}

static int write_error(enum table table, int ret, struct err *err)
{
	if (ret == -ENOMEM)
		return out_of_memory(err);
	return err_set(err, ret, "failed to write '%s': %s", table_files[table], strerror(-ret));
}

/* Hands all that waits over. The recording keeps the turn, since its rows follow each other. */
static int take(struct tables_writer *w, struct job *job, struct recording_tables *tables)
{
	enum table table;
	int ret;

	if (recording_tables_finish(tables))
		return out_of_memory(&job->err);
	if (!job->has_turn)
		wait_for_turn(w, job);
	if (error_of(w))
		return error_of(w);
	ret = table_rows_take(&w->rows, tables, &table);
	return ret ? write_error(table, ret, &job->err) : 0;
}

static int read_epochs(struct tables_writer *w, struct job *job, struct recording_tables *tables)
{
	const struct prof_epoch *epoch;
	int ret;

	while ((ret = recording_next(&job->rec, &epoch, &job->err)) == RECORDING_EPOCH) {
		if (recording_tables_add(tables, epoch))
			return out_of_memory(&job->err);
		if (recording_tables_is_large(tables))
			ret = take(w, job, tables);
		if (ret < 0)
			return ret;
	}
	return ret;
}

static int read_job(struct tables_writer *w, struct job *job, struct recording_tables *tables)
{
	int ret = recording_tables_begin(tables, job->rec.meta, w->request->slice_ns);

	if (ret)
		return out_of_memory(&job->err);
	ret = read_epochs(w, job, tables);
	if (!ret)
		ret = take(w, job, tables);
	if (!ret && table_rows_add_recording(&w->rows, &job->rec, tables))
		ret = out_of_memory(&job->err);
	return ret;
}

/* Tells of the recording, or of the reason for which it is left out. */
static void report_job(struct tables_writer *w, struct job *job)
{
	struct recording_gap gap = {(char *)w->request->names[job->number], job->err.text, true};
	struct recording left_out = {.gaps = {&gap, 1, 1}};

	w->request->done(w->request->ctx, job->is_open ? &job->rec : &left_out);
	w->nr_read += job->is_open;
}

static void run_job(struct tables_writer *w, struct job *job, struct recording_tables *tables)
{
	int ret = 0;

	if (job->is_open)
		ret = read_job(w, job, tables);
	else if (w->request->nr == 1)
		ret = job->ret; /* the error of the only recording is that of the command */
	if (!job->has_turn)
		wait_for_turn(w, job);
	if (!error_of(w) && ret)
		*w->err = job->err;
	else if (!error_of(w))
		report_job(w, job);
	end_turn(w, ret);
	if (job->is_open)
		recording_deinit(&job->rec);
}

static void *run_jobs(void *writer)
{
	struct tables_writer *w = writer;
	struct recording_tables tables;
	struct job job;

	if (recording_tables_init(&tables, &w->rows.known)) {
		pthread_mutex_lock(&w->lock);
		if (!w->ret)
			w->ret = out_of_memory(w->err);
		pthread_mutex_unlock(&w->lock);
	}
	while (begin_job(w, &job))
		run_job(w, &job, &tables);
	recording_tables_deinit(&tables);
	return NULL;
}

static void run_threads(struct tables_writer *w)
{
	pthread_t thread;
	/* This thread works, too; alone, if there is one recording, or no other can be made. */
	bool has_thread = w->request->nr > 1 && !pthread_create(&thread, NULL, run_jobs, w);

	run_jobs(w);
	if (has_thread)
		pthread_join(thread, NULL);
}

int tables_write(const struct tables_request *request, struct err *err)
{
	struct tables_writer w = {
		.request = request,
		.err = err,
		.lock = PTHREAD_MUTEX_INITIALIZER,
		.turn_changed = PTHREAD_COND_INITIALIZER,
	};
	enum table table;
	int ret = id_set_init(&w.seen, RECORDING_SLOTS);

	if (!ret)
		ret = table_rows_init(&w.rows, request->fds);
	if (ret)
		out_of_memory(err);
	if (!ret) {
		run_threads(&w);
		ret = w.ret;
	}
	if (!ret && !w.nr_read)
		ret = err_set(err, -ENODATA, "failed to make tables: no recording can be read");
	if (!ret) {
		ret = table_rows_end(&w.rows, &table);
		if (ret)
			write_error(table, ret, err);
	}
	table_rows_deinit(&w.rows);
	id_set_deinit(&w.seen);
	return ret;
}
