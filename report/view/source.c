// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/view/source.h"

#include <string.h>

#include "report/model/row_changes.h"
#include "report/view/owner.h"
#include "report/view/request_label.h"

/* A report reads at most this many bytes of binaries and debug files, all together. */
#define FILES_BYTES_MAX (UINT64_C(8) << 30)

int source_search_open(struct source_search *search, const struct search_choice *choice,
		       struct err *err)
{
	int ret = 0;

	*search = (struct source_search){
		.roots = {.symfs_fd = -1, .budget = &search->budget},
		.budget = {.bytes_left = FILES_BYTES_MAX},
	};
	if (choice->debuginfod) {
		ret = fetcher_check(err);
		search->roots.fetcher = &search->fetcher;
	}
	if (!ret && choice->symfs)
		ret = debug_roots_open(&search->roots, choice->symfs, err);
	return ret ? ret : debug_roots_add(&search->roots, &choice->debug_dirs, err);
}

void source_search_close(struct source_search *search)
{
	elf_pairs_deinit(&search->pairs);
	debug_roots_close(&search->roots);
}

struct timespan source_timespan(const struct source_request *request)
{
	struct timespan span = request->span;

	span.keeps_tids |= sample_filter_has(&request->filter, FILTER_TID);
	span.keeps_labels |=
		request->view.by_label || sample_filter_has(&request->filter, FILTER_LABEL);
	return span;
}

int source_choose(struct source *source, const struct source_request *request, struct err *err)
{
	const struct recording *rec = &source->rec;
	int ret = event_choose(rec->meta, rec->name, request->event, &source->events, err);

	source->view = request->view;
	source->filter = request->filter;
	source->span = request->span;
	source->view.event = source->events.first;
	/* A folded stack needs a root, as a flame graph does. */
	source->view.per_process |=
		source->view.by != OWNER_THREAD || source->view.by_label || source->view.folded;
	if (!ret && request->view.folded)
		ret = event_choice_check_single(&source->events, rec->meta, rec->name, err);
	return ret;
}

/* Chooses the kinds of frames where the user has not, by the samples that are left. */
static int choose_frames(struct view *view, struct model *model)
{
	size_t nr_frames = model->stack_frames.nr;
	int ret;

	view->frames = view->prefers_language && !view->kernel_only &&
				       shown_frames_are_of_language(model, view->event)
			       ? FRAMES_LANGUAGE
			       : FRAMES_MIXED;
	ret = shown_frames_choose(model, view->frames);
	view->hides_interpreters = model->stack_frames.nr < nr_frames;
	return ret;
}

int source_filter(struct source *source, struct err *err)
{
	struct model *model = &source->rec.model;
	bool is_auto;
	int ret = shown_frames_choose(model, source->view.frames);

	/* Once an interval shows the functions of a language alone, so do those that follow. */
	source->chooses_frames |= source->view.frames == FRAMES_AUTO;
	is_auto = source->chooses_frames && source->view.frames != FRAMES_LANGUAGE;
	if (!ret)
		ret = sample_filter_before_names(&source->filter, model, &source->view,
						 &source->events, &source->filtered);
	if (!ret && is_auto)
		ret = choose_frames(&source->view, model);
	/* A filter has needed the ids, and the user does not want to see them. */
	if (!ret && model->keeps_tids && !source->span.keeps_tids)
		ret = model_forget_tids(model);
	if (!ret && source->view.by)
		ret = owner_lead_rows(model, source->view.by);
	if (!ret && source->view.by_label)
		ret = request_label_lead_rows(model, source->view.by_label);
	if (!ret && model->keeps_labels && !source->span.keeps_labels)
		ret = model_forget_labels(model);
	return ret ? err_set(err, ret, "failed to select from '%s': %s", source->rec.name,
			     strerror(-ret))
		   : 0;
}

int source_check_filter(const struct source *source, struct err *err)
{
	int ret = filter_account_check(&source->filtered, &source->filter, source->rec.name, err);

	if (ret && source->view.hides_interpreters && source->filter.function)
		return err_hint(err, ret,
				"frames of the interpreter are left out; --frames mixed has them");
	return ret;
}

int source_find_names(struct source *source, struct source_search *search, struct err *err)
{
	struct name_progress progress;
	const struct symbol_files files = {
		.roots = &search->roots,
		.pairs = &search->pairs,
		.needs_lines = view_needs_lines(&source->view),
		.found = source->found,
		.progress = &progress,
	};
	struct model *model = &source->rec.model;
	int ret = source_filter(source, err);

	if (ret)
		return ret;
	search->roots.needs_lines = files.needs_lines;
	source->demangling.style = source->view.demangle;
	name_progress_begin(&progress);
	ret = symbols_resolve(&source->symbols, model, &files, &source->demangling);
	name_progress_end(&progress);
	source->fetched = search->fetcher;
	if (!ret)
		ret = sample_filter_by_names(&source->filter, model, &source->symbols,
					     &source->view, source->rec.meta, &source->events,
					     &source->filtered);
	if (!ret)
		ret = labels_init(&source->labels, model, &source->symbols, &source->view);
	if (ret)
		err_set(err, ret, "failed to look up the symbols of '%s': %s", source->rec.name,
			strerror(-ret));
	return ret;
}

/* Reads @nr recordings as one source, with the files of @search. Returns like source_load. */
static int load_source(struct source *source, const char *const *files, size_t nr,
		       const struct source_request *request, struct source_search *search,
		       struct err *err)
{
	const struct timespan span = source_timespan(request);
	int ret = recordings_load(&source->rec, files, nr, &span, err);

	if (!ret)
		ret = source_choose(source, request, err);
	return ret ? ret : source_find_names(source, search, err);
}

int source_load(struct source *source, const char *const *files, size_t nr,
		const struct source_request *request, struct err *err)
{
	struct source_search search;
	int ret = source_search_open(&search, &request->search, err);

	if (!ret)
		ret = load_source(source, files, nr, request, &search, err);
	source_search_close(&search);
	return ret ? ret : source_check_filter(source, err);
}

/*
 * A difference shows what is on one side only, and so do pictures side by side. So one source with
 * samples is enough.
 */
static int check_filters(const struct source *sources, size_t nr, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < nr; i++) {
		int failed = source_check_filter(&sources[i], i ? NULL : err);

		if (!failed)
			return 0;
		ret = ret ? ret : failed;
	}
	return ret;
}

int sources_load(struct source *sources, const char *const *files, size_t nr,
		 const struct source_request *request, struct err *err)
{
	struct source_search search;
	int ret = source_search_open(&search, &request->search, err);

	for (size_t i = 0; !ret && i < nr; i++)
		ret = load_source(&sources[i], &files[i], 1, request, &search, err);
	source_search_close(&search);
	return ret ? ret : check_filters(sources, nr, err);
}

int sources_load_sums(struct source *sources, const struct source_files *files, size_t nr,
		      const struct source_request *request, struct err *err)
{
	struct source_search search;
	int ret = source_search_open(&search, &request->search, err);

	for (size_t i = 0; !ret && i < nr; i++)
		ret = load_source(&sources[i], files[i].names, files[i].nr, request, &search, err);
	source_search_close(&search);
	return ret ? ret : check_filters(sources, nr, err);
}

int source_renew(struct source *source)
{
	labels_deinit(&source->labels);
	symbols_deinit(&source->symbols);
	source->view.event = source->events.first;
	return recording_renew(&source->rec);
}

void source_deinit(struct source *source)
{
	labels_deinit(&source->labels);
	symbols_deinit(&source->symbols);
	demangler_account_deinit(&source->demangling);
	recording_deinit(&source->rec);
}
