// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/export/series_set.h"

#include <inttypes.h>

#include "common/hash.h"
#include "report/model/cgroup_text.h"
#include "report/tables/table_ids.h"
#include "report/view/owner.h"

/* '#' and 16 digits. */
#define CUT_BYTES 17

int series_set_init(struct series_set *set)
{
	*set = (struct series_set){.scratch.fd = -1};
	return string_set_init(&set->texts);
}

void series_set_deinit(struct series_set *set)
{
	string_set_deinit(&set->texts);
	vec_free(&set->items);
	index_deinit(&set->index);
	vec_free(&set->of_processes);
	textbuf_deinit(&set->scratch);
}

void label_value_cut(struct textbuf *text, size_t start)
{
	size_t end = start + LABEL_BYTES_MAX - CUT_BYTES;
	uint64_t id;

	if (text->error || text->nr - start <= LABEL_BYTES_MAX)
		return;
	id = table_id(text->data + start, text->nr - start, 0);
	/* Not within a character of UTF-8. */
	while (end > start && (text->data[end] & 0xc0) == 0x80)
		end--;
	text->nr = end;
	textbuf_printf(text, "#%016" PRIx64, id);
}

/* Adds the text in the scratch buffer, cut, and empties the buffer. Returns 0 or -ENOMEM. */
static int add_scratch(struct series_set *set, uint32_t *id)
{
	int ret;

	label_value_cut(&set->scratch, 0);
	ret = set->scratch.error;
	if (!ret)
		ret = string_set_add(&set->texts, set->scratch.data, set->scratch.nr, id);
	set->scratch.nr = 0;
	return ret;
}

static int add_cgroup_part(struct series_set *set, const char *cgroup, enum cgroup_part part,
			   uint32_t *id)
{
	struct textbuf name = {.fd = -1};
	int ret;

	cgroup_part_put(cgroup, part, &name);
	textbuf_escaped(&set->scratch, name.data, name.nr, TEXT_DATA);
	textbuf_fail(&set->scratch, name.error);
	ret = add_scratch(set, id);
	textbuf_deinit(&name);
	return ret;
}

static int make_series(struct series_set *set, const struct model *model, uint32_t process,
		       struct series *series)
{
	const struct model_process *p = &model->processes.data[process];
	const char *cgroup = string_set_get(&model->strings, p->info.cgroup);
	int ret;

	owner_put_escaped(model, process, OWNER_SERVICE, TEXT_DATA, &set->scratch);
	ret = add_scratch(set, &series->service);
	for (enum prof_attribute i = PROF_ATTRIBUTE_SERVICE + 1; i < PROF_NR_ATTRIBUTES && !ret;
	     i++) {
		const char *value = model_process_attribute(model, p, i);

		textbuf_escaped(&set->scratch, value, strlen(value), TEXT_DATA);
		ret = add_scratch(set, &series->attributes[i]);
	}
	textbuf_escaped(&set->scratch, cgroup, strlen(cgroup), TEXT_DATA);
	if (!ret)
		ret = add_scratch(set, &series->cgroup);
	for (enum cgroup_part part = 0; part < NR_CGROUP_PARTS && !ret; part++)
		ret = add_cgroup_part(set, cgroup, part, &series->cgroup_parts[part]);
	return ret;
}

/* Finds or adds the series of labels. */
static int find_series(struct series_set *set, const struct series *series, uint32_t *id)
{
	uint64_t hash = hash_u64((uint64_t)series->service << 32 | series->cgroup);

	hash ^= hash_bytes(series->attributes, sizeof(series->attributes), 0);

	index_for_each(&set->index, hash, i) {
		const struct series *have = &set->items.data[i];

		if (have->service == series->service && have->cgroup == series->cgroup &&
		    !memcmp(have->attributes, series->attributes, sizeof(have->attributes))) {
			*id = i;
			return 0;
		}
	}
	*id = set->items.nr;
	return index_push(&set->index, &set->items, hash, *series);
}

uint64_t series_id(const struct series_set *set, uint32_t id, uint64_t base)
{
	base = table_id_str(series_service(set, id), base);
	base = table_id_str(series_cgroup(set, id), base);
	for (enum prof_attribute i = PROF_ATTRIBUTE_SERVICE + 1; i < PROF_NR_ATTRIBUTES; i++)
		if (set->items.data[id].attributes[i])
			base = table_id_str(series_attribute(set, id, i), table_id_u64(i, base));
	return base;
}

int series_set_add(struct series_set *set, const struct model *model, uint32_t process,
		   uint32_t *id)
{
	struct series series = {0};
	int ret = 0;

	while (!ret && set->of_processes.nr <= process)
		ret = vec_push(&set->of_processes, 0);
	if (!ret && set->of_processes.data[process]) {
		*id = set->of_processes.data[process] - 1;
		return 0;
	}
	if (!ret)
		ret = make_series(set, model, process, &series);
	if (!ret)
		ret = find_series(set, &series, id);
	if (!ret)
		set->of_processes.data[process] = *id + 1;
	return ret;
}
