// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/pprof_profile.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/clock.h"
#include "common/hash.h"
#include "report/model/event_choice.h"
#include "report/write/gzip.h"

int pprof_profile_init(struct pprof_profile *profile)
{
	*profile = (struct pprof_profile){0};
	return pprof_tables_init(&profile->tables);
}

void pprof_profile_deinit(struct pprof_profile *profile)
{
	pprof_tables_deinit(&profile->tables);
	vec_free(&profile->samples);
	index_deinit(&profile->sample_index);
	vec_free(&profile->location_ids);
	vec_free(&profile->labels);
	vec_free(&profile->comments);
	vec_free(&profile->places);
	vec_free(&profile->programs);
}

int64_t pprof_profile_string(struct pprof_profile *profile, const char *s)
{
	int64_t id;
	int ret = pprof_add_string(&profile->tables, s, strlen(s), &id);

	if (ret)
		textbuf_fail(&profile->tables.scratch, ret);
	return id;
}

void pprof_profile_add_type(struct pprof_profile *profile, const char *type, const char *unit,
			    uint64_t factor)
{
	Pprof__ValueType *value = &profile->types[profile->nr_values];

	pprof__value_type__init(value);
	value->type = pprof_profile_string(profile, type);
	value->unit = pprof_profile_string(profile, unit);
	profile->factors[profile->nr_values++] = factor;
	profile->period_type = *value;
	profile->period = factor;
}

void pprof_profile_add_cpu(struct pprof_profile *profile, const struct prof_meta *meta,
			   uint32_t event)
{
	uint64_t ns = event_sample_ns(meta, event);

	pprof_profile_add_type(profile, "samples", "count", 1);
	/* Sampled time is counted in nanoseconds. */
	if (event_samples(meta, event, ns) != ns) {
		profile->divisors[0] = ns;
		pprof_profile_add_type(profile, "cpu", "nanoseconds", 1);
	} else {
		pprof_profile_add_type(profile, "cpu", "nanoseconds", ns);
	}
	profile->period = ns;
}

int pprof_profile_add_label(struct pprof_profile *profile, int64_t key, int64_t str, int64_t num)
{
	Pprof__Label label = PPROF__LABEL__INIT;

	label.key = key;
	label.str = str;
	label.num = num;
	return vec_push(&profile->labels, label);
}

/* Adds the locations of the row in the list of places, the leaf first. */
static int add_locations(struct pprof_profile *profile, const struct printout *p,
			 const struct stack_row *row)
{
	int ret = 0;

	for (size_t i = profile->places.nr; i-- > 0 && !ret;) {
		uint64_t id;

		ret = pprof_add_place(&profile->tables, p, row->process, &profile->places.data[i],
				      &id);
		if (!ret)
			ret = vec_push(&profile->location_ids, id);
	}
	if (!ret && !profile->places.nr && profile->tables.names_all) {
		uint64_t id;

		ret = pprof_add_text(&profile->tables, "[no stack]", &id);
		if (!ret)
			ret = vec_push(&profile->location_ids, id);
	}
	return ret;
}

static int64_t value_of(uint64_t count, uint64_t factor, uint64_t divisor)
{
	int64_t value;

	return __builtin_mul_overflow(count / (divisor ? divisor : 1), factor, &value) ? INT64_MAX
										       : value;
}

/* Counts @count for the executable of the process of @row. */
static int count_program(struct pprof_profile *profile, const struct printout *p,
			 const struct stack_row *row, uint64_t count)
{
	const struct model *model = &p->rec->model;
	uint32_t exe = model->processes.data[row->process].info.exe;
	int64_t path;
	int ret;

	if (!exe)
		return 0;
	ret = pprof_add_path(&profile->tables, string_set_get(&model->strings, exe), &path);
	while (!ret && profile->programs.nr <= (uint64_t)path)
		ret = vec_push(&profile->programs, 0);
	if (!ret && __builtin_add_overflow(profile->programs.data[path], count,
					   &profile->programs.data[path]))
		profile->programs.data[path] = UINT64_MAX;
	return ret;
}

/* Makes the executable with the largest counts the program of the profile. */
static int choose_program(struct pprof_profile *profile)
{
	size_t best = 0;

	for (size_t i = 1; i < profile->programs.nr; i++)
		if (profile->programs.data[i] > profile->programs.data[best])
			best = i;
	return best ? pprof_put_first(&profile->tables, best) : 0;
}

int pprof_profile_add_text(struct pprof_profile *profile, const struct printout *p, int64_t key,
			   uint32_t id)
{
	struct pprof_tables *t = &profile->tables;
	int64_t string;
	int ret;

	labels_string(p->labels, &t->scratch, id);
	ret = t->scratch.error ? t->scratch.error
			       : pprof_add_string(t, t->scratch.data, t->scratch.nr, &string);
	t->scratch.nr = 0;
	return ret ? ret : pprof_profile_add_label(profile, key, string, 0);
}

/* Makes the @len bytes of @name a name of a label: letters, digits and _. */
static void make_series_name(char *name, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (!isalnum((unsigned char)name[i]) || (!i && isdigit((unsigned char)name[i])))
			name[i] = '_';
}

int pprof_profile_add_request(struct pprof_profile *profile, const struct printout *p,
			      uint32_t label_set, bool are_series)
{
	const struct model *model = &p->rec->model;
	const struct model_label_set *set = &model->label_sets.data[label_set];
	struct pprof_tables *t = &profile->tables;
	int ret = 0;

	for (uint32_t i = 0; i < set->nr_labels && !ret; i++) {
		const struct prof_label *label = &model->labels.data[set->first_label + i];
		const char *name = string_set_get(&model->strings, label->key);
		int64_t key;

		if (are_series &&
		    (!strcmp(name, PROF_LABEL_TRACE_ID) || !strcmp(name, PROF_LABEL_SPAN_ID)))
			continue;
		labels_string(p->labels, &t->scratch, label->key);
		if (are_series)
			make_series_name(t->scratch.data, t->scratch.nr);
		ret = t->scratch.error ? t->scratch.error
				       : pprof_add_string(t, t->scratch.data, t->scratch.nr, &key);
		t->scratch.nr = 0;
		if (!ret)
			ret = pprof_profile_add_text(profile, p, key, label->value);
	}
	return ret;
}

static bool have_equal_labels(const struct pprof_profile *profile, const struct pprof_sample *a,
			      const struct pprof_sample *b)
{
	const Pprof__Label *x = profile->labels.data + a->first_label;
	const Pprof__Label *y = profile->labels.data + b->first_label;

	for (uint32_t i = 0; i < a->nr_labels && i < b->nr_labels; i++)
		if (x[i].key != y[i].key || x[i].str != y[i].str || x[i].num != y[i].num)
			return false;
	return a->nr_labels == b->nr_labels;
}

/* Adds the values of @sample to an equal one, or adds it. */
static int add_up(struct pprof_profile *profile, const struct pprof_sample *sample)
{
	const uint64_t *ids = profile->location_ids.data;
	size_t size = sample->nr_locations * sizeof(*ids);
	uint64_t hash = hash_bytes(size ? ids + sample->first_location : NULL, size, 0);

	for (uint32_t i = 0; i < sample->nr_labels; i++)
		hash = hash_u64(hash ^ profile->labels.data[sample->first_label + i].str);
	index_for_each(&profile->sample_index, hash, i) {
		struct pprof_sample *have = &profile->samples.data[i];

		if (have->nr_locations != sample->nr_locations ||
		    (size &&
		     memcmp(ids + have->first_location, ids + sample->first_location, size)) ||
		    !have_equal_labels(profile, have, sample))
			continue;
		for (uint32_t v = 0; v < profile->nr_values; v++)
			if (__builtin_add_overflow(have->values[v], sample->values[v],
						   &have->values[v]))
				have->values[v] = INT64_MAX;
		profile->location_ids.nr = sample->first_location;
		profile->labels.nr = sample->first_label;
		return 0;
	}
	return index_push(&profile->sample_index, &profile->samples, hash, *sample);
}

int pprof_profile_add(struct pprof_profile *profile, const struct printout *p,
		      const struct stack_row *row, uint64_t count, bool subtracts)
{
	const struct pprof_sample *before =
		profile->samples.nr ? &profile->samples.data[profile->samples.nr - 1] : NULL;
	struct pprof_sample sample = {
		.first_location = profile->location_ids.nr,
		.first_label = before ? before->first_label + before->nr_labels : 0,
	};
	int ret = stack_places_make(row, &profile->places);

	if (!ret)
		ret = add_locations(profile, p, row);
	if (!ret && !subtracts)
		ret = count_program(profile, p, row, count);
	if (ret)
		return ret;
	sample.nr_locations = profile->location_ids.nr - sample.first_location;
	sample.nr_labels = profile->labels.nr - sample.first_label;
	for (uint32_t i = 0; i < profile->nr_values; i++) {
		sample.values[i] = value_of(count, profile->factors[i], profile->divisors[i]);
		if (subtracts)
			sample.values[i] = -sample.values[i];
	}
	return profile->adds_up ? add_up(profile, &sample) : vec_push(&profile->samples, sample);
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

static int make_samples(struct pprof_profile *x, struct pointers *a)
{
	a->samples = calloc(x->samples.nr + 1, sizeof(*a->samples));
	a->sample_pointers = calloc(x->samples.nr + 1, sizeof(*a->sample_pointers));
	if (!a->samples || !a->sample_pointers || !POINTERS_TO(a->labels, &x->labels))
		return -ENOMEM;
	for (size_t i = 0; i < x->samples.nr; i++) {
		struct pprof_sample *from = &x->samples.data[i];
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

static int make_pointers(struct pprof_profile *x, struct pointers *a)
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
	int ret = -ENOMEM;

	if (packed) {
		pprof__profile__pack(profile, packed);
		ret = gzip_append(out, packed, size);
	}
	free(packed);
	return ret;
}

/* Packs @profile, whose samples and tables are in @a. */
static int pack(struct pprof_profile *profile, struct pointers *a, size_t bytes_max,
		struct textbuf *out)
{
	Pprof__Profile packed = PPROF__PROFILE__INIT;
	Pprof__ValueType *types[PPROF_VALUES_MAX];

	for (uint32_t i = 0; i < profile->nr_values; i++)
		types[i] = &profile->types[i];
	packed.sample_type = types;
	packed.n_sample_type = profile->nr_values;
	packed.sample = a->sample_pointers;
	packed.n_sample = profile->samples.nr;
	packed.mapping = a->mappings;
	packed.n_mapping = profile->tables.mappings.nr;
	packed.location = a->locations;
	packed.n_location = profile->tables.locations.nr;
	packed.function = a->functions;
	packed.n_function = profile->tables.functions.nr;
	packed.string_table = a->strings;
	packed.n_string_table = profile->tables.strings.items.nr;
	packed.time_nanos = profile->time_ns;
	packed.duration_nanos = profile->duration_ns;
	packed.period_type = &profile->period_type;
	packed.period = profile->period;
	packed.comment = profile->comments.data;
	packed.n_comment = profile->comments.nr;
	packed.default_sample_type = profile->types[profile->nr_values - 1].type;
	if (pprof__profile__get_packed_size(&packed) > bytes_max)
		return -E2BIG;
	return write_profile(&packed, out);
}

int pprof_profile_pack(struct pprof_profile *profile, size_t bytes_max, struct textbuf *out)
{
	struct pointers a = {0};
	int ret = choose_program(profile);

	if (!ret)
		ret = make_pointers(profile, &a);
	if (!ret)
		ret = pack(profile, &a, bytes_max, out);
	free_pointers(&a);
	return ret;
}
