// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/info_counts.h"
#include "report/print/info_languages.h"
#include "report/print/info_lines.h"
#include "report/print/info_numbers.h"
#include "report/print/shown_sources.h"
#include "report/print/printers.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/clock.h"

static void print_state(const struct recording *rec, struct textbuf *out)
{
	static const char *const reasons[PROF_NR_END_REASONS] = {
		[PROF_END_DURATION] = "the duration was over",
		[PROF_END_SIGNAL] = "stopped by a signal",
		[PROF_END_COMMAND] = "the command ended",
		[PROF_END_ERROR] = "the recorder met an error",
		[PROF_END_ROTATED] = "the next recording goes on",
	};

	if (!rec->end) {
		info_text(out, "recording", "cut short");
		info_text(out, "defect", rec->defect);
		return;
	}
	info_text(out, "recording", "complete");
	if (rec->end->reason == PROF_END_COMMAND && !rec->meta->command[0])
		info_text(out, "end", "the processes ended");
	else
		info_text(out, "end",
			  rec->end->reason < PROF_NR_END_REASONS ? reasons[rec->end->reason]
								 : "unknown");
}

/* The time is in UTC, so that the text does not depend on the host that reports. */
static void print_start(const struct prof_meta *meta, struct textbuf *out)
{
	time_t seconds = meta->start_realtime_ns / NS_PER_S;
	struct tm tm;
	char text[64] = "-";

	info_key(out, "start");
	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	textbuf_printf(out, "%s.%03uZ\n", text,
		       (unsigned int)(meta->start_realtime_ns % NS_PER_S / 1000000));
}

static void print_zone(uint32_t zone, struct textbuf *out)
{
	bool is_west = zone < PROF_ZONE_UTC;
	unsigned int minutes = is_west ? PROF_ZONE_UTC - zone : zone - PROF_ZONE_UTC;

	info_key(out, "local time");
	textbuf_printf(out, "UTC%c%02u:%02u\n", is_west ? '-' : '+', minutes / 60, minutes % 60);
}

static void print_seconds(struct textbuf *out, uint64_t ns)
{
	textbuf_printf(out, "%" PRIu64 ".%03u s", ns / NS_PER_S,
		       (unsigned int)(ns % NS_PER_S / 1000000));
}

static void print_duration(const struct recording *rec, struct textbuf *out)
{
	info_key(out, "duration");
	if (rec->end)
		print_seconds(out, rec->end->duration_ns);
	else
		textbuf_str(out, "unknown");
	textbuf_str(out, " (requested: ");
	if (rec->meta->duration_ns)
		print_seconds(out, rec->meta->duration_ns);
	else
		textbuf_str(out, "until stopped");
	textbuf_str(out, ")\n");
}

static void print_ids(struct textbuf *out, const char *key, const uint32_t *ids, uint32_t nr,
		      const char *none)
{
	info_key(out, key);
	if (!nr)
		textbuf_str(out, none);
	for (uint32_t i = 0; i < nr; i++)
		textbuf_printf(out, "%s%" PRIu32, i ? "," : "", ids[i]);
	textbuf_char(out, '\n');
}

static void print_memory(struct textbuf *out, uint64_t bytes)
{
	info_key(out, "memory");
	if (bytes)
		textbuf_printf(out, "%" PRIu64 " MiB\n", bytes >> 20);
	else
		textbuf_str(out, "-\n");
}

static void print_load(struct textbuf *out, const uint64_t loads[PROF_NR_LOADS])
{
	for (int i = 0; i < PROF_NR_LOADS; i++)
		textbuf_printf(out, "%s%" PRIu64 ".%02u", i ? " " : "", loads[i] / 100,
			       (unsigned int)(loads[i] % 100));
}

static void print_host(const struct recording *rec, struct textbuf *out)
{
	const struct prof_host *host = &rec->meta->host;

	info_text(out, "boot id", host->boot_id);
	info_text(out, "processor", host->cpu_model);
	info_text(out, "hypervisor", host->hypervisor);
	info_key(out, "CPUs online");
	textbuf_printf(out, "%" PRIu32 " of %" PRIu32 " possible\n", host->nr_cpus_online,
		       host->nr_cpus_possible);
	print_memory(out, host->memory_bytes);
	info_key(out, "load");
	print_load(out, rec->meta->loads);
	textbuf_str(out, " at the start, ");
	if (rec->end)
		print_load(out, rec->end->loads);
	else
		textbuf_str(out, "unknown");
	textbuf_str(out, " at the end\n");
}

static void print_meta(const struct recording *rec, struct textbuf *out)
{
	static const char *const sides[] = {"user + kernel", "user", "kernel"};
	const struct prof_meta *meta = rec->meta;

	info_text(out, "host", meta->hostname);
	info_text(out, "kernel", meta->kernel_release);
	info_text(out, "kernel version", meta->kernel_version);
	info_text(out, "architecture", meta->arch);
	print_host(rec, out);
	info_text(out, "recorder", meta->recorder);
	info_text(out, "command line", meta->command_line);
	info_text(out, "command", meta->command);
	if (!meta->nr_events)
		info_sampling(meta, "", out);
	info_key(out, "CPUs");
	textbuf_printf(out, "%" PRIu32 " (", meta->nr_cpus);
	textbuf_escaped(out, meta->cpus, strlen(meta->cpus), TEXT_PLAIN);
	textbuf_str(out, ")\n");
	print_ids(out, "processes asked", meta->pids, meta->nr_pids,
		  meta->command[0] ? "the command and its children" : "all");
	print_ids(out, "threads asked", meta->tids, meta->nr_tids, "all");
	info_text(out, "filters", meta->filters);
	info_text(out, "stacks of", sides[meta->sides < ARRAY_SIZE(sides) ? meta->sides : 0]);
	if (meta->backend)
		info_text(out, "taken by",
			  meta->backend == PROF_BACKEND_PERF ? "perf events"
							     : "ptrace: " PTRACE_SHARES);
	info_text(out, "idle task", meta->include_idle ? "included" : "left out");
	if (meta->unwinding)
		info_text(out, "unwinding",
			  meta->unwinding == PROF_UNWINDING_FP ? "frame pointers" : "tables");
	if (meta->max_stack_depth)
		info_number(out, "stack depth", meta->max_stack_depth, "frames at most");
	print_start(meta, out);
	if (meta->zone)
		print_zone(meta->zone, out);
	print_duration(rec, out);
	if (meta->interval_ns) {
		info_key(out, "interval");
		print_seconds(out, meta->interval_ns);
		textbuf_char(out, '\n');
	}
}

/*
 * Prints the number of stacks as the closing line of the recorder counts them: once for each
 * process, thread, event and epoch.
 */
static int print_stack_numbers(const struct recording *rec, struct textbuf *out)
{
	struct stack_numbers numbers;
	int ret = stack_numbers_count(&rec->model, &numbers);

	if (ret)
		return ret;
	info_key(out, "stacks");
	textbuf_printf(out, "%" PRIu64 ", %" PRIu64 " of them distinct\n", rec->model.nr_counts,
		       numbers.distinct);
	info_key(out, "stacks cut");
	textbuf_printf(out, "%" PRIu64 " at the depth limit", numbers.cut);
	/* The sum over several events would have no unit. */
	if (rec->meta->nr_events <= 1)
		textbuf_printf(out, ", of %" PRIu64 " %s", numbers.cut_samples,
			       event_unit(rec->meta, 0));
	textbuf_char(out, '\n');
	return 0;
}

static void print_slices(const struct model *model, struct textbuf *out)
{
	info_key(out, "slices");
	if (!model->nr_sliced_epochs) {
		textbuf_str(out, "none\n");
		return;
	}
	print_seconds(out, model->slice_ns);
	if (model->nr_whole_epochs)
		textbuf_printf(out, " in %" PRIu64 " of the epochs", model->nr_sliced_epochs);
	textbuf_char(out, '\n');
}

/* Appends the keys of the labels, each once. */
static void print_label_keys(const struct model *model, struct textbuf *out)
{
	u32_vec keys = {0};

	if (distinct_label_keys(model, &keys))
		textbuf_fail(out, -ENOMEM);
	for (size_t i = 0; i < keys.nr; i++) {
		const char *key = string_set_get(&model->strings, keys.data[i]);

		textbuf_str(out, i ? ", " : "");
		textbuf_escaped(out, key, strlen(key), TEXT_PLAIN);
	}
	vec_free(&keys);
}

static void print_share(uint64_t part, uint64_t whole, struct textbuf *out)
{
	textbuf_printf(out, "%.2f %%", whole ? 100.0 * part / whole : 0);
}

/* Prints the labels of requests, and the share of each event that has some. */
static void print_labels(const struct recording *rec, struct textbuf *out)
{
	const struct model *model = &rec->model;
	uint32_t nr_events = rec->meta->nr_events ? rec->meta->nr_events : 1;

	if (model->label_sets.nr <= 1)
		return;
	info_key(out, "labels");
	print_label_keys(model, out);
	textbuf_char(out, '\n');
	info_number(out, "label sets", model->label_sets.nr - 1, "");
	for (uint32_t i = 0; i < nr_events; i++) {
		info_key(out, "with labels");
		print_share(model->labelled[i], model->totals[i], out);
		if (rec->meta->nr_events > 1) {
			textbuf_str(out, " of ");
			textbuf_escaped(out, rec->meta->events[i].name,
					strlen(rec->meta->events[i].name), TEXT_PLAIN);
		}
		if (model->beyond_labels[i]) {
			textbuf_str(out, ", and ");
			print_share(model->beyond_labels[i], model->totals[i], out);
			textbuf_str(out, " with others than the recorder had room for");
		}
		if (model->traced[i]) {
			textbuf_str(out, "; ");
			print_share(model->traced[i], model->totals[i], out);
			textbuf_str(out, " with a trace");
		}
		textbuf_char(out, '\n');
	}
}

int print_info(const struct recording *rec, struct textbuf *out)
{
	uint64_t processes;
	int ret = nr_processes_count(&rec->model, &processes);

	if (ret)
		return ret;
	info_text(out, "file", rec->name);
	info_amount(out, "size", rec->nr_bytes, PROF_UNIT_BYTES, "bytes");
	print_state(rec, out);
	if (rec->meta->nr_recordings)
		info_number(out, "merged from", rec->meta->nr_recordings, "recordings");
	print_meta(rec, out);
	info_counts(rec, out);
	info_number(out, "epochs", rec->model.nr_epochs, "");
	print_slices(&rec->model, out);
	ret = print_stack_numbers(rec, out);
	if (ret)
		return ret;
	info_user_stacks(rec, out);
	ret = info_languages(rec, out);
	if (!ret)
		ret = info_runtimes(rec, out);
	if (ret)
		return ret;
	info_names(rec, out);
	info_number(out, "processes", processes, "");
	print_labels(rec, out);
	info_lacks(rec, out);
	return 0;
}
