// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_labels.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "common/hex.h"

static int add_label(struct epoch_labels *l, const char *key, const char *value, size_t len)
{
	struct prof_label label;
	int ret = epoch_tables_string(l->tables, key, strlen(key), &label.key);

	if (!ret)
		ret = epoch_tables_string(l->tables, value, len, &label.value);
	return ret ? ret : vec_push(&l->tables->labels, label);
}

/* Adds an id of @nr bytes, as digits. */
static int add_id(struct epoch_labels *l, const char *key, const unsigned char *id, size_t nr)
{
	char text[LINK_BYTES * 2];

	return add_label(l, key, text, hex_put(text, id, nr) - text);
}

/* Adds the labels with @values. One that begins with a NUL is none. Returns 0 or -ENOMEM. */
static int add_values(struct epoch_labels *l, const struct label_values *values)
{
	const struct label_keys *keys = l->sources->label_keys;
	const char *text = (const char *)values->words;
	int ret = 0;

	for (uint32_t k = 0; k < keys->nr && !ret; k++) {
		size_t len = values->lengths[k], shown = strnlen(text, len);

		if (shown)
			ret = add_label(l, keys->names[k], text, shown);
		text += (len + 7) / 8 * 8;
	}
	if (!ret && keys->has_traces && values->lengths[LINK_PLACE] == LINK_BYTES) {
		const unsigned char *ids = (const unsigned char *)text;

		ret = add_id(l, PROF_LABEL_TRACE_ID, ids, TRACE_ID_BYTES);
		if (!ret)
			ret = add_id(l, PROF_LABEL_SPAN_ID, ids + TRACE_ID_BYTES,
				     LINK_BYTES - TRACE_ID_BYTES);
	}
	return ret;
}

/* Adds the set of labels @id, whose labels are the last of the table from @first on. */
static int add_set(struct epoch_labels *l, uint64_t id, uint32_t first, bool has_values,
		   uint32_t *set)
{
	struct epoch_tables *t = l->tables;
	const struct prof_label_set none = {0};
	const struct prof_label_set new = {.first_label = first, .nr_labels = t->labels.nr - first};
	struct known_labels known = {.id = id};

	if (!t->label_sets.nr && vec_push(&t->label_sets, none))
		return -ENOMEM;
	/* Values that are all empty are no labels. */
	if (new.nr_labels || !has_values) {
		known.set = t->label_sets.nr;
		if (vec_push(&t->label_sets, new))
			return -ENOMEM;
	}
	*set = known.set;
	return index_push(&l->by_labels, &l->known, id, known);
}

int epoch_labels_find(struct epoch_labels *l, const struct raw_stack *raw, uint32_t *set)
{
	/* Without values they are LABELS_OTHER. */
	const bool has_values = raw->nr_frames && raw->end == STACK_END_LABELS;
	const uint64_t id = has_values ? raw->id : LABELS_OTHER;
	const uint32_t first = l->tables->labels.nr;
	int ret = 0;

	*set = 0;
	if (!raw->id || !l->sources->label_keys)
		return 0;
	index_for_each(&l->by_labels, id, i) {
		if (l->known.data[i].id != id)
			continue;
		*set = l->known.data[i].set;
		return 0;
	}
	if (has_values)
		ret = add_values(l, (const struct label_values *)raw->frames);
	return ret ? ret : add_set(l, id, first, has_values, set);
}

void epoch_labels_reset(struct epoch_labels *l)
{
	vec_clear(&l->known);
	index_clear(&l->by_labels);
}

void epoch_labels_deinit(struct epoch_labels *l)
{
	vec_free(&l->known);
	index_deinit(&l->by_labels);
}
