// SPDX-License-Identifier: GPL-2.0-or-later
/* Each filter is in all places that go through the filters, one added later, too. */
#include <errno.h>

#include "report/commands/shared_options.h"
#include "report/view/filter_words.h"
#include "tests/unit/suite.h"

static const char *values[] = {"value"};
static uint32_t ids[] = {7};

/* Returns a filter with the option of @step alone, as a command line fills it. */
static struct sample_filter filter_with(enum filter_step step)
{
	struct sample_filter filter = {0};
	void *value = (char *)&filter + filter_options[step].offset;

	switch (filter_options[step].type) {
	case OPTION_STRINGS:
		*(string_vec *)value = (string_vec){.data = values, .nr = 1};
		break;
	case OPTION_PIDS:
	case OPTION_TIDS:
		*(u32_vec *)value = (u32_vec){.data = ids, .nr = 1};
		break;
	case OPTION_STRING:
		*(const char **)value = values[0];
		break;
	default:
		*(uint64_t *)value = 7;
	}
	return filter;
}

START_TEST(options)
{
	size_t nr = owner_options.nr + stack_options.nr;

	ck_assert_uint_eq(nr, NR_FILTER_STEPS);
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++) {
		const struct option_spec *option = &filter_options[step];

		ck_assert_msg(option->name && option->help && option->metavar,
			      "filter %d has no option", step);
		for (enum filter_step other = 0; other < step; other++)
			ck_assert_msg(filter_options[other].offset != option->offset,
				      "--%s and --%s fill one member", option->name,
				      filter_options[other].name);
	}
}
END_TEST

START_TEST(whether_set)
{
	const struct sample_filter none = {0};

	ck_assert(!sample_filter_is_set(&none));
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++) {
		const struct sample_filter filter = filter_with(step);

		ck_assert(sample_filter_is_set(&filter));
		for (enum filter_step other = 0; other < NR_FILTER_STEPS; other++) {
			ck_assert_int_eq(sample_filter_has(&filter, other), other == step);
			ck_assert(!sample_filter_has(&none, other));
		}
	}
}
END_TEST

/* Words come before the value, and two filters differ in them. */
START_TEST(words)
{
	const struct timespan span = {0};
	struct textbuf texts[NR_FILTER_STEPS];

	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++) {
		const struct sample_filter filter = filter_with(step);

		texts[step] = (struct textbuf){.fd = -1};
		ck_assert(filter_words_put(&filter, &span, "", "", &texts[step]));
		textbuf_char(&texts[step], '\0');
		ck_assert_msg(strchr("'7(", texts[step].data[0]) == NULL,
			      "the headline names '%s' without words for --%s", texts[step].data,
			      filter_options[step].name);
		for (enum filter_step other = 0; other < step; other++)
			ck_assert_str_ne(texts[step].data, texts[other].data);
	}
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++)
		textbuf_deinit(&texts[step]);
}
END_TEST

START_TEST(nothing_left)
{
	for (enum filter_step step = 0; step < NR_FILTER_STEPS; step++) {
		const struct sample_filter filter = filter_with(step);
		struct filter_account account = {.nr_rows = 1};
		struct err err = {0};
		char want[128];

		ck_assert_int_eq(filter_account_check(&account, &filter, "a.prof", &err), -ENOENT);
		snprintf(want, sizeof(want),
			 "failed to select from 'a.prof': --%s leaves no samples",
			 filter_options[step].name);
		ck_assert_str_eq(err.text, want);
		account.left[step] = 1;
		ck_assert_int_eq(filter_account_check(&account, &filter, "a.prof", &err), 0);
	}
}
END_TEST

SUITE_MAIN("sample_filter", options, whether_set, words, nothing_left)
