// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/print/source.h"

#include <string.h>

int source_find_names(struct source *source, const struct debug_roots *roots,
		      const struct view *view, struct err *err)
{
	int ret = symbols_resolve(&source->symbols, &source->rec.model, roots);

	if (!ret)
		ret = labels_init(&source->labels, &source->rec.model, &source->symbols, view);
	if (ret)
		err_set(err, ret, "failed to look up the symbols of '%s': %s", source->rec.name,
			strerror(-ret));
	return ret;
}

int source_renew(struct source *source)
{
	labels_deinit(&source->labels);
	symbols_deinit(&source->symbols);
	model_deinit(&source->rec.model);
	return model_init(&source->rec.model);
}

void source_deinit(struct source *source)
{
	labels_deinit(&source->labels);
	symbols_deinit(&source->symbols);
	recording_deinit(&source->rec);
}
