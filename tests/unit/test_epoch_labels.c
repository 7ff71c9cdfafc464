// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/epoch/epoch_labels.h"

#include "tests/unit/suite.h"

static struct epoch_tables tables;
static struct label_keys keys;
static struct epoch_sources sources;
static struct epoch_labels labels;

static void begin(void)
{
	keys = (struct label_keys){.nr = 2, .names = {"tenant", "route"}};
	sources = (struct epoch_sources){.label_keys = &keys};
	labels = (struct epoch_labels){.sources = &sources, .tables = &tables};
	ck_assert_int_eq(epoch_tables_reset(&tables), 0);
}

static void end(void)
{
	epoch_labels_deinit(&labels);
	epoch_tables_deinit(&tables);
}

/* The set of the labels @id with these values; NULL: no values came with the id. */
static uint32_t find(uint64_t id, const struct label_values *values)
{
	const struct raw_stack raw = {.id = id,
				      .frames = (const uint64_t *)values,
				      .nr_frames = values ? sizeof(*values) / sizeof(uint64_t) : 0,
				      .end = STACK_END_LABELS};
	uint32_t set = 77;

	ck_assert_int_eq(epoch_labels_find(&labels, &raw, &set), 0);
	return set;
}

/* Values of two keys, each in words of its own, with the lengths that the program says. */
static struct label_values values_of(const char *tenant, size_t tenant_len, const char *route,
				     size_t route_len)
{
	struct label_values values = {.lengths = {tenant_len, route_len}};

	memcpy(values.words, tenant, tenant_len);
	memcpy(&values.words[(tenant_len + 7) / 8], route, route_len);
	return values;
}

static void expect_label(uint32_t set, uint32_t i, const char *key, const char *value)
{
	const struct prof_label_set *s = &tables.label_sets.data[set];
	const struct prof_label *label = &tables.labels.data[s->first_label + i];
	const struct string_ref *strings = tables.strings.data;

	ck_assert_uint_lt(i, s->nr_labels);
	ck_assert_str_eq(tables.string_bytes.data + strings[label->key].off, key);
	ck_assert_str_eq(tables.string_bytes.data + strings[label->value].off, value);
}

START_TEST(values_become_texts)
{
	const struct label_values both = values_of("north-east", 10, "/", 1);
	const struct label_values one = values_of("", 0, "/cart", 5);
	const uint32_t first = find(100, &both), second = find(101, &one);

	ck_assert_uint_eq(first, 1);
	ck_assert_uint_eq(tables.label_sets.data[first].nr_labels, 2);
	expect_label(first, 0, "tenant", "north-east");
	expect_label(first, 1, "route", "/");
	ck_assert_uint_eq(second, 2);
	ck_assert_uint_eq(tables.label_sets.data[second].nr_labels, 1);
	expect_label(second, 0, "route", "/cart");
	ck_assert_uint_eq(tables.label_sets.data[0].nr_labels, 0);
	/* An id that was seen needs no values. */
	ck_assert_uint_eq(find(100, &one), first);
	ck_assert_uint_eq(find(101, &both), second);
	ck_assert_uint_eq(tables.label_sets.nr, 3);
}
END_TEST

/* A value ends at a NUL, and one that begins with it is none. */
START_TEST(empty_values)
{
	const struct label_values cut = values_of("ab\0cd", 5, "\0x", 2);
	const struct label_values none = values_of("\0x", 2, "", 0);

	expect_label(find(100, &cut), 0, "tenant", "ab");
	ck_assert_uint_eq(tables.label_sets.data[1].nr_labels, 1);
	ck_assert_uint_eq(find(101, &none), 0);
	ck_assert_uint_eq(find(101, &none), 0);
	ck_assert_uint_eq(tables.label_sets.nr, 2);
	ck_assert_uint_eq(labels.known.nr, 2);
}
END_TEST

/* They had no room in the set, so all of them share a set without labels. */
START_TEST(values_that_are_not_known)
{
	const struct label_values values = values_of("north", 5, "/", 1);
	struct raw_stack stack = {.id = 102,
				  .frames = (const uint64_t *)&values,
				  .nr_frames = sizeof(values) / sizeof(uint64_t),
				  .end = STACK_END_ROOT};
	uint32_t set;

	ck_assert_uint_eq(find(100, NULL), 1);
	ck_assert_uint_eq(find(LABELS_OTHER, NULL), 1);
	ck_assert_int_eq(epoch_labels_find(&labels, &stack, &set), 0);
	ck_assert_uint_eq(set, 1);
	ck_assert_uint_eq(tables.label_sets.data[1].nr_labels, 0);
	ck_assert_uint_eq(tables.labels.nr, 0);
}
END_TEST

START_TEST(no_labels)
{
	const struct label_values values = values_of("north", 5, "/", 1);

	ck_assert_uint_eq(find(STACK_NONE, &values), 0);
	sources.label_keys = NULL;
	ck_assert_uint_eq(find(100, &values), 0);
	ck_assert_uint_eq(tables.label_sets.nr, 0);
	ck_assert_uint_eq(labels.known.nr, 0);
}
END_TEST

/* Ids of a trace and a span follow the values. */
START_TEST(traces)
{
	struct label_values values = values_of("n", 1, "/", 1);
	unsigned char *ids = (unsigned char *)&values.words[2];
	uint32_t set;

	for (unsigned char i = 0; i < LINK_BYTES; i++)
		ids[i] = 16 * (i % 10) + i % 16;
	values.lengths[LINK_PLACE] = LINK_BYTES;
	set = find(100, &values);
	ck_assert_uint_eq(tables.label_sets.data[set].nr_labels, 2);
	keys.has_traces = true;
	set = find(101, &values);
	ck_assert_uint_eq(tables.label_sets.data[set].nr_labels, 4);
	expect_label(set, 1, "route", "/");
	expect_label(set, 2, PROF_LABEL_TRACE_ID, "001122334455667788990a1b2c3d4e5f");
	expect_label(set, 3, PROF_LABEL_SPAN_ID, "6071829304152637");
	values.lengths[LINK_PLACE] = 0;
	set = find(102, &values);
	ck_assert_uint_eq(tables.label_sets.data[set].nr_labels, 2);
}
END_TEST

START_TEST(another_epoch_begins)
{
	const struct label_values values = values_of("north", 5, "/", 1);

	for (int i = 0; i < 2; i++) {
		ck_assert_uint_eq(find(100, &values), 1);
		ck_assert_uint_eq(tables.labels.nr, 2);
		epoch_labels_reset(&labels);
		ck_assert_uint_eq(labels.known.nr, 0);
		ck_assert_int_eq(epoch_tables_reset(&tables), 0);
	}
	ck_assert_uint_eq(find(100, &values), 1);
	epoch_labels_deinit(&labels);
	ck_assert_ptr_null(labels.known.data);
	ck_assert_ptr_null(labels.by_labels.slots);
}
END_TEST

SUITE_MAIN_WITH("epoch_labels", begin, end, values_become_texts, empty_values,
		values_that_are_not_known, no_labels, traces, another_epoch_begins)
