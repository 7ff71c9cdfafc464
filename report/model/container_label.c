// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/model/container_label.h"

#include "common/cgroup_facts.h"
#include "common/cleanup.h"

/* The names of which the label is made, outermost first. */
static const enum prof_attribute in_engine[] = {PROF_ATTRIBUTE_CONTAINER},
				 in_pod[] = {PROF_ATTRIBUTE_K8S_NAMESPACE, PROF_ATTRIBUTE_K8S_POD,
					     PROF_ATTRIBUTE_K8S_CONTAINER};

#define NR_POD_PARTS 2 /* of in_pod, that name the pod */

/* Appends the @nr @parts, those that are known. Returns false if the last is not. */
static bool put_label(const struct model *model, const struct model_process *process,
		      const enum prof_attribute *parts, size_t nr, struct textbuf *out)
{
	if (!model_process_attribute(model, process, parts[nr - 1])[0])
		return false;
	for (size_t i = 0; i < nr; i++) {
		const char *part = model_process_attribute(model, process, parts[i]);

		textbuf_str(out, part);
		if (part[0] && i + 1 < nr)
			textbuf_char(out, '/');
	}
	return true;
}

/* Is @name the label of the @nr @parts, or the last one? */
static bool has_name(const struct model *model, const struct model_process *process,
		     const enum prof_attribute *parts, size_t nr, const char *name)
{
	const char *texts[ARRAY_SIZE(in_pod)];

	for (size_t i = 0; i < nr; i++)
		texts[i] = model_process_attribute(model, process, parts[i]);
	return cgroup_label_is_meant(texts, nr, name);
}

bool container_label_put(const struct model *model, const struct model_process *process,
			 struct textbuf *out)
{
	return put_label(model, process, in_pod, ARRAY_SIZE(in_pod), out) ||
	       put_label(model, process, in_engine, ARRAY_SIZE(in_engine), out);
}

bool pod_label_put(const struct model *model, const struct model_process *process,
		   struct textbuf *out)
{
	return put_label(model, process, in_pod, NR_POD_PARTS, out);
}

bool container_has_name(const struct model *model, const struct model_process *process,
			const char *name)
{
	return has_name(model, process, in_pod, ARRAY_SIZE(in_pod), name) ||
	       has_name(model, process, in_engine, ARRAY_SIZE(in_engine), name);
}

bool pod_has_name(const struct model *model, const struct model_process *process, const char *name)
{
	return has_name(model, process, in_pod, NR_POD_PARTS, name);
}
