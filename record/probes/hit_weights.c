// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/hit_weights.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "record/sampling/bpf/event_names.h"

#define ARGS_MAX 6 /* in registers */

/* The reads of bpf/count/hit_weight.h end here. */
#define FIELD_END_MAX 136

static const struct {
	const char *name;
	uint32_t size;
	bool is_signed;
} types[] = {
	{"u8", 1, false}, {"u16", 2, false}, {"u32", 4, false}, {"u64", 8, false},
	{"s8", 1, true},  {"s16", 2, true},  {"s32", 4, true},  {"s64", 8, true},
};

/* Takes ":bytes" or ":ns" off the end of @text. */
static bool take_unit(char *text, enum prof_event_unit *unit)
{
	char *colon = strrchr(text, ':');

	if (!colon || (strcmp(colon, ":bytes") != 0 && strcmp(colon, ":ns") != 0))
		return false;
	*unit = colon[1] == 'b' ? PROF_UNIT_BYTES : PROF_UNIT_NS;
	*colon = '\0';
	return true;
}

/* The unit that the name of a field tells. */
static enum prof_event_unit unit_of_name(const char *name)
{
	size_t len = strlen(name);

	if (strstr(name, "bytes") || !strcmp(name, "len") || !strcmp(name, "size"))
		return PROF_UNIT_BYTES;
	return len > 3 && !strcmp(name + len - 3, "_ns") ? PROF_UNIT_NS : PROF_UNIT_NUMBER;
}

/* Sets the argument of @type, which is what follows argN: nothing, or a colon and a type. */
static bool set_argument(struct weight *w, uint32_t nr, const char *type)
{
	*w = (struct weight){.source = WEIGHT_ARG, .at = nr, .size = 8};
	if (!*type)
		return nr >= 1 && nr <= ARGS_MAX;
	for (size_t i = 0; *type == ':' && i < ARRAY_SIZE(types); i++) {
		if (strcmp(type + 1, types[i].name) != 0)
			continue;
		w->size = types[i].size;
		w->is_signed = types[i].is_signed;
		return nr >= 1 && nr <= ARGS_MAX;
	}
	return false;
}

static int refuse(const char *text, struct err *err)
{
	err_set(err, -EINVAL, "option --weight: '%s' is no weight", text);
	return err_hint(
		err, -EINVAL,
		"arg1 to arg6 of a function, also with :u8 to :u64 or :s8 to :s64; or a field of a tracepoint; both also with :bytes or :ns");
}

int hit_weight_parse(const char *text, struct hit_weight *weight, struct err *err)
{
	bool has_unit;

	*weight = (struct hit_weight){.name = strdup(text), .unit = PROF_UNIT_NUMBER};
	if (!weight->name)
		return err_set(err, -ENOMEM, "failed to read the options: out of memory");
	has_unit = take_unit(weight->name, &weight->unit);
	if (!strncmp(weight->name, "arg", 3) && weight->name[3] >= '0' && weight->name[3] <= '9')
		return set_argument(&weight->weight, weight->name[3] - '0', weight->name + 4)
			       ? 0
			       : refuse(text, err);
	if (!weight->name[0] || strchr(weight->name, ':'))
		return refuse(text, err);
	weight->weight.source = WEIGHT_FIELD;
	if (!has_unit)
		weight->unit = unit_of_name(weight->name);
	return 0;
}

static int explain_field(int ret, const struct hit_weight *weight, const struct tracepoint *t,
			 struct err *err)
{
	if (ret == -ENOENT)
		err_set(err, ret, "failed to find '%s': tracepoint '%s' has no such field",
			weight->name, t->name);
	else if (ret == -EINVAL)
		err_set(err, ret, "failed to use '%s': this field of tracepoint '%s' is no number",
			weight->name, t->name);
	else
		err_set(err, ret, "failed to find the fields of '%s': %s", t->name, strerror(-ret));
	return ret;
}

int hit_weight_find_field(struct hit_weight *weight, const tracepoint_vec *tracepoints,
			  struct err *err)
{
	struct weight *w = &weight->weight;

	for (size_t i = 0; i < tracepoints->nr; i++) {
		const struct tracepoint *t = &tracepoints->data[i];
		struct tracepoint_field field;
		int ret = tracepoint_field_find(t, tracefs_roots, weight->name, &field);

		if (ret)
			return explain_field(ret, weight, t, err);
		if (field.off < 8 || field.off + field.size > FIELD_END_MAX ||
		    (i && (field.off != w->at || field.size != w->size)))
			return err_set(
				err, -EOPNOTSUPP,
				"failed to use '%s': the field of tracepoint '%s' is at a place that is not supported",
				weight->name, t->name);
		w->at = field.off;
		w->size = field.size;
		w->is_signed = field.is_signed;
	}
	return 0;
}
