// SPDX-License-Identifier: GPL-2.0-or-later
/* Prints random recordings of several events with all kinds of views. */
#include "report/print/printers.h"
#include "tests/unit/prof_helper.h"
#include "tests/unit/random_world.h"
#include "tests/unit/suite.h"

static struct world w;
static struct prof_meta meta;
static struct prof_end end_record;
static struct source source;
static struct debug_roots roots;

static void begin(void)
{
	roots = (struct debug_roots){.symfs_fd = -1};
	meta = test_meta;
	meta.events = test_events;
	meta.nr_events = ARRAY_SIZE(test_events);
	end_record = test_end;
	end_record.events = test_event_ends;
	end_record.nr_events = ARRAY_SIZE(test_events);
	world_init(&w);
}

static void end(void)
{
	labels_deinit(&source.labels);
	symbols_deinit(&source.symbols);
	demangler_account_deinit(&source.demangling);
	model_deinit(&source.rec.model);
	world_deinit(&w);
}

static void load(struct random *rng, uint32_t size)
{
	struct elf_pairs pairs = {0};
	const struct symbol_files files = {.roots = &roots, .pairs = &pairs};

	world_deinit(&w);
	world_random(&w, rng, size);
	world_random_events(&w, rng, meta.nr_events);
	source = (struct source){.rec = {.name = "random", .meta = &meta, .end = &end_record}};
	ck_assert_int_eq(model_init(&source.rec.model), 0);
	ck_assert_int_eq(model_add_epoch(&source.rec.model, world_epoch(&w)), 0);
	ck_assert_int_eq(model_finish(&source.rec.model), 0);
	ck_assert_int_eq(
		symbols_resolve(&source.symbols, &source.rec.model, &files, &source.demangling), 0);
}

static int compare_texts(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The rows of a text: each ends in a number after @before, and in @after. Cuts the numbers off. */
struct text_rows {
	char *rows[4096];
	size_t nr;
	uint64_t sum;
};

static void split_rows(struct textbuf *text, const char *before, const char *after,
		       struct text_rows *rows)
{
	char *s;

	*rows = (struct text_rows){0};
	textbuf_char(text, '\0');
	ck_assert_int_eq(text->error, 0);
	for (s = text->data; *s;) {
		char *next = strstr(s, after), *number = NULL;

		ck_assert_ptr_nonnull(next);
		*next = '\0';
		for (char *at = s; (at = strstr(at, before)); at++)
			number = at;
		/* A row without frames is a number alone. */
		ck_assert(number || strspn(s, " 0123456789") == strlen(s));
		rows->sum += strtoull(number ? number + strlen(before) : s, NULL, 10);
		*(number ? number : s) = '\0';
		ck_assert_uint_lt(rows->nr, ARRAY_SIZE(rows->rows));
		rows->rows[rows->nr++] = s;
		s = next + strlen(after);
	}
}

static size_t nr_equal(struct text_rows *rows)
{
	size_t nr = 0;

	qsort(rows->rows, rows->nr, sizeof(*rows->rows), compare_texts);
	for (size_t i = 1; i < rows->nr; i++)
		nr += !strcmp(rows->rows[i - 1], rows->rows[i]);
	return nr;
}

/*
 * Counts add up to those of the event, and hits have no two rows of equal text. Without a delimiter
 * a frame could be of either side: such rows stay apart.
 */
static void check_rows(const struct printout *p, struct text_rows *rows)
{
	bool tells_sides = p->view->delimited || p->view->user_only || p->view->kernel_only;

	ck_assert_uint_eq(rows->sum, source.rec.model.totals[p->view->event]);
	if (has_hits(p) && tells_sides)
		ck_assert_uint_eq(nr_equal(rows), 0);
}

static int check_event(const struct printout *p, void *ctx)
{
	struct text_rows *rows = ctx;
	struct rows_summary summary;

	p->out->nr = 0;
	ck_assert_int_eq(p->view->folded ? print_folded(p, &summary) : print_stacks(p, &summary),
			 0);
	if (p->view->folded)
		split_rows(p->out, " ", "\n", rows);
	else
		split_rows(p->out, has_hits(p) ? "\n    " : "\n        ", "\n\n", rows);
	check_rows(p, rows);
	return 0;
}

START_TEST(random_events)
{
	static struct text_rows rows;
	struct random rng = {.state = 7 + _i};
	struct textbuf out = {.fd = -1};

	load(&rng, 2 + _i * 8);
	source.events = (struct event_choice){0, meta.nr_events};
	for (int i = 0; i < 20; i++) {
		source.view = (struct view){
			.folded = random_below(&rng, 2),
			.delimited = random_below(&rng, 2),
			.annotations = random_below(&rng, 2),
			.offsets = random_below(&rng, 2),
			.modules = random_below(&rng, 2),
			.addresses = random_below(&rng, 2),
			.per_process = random_below(&rng, 2),
			.user_only = !random_below(&rng, 4),
			.unnamed = random_below(&rng, UNNAMED_UNKNOWN + 1),
		};
		labels_deinit(&source.labels);
		ck_assert_int_eq(labels_init(&source.labels, &source.rec.model, &source.symbols,
					     &source.view),
				 0);
		ck_assert_int_eq(source_print_events(&source, &out, check_event, &rows), 0);
	}
	textbuf_deinit(&out);
}
END_TEST

SUITE_MAIN_LOOP_WITH("print_stacks", begin, end, random_events, 40)
