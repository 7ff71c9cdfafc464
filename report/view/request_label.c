// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/request_label.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "report/model/row_changes.h"
#include "report/text/textbuf.h"

static bool is_wanted(const struct model *model, const struct prof_label *label, const char *text)
{
	const char *key = string_set_get(&model->strings, label->key);
	const size_t len = strlen(key);

	if (strncmp(text, key, len) != 0)
		return false;
	return !text[len] ||
	       (text[len] == '=' &&
		!strcmp(text + len + 1, string_set_get(&model->strings, label->value)));
}

bool request_label_has(const struct model *model, uint32_t set, const string_vec *wanted)
{
	const struct model_label_set *s = &model->label_sets.data[set];

	for (uint32_t i = 0; i < s->nr_labels; i++)
		vec_for_each(wanted, it)
			if (is_wanted(model, &model->labels.data[s->first_label + i], *it))
				return true;
	return false;
}

/* Appends what stands for the label @key of set @id. */
static void put_value(const struct model *model, uint32_t id, const char *key, struct textbuf *out)
{
	const struct model_label_set *set = &model->label_sets.data[id];
	const char *value = model_label_value(model, set, key);

	if (value)
		textbuf_str(out, value);
	else if (id && !set->nr_labels)
		textbuf_str(out, "[other]");
	else
		textbuf_printf(out, "[no %s]", key);
}

int request_label_lead_rows(struct model *model, const char *key)
{
	_cleanup_free_ uint32_t *ids = calloc(model->label_sets.nr, sizeof(*ids));
	struct textbuf text = {.fd = -1};
	int ret = ids ? 0 : -ENOMEM;

	for (size_t i = 0; i < model->label_sets.nr && !ret; i++) {
		text.nr = 0;
		put_value(model, i, key, &text);
		ret = text.error;
		if (!ret)
			ret = string_set_add(&model->strings, text.data, text.nr, &ids[i]);
	}
	textbuf_deinit(&text);
	if (ret)
		return ret;
	vec_for_each(&model->rows, row)
		row->comm = ids[row->label_set];
	return model_forget_labels(model);
}
