// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/html/page.h"

#include <stdlib.h>

#include "common/cleanup.h"
#include "report/html/packed_text.h"
#include "report/html/page_columns.h"
#include "report/html/page_facts.h"
#include "report/html/page_text.h"
#include "report/html/top_table.h"

static int make_profiles(struct page_profile *profiles, size_t nr, struct page_functions *functions)
{
	_cleanup_free_ uint32_t *new_ids = NULL;
	int ret = 0;

	for (size_t i = 0; i < nr && !ret; i++) {
		ret = page_profile_make(&profiles[i], functions);
		if (!ret)
			ret = page_sources_make(&profiles[i].sources, profiles[i].parts[0].source);
	}
	/* The trees have all stacks now, and take as much memory themselves. */
	for (size_t i = 0; i < nr; i++)
		for (uint32_t k = 0; k < profiles[i].nr_parts; k++)
			model_forget_rows(&profiles[i].parts[k].source->rec.model);
	if (!ret)
		ret = page_functions_sort(functions, &new_ids);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = page_profile_sort(&profiles[i], new_ids);
	return ret;
}

/* Makes the bytes that the viewer unpacks. */
static int print_data(struct textbuf *data, const struct page_profile *profiles, size_t nr,
		      const struct page_functions *functions)
{
	struct textbuf facts = {.fd = -1};
	int ret;

	page_print_facts(&facts, profiles, nr, functions);
	page_print_section(data, &facts);
	textbuf_deinit(&facts);
	ret = page_print_functions(data, functions);
	for (size_t i = 0; i < nr && !ret; i++)
		ret = page_print_profile(data, &profiles[i], functions);
	return ret;
}

static int print_parts(struct textbuf *out, const struct page_profile *profiles, size_t nr,
		       const struct page_functions *functions)
{
	struct textbuf data = {.fd = -1};
	int ret = 0;

	textbuf_bytes(out, page_begin, sizeof(page_begin));
	for (size_t i = 0; i < nr && !ret; i++)
		ret = top_table_print(out, &profiles[i], functions);
	textbuf_bytes(out, page_middle, sizeof(page_middle));
	if (!ret)
		ret = print_data(&data, profiles, nr, functions);
	if (!ret)
		ret = packed_text_print(out, data.data, data.nr);
	textbuf_deinit(&data);
	textbuf_bytes(out, page_end, sizeof(page_end));
	return ret;
}

void page_choose_names(struct view *view)
{
	if (view->unnamed == UNNAMED_BY_LAYOUT)
		view->unnamed = UNNAMED_FUNCTION;
	if (view->demangle == DEMANGLE_BY_LAYOUT)
		view->demangle = DEMANGLE_SHORT;
}

int page_print(struct textbuf *out, struct page_profile *profiles, size_t nr)
{
	struct page_functions functions;
	int ret = page_functions_init(&functions);

	if (!ret)
		ret = make_profiles(profiles, nr, &functions);
	if (!ret)
		ret = print_parts(out, profiles, nr, &functions);
	page_functions_deinit(&functions);
	return ret;
}
