// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/otlp_write.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/options.h"
#include "report/export/otlp.pb-c.h"
#include "report/model/event_choice.h"
#include "report/tables/recording_tables.h"
#include "report/tables/table_ids.h"
#include "report/view/shown_languages.h"

/* Numbers of fields that are written piece by piece. */
#define REQUEST_RESOURCE_PROFILES 1
#define REQUEST_DICTIONARY        2
#define RESOURCE_ATTRIBUTES       1 /* of Resource */
#define RESOURCE_RESOURCE         1 /* of ResourceProfiles */
#define RESOURCE_SCOPE_PROFILES   2
#define SCOPE_SCOPE               1
#define SCOPE_PROFILES            2
#define PROFILE_SAMPLES           2
#define DICTIONARY_MAPPINGS       1
#define DICTIONARY_LOCATIONS      2
#define DICTIONARY_FUNCTIONS      3
#define DICTIONARY_LINKS          4

#define PROFILE_ID_BYTES 16

/* A string of the tables of pprof. */
static int move_string(struct otlp_collected *x, int64_t pprof_id, int32_t *id)
{
	return otlp_add_string(&x->attributes, string_set_get(&x->frames.strings, pprof_id), id);
}

static int put_mapping(struct otlp_collected *x, const Pprof__Mapping *from, struct textbuf *out)
{
	const char *build_id = string_set_get(&x->frames.strings, from->build_id);
	Otlp__Mapping mapping = OTLP__MAPPING__INIT;
	int ret = move_string(x, from->filename, &mapping.filename_strindex);

	mapping.memory_start = from->memory_start;
	mapping.memory_limit = from->memory_limit;
	mapping.file_offset = from->file_offset;
	if (!ret && build_id[0])
		ret = otlp_add_text(&x->attributes, "process.executable.build_id.gnu", build_id);
	otlp_take_attributes(&x->attributes, &mapping.attribute_indices,
			     &mapping.n_attribute_indices);
	otlp_put_message(out, DICTIONARY_MAPPINGS, &mapping.base);
	return ret;
}

/* Returns the type of the frames in @object, NULL if it is not known. */
static const char *frame_type(const struct model *model, uint32_t object)
{
	const struct model_object *o = &model->objects.data[object];
	const struct shown_language *language;

	if (object_kind_is_kernel(o->key.kind))
		return "kernel";
	if (o->language && o->language_role == PROF_LANGUAGE_SOURCE) {
		language = shown_language_find(string_set_get(&model->strings, o->language));
		return language ? language->frame_type : NULL;
	}
	return o->key.kind == PROF_OBJECT_FILE || o->key.kind == PROF_OBJECT_VDSO ? "native" : NULL;
}

static int put_location(struct otlp_collected *x, const struct model *model, size_t i,
			struct textbuf *out)
{
	const Pprof__Location *from = &x->frames.locations.data[i];
	const Pprof__Line *lines = x->frames.lines.data + x->frames.first_lines.data[i];
	const char *type = frame_type(model, x->frames.objects.data[from->mapping_id - 1]);
	_cleanup_free_ Otlp__Line *line = calloc(from->n_line + 1, sizeof(*line));
	_cleanup_free_ Otlp__Line **pointers = calloc(from->n_line + 1, sizeof(*pointers));
	Otlp__Location location = OTLP__LOCATION__INIT;
	int ret = line && pointers ? 0 : -ENOMEM;

	for (size_t j = 0; j < from->n_line && !ret; j++) {
		otlp__line__init(&line[j]);
		line[j].function_index = (int32_t)lines[j].function_id;
		line[j].line = lines[j].line;
		pointers[j] = &line[j];
	}
	location.mapping_index = (int32_t)from->mapping_id;
	location.address = from->address;
	location.lines = pointers;
	location.n_lines = from->n_line;
	if (!ret && type)
		ret = otlp_add_text(&x->attributes, "profile.frame.type", type);
	otlp_take_attributes(&x->attributes, &location.attribute_indices,
			     &location.n_attribute_indices);
	if (!ret)
		otlp_put_message(out, DICTIONARY_LOCATIONS, &location.base);
	return ret;
}

static int put_function(struct otlp_collected *x, const Pprof__Function *from, struct textbuf *out)
{
	Otlp__Function function = OTLP__FUNCTION__INIT;
	int ret = move_string(x, from->name, &function.name_strindex);

	function.system_name_strindex = function.name_strindex;
	function.start_line = from->start_line;
	if (!ret)
		ret = move_string(x, from->filename, &function.filename_strindex);
	otlp_put_message(out, DICTIONARY_FUNCTIONS, &function.base);
	return ret;
}

/* Makes what comes before the tables that were filled stack by stack. */
static int make_dictionary(struct otlp_collected *x, const struct model *model, struct textbuf *out)
{
	int ret = 0;

	otlp_put_bytes(out, DICTIONARY_MAPPINGS, "", 0);
	for (size_t i = 0; i < x->frames.mappings.nr && !ret; i++)
		ret = put_mapping(x, &x->frames.mappings.data[i], out);
	otlp_put_bytes(out, DICTIONARY_LOCATIONS, "", 0);
	for (size_t i = 0; i < x->frames.locations.nr && !ret; i++)
		ret = put_location(x, model, i, out);
	otlp_put_bytes(out, DICTIONARY_FUNCTIONS, "", 0);
	for (size_t i = 0; i < x->frames.functions.nr && !ret; i++)
		ret = put_function(x, &x->frames.functions.data[i], out);
	return ret ? ret : out->error;
}

static int put_dictionary(struct otlp_collected *x, const struct model *model, struct textbuf *out)
{
	const struct otlp_table *const tables[] = {&x->attributes.strings, &x->attributes.table,
						   &x->stacks, &x->links};
	struct textbuf frames = {.fd = -1};
	int ret = make_dictionary(x, model, &frames);
	size_t len = frames.nr;

	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		len += tables[i]->packed.nr;
	otlp_put_length(out, REQUEST_DICTIONARY, len);
	textbuf_bytes(out, frames.data, frames.nr);
	for (size_t i = 0; i < ARRAY_SIZE(tables); i++)
		textbuf_bytes(out, tables[i]->packed.data, tables[i]->packed.nr);
	textbuf_deinit(&frames);
	return ret ? ret : out->error;
}

struct value_types {
	const char *type, *unit;
	const char *period_type, *period_unit; /* NULL: there is no period */
	uint64_t period;
};

static struct value_types describe_values(const struct prof_meta *meta, uint32_t event)
{
	static const struct value_types sums[PROF_NR_EVENT_UNITS] = {
		[PROF_UNIT_EVENTS] = {"hits", "count"},
		[PROF_UNIT_NS] = {"time", "nanoseconds"},
		[PROF_UNIT_BYTES] = {"bytes", "bytes"},
		[PROF_UNIT_NUMBER] = {"sum", "count"},
	};
	const struct prof_event *e = meta->nr_events ? &meta->events[event] : NULL;
	uint64_t ns = event_sample_ns(meta, event);
	uint64_t period = e ? e->period : meta->period;

	/* Receivers know CPU time by these words, and multiply by the period. */
	if (ns)
		return (struct value_types){"samples", "count", "cpu", "nanoseconds", ns};
	if (event_is_off_cpu(meta, event))
		return (struct value_types){.type = "off_cpu", .unit = "nanoseconds"};
	if (!event_is_sampled(meta, event))
		return sums[e ? e->unit : PROF_UNIT_EVENTS];
	return (struct value_types){"samples", "count", period ? event_name(meta, event) : NULL,
				    "count", period};
}

static int make_value_type(struct otlp_collected *x, const char *type, const char *unit,
			   Otlp__ValueType *value)
{
	int ret = otlp_add_string(&x->attributes, type, &value->type_strindex);

	return ret ? ret : otlp_add_string(&x->attributes, unit, &value->unit_strindex);
}

static void put_sample(struct otlp_collected *x, const struct otlp_sample *from,
		       struct textbuf *values, struct textbuf *times, struct textbuf *packed)
{
	Otlp__Sample sample = OTLP__SAMPLE__INIT;
	size_t len;
	const char *attributes = otlp_table_get(&x->attribute_sets, from->attributes, &len);

	values->nr = times->nr = packed->nr = 0;
	for (uint32_t i = from->first_value; i != OTLP_NONE; i = x->values.data[i].next) {
		const struct otlp_value *value = &x->values.data[i];

		textbuf_bytes(values, &value->value, sizeof(value->value));
		if (x->has_times)
			textbuf_bytes(times, &value->time_ns, sizeof(value->time_ns));
	}
	sample.stack_index = (int32_t)from->stack;
	sample.values = (int64_t *)values->data;
	sample.n_values = values->nr / sizeof(*sample.values);
	sample.timestamps_unix_nano = (uint64_t *)times->data;
	sample.n_timestamps_unix_nano = times->nr / sizeof(uint64_t);
	otlp_put_fields(packed, &sample.base);
	textbuf_bytes(packed, attributes, len);
}

static int put_samples(struct otlp_collected *x, const struct otlp_profile *profile,
		       struct textbuf *out)
{
	struct textbuf values = {.fd = -1}, times = {.fd = -1}, packed = {.fd = -1};
	int ret;

	for (uint32_t i = profile->first_sample; i != OTLP_NONE; i = x->samples.data[i].next) {
		put_sample(x, &x->samples.data[i], &values, &times, &packed);
		otlp_put_bytes(out, PROFILE_SAMPLES, packed.data, packed.nr);
	}
	ret = values.error ? values.error : times.error ? times.error : packed.error;
	textbuf_deinit(&values);
	textbuf_deinit(&times);
	textbuf_deinit(&packed);
	return ret ? ret : out->error;
}

/* Adds the samples or hits of @event that were taken, and those of them that were lost. */
static int describe_losses(struct otlp_collected *x, const struct recording *rec, uint32_t event)
{
	const struct prof_end *end = rec->end;
	uint64_t taken = end->taken, lost = 0;
	int ret;

	if (event_is_sampled(rec->meta, event) || event >= end->nr_events) {
		for (int i = 0; i < PROF_NR_LOSSES; i++)
			lost += end->lost[i];
	} else {
		taken = end->events[event].taken;
		if (!event_lost(&end->events[event], &lost))
			lost = 0;
	}
	ret = otlp_add_number(&x->attributes, "profrec.taken", taken);
	return ret ? ret : otlp_add_number(&x->attributes, "profrec.lost", lost);
}

/* Adds what is known of the event in the whole recording. */
static int describe_recording(struct otlp_collected *x, const struct recording *rec, uint32_t event)
{
	int ret = otlp_add_text(&x->attributes, "profrec.event", event_name(rec->meta, event));

	if (ret)
		return ret;
	return rec->end ? describe_losses(x, rec, event)
			: otlp_add_text(&x->attributes, "profrec.defect",
					rec->defect ? rec->defect : "");
}

/* Equal profiles of equal recordings have one id. */
static void make_id(const struct otlp_collected *x, const struct printout *p,
		    const struct otlp_profile *profile, uint8_t id[PROFILE_ID_BYTES])
{
	uint64_t base = recording_id(p->rec->meta, profile->event);

	base = series_id(&x->series, profile->series, base);
	base = table_id_u64(x->time_ns, base);
	for (int half = 0; half < 2; half++) {
		uint64_t number = table_id_u64(half, base);

		memcpy(id + 8 * half, &number, 8);
	}
}

static int put_profile(struct otlp_collected *x, const struct printout *p,
		       const struct otlp_profile *profile, struct textbuf *out)
{
	const struct value_types types = describe_values(p->rec->meta, profile->event);
	Otlp__ValueType type = OTLP__VALUE_TYPE__INIT, period_type = OTLP__VALUE_TYPE__INIT;
	Otlp__Profile packed = OTLP__PROFILE__INIT;
	uint8_t id[PROFILE_ID_BYTES];
	int ret = make_value_type(x, types.type, types.unit, &type);

	if (!ret && types.period_type) {
		ret = make_value_type(x, types.period_type, types.period_unit, &period_type);
		packed.period_type = &period_type;
		packed.period = (int64_t)types.period;
	}
	make_id(x, p, profile, id);
	packed.sample_type = &type;
	packed.time_unix_nano = x->time_ns;
	packed.duration_nano = x->duration_ns;
	packed.profile_id = (ProtobufCBinaryData){sizeof(id), id};
	if (!ret)
		ret = describe_recording(x, p->rec, profile->event);
	otlp_take_attributes(&x->attributes, &packed.attribute_indices,
			     &packed.n_attribute_indices);
	otlp_put_fields(out, &packed.base);
	return ret ? ret : put_samples(x, profile, out);
}

/* An attribute of a resource is no row of a table. An empty value is none. */
static void put_fact(struct textbuf *out, const char *key, const char *value)
{
	Otlp__AnyValue any = OTLP__ANY_VALUE__INIT;
	Otlp__KeyValue fact = OTLP__KEY_VALUE__INIT;

	if (!value[0])
		return;
	any.value_case = OTLP__ANY_VALUE__VALUE_STRING_VALUE;
	any.string_value = (char *)value;
	fact.key = (char *)key;
	fact.value = &any;
	otlp_put_message(out, RESOURCE_ATTRIBUTES, &fact.base);
}

static bool has_label(const struct otlp_collected *x, const char *name, size_t len)
{
	for (size_t i = 0; x->labels && i < x->labels->nr; i++)
		if (!strncmp(x->labels->data[i], name, len) && x->labels->data[i][len] == '=')
			return true;
	return false;
}

/* Puts a fact of the recording that is safe to print, unless the user has another word on it. */
static void put_own_fact(const struct otlp_collected *x, struct textbuf *out, const char *key,
			 const char *value)
{
	if (!has_label(x, key, strlen(key)))
		put_fact(out, key, value);
}

static void put_escaped_fact(struct otlp_collected *x, struct textbuf *out, const char *key,
			     const char *value)
{
	x->scratch.nr = 0;
	textbuf_escaped(&x->scratch, value, strlen(value), TEXT_DATA);
	textbuf_char(&x->scratch, '\0');
	if (!x->scratch.error)
		put_own_fact(x, out, key, x->scratch.data);
}

static int put_labels(const struct otlp_collected *x, struct textbuf *out)
{
	for (size_t i = 0; x->labels && i < x->labels->nr; i++) {
		const char *value = strchr(x->labels->data[i], '=') + 1;
		_cleanup_free_ char *name =
			strndup(x->labels->data[i], value - 1 - x->labels->data[i]);

		if (!name)
			return -ENOMEM;
		put_fact(out, name, value);
	}
	return 0;
}

static int put_resource(struct otlp_collected *x, const struct printout *p, uint32_t series,
			struct textbuf *out)
{
	const char *container = series_cgroup_part(&x->series, series, CGROUP_CONTAINER);
	const char *pod = series_cgroup_part(&x->series, series, CGROUP_POD);
	struct textbuf facts = {.fd = -1};
	int ret;

	put_own_fact(x, &facts, "service.name", series_service(&x->series, series));
	for (enum prof_attribute i = PROF_ATTRIBUTE_SERVICE + 1; i < PROF_NR_ATTRIBUTES; i++)
		put_own_fact(x, &facts, prof_attribute_keys[i],
			     series_attribute(&x->series, series, i));
	put_own_fact(x, &facts, "process.linux.cgroup", series_cgroup(&x->series, series));
	put_own_fact(x, &facts,
		     is_container_id(container, strlen(container)) ? "container.id"
								   : "container.name",
		     container);
	/* Pods of Podman have ids like containers. */
	if (!is_container_id(pod, strlen(pod)))
		put_own_fact(x, &facts, "k8s.pod.uid", pod);
	put_escaped_fact(x, &facts, "host.name", p->rec->meta->hostname);
	put_own_fact(x, &facts, "os.type", "linux");
	ret = put_labels(x, &facts);
	if (!ret)
		ret = x->scratch.error ? x->scratch.error : facts.error;
	otlp_put_bytes(out, RESOURCE_RESOURCE, facts.data, facts.nr);
	textbuf_deinit(&facts);
	return ret;
}

/* The numbers of profiles, one series after the other. */
struct profile_order {
	uint32_t *begins; /* of each series, and the end of the last one */
	uint32_t *numbers;
};

static void release_order(struct profile_order *order)
{
	free(order->begins);
	free(order->numbers);
}

/* Returns 0 or -ENOMEM. Call release_order in either case. */
static int order_profiles(const struct otlp_collected *x, struct profile_order *order)
{
	uint32_t nr_series = x->series.items.nr;

	order->begins = calloc((size_t)nr_series + 2, sizeof(*order->begins));
	order->numbers = calloc(x->profiles.nr + 1, sizeof(*order->numbers));
	if (!order->begins || !order->numbers)
		return -ENOMEM;
	vec_for_each(&x->profiles, profile)
		order->begins[profile->series + 2]++;
	for (uint32_t i = 2; i <= nr_series; i++)
		order->begins[i] += order->begins[i - 1];
	/* From here on, begins[series + 1] is where the next profile of the series goes. */
	for (uint32_t i = 0; i < x->profiles.nr; i++)
		order->numbers[order->begins[x->profiles.data[i].series + 1]++] = i;
	return 0;
}

/* Makes the profiles of @series as fields of their scope. */
static int make_profiles(struct otlp_collected *x, const struct printout *p,
			 const struct profile_order *order, uint32_t series, struct textbuf *out)
{
	Otlp__InstrumentationScope scope = OTLP__INSTRUMENTATION_SCOPE__INIT;
	struct textbuf profile = {.fd = -1};
	int ret = 0;

	scope.name = (char *)"profrec";
	scope.version = (char *)PROFREC_VERSION;
	otlp_put_message(out, SCOPE_SCOPE, &scope.base);
	for (uint32_t i = order->begins[series]; i < order->begins[series + 1] && !ret; i++) {
		profile.nr = 0;
		ret = put_profile(x, p, &x->profiles.data[order->numbers[i]], &profile);
		otlp_put_bytes(out, SCOPE_PROFILES, profile.data, profile.nr);
	}
	textbuf_deinit(&profile);
	return ret ? ret : out->error;
}

static int put_series(struct otlp_collected *x, const struct printout *p,
		      const struct profile_order *order, uint32_t series, struct textbuf *out)
{
	struct textbuf resource = {.fd = -1}, profiles = {.fd = -1};
	int ret = make_profiles(x, p, order, series, &profiles);

	if (!ret)
		ret = put_resource(x, p, series, &resource);
	otlp_put_length(&resource, RESOURCE_SCOPE_PROFILES, profiles.nr);
	otlp_put_length(out, REQUEST_RESOURCE_PROFILES, resource.nr + profiles.nr);
	textbuf_bytes(out, resource.data, resource.nr);
	textbuf_bytes(out, profiles.data, profiles.nr);
	if (!ret)
		ret = resource.error ? resource.error : out->error;
	textbuf_deinit(&profiles);
	textbuf_deinit(&resource);
	return ret;
}

int otlp_write(struct otlp_collected *x, const struct printout *p, struct textbuf *out)
{
	struct profile_order order;
	uint32_t first = 0;
	int ret = order_profiles(x, &order);

	for (uint32_t i = 1; i < x->series.items.nr; i++)
		if (x->series_counts.data[i] > x->series_counts.data[first])
			first = i;
	/* Viewers show the first profile. */
	for (uint32_t i = 0; i < x->series.items.nr && !ret; i++)
		ret = put_series(x, p, &order, i ? i - (i <= first) : first, out);
	release_order(&order);
	/* Profiles have brought strings and attributes. */
	return ret ? ret : put_dictionary(x, &p->rec->model, out);
}
