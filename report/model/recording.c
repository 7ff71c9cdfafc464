// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/recording.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/minmax.h"
#include "common/readfile.h"
#include "report/model/first_interrupt.h"

/*
 * A recording may take a fixed part of memory and a multiple of the bytes that were read of it. A
 * file from profrec takes less than a hundred times its size. A file that takes more was made to
 * exhaust the reader's memory.
 */
#define MODEL_BYTES_ANYHOW   (UINT64_C(128) << 20)
#define MODEL_BYTES_PER_BYTE 256

/* The file holds a UUID and a newline. */
#define BOOT_ID_BYTES_MAX 64

static ssize_t read_input(void *ctx, void *buf, size_t len)
{
	const int *fd = ctx;
	ssize_t n = io_read(*fd, buf, len);

	if (!n && *fd == STDIN_FILENO)
		first_interrupt_end();
	return n;
}

static bool is_pipe(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode));
}

/* Opens @name. Sets *@owned only if the caller has to close the descriptor. */
static int open_input(const char *name, int *fd, int *owned, struct err *err)
{
	int ret;

	if (!strcmp(name, "-")) {
		*fd = STDIN_FILENO;
		if (is_pipe(*fd))
			first_interrupt_spare();
		if (!isatty(*fd))
			return 0;
		err_set(err, -EINVAL, "failed to read '-': standard input is a terminal");
		return err_hint(err, -EINVAL, "give a file, or 'profrec -o - 5 | profrep -'");
	}
	*fd = *owned = open(name, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	if (*fd >= 0)
		return 0;
	ret = -errno;
	err_set(err, ret, "failed to open '%s': %s", name, strerror(-ret));
	if (ret == -ENOENT && name[0] == '@')
		err_hint(
			err, ret,
			"only one recording fits here; 'profrep merge -o all.prof %s' makes one of a list",
			name);
	else if (ret == -ENOENT && strpbrk(name, "*?["))
		err_hint(err, ret,
			 "the shell found no file for this pattern, and left it as it is");
	else if (ret == -ENOENT)
		err_hint(err, ret, "'profrec -o %s' makes a recording", name);
	return ret;
}

/* Returns true if @ret is the reader's judgement of the bytes. The reader words these errors. */
static bool is_defect(int ret)
{
	return ret == -EBADMSG || ret == -ENODATA || ret == -EPROTONOSUPPORT;
}

static int read_error(const struct recording *rec, int ret, struct err *err)
{
	const char *reason = strerror(-ret);

	if (ret == -EOVERFLOW)
		reason = "the counts add up to more than 64 bits";
	else if (ret == -ENODATA && rec->reader && !prof_reader_bytes(rec->reader))
		reason =
			is_pipe(rec->fd)
				? "nothing came: the recorder lacks '-o -', or has failed and says why"
				: "it is empty";
	else if (is_defect(ret) && rec->reader)
		reason = prof_reader_error(rec->reader);
	return err_set(err, ret, "failed to read '%s': %s", rec->name, reason);
}

/* Returns true if the recording was made on this host after its latest start. */
static bool is_of_this_boot(const struct prof_meta *meta)
{
	char_vec id = {0};
	bool is_same = meta->host.boot_id && meta->host.boot_id[0] &&
		       !read_file("/proc/sys/kernel/random/boot_id", BOOT_ID_BYTES_MAX, &id) &&
		       id.nr && !strncmp(id.data, meta->host.boot_id, id.nr - 1);

	vec_free(&id);
	return is_same;
}

/* Empties the model, which must be empty or good. Returns 0 or -ENOMEM. */
static int begin_model(struct recording *rec)
{
	struct model_origin origin = {
		.recorded_realtime_ns = rec->meta->start_realtime_ns,
		.is_of_this_boot = is_of_this_boot(rec->meta),
	};
	const char *release = rec->meta->kernel_release;
	int ret = model_init(&rec->model);

	if (!ret && release)
		ret = string_set_add(&rec->model.strings, release, strlen(release),
				     &origin.release);
	rec->model.keeps_tids = rec->keeps_tids;
	rec->model.keeps_labels = rec->keeps_labels;
	return ret ? ret : model_begin_recording(&rec->model, &origin);
}

int recording_renew(struct recording *rec)
{
	bool keeps_slots = rec->model.keeps_slots;
	int ret;

	model_deinit(&rec->model);
	ret = begin_model(rec);
	rec->model.keeps_slots = keeps_slots;
	return ret;
}

/*
 * In a merged recording each part begins where the one before it ends, whenever it was made. So no
 * time of a clock belongs to it. Returns 0 or -EDOM with @err set.
 */
static int check_clock(const struct recording *rec, const struct timespan *span, struct err *err)
{
	if (rec->nr_recordings <= 1 || !timespan_needs_clock(span))
		return 0;
	err_set(err, -EDOM,
		"failed to select from '%s': it is merged from recordings of several times, so it has no time of day",
		rec->name);
	return err_hint(
		err, -EDOM,
		"--from and --to take seconds of the sum; or report the recordings that were merged");
}

int recording_open(struct recording *rec, const char *name, const struct timespan *span,
		   struct err *err)
{
	int ret;

	*rec = (struct recording){.name = name, .fd = -1, .owned_fd = -1, .nr_recordings = 1};
	ret = open_input(name, &rec->fd, &rec->owned_fd, err);
	if (ret)
		return ret;
	ret = prof_reader_create(read_input, &rec->fd, &rec->reader);
	if (!ret) {
		rec->meta = prof_reader_meta(rec->reader);
		rec->nr_recordings = rec->meta->nr_recordings ? rec->meta->nr_recordings : 1;
		selection_init(&rec->selection, span, rec->meta);
		rec->is_partial = span->from.kind != TIME_NONE || span->to.kind != TIME_NONE;
		rec->keeps_tids = span->keeps_tids;
		rec->keeps_labels = span->keeps_labels;
		ret = begin_model(rec);
		rec->model.keeps_slots = span->keeps_slots;
	}
	if (!ret)
		ret = seen_names_init(&rec->seen);
	if (ret)
		read_error(rec, ret, err);
	else
		ret = check_clock(rec, span, err);
	if (ret)
		recording_deinit(rec);
	return ret;
}

/*
 * Ends reading as damage does; the epochs read so far are good. Returns RECORDING_END or -ENOMEM.
 */
static int end_at_defect(struct recording *rec, const char *defect)
{
	rec->defect = strdup(defect);
	return rec->defect ? RECORDING_END : -ENOMEM;
}

bool recording_is_over_budget(const struct recording *rec, uint64_t more)
{
	return model_bytes(&rec->model) + seen_names_bytes(&rec->seen) >
	       MODEL_BYTES_ANYHOW +
		       (max_u64(rec->nr_bytes, rec->names_bytes) + more) * MODEL_BYTES_PER_BYTE;
}

/* The description of a merged recording was written before its duration was known. */
static void take_duration(struct recording *rec)
{
	if (rec->nr_recordings <= 1)
		return;
	rec->shared_meta = *rec->meta;
	rec->shared_meta.duration_ns = rec->end->duration_ns;
	rec->meta = &rec->shared_meta;
}

/* Reads the next epoch, selected or not. Returns like recording_next, but words no error. */
static int read_epoch(struct recording *rec, const struct prof_epoch **epoch)
{
	int ret;

	if (recording_is_over_budget(rec, 0))
		return end_at_defect(rec, RECORDING_OVER_BUDGET);
	ret = prof_reader_next(rec->reader, epoch);
	rec->nr_bytes = prof_reader_bytes(rec->reader);
	if (ret == PROF_READ_EPOCH) {
		if (!rec->is_partial || rec->nr_bytes <= rec->names_bytes)
			return RECORDING_EPOCH;
		rec->names_bytes = rec->nr_bytes;
		ret = seen_names_add(&rec->seen, *epoch);
		return ret ? ret : RECORDING_EPOCH;
	}
	if (ret == PROF_READ_END) {
		rec->end = prof_reader_end(rec->reader);
		take_duration(rec);
		return RECORDING_END;
	}
	if (ret != -ENODATA && ret != -EBADMSG)
		return ret;
	return end_at_defect(rec, prof_reader_error(rec->reader));
}

int recording_read_names(struct recording *rec, struct err *err)
{
	const struct timespan all = {0};
	const struct prof_epoch *epoch;
	struct recording ahead;
	struct stat st;
	int ret;

	rec->is_partial = rec->is_renewed = true;
	if (fstat(rec->fd, &st) || !S_ISREG(st.st_mode) || rec->fd != rec->owned_fd)
		return 0;
	ret = recording_open(&ahead, rec->name, &all, err);
	if (ret)
		return ret;
	ahead.is_partial = true;
	do
		ret = read_epoch(&ahead, &epoch);
	while (ret == RECORDING_EPOCH);
	if (ret < 0)
		read_error(rec, ret, err);
	seen_names_deinit(&rec->seen);
	rec->seen = ahead.seen;
	rec->names_bytes = ahead.names_bytes;
	ahead.seen = (struct seen_names){0};
	recording_deinit(&ahead);
	return ret;
}

int recording_next(struct recording *rec, const struct prof_epoch **epoch, struct err *err)
{
	int ret;

	do
		ret = read_epoch(rec, epoch);
	while (ret == RECORDING_EPOCH && !selection_take(&rec->selection, *epoch));
	if (ret == RECORDING_EPOCH && selection_divides(&rec->selection, *epoch)) {
		int cut = slice_cut_make(&rec->cut, &rec->selection, *epoch);

		if (cut)
			ret = cut;
		*epoch = &rec->cut.epoch;
	}
	return ret < 0 ? read_error(rec, ret, err) : ret;
}

int recording_add(struct recording *rec, const struct prof_epoch *epoch, struct err *err)
{
	int ret = model_add_epoch(&rec->model, epoch);

	return ret ? read_error(rec, ret, err) : 0;
}

int recording_finish(struct recording *rec, struct err *err)
{
	int ret = 0;

	if (rec->is_renewed)
		ret = seen_names_give_near(&rec->seen, &rec->model);
	else if (rec->is_partial)
		ret = seen_names_give(&rec->seen, &rec->model);
	if (!ret)
		ret = model_finish(&rec->model);
	return ret ? read_error(rec, ret, err) : 0;
}

int recording_load(struct recording *rec, const char *name, const struct timespan *span,
		   struct err *err)
{
	const struct prof_epoch *epoch;
	int ret = recording_open(rec, name, span, err);

	if (ret)
		return ret;
	while ((ret = recording_next(rec, &epoch, err)) == RECORDING_EPOCH) {
		ret = recording_add(rec, epoch, err);
		if (ret)
			break;
	}
	if (!ret)
		ret = selection_check(&rec->selection, name, err);
	if (!ret)
		ret = recording_finish(rec, err);
	if (ret)
		recording_deinit(rec);
	return ret;
}

void recording_deinit(struct recording *rec)
{
	model_deinit(&rec->model);
	seen_names_deinit(&rec->seen);
	slice_cut_deinit(&rec->cut);
	free(rec->defect);
	prof_reader_destroy(rec->reader);
	if (rec->name)
		cleanup_close(&rec->owned_fd);
	if (rec->first)
		recording_deinit(rec->first);
	free(rec->first);
	vec_for_each(&rec->gaps, gap) {
		free(gap->name);
		free(gap->reason);
	}
	vec_free(&rec->gaps);
	vec_free(&rec->event_sums);
	*rec = (struct recording){0};
}
