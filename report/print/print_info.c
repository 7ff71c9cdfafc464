// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/printers.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "common/cleanup.h"
#include "common/clock.h"

/* The values begin in this column. */
#define KEY_WIDTH 18

static void print_key(struct textbuf *out, const char *key)
{
	textbuf_printf(out, "%s:%*s", key, (int)(KEY_WIDTH - 1 - strlen(key)), "");
}

static void print_text(struct textbuf *out, const char *key, const char *value)
{
	print_key(out, key);
	if (value[0])
		textbuf_escaped(out, value, strlen(value), TEXT_PLAIN);
	else
		textbuf_char(out, '-');
	textbuf_char(out, '\n');
}

static void print_number(struct textbuf *out, const char *key, uint64_t value, const char *unit)
{
	print_key(out, key);
	textbuf_printf(out, "%" PRIu64 "%s%s\n", value, unit[0] ? " " : "", unit);
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
		print_text(out, "recording", "cut short");
		print_text(out, "defect", rec->defect);
		return;
	}
	print_text(out, "recording", "complete");
	print_text(out, "end",
		   rec->end->reason < PROF_NR_END_REASONS ? reasons[rec->end->reason] : "unknown");
}

static void print_event(const struct prof_meta *meta, struct textbuf *out)
{
	print_key(out, "event");
	textbuf_escaped(out, meta->event, strlen(meta->event), TEXT_PLAIN);
	textbuf_printf(out, "%s(type %" PRIu32 ", config 0x%" PRIx64 ")\n",
		       meta->event[0] ? " " : "", meta->event_type, meta->event_config);
	if (meta->freq_hz)
		print_number(out, "frequency", meta->freq_hz, "Hz");
	else
		print_number(out, "period", meta->period, "events");
}

/* The time is in UTC, so that the text does not depend on the machine that reports. */
static void print_start(const struct prof_meta *meta, struct textbuf *out)
{
	time_t seconds = meta->start_realtime_ns / NS_PER_S;
	struct tm tm;
	char text[64] = "-";

	print_key(out, "start");
	if (gmtime_r(&seconds, &tm))
		strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%S", &tm);
	textbuf_printf(out, "%s.%03uZ\n", text,
		       (unsigned int)(meta->start_realtime_ns % NS_PER_S / 1000000));
}

static void print_zone(uint32_t zone, struct textbuf *out)
{
	bool is_west = zone < PROF_ZONE_UTC;
	unsigned int minutes = is_west ? PROF_ZONE_UTC - zone : zone - PROF_ZONE_UTC;

	print_key(out, "local time");
	textbuf_printf(out, "UTC%c%02u:%02u\n", is_west ? '-' : '+', minutes / 60, minutes % 60);
}

static void print_seconds(struct textbuf *out, uint64_t ns)
{
	textbuf_printf(out, "%" PRIu64 ".%03u s", ns / NS_PER_S,
		       (unsigned int)(ns % NS_PER_S / 1000000));
}

static void print_duration(const struct recording *rec, struct textbuf *out)
{
	print_key(out, "duration");
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
	print_key(out, key);
	if (!nr)
		textbuf_str(out, none);
	for (uint32_t i = 0; i < nr; i++)
		textbuf_printf(out, "%s%" PRIu32, i ? "," : "", ids[i]);
	textbuf_char(out, '\n');
}

static void print_memory(struct textbuf *out, uint64_t bytes)
{
	print_key(out, "memory");
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

	print_text(out, "boot id", host->boot_id);
	print_text(out, "processor", host->cpu_model);
	print_text(out, "hypervisor", host->hypervisor);
	print_key(out, "CPUs online");
	textbuf_printf(out, "%" PRIu32 " of %" PRIu32 " possible\n", host->nr_cpus_online,
		       host->nr_cpus_possible);
	print_memory(out, host->memory_bytes);
	print_key(out, "load");
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

	print_text(out, "host", meta->hostname);
	print_text(out, "kernel", meta->kernel_release);
	print_text(out, "kernel version", meta->kernel_version);
	print_text(out, "architecture", meta->arch);
	print_host(rec, out);
	print_text(out, "recorder", meta->recorder);
	print_text(out, "command line", meta->command_line);
	print_text(out, "command", meta->command);
	print_event(meta, out);
	print_key(out, "CPUs");
	textbuf_printf(out, "%" PRIu32 " (", meta->nr_cpus);
	textbuf_escaped(out, meta->cpus, strlen(meta->cpus), TEXT_PLAIN);
	textbuf_str(out, ")\n");
	print_ids(out, "processes asked", meta->pids, meta->nr_pids,
		  meta->command[0] ? "the command and its children" : "all");
	print_ids(out, "threads asked", meta->tids, meta->nr_tids, "all");
	print_text(out, "filters", meta->filters);
	print_text(out, "stacks of", sides[meta->sides < ARRAY_SIZE(sides) ? meta->sides : 0]);
	print_text(out, "idle task", meta->include_idle ? "included" : "left out");
	if (meta->unwinding)
		print_text(out, "unwinding",
			   meta->unwinding == PROF_UNWINDING_FP ? "frame pointers" : "tables");
	if (meta->max_stack_depth)
		print_number(out, "stack depth", meta->max_stack_depth, "frames at most");
	print_start(meta, out);
	if (meta->zone)
		print_zone(meta->zone, out);
	print_duration(rec, out);
	if (meta->interval_ns) {
		print_key(out, "interval");
		print_seconds(out, meta->interval_ns);
		textbuf_char(out, '\n');
	}
}

static void print_reasons(struct textbuf *out, const char *key, const uint64_t n[PROF_NR_LOSSES])
{
	print_key(out, key);
	textbuf_printf(out,
		       "%" PRIu64 " storage full, %" PRIu64 " refused by the kernel, %" PRIu64
		       " walk failed\n",
		       n[PROF_LOSS_STORAGE_FULL], n[PROF_LOSS_REFUSED], n[PROF_LOSS_WALK_FAILED]);
}

/* The number of sums of counts that the file has: one for each event. */
static uint32_t nr_sums(const struct prof_meta *meta)
{
	return meta->nr_events ? meta->nr_events : 1;
}

/* Checks the numbers of each event, which add up to those of the recording. */
static bool are_events_right(const struct recording *rec)
{
	const struct prof_end *end = rec->end;
	unsigned __int128 taken = 0, counted = 0;

	for (uint32_t i = 0; i < end->nr_events; i++) {
		taken += end->events[i].taken;
		counted += end->events[i].counted;
	}
	return !end->nr_events || (taken == end->taken && counted == end->counted);
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
	print_key(out, "check");
	if (sum != end->taken || !are_events_right(rec)) {
		textbuf_str(out, "WRONG: taken is not counted + lost\n");
		return;
	}
	for (uint32_t i = 0; i < nr_sums(rec->meta); i++) {
		uint64_t total = end->nr_events ? end->events[i].sum : end->counted;

		if (total == rec->model.totals[i])
			continue;
		textbuf_printf(out,
			       "WRONG: the counts in the file add up to %" PRIu64 ", not %" PRIu64
			       "\n",
			       rec->model.totals[i], total);
		return;
	}
	textbuf_str(out, "taken = counted + lost\n");
}

/* The user chooses an event by its number. */
static void print_event_key(uint32_t event, struct textbuf *out)
{
	char key[KEY_WIDTH];

	snprintf(key, sizeof(key), "event %" PRIu32, event + 1);
	print_key(out, key);
}

/* Prints a line for each event. */
static void print_events(const struct recording *rec, struct textbuf *out)
{
	static const char *const kinds[] = {
		[PROF_EVENT_SAMPLES] = "samples",
		[PROF_EVENT_KERNEL_CALLS] = "calls of kernel functions",
		[PROF_EVENT_USER_CALLS] = "calls of user functions",
		[PROF_EVENT_TRACEPOINT] = "tracepoint hits",
		[PROF_EVENT_USDT] = "USDT hits",
		[PROF_EVENT_OFF_CPU] = "time off the CPU",
	};

	for (uint32_t i = 0; i < rec->meta->nr_events; i++) {
		const struct prof_event *event = &rec->meta->events[i];

		print_event_key(i, out);
		textbuf_escaped(out, event->name, strlen(event->name), TEXT_PLAIN);
		textbuf_printf(out, ": %s, probes %" PRIu64 ", sum %" PRIu64, kinds[event->kind],
			       event->nr_probes, rec->model.totals[i]);
		if (rec->end)
			textbuf_printf(out,
				       ", taken %" PRIu64 ", counted %" PRIu64
				       ", overflows %" PRIu64 ", not attached %" PRIu64,
				       rec->end->events[i].taken, rec->end->events[i].counted,
				       rec->end->events[i].overflows,
				       rec->end->events[i].unattached);
		textbuf_char(out, '\n');
	}
}

static void print_end(const struct recording *rec, struct textbuf *out)
{
	const struct prof_end *end = rec->end;

	print_events(rec, out);
	if (!end) {
		if (!rec->meta->nr_events)
			print_number(out, "samples counted", rec->model.totals[0], "");
		print_text(out, "samples lost", "unknown: the recording was cut short");
		return;
	}
	print_number(out, "samples taken", end->taken, "");
	print_number(out, "samples counted", end->counted, "");
	print_reasons(out, "samples lost", end->lost);
	print_identity(rec, out);
	print_number(out, "samples idle", end->idle, "left out");
	print_number(out, "samples filtered", end->filtered, "left out");
	print_reasons(out, "user missed", end->missed_user);
	print_reasons(out, "kernel missed", end->missed_kernel);
	print_number(out, "records lost", end->lost_records, "of address spaces");
	print_key(out, "samples per CPU");
	if (!end->nr_cpu_taken)
		textbuf_char(out, '-');
	for (uint32_t i = 0; i < end->nr_cpu_taken; i++)
		textbuf_printf(out, "%s%" PRIu64, i ? " " : "", end->cpu_taken[i]);
	textbuf_char(out, '\n');
	if (end->unfollowed)
		print_number(out, "not followed", end->unfollowed,
			     "children, nor their descendants");
	if (end->nr_cpus_changed)
		print_number(out, "CPUs changed", end->nr_cpus_changed,
			     "went offline or came online");
}

/* Stack 0 stands for no stack, and so does a stack that was missed. */
static uint64_t nr_stacks(const struct model *model)
{
	uint64_t nr = 0;

	vec_for_each(&model->stacks, stack)
		nr += stack->nr_frames != 0;
	return nr;
}

static uint64_t nr_cut_stacks(const struct model *model)
{
	uint64_t nr = 0;

	vec_for_each(&model->stacks, stack)
		nr += stack->end == PROF_STACK_CUT;
	return nr;
}

/* Prints the ends of the stacks of user space, counted in samples. */
static void print_ends(const struct model *model, struct textbuf *out)
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
	uint64_t nr[PROF_NR_STACK_ENDS] = {0}, all = 0;

	vec_for_each(&model->rows, row) {
		const struct model_stack *stack = &model->stacks.data[row->user_stack];

		if (!stack->nr_frames)
			continue;
		nr[stack->end] += row->count;
		all += row->count;
	}
	print_key(out, "user stacks");
	textbuf_printf(out, "%" PRIu64 " of %" PRIu64 " samples complete", nr[PROF_STACK_COMPLETE],
		       all);
	if (all)
		textbuf_printf(out, " (%.2f %%)", 100.0 * nr[PROF_STACK_COMPLETE] / all);
	textbuf_char(out, '\n');
	print_key(out, "others ended");
	for (size_t i = 0; i < ARRAY_SIZE(others); i++)
		textbuf_printf(out, "%s%" PRIu64 " %s", i ? ", " : "", nr[others[i].end],
			       others[i].text);
	textbuf_char(out, '\n');
}

/* Counts the address spaces in the rows. Several layouts of one address space count once. */
static int nr_processes(const struct model *model, uint64_t *nr)
{
	_cleanup_free_ bool *seen = calloc(model->processes.nr, sizeof(*seen));

	if (!seen)
		return -ENOMEM;
	vec_for_each(&model->rows, row)
		seen[row->process] = true;
	*nr = 0;
	for (size_t i = 0; i < model->processes.nr; i++)
		*nr += seen[i] && !model->processes.data[i].layout;
	return 0;
}

int print_info(const struct recording *rec, struct textbuf *out)
{
	uint64_t processes;
	int ret = nr_processes(&rec->model, &processes);

	if (ret)
		return ret;
	print_text(out, "file", rec->name);
	print_number(out, "size", rec->nr_bytes, "bytes");
	print_state(rec, out);
	print_meta(rec, out);
	print_end(rec, out);
	print_number(out, "epochs", rec->model.nr_epochs, "");
	print_number(out, "distinct stacks", nr_stacks(&rec->model), "");
	print_number(out, "stacks cut", nr_cut_stacks(&rec->model), "at the depth limit");
	print_ends(&rec->model, out);
	print_number(out, "distinct counts", rec->model.rows.nr, "");
	print_number(out, "processes", processes, "");
	return 0;
}
