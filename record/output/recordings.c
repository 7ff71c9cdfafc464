// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/recordings.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "record/output/outname.h"

static int out_of_memory(struct recordings *r)
{
	return err_set(r->err, -ENOMEM, "failed to record: out of memory");
}

static int open_file(struct recordings *r)
{
	_cleanup_free_ char *name = NULL;
	int ret;

	if (!r->is_pattern)
		return outfile_open(&r->out, r->output, r->err);
	ret = outname_expand(r->output, time(NULL), &name);
	if (ret)
		return err_set(r->err, ret, "failed to write '%s': %s", r->output, strerror(-ret));
	return outfile_open_new(&r->out, name, r->err);
}

int recordings_open(struct recordings *r, const char *output, const struct rotation *rotation,
		    struct err *err)
{
	*r = (struct recordings){
		.output = output,
		.rotation = *rotation,
		.err = err,
		.is_pattern = strcmp(output, "-") && outname_is_pattern(output),
		.out.fd = -1,
	};
	return open_file(r);
}

int recordings_begin(struct recordings *r, const struct prof_meta *meta)
{
	int ret = prof_writer_create(outfile_write, &r->out, &r->writer);

	r->start_ns = meta->start_monotonic_ns;
	if (!ret)
		ret = prof_writer_meta(r->writer, meta);
	return ret == -ENOMEM ? out_of_memory(r) : ret;
}

int recordings_write_epoch(struct recordings *r, struct prof_epoch *epoch)
{
	int ret;

	epoch->begin_ns -= r->start_ns;
	epoch->end_ns -= r->start_ns;
	ret = prof_writer_epoch(r->writer, epoch);
	if (ret == -ENOMEM)
		return out_of_memory(r);
	if (ret == -E2BIG || ret == -EINVAL)
		return err_set(r->err, ret, "failed to write an epoch: %s", strerror(-ret));
	if (ret)
		return ret; /* outfile_write has set the error */
	r->nr_stacks += epoch->nr_counts;
	for (uint32_t i = 0; i < epoch->nr_counts; i++)
		r->sums[epoch->counts[i].event] += epoch->counts[i].count;
	return runtimes_stacks_add_epoch(&r->runtimes, epoch) ? out_of_memory(r) : 0;
}

int recordings_end(struct recordings *r, const struct prof_end *end)
{
	int ret = prof_writer_end(r->writer, end);

	if (ret)
		return ret == -ENOMEM ? out_of_memory(r) : ret;
	return outfile_publish(&r->out, r->err);
}

int recordings_remove_old(struct recordings *r, struct err *warning)
{
	uint64_t keep = r->rotation.keep;
	char *name = keep ? strdup(r->out.path) : NULL;

	*warning = (struct err){0};
	if (!keep)
		return 0;
	if (!name || vec_push(&r->finished, name)) {
		free(name);
		return out_of_memory(r);
	}
	if (r->finished.nr <= keep)
		return 0;
	name = r->finished.data[0];
	if (unlink(name) && errno != ENOENT)
		err_set(warning, -errno, "failed to remove '%s': %m", name);
	free(name);
	r->finished.nr--;
	memmove(r->finished.data, r->finished.data + 1, r->finished.nr * sizeof(*r->finished.data));
	return 0;
}

static void close_file(struct recordings *r, bool keep_part)
{
	prof_writer_destroy(r->writer);
	outfile_close(&r->out, keep_part);
	r->writer = NULL;
}

int recordings_open_next(struct recordings *r)
{
	close_file(r, false);
	r->nr_stacks = 0;
	memset(r->sums, 0, sizeof(r->sums));
	r->runtimes = (struct runtimes_stacks){0};
	return open_file(r);
}

bool recordings_may_create(const struct recordings *r)
{
	return !(r->is_pattern && outname_has_pattern_dir(r->output)) &&
	       outfile_may_create(&r->out);
}

uint64_t recordings_bytes(const struct recordings *r)
{
	return prof_writer_bytes(r->writer);
}

bool recordings_is_full(const struct recordings *r)
{
	return r->rotation.bytes && recordings_bytes(r) >= r->rotation.bytes;
}

const char *recordings_name(const struct recordings *r)
{
	return r->out.path ? r->out.path : r->output;
}

void recordings_close(struct recordings *r, bool keep_part)
{
	close_file(r, keep_part);
	vec_for_each(&r->finished, name)
		free(*name);
	vec_free(&r->finished);
}
