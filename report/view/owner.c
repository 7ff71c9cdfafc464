// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/owner.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>

#include "common/cleanup.h"
#include "report/model/cgroup_text.h"
#include "report/model/container_label.h"
#include "report/model/process_name.h"
#include "report/model/row_changes.h"
#include "report/tables/service_name.h"

const char *const owner_words[NR_OWNERS + 1] = {
	[OWNER_THREAD] = "comm",     [OWNER_CONTAINER] = "container", [OWNER_POD] = "pod",
	[OWNER_UNIT] = "unit",       [OWNER_CGROUP] = "cgroup",       [OWNER_SERVICE] = "service",
	[OWNER_PROCESS] = "process",
};

static const char *name_of(const struct model *model, const struct prof_process_info *info)
{
	return process_name(string_set_get(&model->strings, info->name),
			    string_set_get(&model->strings, info->exe));
}

static void put_service(const struct model *model, const struct model_process *process,
			struct textbuf *out)
{
	const struct string_set *strings = &model->strings;
	const struct prof_process_info *info = &process->info;
	const char *in_pod = model_process_attribute(model, process, PROF_ATTRIBUTE_K8S_CONTAINER);

	service_name_put(
		out,
		&(struct service_facts){
			.said = model_process_attribute(model, process, PROF_ATTRIBUTE_SERVICE),
			.cgroup = string_set_get(strings, info->cgroup),
			.container = in_pod[0] ? in_pod
					       : model_process_attribute(model, process,
									 PROF_ATTRIBUTE_CONTAINER),
			.name = name_of(model, info),
			.is_kernel = process == model->processes.data});
}

static void put_process(const struct model *model, const struct model_process *process,
			struct textbuf *out)
{
	const bool is_kernel = process == model->processes.data;

	textbuf_printf(out, "%s/%" PRIu32, is_kernel ? "kernel" : name_of(model, &process->info),
		       process->pid);
}

bool owner_put(const struct model *model, const struct model_process *process, enum owner owner,
	       struct textbuf *out)
{
	static const enum cgroup_part parts[NR_OWNERS] = {
		[OWNER_CONTAINER] = CGROUP_CONTAINER,
		[OWNER_POD] = CGROUP_POD,
		[OWNER_UNIT] = CGROUP_UNIT,
	};
	const char *cgroup = string_set_get(&model->strings, process->info.cgroup);
	size_t start = out->nr;

	if (owner == OWNER_CONTAINER && container_label_put(model, process, out))
		return true;
	if (owner == OWNER_POD && pod_label_put(model, process, out))
		return true;
	if (owner == OWNER_SERVICE)
		put_service(model, process, out);
	else if (owner == OWNER_PROCESS)
		put_process(model, process, out);
	else if (owner == OWNER_CGROUP)
		textbuf_str(out, cgroup);
	else if (!cgroup_part_put(cgroup, parts[owner], out))
		return false;
	if (owner == OWNER_CONTAINER && is_container_id(out->data + start, out->nr - start))
		out->nr = start + CGROUP_SHORT_ID;
	return out->nr > start;
}

bool owner_put_escaped(const struct model *model, uint32_t process, enum owner owner,
		       enum text_mode mode, struct textbuf *out)
{
	struct textbuf text = {.fd = -1};
	bool has_owner = owner_put(model, &model->processes.data[process], owner, &text);

	if (has_owner)
		textbuf_escaped(out, text.data, text.nr, mode);
	if (text.error)
		textbuf_fail(out, text.error);
	textbuf_deinit(&text);
	return has_owner;
}

void owner_put_safe(const struct model *model, uint32_t process, enum owner owner, const char *none,
		    struct textbuf *out)
{
	if (!owner_put_escaped(model, process, owner, TEXT_PLAIN, out))
		textbuf_str(out, none);
}

int owner_lead_rows(struct model *model, enum owner owner)
{
	_cleanup_free_ uint32_t *ids = calloc(model->processes.nr, sizeof(*ids));
	struct textbuf text = {.fd = -1};
	int ret = ids ? 0 : -ENOMEM;

	for (size_t i = 0; i < model->processes.nr && !ret; i++) {
		text.nr = 0;
		if (!owner_put(model, &model->processes.data[i], owner, &text))
			textbuf_printf(&text, "[no %s]", owner_words[owner]);
		ret = text.error;
		if (!ret)
			ret = string_set_add(&model->strings, text.data, text.nr, &ids[i]);
	}
	textbuf_deinit(&text);
	if (ret)
		return ret;
	vec_for_each(&model->rows, row)
		row->comm = ids[row->process];
	return model_change_rows(model, NULL, NULL);
}
