// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/compare/compared_sources.h"

#include <errno.h>
#include <inttypes.h>
#include <regex.h>
#include <stdlib.h>
#include <string.h>

#include "common/text.h"
#include "report/model/event_choice.h"

int compare_request_check(const struct compare_request *request, size_t nr_before, size_t nr_after,
			  struct err *err)
{
	size_t nr = nr_before + nr_after;

	if (request->is_paired && nr_before != nr_after)
		return err_set(err, -EINVAL,
			       "option --pairs: needs as many recordings after as before");
	if (request->per == PER_WORK && request->work.nr != 1 && request->work.nr != nr)
		return err_set(err, -EINVAL,
			       "option --per: needs one number, or one for each of %zu recordings",
			       nr);
	return 0;
}

int compared_sources_check(const struct source *sources, size_t nr, struct err *err)
{
	const char *unit = event_unit(sources[0].rec.meta, sources[0].view.event);

	for (size_t i = 0; i < nr; i++) {
		const struct recording *rec = &sources[i].rec;
		int ret = event_choice_check_single(&sources[i].events, rec->meta, rec->name, err);
		const char *other = event_unit(rec->meta, sources[i].view.event);

		if (ret)
			return ret;
		if (!strcmp(unit, other))
			continue;
		err_set(err, -EINVAL,
			"failed to compare '%s' with '%s': one counts %s, the other %s",
			sources[0].rec.name, sources[i].rec.name, unit, other);
		return err_hint(err, -EINVAL, "'profrep info' lists the events of a recording");
	}
	return 0;
}

int compared_sources_check_rates(const struct source *sources, size_t nr, struct err *err)
{
	const struct recording *first = &sources[0].rec;
	uint64_t hz = event_hz(first->meta, sources[0].view.event);

	for (size_t i = 1; i < nr; i++) {
		const struct recording *rec = &sources[i].rec;
		uint64_t other = event_hz(rec->meta, sources[i].view.event);

		if (hz == other && (hz || first->meta->period == rec->meta->period))
			continue;
		err_set(err, -EINVAL,
			"failed to compare '%s' with '%s': samples were taken at different rates (%" PRIu64
			" and %" PRIu64 " Hz), so their counts do not compare",
			first->name, rec->name, hz, other);
		return err_hint(
			err, -EINVAL,
			"the table of 'profrep diff' compares shares, and -n scales one recording before to one after");
	}
	return 0;
}

void compare_request_view(const struct compare_request *request, struct view *view)
{
	/* Stacks are those of folded output, so that pictures and tables agree. */
	view->folded |= request->by == TALLY_STACKS;
	if (view->unnamed == UNNAMED_BY_LAYOUT)
		view->unnamed = UNNAMED_FUNCTION;
}

static double work_of(const struct compare_request *request, size_t i)
{
	if (!request->work.nr)
		return 0;
	return request->work.data[request->work.nr == 1 ? 0 : i];
}

static int count_source(struct compared_sources *compared, struct source *source, size_t i,
			const struct compare_request *request, struct rows_summary *summary,
			struct err *err)
{
	const struct printout p = source_printout(source, NULL);
	int ret = source_check_filter(source, err);

	if (!ret)
		ret = denominators_make(&compared->denominators[i], &source->rec,
					source->view.event, request->per, work_of(request, i), err);
	if (ret)
		return ret;
	ret = tally_add(&compared->tally, &p, i, summary);
	return ret ? err_set(err, ret, "failed to compare '%s': %s", source->rec.name,
			     strerror(-ret))
		   : 0;
}

int compared_sources_count(struct compared_sources *compared, struct source *sources, size_t nr,
			   const struct compare_request *request, struct rows_summary *summary,
			   struct err *err)
{
	int ret = compared_sources_check(sources, nr, err);

	if (ret)
		return ret;
	compared->denominators = calloc(nr + 1, sizeof(*compared->denominators));
	if (!compared->denominators || tally_init(&compared->tally, request->by, nr))
		return err_set(err, -ENOMEM, "failed to compare: out of memory");
	for (size_t i = 0; i < nr && !ret; i++)
		ret = count_source(compared, &sources[i], i, request, summary, err);
	return ret;
}

int compared_sources_make(struct compared_sources *compared, struct source *sources,
			  size_t nr_before, size_t nr, const struct compare_request *request,
			  struct rows_summary *summary, struct err *err)
{
	struct compared_recordings recordings = {
		.nr = {nr_before, nr - nr_before},
		.is_paired = request->is_paired,
	};
	int ret = compared_sources_count(compared, sources, nr, request, summary, err);

	if (ret)
		return ret;
	recordings.denominators = compared->denominators;
	if (comparison_make(&compared->comparison, &compared->tally, &recordings))
		return err_set(err, -ENOMEM, "failed to compare: out of memory");
	return 0;
}

int compared_sources_choose(struct compared_sources *compared, const char *pattern)
{
	size_t nr_beside = 0;
	regex_t regex;
	int ret = 0;

	if (regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB))
		return -ENOMEM; /* sample_filter_check has refused wrong ones */
	vec_for_each(&compared->comparison.items, item) {
		char *name = strdup(string_set_get(&compared->tally.keys, item->key));

		if (!name) {
			ret = -ENOMEM;
			break;
		}
		item->is_beside = regexec(&regex, name, 0, NULL, 0) != 0;
		name[text_unescape(name, strlen(name))] = '\0';
		item->is_beside &= regexec(&regex, name, 0, NULL, 0) != 0;
		nr_beside += item->is_beside;
		free(name);
	}
	if (nr_beside == compared->comparison.items.nr)
		vec_for_each(&compared->comparison.items, item)
			item->is_beside = false;
	regfree(&regex);
	return ret;
}

void compared_sources_deinit(struct compared_sources *compared)
{
	comparison_deinit(&compared->comparison);
	tally_deinit(&compared->tally);
	free(compared->denominators);
	*compared = (struct compared_sources){0};
}
