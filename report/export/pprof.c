// SPDX-License-Identifier: GPL-2.0-or-later
/* Rows as a pprof profile. Numbers of values, units and labels: see describe_values. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "common/clock.h"
#include "report/export/exporters.h"
#include "report/export/pprof_tables.h"
#include "report/export/stack_places.h"

/* deflateInit2: a window of 32 KiB, and a header of gzip. */
#define GZIP_WINDOW_BITS (15 + 16)

#define VALUES_MAX 2
#define LABELS_MAX 4

/* A sample before the arrays that it points into have their places. */
struct sample {
	size_t first_location, first_label;
	uint32_t nr_locations, nr_labels;
	int64_t values[VALUES_MAX];
};

struct pprof {
	struct pprof_tables tables;
	VEC(struct sample) samples;
	VEC(uint64_t) location_ids;
	VEC(Pprof__Label) labels;
	VEC(int64_t) comments;
	stack_place_vec places;
	Pprof__ValueType types[VALUES_MAX], period_type;
	uint32_t nr_values;
	uint64_t factors[VALUES_MAX]; /* value = count * factor */
	int64_t period;
	int64_t thread, pid, cgroup, is_base; /* strings: keys of labels */
	/* the recording whose rows are being added */
	const struct printout *p;
	bool subtracts;
};

/* A string of the program itself. If memory runs out, the scratch buffer notes the error. */
static int64_t own_string(struct pprof *x, const char *s)
{
	int64_t id;
	int ret = pprof_add_string(&x->tables, s, strlen(s), &id);

	if (ret)
		textbuf_fail(&x->tables.scratch, ret);
	return id;
}

static void add_type(struct pprof *x, const char *type, const char *unit, uint64_t factor)
{
	Pprof__ValueType *value = &x->types[x->nr_values];

	pprof__value_type__init(value);
	value->type = own_string(x, type);
	value->unit = own_string(x, unit);
	x->factors[x->nr_values++] = factor;
}

static bool is_clock(const char *event)
{
	return !strcmp(event, "cpu-clock") || !strcmp(event, "task-clock");
}

/* Samples of a clock, or of cycles at a frequency, stand for time. */
static void describe_samples(struct pprof *x, const struct prof_meta *meta, uint64_t period)
{
	bool is_time = is_clock(meta->event) ||
		       (meta->freq_hz && !strncmp(meta->event, "cycles", strlen("cycles")));

	add_type(x, "samples", "count", 1);
	if (is_time && (period || meta->freq_hz))
		add_type(x, "cpu", "nanoseconds", period ? period : NS_PER_S / meta->freq_hz);
	else if (period)
		add_type(x, meta->event, "count", period);
}

/*
 * The values of a sample: the count, and the time or the events that it stands for. Sums have one
 * value. pprof shows the last one first.
 */
static void describe_values(struct pprof *x)
{
	static const struct {
		const char *type, *unit;
	} sums[PROF_NR_EVENT_UNITS] = {
		[PROF_UNIT_EVENTS] = {"hits", "count"},
		[PROF_UNIT_NS] = {"cpu", "nanoseconds"},
		[PROF_UNIT_BYTES] = {"bytes", "bytes"},
		[PROF_UNIT_NUMBER] = {"sum", "count"},
	};
	const struct prof_meta *meta = x->p->rec->meta;
	const struct prof_event *event = printed_event(x->p);

	if (!event || (event->kind == PROF_EVENT_SAMPLES && event->unit == PROF_UNIT_EVENTS))
		describe_samples(x, meta, event ? event->period : meta->period);
	else if (event->kind == PROF_EVENT_OFF_CPU)
		add_type(x, "offcpu", "nanoseconds", 1);
	else
		add_type(x, sums[event->unit].type, sums[event->unit].unit, 1);
	x->period_type = x->types[x->nr_values - 1];
	x->period = x->factors[x->nr_values - 1];
}

static int64_t value_of(const struct pprof *x, uint64_t count, uint64_t factor)
{
	int64_t value;

	if (__builtin_mul_overflow(count, factor, &value))
		value = INT64_MAX;
	return x->subtracts ? -value : value;
}

static int add_label(struct pprof *x, int64_t key, int64_t str, int64_t num)
{
	Pprof__Label label = PPROF__LABEL__INIT;

	label.key = key;
	label.str = str;
	label.num = num;
	return vec_push(&x->labels, label);
}

/* Adds the string @id of the model as a label. */
static int add_model_label(struct pprof *x, int64_t key, uint32_t id)
{
	struct pprof_tables *t = &x->tables;
	int64_t string;
	int ret;

	labels_string(x->p->labels, &t->scratch, id);
	ret = t->scratch.error ? t->scratch.error
			       : pprof_add_string(t, t->scratch.data, t->scratch.nr, &string);
	t->scratch.nr = 0;
	return ret ? ret : add_label(x, key, string, 0);
}

static int add_labels(struct pprof *x, const struct stack_row *row)
{
	const struct model_process *process = &x->p->rec->model.processes.data[row->process];
	int ret = row->comm ? add_model_label(x, x->thread, row->comm) : 0;

	if (!ret && row->pid)
		ret = add_label(x, x->pid, 0, row->pid);
	if (!ret && process->info.cgroup)
		ret = add_model_label(x, x->cgroup, process->info.cgroup);
	if (!ret && x->subtracts)
		ret = add_label(x, x->is_base, own_string(x, "true"), 0);
	return ret;
}

/* Adds the locations of the row in the list of places, the leaf first. */
static int add_locations(struct pprof *x, const struct stack_row *row)
{
	int ret = 0;

	for (size_t i = x->places.nr; i-- > 0 && !ret;) {
		const struct stack_place *place = &x->places.data[i];
		uint64_t id;

		ret = place->text ? pprof_add_text(&x->tables, place->text, &id)
				  : pprof_add_frame(&x->tables, x->p, row->process, place->frame,
						    place->place, &id);
		if (!ret)
			ret = vec_push(&x->location_ids, id);
	}
	return ret;
}

static int add_row(void *ctx, const struct stack_row *row)
{
	struct pprof *x = ctx;
	struct sample sample = {
		.first_location = x->location_ids.nr,
		.first_label = x->labels.nr,
	};
	int ret = stack_places_make(row, &x->places);

	if (!ret)
		ret = add_locations(x, row);
	if (!ret)
		ret = add_labels(x, row);
	sample.nr_locations = x->location_ids.nr - sample.first_location;
	sample.nr_labels = x->labels.nr - sample.first_label;
	for (uint32_t i = 0; i < x->nr_values; i++)
		sample.values[i] = value_of(x, row->count, x->factors[i]);
	return ret ? ret : vec_push(&x->samples, sample);
}

static void add_comment(struct pprof *x, const char *words, const char *text)
{
	struct textbuf *scratch = &x->tables.scratch;
	int64_t id = 0;
	int ret;

	textbuf_str(scratch, words);
	textbuf_escaped(scratch, text, strlen(text), TEXT_PLAIN);
	ret = scratch->error ? scratch->error
			     : pprof_add_string(&x->tables, scratch->data, scratch->nr, &id);
	scratch->nr = 0;
	if (!ret)
		ret = vec_push(&x->comments, id);
	if (ret)
		textbuf_fail(scratch, ret);
}

static void add_number(struct pprof *x, const char *words, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%" PRIu64, number);
	if (number)
		add_comment(x, words, text);
}

/* Comments tell the origin, and whatever is missing. */
static void add_comments(struct pprof *x, const struct recording *rec)
{
	const struct prof_end *end = rec->end;
	uint64_t lost = 0;

	add_comment(x, "host: ", rec->meta->hostname);
	add_comment(x, "kernel: ", rec->meta->kernel_release);
	add_comment(x, "recorder: ", rec->meta->recorder);
	add_comment(x, "command line: ", rec->meta->command_line);
	if (!end) {
		add_comment(x, "incomplete recording: ", rec->defect ? rec->defect : "");
		return;
	}
	for (int i = 0; i < PROF_NR_LOSSES; i++)
		lost += end->lost[i];
	add_number(x, "samples taken: ", end->taken);
	add_number(x, "samples counted: ", end->counted);
	add_number(x, "samples lost: ", lost);
	add_number(x, "address space records lost: ", end->lost_records);
	add_number(x, "recordings that are incomplete or left out: ", rec->gaps.nr);
}

/* Pointers to each element of @elements, as protobuf-c wants repeated messages. */
#define POINTERS_TO(pointers, elements)                                                            \
	({                                                                                         \
		(pointers) = calloc((elements)->nr + 1, sizeof(*(pointers)));                      \
		for (size_t _i = 0; (pointers) && _i < (elements)->nr; _i++)                       \
			(pointers)[_i] = &(elements)->data[_i];                                    \
		(pointers);                                                                        \
	})

/* The arrays of pointers of a profile. */
struct pointers {
	Pprof__Sample *samples, **sample_pointers;
	Pprof__Label **labels;
	Pprof__Mapping **mappings;
	Pprof__Location **locations;
	Pprof__Function **functions;
	Pprof__Line **lines;
	char **strings;
};

static void free_pointers(struct pointers *a)
{
	free(a->samples);
	free(a->sample_pointers);
	free(a->labels);
	free(a->mappings);
	free(a->locations);
	free(a->functions);
	free(a->lines);
	free(a->strings);
}

static int make_samples(struct pprof *x, struct pointers *a)
{
	a->samples = calloc(x->samples.nr + 1, sizeof(*a->samples));
	a->sample_pointers = calloc(x->samples.nr + 1, sizeof(*a->sample_pointers));
	if (!a->samples || !a->sample_pointers || !POINTERS_TO(a->labels, &x->labels))
		return -ENOMEM;
	for (size_t i = 0; i < x->samples.nr; i++) {
		struct sample *from = &x->samples.data[i];
		Pprof__Sample *to = &a->samples[i];

		pprof__sample__init(to);
		to->location_id = x->location_ids.data + from->first_location;
		to->n_location_id = from->nr_locations;
		to->value = from->values;
		to->n_value = x->nr_values;
		to->label = a->labels + from->first_label;
		to->n_label = from->nr_labels;
		a->sample_pointers[i] = to;
	}
	return 0;
}

static int make_pointers(struct pprof *x, struct pointers *a)
{
	struct pprof_tables *t = &x->tables;

	a->strings = calloc(t->strings.items.nr, sizeof(*a->strings));
	if (!a->strings || make_samples(x, a) || !POINTERS_TO(a->mappings, &t->mappings) ||
	    !POINTERS_TO(a->locations, &t->locations) ||
	    !POINTERS_TO(a->functions, &t->functions) || pprof_tables_finish(t, &a->lines))
		return -ENOMEM;
	for (size_t i = 0; i < t->strings.items.nr; i++)
		a->strings[i] = (char *)t->strings.items.data[i].s;
	return 0;
}

/* Appends @profile, packed and compressed. Returns 0 or -ENOMEM. */
static int write_profile(const Pprof__Profile *profile, struct textbuf *out)
{
	size_t size = pprof__profile__get_packed_size(profile);
	uint8_t *packed = malloc(size + 1);
	z_stream z = {0};
	int ret = packed ? 0 : -ENOMEM;

	if (!ret && deflateInit2(&z, Z_DEFAULT_COMPRESSION, Z_DEFLATED, GZIP_WINDOW_BITS, 8,
				 Z_DEFAULT_STRATEGY) != Z_OK)
		ret = -ENOMEM;
	if (!ret) {
		uint8_t chunk[1 << 16];
		int state = Z_OK;

		pprof__profile__pack(profile, packed);
		z.next_in = packed;
		while (state != Z_STREAM_END) {
			size_t left = packed + size - z.next_in;

			z.avail_in = left < (1u << 30) ? left : 1u << 30;
			z.next_out = chunk;
			z.avail_out = sizeof(chunk);
			state = deflate(&z, z.avail_in == left ? Z_FINISH : Z_NO_FLUSH);
			textbuf_bytes(out, chunk, sizeof(chunk) - z.avail_out);
		}
		deflateEnd(&z);
	}
	free(packed);
	return ret;
}

static int write_all(struct pprof *x, const struct recording *rec, struct textbuf *out)
{
	Pprof__Profile profile = PPROF__PROFILE__INIT;
	Pprof__ValueType *types[VALUES_MAX];
	struct pointers a = {0};
	int ret = make_pointers(x, &a);

	for (uint32_t i = 0; i < x->nr_values; i++)
		types[i] = &x->types[i];
	profile.sample_type = types;
	profile.n_sample_type = x->nr_values;
	profile.sample = a.sample_pointers;
	profile.n_sample = x->samples.nr;
	profile.mapping = a.mappings;
	profile.n_mapping = x->tables.mappings.nr;
	profile.location = a.locations;
	profile.n_location = x->tables.locations.nr;
	profile.function = a.functions;
	profile.n_function = x->tables.functions.nr;
	profile.string_table = a.strings;
	profile.n_string_table = x->tables.strings.items.nr;
	profile.time_nanos = rec->meta->start_realtime_ns;
	profile.duration_nanos =
		rec->end ? rec->nr_recordings > 1 ? rec->meta->duration_ns : rec->end->duration_ns
			 : rec->meta->duration_ns;
	profile.period_type = &x->period_type;
	profile.period = x->period;
	profile.comment = x->comments.data;
	profile.n_comment = x->comments.nr;
	profile.default_sample_type = x->types[x->nr_values - 1].type;
	if (!ret)
		ret = write_profile(&profile, out);
	free_pointers(&a);
	return ret;
}

static int add_rows(struct pprof *x, const struct printout *p, bool subtracts,
		    struct rows_summary *summary)
{
	x->p = p;
	x->subtracts = subtracts;
	return printout_visit(p, add_row, x, summary);
}

int export_pprof(const struct printout *p, const struct printout *base,
		 struct rows_summary *summary)
{
	struct pprof x = {.p = p};
	struct rows_summary seen = {0};
	int ret = pprof_tables_init(&x.tables);

	if (ret)
		return ret;
	describe_values(&x);
	x.thread = own_string(&x, "thread");
	x.pid = own_string(&x, "pid");
	x.cgroup = own_string(&x, "cgroup");
	x.is_base = own_string(&x, "pprof::base");
	add_comments(&x, p->rec);
	ret = x.tables.scratch.error;
	if (!ret)
		ret = add_rows(&x, p, false, summary);
	if (!ret && base)
		ret = add_rows(&x, base, true, &seen);
	rows_summary_add(summary, &seen);
	if (!ret)
		ret = write_all(&x, p->rec, p->out);
	pprof_tables_deinit(&x.tables);
	vec_free(&x.samples);
	vec_free(&x.location_ids);
	vec_free(&x.labels);
	vec_free(&x.comments);
	vec_free(&x.places);
	return ret;
}
