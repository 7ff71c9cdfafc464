// SPDX-License-Identifier: GPL-2.0-or-later
#include <bpf/bpf.h>
#include <fcntl.h>

#include "common/cleanup.h"
#include "record/unwind/table_maps.h"
#include "tests/unit/random.h"
#include "tests/unit/suite.h"

static int create_array(uint32_t value_size, uint32_t nr)
{
	return bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", sizeof(uint32_t), value_size, nr, NULL);
}

/* The maps as the sampler makes them. */
static void make_maps(struct table_maps *store)
{
	LIBBPF_OPTS(bpf_map_create_opts, inner, .map_flags = BPF_F_MMAPABLE);
	LIBBPF_OPTS(bpf_map_create_opts, outer);
	_cleanup_close_ int fd = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", sizeof(uint32_t),
						sizeof(struct unwind_segment), 1, &inner);

	ck_assert_int_eq(table_maps_init(store), 0);
	ck_assert_int_ge(fd, 0);
	outer.inner_map_fd = fd;
	store->maps.rules = create_array(sizeof(struct unwind_rule), UNWIND_MAX_RULES);
	store->maps.pages = create_array(sizeof(struct unwind_page), UNWIND_MAX_PAGES);
	store->maps.segments = bpf_map_create(BPF_MAP_TYPE_ARRAY_OF_MAPS, "test", sizeof(uint32_t),
					      sizeof(uint32_t), UNWIND_MAX_SEGMENTS, &outer);
	store->maps.known_rules = bpf_map_create(BPF_MAP_TYPE_ARRAY, "test", sizeof(uint32_t),
						 sizeof(uint64_t), UNWIND_KNOWN_RULES, &inner);
	ck_assert_int_ge(store->maps.known_rules, 0);
	ck_assert(store->maps.rules >= 0 && store->maps.pages >= 0 && store->maps.segments >= 0);
}

static void close_maps(struct table_maps *store)
{
	close(store->maps.rules);
	close(store->maps.known_rules);
	close(store->maps.pages);
	close(store->maps.segments);
	table_maps_deinit(store);
}

/* A table with rules of its own, which @seed makes, and some that all tables have. */
static struct unwind_table make_table(uint32_t seed, uint32_t nr_rules, uint32_t nr_pages,
				      uint32_t rows_per_page)
{
	struct unwind_table t = {
		.nr_pages = nr_pages, .nr_rows = nr_pages * rows_per_page, .nr_rules = nr_rules};

	t.rules = calloc(nr_rules, sizeof(*t.rules));
	t.pages = calloc(nr_pages, sizeof(*t.pages));
	t.rows = calloc(t.nr_rows, sizeof(*t.rows));
	ck_assert(t.rules && t.pages && t.rows);
	for (uint32_t i = 1; i < nr_rules; i++)
		t.rules[i] = (struct unwind_rule){.cfa = UNWIND_CFA_REG,
						  .cfa_reg = UNWIND_RSP,
						  .cfa_off = i,
						  .cfa_add = i % 4 ? seed : 0};
	for (uint32_t p = 0; p < nr_pages; p++) {
		t.pages[p] = (struct unwind_page){p * rows_per_page, rows_per_page};
		for (uint32_t r = 0; r < rows_per_page; r++)
			t.rows[p * rows_per_page + r] =
				UNWIND_ROW(r * 4, (p * rows_per_page + r) % nr_rules);
	}
	return t;
}

static void check_table(struct table_maps *store, const struct unwind_table *t,
			const struct table_place *place)
{
	const struct unwind_mapping mapping = {
		.pages = UNWIND_PAGES(place->first_page, place->nr_pages)};

	for (uint64_t pc = 0; pc < (uint64_t)t->nr_pages * UNWIND_PAGE_SIZE; pc += 1021)
		ck_assert_mem_eq(table_maps_find(store, &mapping, pc), unwind_table_find(t, pc),
				 sizeof(struct unwind_rule));
}

#define NR_TABLES 16

/* Tables come and go for long; those that are there are right, and nothing is lost in the end. */
START_TEST(tables_come_and_go)
{
	struct unwind_table tables[NR_TABLES];
	struct table_place places[NR_TABLES] = {0};
	struct table_maps store;
	struct random rng = {3};

	make_maps(&store);
	for (uint32_t i = 0; i < NR_TABLES; i++)
		tables[i] = make_table(i + 1, 3000, 20, 500);
	for (int round = 0; round < 400; round++) {
		uint32_t i = random_below(&rng, NR_TABLES);

		if (places[i].nr_pages) {
			check_table(&store, &tables[i], &places[i]);
			table_maps_remove(&store, &places[i]);
		} else {
			/* All of them together have more rules than there is room for. */
			int ret = table_maps_add(&store, &tables[i], &places[i]);

			ck_assert(!ret || ret == -ENOSPC);
			ck_assert_uint_eq(places[i].nr_pages, ret ? 0 : 20);
		}
	}
	for (uint32_t i = 0; i < NR_TABLES; i++) {
		table_maps_remove(&store, &places[i]);
		unwind_table_deinit(&tables[i]);
	}
	ck_assert_uint_eq(store.free_pages.nr_free, UNWIND_MAX_PAGES);
	ck_assert_uint_eq(store.free_rows.nr_free, store.nr_segments * UNWIND_SEGMENT_ROWS);
	/* All but those that are always there. */
	ck_assert_uint_eq(store.free_rules.nr, store.rules.nr - UNWIND_NR_OWN_RULES);
	ck_assert(!table_maps_are_tight(&store));
	close_maps(&store);
}
END_TEST

START_TEST(equal_rules_are_shared)
{
	struct unwind_table table = make_table(1, 100, 1, 10);
	struct table_place places[2] = {0};
	struct table_maps store;

	make_maps(&store);
	for (int i = 0; i < 2; i++) {
		ck_assert_int_eq(table_maps_add(&store, &table, &places[i]), 0);
		ck_assert_uint_eq(store.rules.nr, 100 + UNWIND_NR_OWN_RULES - UNWIND_RULE_TRACE);
	}
	table_maps_remove(&store, &places[0]);
	ck_assert_uint_eq(store.free_rules.nr, 0);
	check_table(&store, &table, &places[1]);
	table_maps_remove(&store, &places[1]);
	/* Those that are always there stay. Some of them are rules of the table, too. */
	ck_assert_uint_eq(store.free_rules.nr, store.rules.nr - UNWIND_NR_OWN_RULES);
	unwind_table_deinit(&table);
	close_maps(&store);
}
END_TEST

START_TEST(no_more_than_a_share)
{
	struct unwind_table many = make_table(1, TABLE_RULES_MAX + 1, 1, 10);
	struct unwind_table few = make_table(1, TABLE_RULES_MAX, 1, 10);
	struct table_place place = {0};
	struct table_maps store;

	make_maps(&store);
	ck_assert_int_eq(table_maps_add(&store, &many, &place), -EFBIG);
	ck_assert_uint_eq(store.rules.nr, UNWIND_NR_OWN_RULES);
	ck_assert_int_eq(table_maps_add(&store, &few, &place), 0);
	table_maps_remove(&store, &place);
	unwind_table_deinit(&many);
	unwind_table_deinit(&few);
	close_maps(&store);
}
END_TEST

/* Whoever made segments closes them, and no others. */
START_TEST(descriptors_of_segments)
{
	struct table_maps store;
	int fds[3];

	ck_assert_int_eq(table_maps_init(&store), 0);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++) {
		fds[i] = open("/dev/null", O_RDONLY | O_CLOEXEC);
		ck_assert_int_ge(fds[i], 0);
		store.segment_fds[i] = fds[i];
	}
	store.nr_segments = 2;
	table_maps_deinit(&store);
	for (size_t i = 0; i < ARRAY_SIZE(fds); i++)
		ck_assert_int_eq(fcntl(fds[i], F_GETFD) < 0, i < 2);
	close(fds[2]);
}
END_TEST

static const char *missing(void)
{
	int fd = create_array(sizeof(uint32_t), 1);

	if (fd < 0)
		return "the kernel makes no BPF maps for this user";
	close(fd);
	return NULL;
}

SUITE_MAIN_OF(((struct suite){.name = "table_maps", .missing = missing}), tables_come_and_go,
	      equal_rules_are_shared, no_more_than_a_share, descriptors_of_segments)
