// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/output/recordings.h"

#include <errno.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "record/system/cpus.h"
#include "record/system/host.h"
#include "record/output/outname.h"
#include "record/output/progress.h"

static int out_of_memory(struct recordings *recordings)
{
	return err_set(recordings->err, -ENOMEM, "failed to record: out of memory");
}

static int open_place(struct recordings *recordings)
{
	const char *output = recordings->session->options->output;
	_cleanup_free_ char *name = NULL;
	int ret;

	if (!recordings->is_pattern)
		return outfile_open(&recordings->out, output, recordings->err);
	ret = outname_expand(output, time(NULL), &name);
	if (ret)
		return err_set(recordings->err, ret, "failed to write '%s': %s", output,
			       strerror(-ret));
	return outfile_open_new(&recordings->out, name, recordings->err);
}

int recordings_open(struct recordings *recordings, struct session *session)
{
	const char *output = session->options->output;

	*recordings = (struct recordings){
		.session = session,
		.err = session->err,
		.is_pattern = strcmp(output, "-") && outname_is_pattern(output),
		.out.fd = -1,
	};
	return open_place(recordings);
}

/* Cuts a text that is too long for a recording: a command line can be. */
static void cut(char *text)
{
	if (text && strlen(text) > PROF_MAX_STRING_BYTES)
		text[PROF_MAX_STRING_BYTES] = '\0';
}

static char *join_command(char **argv)
{
	char *text = NULL;
	size_t size;
	FILE *f = argv ? open_memstream(&text, &size) : NULL;

	if (!f)
		return NULL;
	for (size_t i = 0; argv[i]; i++)
		fprintf(f, "%s%s", i ? " " : "", argv[i]);
	fclose(f);
	return text;
}

static enum prof_stack_sides sides(const struct record_options *o)
{
	return o->user_only     ? PROF_SIDES_USER
	       : o->kernel_only ? PROF_SIDES_KERNEL
				: PROF_SIDES_BOTH;
}

static uint64_t now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * NS_PER_S + ts.tv_nsec;
}

/*
 * CLOCK_REALTIME of a moment of CLOCK_MONOTONIC that has just passed. Between two looks at clocks
 * any time may pass: of some, the one counts that took the shortest.
 */
static uint64_t realtime_of(uint64_t monotonic_ns)
{
	uint64_t best_ns = UINT64_MAX, realtime_ns = 0;

	for (int i = 0; i < 8; i++) {
		uint64_t before = now_ns(CLOCK_MONOTONIC);
		uint64_t real = now_ns(CLOCK_REALTIME);
		uint64_t took_ns = now_ns(CLOCK_MONOTONIC) - before;

		if (took_ns >= best_ns)
			continue;
		best_ns = took_ns;
		realtime_ns = real - (before + took_ns / 2 - monotonic_ns);
	}
	return realtime_ns;
}

/* Local time now, as prof_meta.zone has it. */
static uint32_t local_zone(void)
{
	time_t now = time(NULL);
	struct tm tm;

	return localtime_r(&now, &tm) ? PROF_ZONE_UTC + tm.tm_gmtoff / 60 : 0;
}

static int write_meta(struct recordings *recordings, uint64_t planned_s)
{
	const struct session *s = recordings->session;
	const struct record_options *o = s->options;
	_cleanup_free_ char *cpus = cpus_format(&s->cpus);
	_cleanup_free_ char *command = join_command(o->command);
	_cleanup_free_ char *command_line = strdup(o->command_line);
	_cleanup_free_ char *filters = filters_format(&s->filters, o);
	struct utsname uts = {0};
	struct host_names names;
	struct prof_meta meta = {
		.hostname = uts.nodename,
		.kernel_release = uts.release,
		.kernel_version = uts.version,
		.arch = uts.machine,
		.recorder = "profrec " PROFREC_VERSION,
		.command_line = command_line,
		.filters = filters,
		.event = s->events.event.name,
		.event_type = s->events.event.type,
		.event_config = s->events.event.config,
		.cpus = cpus,
		.nr_cpus = s->cpus.nr,
		.only_cpu = o->cpus.nr == 1 ? o->cpus.data[0] + 1 : 0,
		.command = command ? command : "",
		.freq_hz = o->freq_hz,
		.period = s->events.period,
		.start_realtime_ns = realtime_of(recordings->start_ns),
		.start_monotonic_ns = recordings->start_ns,
		.duration_ns = planned_s * NS_PER_S,
		.interval_ns = o->interval_s * NS_PER_S,
		.zone = local_zone(),
		.stack_storage = o->stack_storage,
		.hash_storage = o->hash_storage,
		.sides = sides(o),
		.include_idle = o->include_idle,
		.pids = o->pids.data,
		.nr_pids = o->pids.nr,
		.tids = o->tids.data,
		.nr_tids = o->tids.nr,
		.max_stack_depth = s->max_depth,
		.unwinding = s->unwinder ? PROF_UNWINDING_TABLES : PROF_UNWINDING_FP,
	};

	if (!cpus || !command_line || !filters || (o->command && !command))
		return -ENOMEM;
	cut(command);
	cut(command_line);
	cut(filters);
	uname(&uts);
	host_describe(&names, &meta.host);
	host_loads(meta.loads);
	if (!o->quiet && !recordings->nr++) {
		struct prof_meta run = meta;

		run.duration_ns = o->duration_s * NS_PER_S;
		progress_begin(&run);
	}
	return prof_writer_meta(recordings->writer, &meta);
}

int recordings_begin(struct recordings *recordings, uint64_t start_ns, uint64_t planned_s)
{
	int ret = prof_writer_create(outfile_write, &recordings->out, &recordings->writer);

	recordings->start_ns = start_ns;
	if (!ret)
		ret = write_meta(recordings, planned_s);
	return ret == -ENOMEM ? out_of_memory(recordings) : ret;
}

int recordings_write_epoch(struct recordings *recordings, struct prof_epoch *epoch)
{
	int ret;

	epoch->begin_ns -= recordings->start_ns;
	epoch->end_ns -= recordings->start_ns;
	ret = prof_writer_epoch(recordings->writer, epoch);
	if (ret == -ENOMEM)
		return out_of_memory(recordings);
	if (ret == -E2BIG || ret == -EINVAL)
		return err_set(recordings->err, ret, "failed to write an epoch: %s",
			       strerror(-ret));
	if (ret)
		return ret; /* outfile_write said it */
	recordings->nr_stacks += epoch->nr_counts;
	for (uint32_t i = 0; i < epoch->nr_counts; i++)
		recordings->samples += epoch->counts[i].count;
	return 0;
}

static void fill_end(const struct recordings *recordings, const struct recordings_end *how,
		     const struct totals *totals, struct prof_end *end)
{
	*end = (struct prof_end){
		.duration_ns = how->end_ns - recordings->start_ns,
		.taken = totals->taken,
		.counted = recordings->samples,
		.idle = totals->idle,
		.filtered = totals->filtered,
		.lost_records =
			sideband_lost(recordings->session->sideband) - recordings->lost_records,
		.reason = how->reason,
		.unfollowed = sampler_unfollowed(recordings->session->sampler),
		.nr_cpus_changed = recordings->session->changed_cpus.nr,
	};
	_Static_assert((int)NR_LOSSES == (int)PROF_NR_LOSSES,
		       "the programs' losses are the format's");
	memcpy(end->lost, totals->lost, sizeof(end->lost));
	memcpy(end->missed_user, totals->missed_user, sizeof(end->missed_user));
	memcpy(end->missed_kernel, totals->missed_kernel, sizeof(end->missed_kernel));
}

/* Command's fate and closing line. */
static void say_end(const struct recordings *recordings, const struct prof_end *end)
{
	struct session *s = recordings->session;
	struct progress_result result = {
		.end = end,
		.nr_stacks = recordings->nr_stacks,
		.bytes = prof_writer_bytes(recordings->writer),
		.output = recordings->out.path ? recordings->out.path : s->options->output,
	};

	command_reap(&s->command);
	result.command_status = s->command.status;
	progress_end(&result);
}

/* Removes the oldest of our finished recordings when there are too many. */
static int drop_old(struct recordings *recordings)
{
	uint64_t keep = recordings->session->options->rotation.keep;
	char *name = keep ? strdup(recordings->out.path) : NULL;

	if (!keep)
		return 0;
	if (!name || vec_push(&recordings->finished, name)) {
		free(name);
		return out_of_memory(recordings);
	}
	if (recordings->finished.nr <= keep)
		return 0;
	name = recordings->finished.data[0];
	if (unlink(name) && errno != ENOENT)
		fprintf(stderr, "profrec: failed to remove '%s': %m\n", name);
	free(name);
	recordings->finished.nr--;
	memmove(recordings->finished.data, recordings->finished.data + 1,
		recordings->finished.nr * sizeof(*recordings->finished.data));
	return 0;
}

int recordings_end(struct recordings *recordings, const struct recordings_end *how)
{
	struct session *s = recordings->session;
	_cleanup_free_ uint64_t *cpu_taken = calloc(s->cpus.nr, sizeof(*cpu_taken));
	struct totals totals;
	struct prof_end end;
	int ret;

	if (!cpu_taken)
		return out_of_memory(recordings);
	sampler_take_totals(s->sampler, &totals, &s->cpus, cpu_taken);
	fill_end(recordings, how, &totals, &end);
	end.cpu_taken = cpu_taken;
	end.nr_cpu_taken = s->cpus.nr;
	host_loads(end.loads);
	ret = prof_writer_end(recordings->writer, &end);
	if (ret)
		return ret == -ENOMEM ? out_of_memory(recordings) : ret;
	ret = outfile_publish(&recordings->out, recordings->err);
	if (!ret && !s->options->quiet)
		say_end(recordings, &end);
	return ret ? ret : drop_old(recordings);
}

/* Releases what belongs to the recording at hand. */
static void close_place(struct recordings *recordings, bool keep_part)
{
	prof_writer_destroy(recordings->writer);
	outfile_close(&recordings->out, keep_part);
	recordings->writer = NULL;
}

int recordings_rotate(struct recordings *recordings, uint64_t at_ns, uint64_t planned_s)
{
	const struct recordings_end how = {.end_ns = at_ns, .reason = PROF_END_ROTATED};
	int ret = recordings_end(recordings, &how);

	if (ret)
		return ret;
	close_place(recordings, false);
	recordings->nr_stacks = recordings->samples = 0;
	recordings->lost_records = sideband_lost(recordings->session->sideband);
	ret = open_place(recordings);
	return ret ? ret : recordings_begin(recordings, at_ns, planned_s);
}

bool recordings_may_create(const struct recordings *recordings)
{
	const char *output = recordings->session->options->output;

	return !(recordings->is_pattern && outname_has_pattern_dir(output)) &&
	       outfile_may_create(&recordings->out);
}

uint64_t recordings_bytes(const struct recordings *recordings)
{
	return prof_writer_bytes(recordings->writer);
}

void recordings_close(struct recordings *recordings, bool keep_part)
{
	close_place(recordings, keep_part);
	vec_for_each(&recordings->finished, name)
		free(*name);
	vec_free(&recordings->finished);
}
