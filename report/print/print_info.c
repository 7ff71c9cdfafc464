// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/clock.h"
#include "format/headline.h"
#include "report/model/event_choice.h"
#include "report/model/recording.h"
#include "report/print/info_languages.h"
#include "report/print/info_lines.h"
#include "report/print/info_numbers.h"
#include "report/print/lacks.h"
#include "report/print/printers.h"
#include "report/text/textbuf.h"

/*
 * The part of profrep info about the counts: taken, counted, lost, and the checks of these numbers.
 */

static void print_reasons(struct textbuf *out, uint8_t backend, const uint64_t n[PROF_NR_LOSSES])
{
	textbuf_printf(out, "%" PRIu64 " storage full, %" PRIu64 " %s, %" PRIu64 " walk failed\n",
		       n[PROF_LOSS_STORAGE_FULL], n[PROF_LOSS_REFUSED], loss_refused_text(backend),
		       n[PROF_LOSS_WALK_FAILED]);
}

/* Checks the numbers of each event, which add up to those of the recording. */
static bool are_events_right(const struct prof_end *end)
{
	unsigned __int128 taken = 0, counted = 0;

	for (uint32_t i = 0; i < end->nr_events; i++) {
		uint64_t lost;

		taken += end->events[i].taken;
		counted += end->events[i].counted;
		if (!event_lost(&end->events[i], &lost))
			return false;
	}
	return !end->nr_events || (taken == end->taken && counted == end->counted);
}

/* Returns the sum of the counts of @event by the end record. Plain hits add up to those counted. */
static uint64_t end_sum(const struct recording *rec, uint32_t event)
{
	const struct prof_end *end = rec->end;

	if (!end->nr_events)
		return end->counted;
	if (rec->meta->events[event].unit == PROF_UNIT_EVENTS &&
	    !rec->meta->events[event].weight[0] && end->events[event].shed_gap <= 1)
		return end->events[event].counted;
	return end->events[event].sum;
}

/* Checks that taken = counted + lost, and that the counts in the file add up as the end says. */
static void print_identity(const struct recording *rec, struct textbuf *out)
{
	const struct prof_end *end = rec->end;
	unsigned __int128 sum = end->counted;

	for (int i = 0; i < PROF_NR_LOSSES; i++)
		sum += end->lost[i];
	for (uint32_t i = 0; i < end->nr_events; i++)
		sum += end->events[i].overflows;
	info_key(out, "check");
	if (sum != end->taken || !are_events_right(end)) {
		textbuf_str(out, "WRONG: taken is not counted + lost\n");
		return;
	}
	for (uint32_t i = 0; i < nr_event_sums(rec->meta); i++) {
		if (end_sum(rec, i) == rec->model.totals[i])
			continue;
		textbuf_printf(out,
			       "WRONG: the counts in the file add up to %" PRIu64 ", not %" PRIu64
			       "\n",
			       rec->model.totals[i], end_sum(rec, i));
		return;
	}
	textbuf_str(out, "taken = counted + lost\n");
}

/* Prints the fate of the hits of an event. */
static void print_event_end(const struct prof_event_end *end, const char *unit, struct textbuf *out)
{
	uint64_t lost;

	info_key(out, "  hits");
	textbuf_printf(out, "%" PRIu64 " taken", end->taken);
	if (end->every_nth > 1)
		textbuf_printf(out, " (one of %" PRIu64 ")", end->every_nth);
	if (end->shed_gap > 1)
		textbuf_printf(out, " (one of up to %" PRIu64 ", at random, for all of them)",
			       end->shed_gap);
	textbuf_printf(out, ", %" PRIu64 " counted, ", end->counted);
	if (event_lost(end, &lost))
		textbuf_printf(out, "%" PRIu64 " lost", lost);
	else
		textbuf_str(out, "WRONG: more than taken");
	textbuf_printf(out, ", %" PRIu64 " left out because the sum was full\n", end->overflows);
	if (end->blocked) {
		info_key(out, "  still blocked");
		textbuf_printf(
			out, "%" PRIu64 " %s of the sum, of threads that were blocked at the end\n",
			end->blocked, unit);
	}
}

/*
 * Prints the perf event that samples were taken of, and how often. Within the lines of an event of
 * the table, @indent begins them; else it is "".
 */
static void info_sampling(const struct prof_meta *meta, const char *indent, struct textbuf *out)
{
	char key[32];

	snprintf(key, sizeof(key), "%s%s", indent, indent[0] ? "sampled" : "event");
	info_key(out, key);
	textbuf_escaped(out, meta->event, strlen(meta->event), TEXT_PLAIN);
	textbuf_printf(out, "%s(type %" PRIu32 ", config 0x%" PRIx64 ")\n",
		       meta->event[0] ? " " : "", meta->event_type, meta->event_config);
	snprintf(key, sizeof(key), "%s%s", indent, meta->freq_hz ? "frequency" : "period");
	if (meta->freq_hz)
		info_number(out, key, meta->freq_hz, "Hz");
	else
		info_number(out, key, meta->period, "events");
}

/* Prints the lines of one event. */
static void print_event(const struct recording *rec, uint32_t i, struct textbuf *out)
{
	static const char *const kinds[PROF_NR_EVENT_KINDS] = {
		[PROF_EVENT_SAMPLES] = "samples",
		[PROF_EVENT_KERNEL_CALLS] = "calls of kernel functions",
		[PROF_EVENT_USER_CALLS] = "calls of user functions",
		[PROF_EVENT_TRACEPOINT] = "tracepoint hits",
		[PROF_EVENT_USDT] = "USDT hits",
		[PROF_EVENT_OFF_CPU] = "time off the CPU",
	};
	const struct prof_event *event = &rec->meta->events[i];
	const struct prof_event_end *end =
		rec->end && rec->end->nr_events ? &rec->end->events[i] : NULL;
	char key[32];

	snprintf(key, sizeof(key), "event %" PRIu32, i + 1);
	info_text(out, key, event->name);
	info_key(out, "  counts");
	if (event->kind == PROF_EVENT_SAMPLES && event->unit == PROF_UNIT_NS)
		textbuf_str(out, "CPU time, from samples");
	else
		textbuf_str(out, kinds[event->kind]);
	if (event->weight[0]) {
		textbuf_str(out, ", the sum of ");
		textbuf_escaped(out, event->weight, strlen(event->weight), TEXT_PLAIN);
	}
	textbuf_char(out, '\n');
	if (event->kind == PROF_EVENT_SAMPLES)
		info_sampling(rec->meta, "  ", out);
	info_amount(out, "  sum", rec->model.totals[i], event->unit,
		    event->unit == PROF_UNIT_NUMBER ? "" : event_unit(rec->meta, i));
	if (event->nr_probes || (end && end->unattached)) {
		info_key(out, "  probes");
		textbuf_printf(out, "%" PRIu64 " attached, %" PRIu64 " not attached\n",
			       event->nr_probes, end ? end->unattached : 0);
	}
	if (end)
		print_event_end(end, event_unit(rec->meta, i), out);
}

/* Prints a line whose key is of samples, or of hits in a recording with a table of events. */
static void hits_key(const struct recording *rec, const char *key, struct textbuf *out)
{
	char text[32];

	snprintf(text, sizeof(text), "%s %s", rec->meta->nr_events ? "hits" : "samples", key);
	info_key(out, text);
}

static void print_hits(const struct recording *rec, const char *key, uint64_t value,
		       const char *unit, struct textbuf *out)
{
	hits_key(rec, key, out);
	textbuf_printf(out, "%" PRIu64 "%s%s\n", value, unit[0] ? " " : "", unit);
}

/* Prints the parts that would have cost the recorder too much, or had no room, if there are any. */
static void print_omissions(struct textbuf *out, const struct prof_end *end)
{
	const struct {
		uint64_t nr;
		const char *what;
	} parts[] = {
		{end->maps_left_out, "maps of JIT code"},
		{end->mappings_left_out, "mappings"},
		{end->looks_left_out, "looks at mappings"},
		{end->infos_left_out, "descriptions of processes"},
		{end->names_left_out, "look-ups of names in files"},
		{end->copies_left_out, "copies of stacks"},
	};
	bool is_empty = true;

	for (size_t i = 0; i < ARRAY_SIZE(parts); i++) {
		if (!parts[i].nr)
			continue;
		if (is_empty)
			info_key(out, "left out");
		textbuf_printf(out, "%s%" PRIu64 " %s", is_empty ? "" : ", ", parts[i].nr,
			       parts[i].what);
		is_empty = false;
	}
	if (!is_empty)
		textbuf_char(out, '\n');
}

/* Prints whose things lacked room or time, if there are any. */
static void print_lacking(struct textbuf *out, const struct prof_end *end)
{
	if (!end->nr_lacks)
		return;
	info_key(out, "lacked room");
	lacks_print(out, end);
	textbuf_char(out, '\n');
}

static void print_cpus(const struct recording *rec, struct textbuf *out)
{
	const struct prof_end *end = rec->end;

	hits_key(rec, "per CPU", out);
	if (!end->nr_cpu_taken)
		textbuf_char(out, '-');
	for (uint32_t i = 0; i < end->nr_cpu_taken; i++)
		textbuf_printf(out, "%s%" PRIu64, i ? " " : "", end->cpu_taken[i]);
	textbuf_char(out, '\n');
	if (end->unfollowed)
		info_number(out, "not followed", end->unfollowed,
			    "children, nor their descendants");
	if (end->skipped)
		info_number(out, "hits skipped", end->skipped,
			    "by the kernel, before all filters: another program ran on the CPU");
	if (end->wanted_ns) {
		info_key(out, "counted for");
		textbuf_printf(out, "%" PRIu32 " %% of the time\n", prof_end_counted_percent(end));
	}
	if (end->nr_cpus_changed)
		info_number(out, "CPUs changed", end->nr_cpus_changed,
			    "went offline or came online");
}

/* Prints the events, the numbers of the end record, and whether they add up. */
static void info_counts(const struct recording *rec, struct textbuf *out)
{
	const struct prof_end *end = rec->end;

	for (uint32_t i = 0; i < rec->meta->nr_events; i++)
		print_event(rec, i, out);
	if (!end) {
		if (!rec->meta->nr_events)
			print_hits(rec, "counted", rec->model.totals[0], "", out);
		hits_key(rec, "lost", out);
		textbuf_str(out, "unknown: the recording was cut short\n");
		return;
	}
	print_hits(rec, "taken", end->taken, "", out);
	print_hits(rec, "counted", end->counted, "", out);
	hits_key(rec, "lost", out);
	print_reasons(out, rec->meta->backend, end->lost);
	print_identity(rec, out);
	print_hits(rec, "idle", end->idle, "left out", out);
	print_hits(rec, "filtered", end->filtered, "left out", out);
	info_key(out, "user missed");
	print_reasons(out, rec->meta->backend, end->missed_user);
	info_key(out, "kernel missed");
	print_reasons(out, rec->meta->backend, end->missed_kernel);
	info_number(out, "records lost", end->lost_records, "of address spaces");
	print_cpus(rec, out);
	print_omissions(out, end);
	print_lacking(out, end);
}

static void print_ends(const struct recording *rec, uint32_t event, struct textbuf *out)
{
	static const struct {
		const char *text;
		enum prof_stack_end end;
	} others[] = {
		{"frame pointers ran out", PROF_STACK_UNKNOWN},
		{"strayed", PROF_STACK_STRAYED},
		{"cut", PROF_STACK_CUT},
		{"early", PROF_STACK_EARLY},
		{"no unwind table", PROF_STACK_NO_TABLE},
		{"unsupported rule", PROF_STACK_BAD_RULE},
		{"unreadable memory", PROF_STACK_UNREADABLE},
	};
	const struct end_numbers nr = end_numbers_count(&rec->model, event);

	info_key(out, "user stacks");
	textbuf_printf(out, "%" PRIu64 " of %" PRIu64 " %s ", nr.by_end[PROF_STACK_COMPLETE],
		       nr.all, event_unit(rec->meta, event));
	if (rec->meta->nr_events > 1)
		textbuf_printf(out, "of event %" PRIu32 " ", event + 1);
	textbuf_str(out, "complete");
	if (nr.all)
		textbuf_printf(out, " (%.2f %%)", 100.0 * nr.by_end[PROF_STACK_COMPLETE] / nr.all);
	textbuf_char(out, '\n');
	info_key(out, "others ended");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		textbuf_printf(out, "%s%" PRIu64 " %s", i ? ", " : "", nr.by_end[others[i].end],
			       others[i].text);
	textbuf_char(out, '\n');
}

/* Prints the ends of the stacks of user space, counted in the unit of each event. */
static void info_user_stacks(const struct recording *rec, struct textbuf *out)
{
	for (uint32_t i = 0; i < nr_event_sums(rec->meta); i++)
		print_ends(rec, i, out);
}

static void print_lacks(const struct recording *rec, uint32_t event, struct textbuf *out)
{
	const struct lack_numbers nr = lack_numbers_count(&rec->model, event);

	if (!nr.user && !nr.exe && !nr.cgroup)
		return;
	info_key(out, "not described");
	textbuf_printf(out,
		       "%" PRIu64 " %s without a user, %" PRIu64 " without an executable, %" PRIu64
		       " without a cgroup\n",
		       nr.user, event_unit(rec->meta, event), nr.exe, nr.cgroup);
}

/* Prints, for each event with such, how much is of processes that were not described in full. */
static void info_lacks(const struct recording *rec, struct textbuf *out)
{
	for (uint32_t i = 0; i < nr_event_sums(rec->meta); i++)
		print_lacks(rec, i, out);
}

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
	/* profrec-stacks(7) says why. */
	if (meta->backend)
		info_text(
			out, "taken by",
			meta->backend == PROF_BACKEND_PERF
				? "perf events"
				: "ptrace: system calls each 100 us or more often have too large shares");
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

/* Says where the names are from, if the recording tells that. */
static void print_names_from(const struct recording *rec, struct textbuf *out)
{
	static const char *const texts[PROF_NR_NAME_ORIGINS] = {
		[PROF_NAMES_RECORDED] = "read by the recorder",
		[PROF_NAMES_ADDED] = "read by profrep pack",
		[PROF_NAMES_FETCHED] = "fetched by profrep pack",
	};
	uint64_t nr[PROF_NR_NAME_ORIGINS] = {0};
	const char *comma = "";

	if (!rec->model.name_sources.nr)
		return;
	vec_for_each(&rec->model.name_sources, source)
		nr[source->origin]++;
	info_key(out, "names from");
	for (size_t i = 0; i < ARRAY_SIZE(texts); i++) {
		if (!nr[i])
			continue;
		textbuf_printf(out, "%s%" PRIu64 " %s %s", comma, nr[i],
			       nr[i] == 1 ? "file" : "files", texts[i]);
		comma = ", ";
	}
	textbuf_char(out, '\n');
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
	print_names_from(rec, out);
	info_number(out, "processes", processes, "");
	print_labels(rec, out);
	info_lacks(rec, out);
	return 0;
}
