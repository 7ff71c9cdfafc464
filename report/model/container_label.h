/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of containers and pods for people, where the recorder found what their engine calls
 * them. In Kubernetes a container has its name in its pod, and a pod in its namespace.
 */
#ifndef REPORT_MODEL_CONTAINER_LABEL_H
#define REPORT_MODEL_CONTAINER_LABEL_H

#include "report/model/model.h"
#include "report/text/textbuf.h"

/*
 * Appends the name of the container of @process, as NAMESPACE/POD/NAME in Kubernetes, not escaped.
 * Returns false if it is not known.
 */
bool container_label_put(const struct model *model, const struct model_process *process,
			 struct textbuf *out);

/* Appends the name of the pod of @process, as NAMESPACE/POD. Returns false if it is not known. */
bool pod_label_put(const struct model *model, const struct model_process *process,
		   struct textbuf *out);

/* Is @name the label of the container of @process, or the last part of that? */
bool container_has_name(const struct model *model, const struct model_process *process,
			const char *name);

/* The same of its pod. */
bool pod_has_name(const struct model *model, const struct model_process *process, const char *name);

#endif
