// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/info_counts.h"

#include <inttypes.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/model/event_choice.h"
#include "report/print/info_lines.h"
#include "report/print/info_numbers.h"
#include "report/print/lacks.h"

static void print_reasons(struct textbuf *out, const uint64_t n[PROF_NR_LOSSES])
{
	textbuf_printf(out,
		       "%" PRIu64 " storage full, %" PRIu64 " refused by the kernel, %" PRIu64
		       " walk failed\n",
		       n[PROF_LOSS_STORAGE_FULL], n[PROF_LOSS_REFUSED], n[PROF_LOSS_WALK_FAILED]);
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

void info_sampling(const struct prof_meta *meta, const char *indent, struct textbuf *out)
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

void info_counts(const struct recording *rec, struct textbuf *out)
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
	print_reasons(out, end->lost);
	print_identity(rec, out);
	print_hits(rec, "idle", end->idle, "left out", out);
	print_hits(rec, "filtered", end->filtered, "left out", out);
	info_key(out, "user missed");
	print_reasons(out, end->missed_user);
	info_key(out, "kernel missed");
	print_reasons(out, end->missed_kernel);
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

void info_user_stacks(const struct recording *rec, struct textbuf *out)
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

void info_lacks(const struct recording *rec, struct textbuf *out)
{
	for (uint32_t i = 0; i < nr_event_sums(rec->meta); i++)
		print_lacks(rec, i, out);
}
