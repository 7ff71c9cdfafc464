// SPDX-License-Identifier: GPL-2.0-or-later
/* profrep info --json: the facts about a recording as numbers. */
#include "report/print/printers.h"

#include <errno.h>

#include "common/clock.h"
#include "common/cleanup.h"
#include "report/print/info_languages.h"
#include "report/print/info_numbers.h"
#include "report/text/json_writer.h"

static void print_loads(struct json *json, const char *key, const uint64_t *loads)
{
	json_open(json, key, '[');
	for (int i = 0; i < PROF_NR_LOADS; i++)
		json_put_double(json, NULL, loads[i] / 100.0);
	json_close(json, ']');
}

static void print_host(const struct recording *rec, struct json *json)
{
	const struct prof_meta *meta = rec->meta;

	json_open(json, "host", '{');
	json_put_text(json, "name", meta->hostname);
	json_put_text(json, "kernel", meta->kernel_release);
	json_put_text(json, "kernel_version", meta->kernel_version);
	json_put_text(json, "architecture", meta->arch);
	json_put_text(json, "boot_id", meta->host.boot_id);
	json_put_text(json, "processor", meta->host.cpu_model);
	json_put_text(json, "hypervisor", meta->host.hypervisor);
	json_put_number(json, "cpus_online", meta->host.nr_cpus_online);
	json_put_number(json, "cpus_possible", meta->host.nr_cpus_possible);
	json_put_number(json, "memory_bytes", meta->host.memory_bytes);
	print_loads(json, "load_start", meta->loads);
	if (rec->end)
		print_loads(json, "load_end", rec->end->loads);
	else
		json_put_null(json, "load_end");
	json_close(json, '}');
}

static void print_ids(struct json *json, const char *key, const uint32_t *ids, uint32_t nr)
{
	json_open(json, key, '[');
	for (uint32_t i = 0; i < nr; i++)
		json_put_number(json, NULL, ids[i]);
	json_close(json, ']');
}

static void print_choices(const struct prof_meta *meta, struct json *json)
{
	static const char *const sides[] = {"both", "user", "kernel"};
	static const char *const unwindings[] = {"unknown", "fp", "tables"};
	static const char *const backends[] = {"bpf", "perf", "ptrace"};

	json_put_text(json, "recorder", meta->recorder);
	json_put_text(json, "command_line", meta->command_line);
	json_put_text(json, "command", meta->command);
	json_put_text(json, "sampled_event", meta->event);
	json_put_number(json, "frequency_hz", meta->freq_hz);
	json_put_number(json, "period", meta->period);
	json_put_number(json, "nr_cpus", meta->nr_cpus);
	json_put_text(json, "cpus", meta->cpus);
	print_ids(json, "pids", meta->pids, meta->nr_pids);
	print_ids(json, "tids", meta->tids, meta->nr_tids);
	json_put_text(json, "filters", meta->filters);
	json_put_safe(json, "sides", meta->sides < ARRAY_SIZE(sides) ? sides[meta->sides] : "");
	json_put_safe(json, "backend",
		      meta->backend < ARRAY_SIZE(backends) ? backends[meta->backend] : "");
	json_put_safe(json, "unwinding",
		      meta->unwinding < ARRAY_SIZE(unwindings) ? unwindings[meta->unwinding] : "");
	json_put_number(json, "max_stack_depth", meta->max_stack_depth);
	json_put_bool(json, "include_idle", meta->include_idle);
}

static void print_seconds(struct json *json, const char *key, uint64_t ns)
{
	json_put_double(json, key, ns / (double)NS_PER_S);
}

static void print_times(const struct recording *rec, struct json *json)
{
	json_put_number(json, "start_ns", rec->meta->start_realtime_ns);
	if (rec->end)
		print_seconds(json, "seconds", rec->end->duration_ns);
	else
		json_put_null(json, "seconds");
	print_seconds(json, "requested_seconds", rec->meta->duration_ns);
	print_seconds(json, "interval_seconds", rec->meta->interval_ns);
	print_seconds(json, "slice_seconds", rec->model.slice_ns);
}

static void print_reasons(struct json *json, const char *key, const uint64_t nr[PROF_NR_LOSSES])
{
	json_open(json, key, '{');
	json_put_number(json, "storage_full", nr[PROF_LOSS_STORAGE_FULL]);
	json_put_number(json, "refused", nr[PROF_LOSS_REFUSED]);
	json_put_number(json, "walk_failed", nr[PROF_LOSS_WALK_FAILED]);
	json_close(json, '}');
}

/* What the recorder left out, and whose things lacked room or time. */
static void print_omissions(const struct prof_end *end, struct json *json)
{
	json_put_number(json, "not_followed", end->unfollowed);
	json_put_number(json, "hits_skipped", end->skipped);
	json_put_number(json, "cpus_changed", end->nr_cpus_changed);
	json_open(json, "left_out", '{');
	json_put_number(json, "jit_maps", end->maps_left_out);
	json_put_number(json, "mappings", end->mappings_left_out);
	json_put_number(json, "looks", end->looks_left_out);
	json_put_number(json, "descriptions", end->infos_left_out);
	json_put_number(json, "names", end->names_left_out);
	json_put_number(json, "stack_copies", end->copies_left_out);
	json_close(json, '}');
	json_open(json, "lacked_room", '[');
	for (uint32_t i = 0; i < end->nr_lacks; i++) {
		json_open(json, NULL, '{');
		json_put_safe(json, "things", prof_lack_words[end->lacks[i].kind].things);
		if (end->lacks[i].uid == PROF_UID_UNKNOWN)
			json_put_null(json, "user");
		else
			json_put_number(json, "user", end->lacks[i].uid);
		json_put_number(json, "count", end->lacks[i].nr);
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_samples(const struct prof_end *end, struct json *json)
{
	if (!end) {
		json_put_null(json, "samples");
		return;
	}
	json_open(json, "samples", '{');
	json_put_number(json, "taken", end->taken);
	json_put_number(json, "counted", end->counted);
	print_reasons(json, "lost", end->lost);
	json_put_number(json, "idle", end->idle);
	json_put_number(json, "filtered", end->filtered);
	print_reasons(json, "missed_user", end->missed_user);
	print_reasons(json, "missed_kernel", end->missed_kernel);
	json_put_number(json, "lost_records", end->lost_records);
	json_open(json, "per_cpu", '[');
	for (uint32_t i = 0; i < end->nr_cpu_taken; i++)
		json_put_number(json, NULL, end->cpu_taken[i]);
	json_close(json, ']');
	if (end->wanted_ns)
		json_put_number(json, "counted_percent", prof_end_counted_percent(end));
	else
		json_put_null(json, "counted_percent");
	print_omissions(end, json);
	json_close(json, '}');
}

/* The counts of an event by the ends of their stacks of user space. */
static void print_ends(const struct recording *rec, uint32_t event, struct json *json)
{
	static const struct {
		const char *key;
		enum prof_stack_end end;
	} ends[] = {
		{"complete", PROF_STACK_COMPLETE},
		{"frame_pointers_ran_out", PROF_STACK_UNKNOWN},
		{"strayed", PROF_STACK_STRAYED},
		{"cut", PROF_STACK_CUT},
		{"early", PROF_STACK_EARLY},
		{"no_unwind_table", PROF_STACK_NO_TABLE},
		{"unsupported_rule", PROF_STACK_BAD_RULE},
		{"unreadable_memory", PROF_STACK_UNREADABLE},
	};
	const struct end_numbers nr = end_numbers_count(&rec->model, event);

	json_open(json, "user_stacks", '{');
	json_put_number(json, "all", nr.all);
	for (size_t i = 0; i < ARRAY_SIZE(ends); i++)
		json_put_number(json, ends[i].key, nr.by_end[ends[i].end]);
	json_close(json, '}');
}

static void print_languages(const struct language_numbers *nr, struct json *json)
{
	json_open(json, "languages", '{');
	json_put_number(json, "with_functions", nr->with);
	json_put_number(json, "out_of_place", nr->displaced);
	json_put_number(json, "unreadable", nr->unread);
	json_close(json, '}');
}

/* The runtimes in which stacks end that cannot be walked. */
static void print_runtimes(const struct recording *rec, uint32_t event, struct json *json)
{
	struct runtimes_stacks sums;

	if (runtimes_stacks_count(&rec->model, event, &sums)) {
		textbuf_fail(json->out, -ENOMEM);
		return;
	}
	json_open(json, "runtimes", '[');
	for (size_t i = 0; i < sums.nr; i++) {
		const char *help = runtime_help(sums.of[i].name);

		if (!sums.of[i].incomplete)
			continue;
		json_open(json, NULL, '{');
		json_put_text(json, "name", sums.of[i].name);
		json_put_number(json, "stacks", sums.of[i].all);
		json_put_number(json, "incomplete", sums.of[i].incomplete);
		json_put_safe(json, "help", help ? help : "");
		json_close(json, '}');
	}
	json_close(json, ']');
}

static void print_lacks(const struct recording *rec, uint32_t event, struct json *json)
{
	const struct lack_numbers nr = lack_numbers_count(&rec->model, event);

	json_open(json, "not_described", '{');
	json_put_number(json, "user", nr.user);
	json_put_number(json, "executable", nr.exe);
	json_put_number(json, "cgroup", nr.cgroup);
	json_close(json, '}');
}

/* The counts of an event by the labels of their requests. */
static void print_labelled(const struct model *model, uint32_t event, struct json *json)
{
	json_open(json, "requests", '{');
	json_put_number(json, "with_labels", model->labelled[event]);
	json_put_number(json, "with_others", model->beyond_labels[event]);
	json_put_number(json, "with_trace", model->traced[event]);
	json_close(json, '}');
}

/* The keys of the labels of requests, each once, and the number of different sets. */
static void print_labels(const struct model *model, struct json *json)
{
	u32_vec keys = {0};

	if (distinct_label_keys(model, &keys))
		textbuf_fail(json->out, -ENOMEM);
	json_open(json, "labels", '[');
	for (size_t i = 0; i < keys.nr; i++)
		json_put_text(json, NULL, string_set_get(&model->strings, keys.data[i]));
	json_close(json, ']');
	vec_free(&keys);
	json_put_number(json, "label_sets", model->label_sets.nr ? model->label_sets.nr - 1 : 0);
}

static void print_events(const struct recording *rec, const struct language_numbers *languages,
			 struct json *json)
{
	const struct prof_meta *meta = rec->meta;

	json_open(json, "events", '[');
	for (uint32_t i = 0; i < nr_event_sums(meta); i++) {
		json_open(json, NULL, '{');
		json_put_text(json, "event", event_name(meta, i));
		json_put_text(json, "weight", event_weight(meta, i));
		json_put_safe(json, "unit", event_unit(meta, i));
		json_put_number(json, "sum", rec->model.totals[i]);
		if (meta->nr_events && rec->end && rec->end->nr_events) {
			json_put_number(json, "taken", rec->end->events[i].taken);
			json_put_number(json, "counted", rec->end->events[i].counted);
		}
		print_ends(rec, i, json);
		print_languages(&languages[i], json);
		print_runtimes(rec, i, json);
		print_lacks(rec, i, json);
		print_labelled(&rec->model, i, json);
		json_close(json, '}');
	}
	json_close(json, ']');
}

int print_info_json(const struct recording *rec, struct textbuf *out)
{
	static const char *const reasons[PROF_NR_END_REASONS] = {
		[PROF_END_DURATION] = "duration", [PROF_END_SIGNAL] = "signal",
		[PROF_END_COMMAND] = "command",   [PROF_END_ERROR] = "error",
		[PROF_END_ROTATED] = "rotated",
	};
	struct language_numbers languages[PROF_MAX_EVENTS];
	struct stack_numbers stacks;
	struct json json = {.out = out};
	uint64_t processes;
	int ret = language_numbers_count(rec, languages);

	if (!ret)
		ret = stack_numbers_count(&rec->model, &stacks);
	if (!ret)
		ret = nr_processes_count(&rec->model, &processes);
	if (ret)
		return ret;
	json_open(&json, NULL, '{');
	json_put_text(&json, "file", rec->name);
	json_put_number(&json, "bytes", rec->nr_bytes);
	json_put_bool(&json, "complete", rec->end != NULL);
	json_put_text(&json, "defect", rec->end || !rec->defect ? "" : rec->defect);
	if (rec->end && rec->end->reason == PROF_END_COMMAND && !rec->meta->command[0])
		json_put_safe(&json, "end", "processes");
	else
		json_put_safe(&json, "end",
			      rec->end && rec->end->reason < PROF_NR_END_REASONS
				      ? reasons[rec->end->reason]
				      : "");
	json_put_number(&json, "merged_from", rec->meta->nr_recordings);
	print_host(rec, &json);
	print_choices(rec->meta, &json);
	print_times(rec, &json);
	print_samples(rec->end, &json);
	print_events(rec, languages, &json);
	info_languages_json(rec, &json);
	print_labels(&rec->model, &json);
	json_put_number(&json, "processes", processes);
	json_put_number(&json, "epochs", rec->model.nr_epochs);
	json_put_number(&json, "stacks", rec->model.nr_counts);
	json_put_number(&json, "stacks_distinct", stacks.distinct);
	json_put_number(&json, "stacks_cut", stacks.cut);
	json_close(&json, '}');
	textbuf_char(out, '\n');
	return 0;
}
