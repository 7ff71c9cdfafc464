// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/unwind_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/compare.h"
#include "common/hash.h"
#include "common/index.h"
#include "common/search.h"
#include "common/vec.h"
#include "record/cfi/cfi.h"
#include "record/cfi/cfi_elf.h"
#include "record/cfi/code_frames.h"
#include "record/cfi/code_gaps.h"
#include "record/cfi/go_frames.h"

#define ROWS_MAX ((size_t)UNWIND_MAX_SEGMENTS * UNWIND_SEGMENT_ROWS)

/* Browsers have a million. */
#define FUNCTIONS_MAX (4u << 20)

/* What tells of a function. Of two at one place the first counts. */
enum source {
	FROM_COROUTINE,
	FROM_LEAF,
	FROM_GO,
	FROM_EH_FRAME,
	FROM_DEBUG_FRAME,
	FROM_HANDLER_RETURN,
	FROM_BARE,
	FROM_CODE,
	FROM_ENTRY,
};

/* A function by its place in the file. */
struct function {
	uint64_t off, end;
	/*
	 * Of Go: program and cie are program and kind of struct go_function. Of code: program and
	 * program_end are its rows.
	 */
	struct cfi_fde fde;
	enum source source;
};

/* The code at a file's entry is at most this long. glibc's dynamic linker has 61 bytes. */
#define ENTRY_BYTES 128

struct build {
	struct cfi_elf elf;
	struct code_frames code;
	struct cfi cfi[CFI_NR_SECTIONS];
	VEC(struct function) functions;
	VEC(struct unwind_page) pages;
	VEC(uint32_t) rows;
	VEC(struct unwind_rule) rules;
	struct index by_rule;
	uint64_t first_page; /* by file offset */
	uint32_t rule;       /* in force after the last row */
	uint64_t bias;       /* file offset less address, of the function that is run */
	uint64_t gap; /* file offset of the gap before it, which is no function; 0: there is none */
	uint64_t gap_size;
	size_t nr_read; /* functions, also those that lie in no segment */
	uint64_t nr_go_steps;
};

static int compare_segments(const void *pa, const void *pb)
{
	const struct code_segment *a = pa, *b = pb;

	COMPARE(a->vaddr, b->vaddr);
	COMPARE(a->off, b->off);
	return 0;
}

/* The segment, of those that are sorted, that @addr lies in; or NULL. */
static const struct code_segment *find_segment(const struct cfi_elf *elf, uint64_t addr)
{
	const struct code_segment *all = elf->segments.data;
	size_t at = search_first(elf->segments.nr, i, all[i].vaddr > addr);

	return at && addr - all[at - 1].vaddr < all[at - 1].size ? &all[at - 1] : NULL;
}

/*
 * Adds @fde as far as it lies in a code segment. Functions that lie in none count, too: a file may
 * have no end of them.
 */
static int add_function(struct build *b, enum source source, const struct cfi_fde *fde)
{
	const struct code_segment *segment = find_segment(&b->elf, fde->start);
	struct function function = {.fde = *fde, .source = source};

	if (++b->nr_read > FUNCTIONS_MAX)
		return -EFBIG;
	if (!segment)
		return 0;
	if (fde->end - segment->vaddr > segment->size)
		function.fde.end = segment->vaddr + segment->size;
	function.off = fde->start - segment->vaddr + segment->off;
	function.end = function.off + (function.fde.end - fde->start);
	return vec_push(&b->functions, function);
}

static int compare_functions(const void *pa, const void *pb)
{
	const struct function *a = pa, *b = pb;

	COMPARE(a->off, b->off);
	COMPARE(a->source, b->source);
	COMPARE(a->fde.program, b->fde.program);
	return 0;
}

static bool is_sorted(const struct build *b)
{
	for (size_t i = 1; i < b->functions.nr; i++)
		if (compare_functions(&b->functions.data[i - 1], &b->functions.data[i]) > 0)
			return false;
	return true;
}

/*
 * Sorts. Of functions that begin at one place the first counts. A function that overlaps the next
 * one ends where the next begins.
 */
static void sort_functions(struct build *b)
{
	struct function *all = b->functions.data;
	size_t nr = 0;

	if (!is_sorted(b))
		qsort(all, b->functions.nr, sizeof(*all), compare_functions);
	for (size_t i = 0; i < b->functions.nr; i++) {
		if (nr && all[nr - 1].off == all[i].off)
			continue;
		if (nr && all[nr - 1].end > all[i].off) {
			all[nr - 1].fde.end -= all[nr - 1].end - all[i].off;
			all[nr - 1].end = all[i].off;
		}
		all[nr++] = all[i];
	}
	b->functions.nr = nr;
}

/*
 * A stack ends where its process begins, also if the file does not say so. The dynamic linker does
 * not say so.
 */
static int add_entry(struct build *b)
{
	struct function entry = {.source = FROM_ENTRY};
	size_t at = 0;
	int ret;

	vec_for_each(&b->elf.segments, segment) {
		uint64_t in_segment = b->elf.entry - segment->vaddr;

		if (b->elf.entry < segment->vaddr || in_segment >= segment->size)
			continue;
		entry.off = segment->off + in_segment;
		entry.end = segment->size - in_segment < ENTRY_BYTES ? segment->off + segment->size
								     : entry.off + ENTRY_BYTES;
	}
	while (at < b->functions.nr && b->functions.data[at].off <= entry.off)
		at++;
	if (!b->elf.entry || entry.off == entry.end || !b->functions.nr ||
	    (at && b->functions.data[at - 1].end > entry.off))
		return 0;
	if (at < b->functions.nr && b->functions.data[at].off < entry.end)
		entry.end = b->functions.data[at].off;
	ret = vec_reserve(&b->functions, 1);
	if (ret)
		return ret;
	memmove(b->functions.data + at + 1, b->functions.data + at,
		(b->functions.nr - at) * sizeof(entry));
	b->functions.data[at] = entry;
	b->functions.nr++;
	return 0;
}

static int read_go_functions(struct build *b)
{
	struct go_function function;
	int ret = 0;

	for (uint64_t i = 0; !ret && i < b->elf.go.nr; i++) {
		if (!go_frames_function(&b->elf.go, i, &function))
			continue;
		ret = add_function(b, FROM_GO,
				   &(struct cfi_fde){.start = function.start,
						     .end = function.end,
						     .program = function.program,
						     .cie = function.kind});
	}
	return ret;
}

static int add_coroutine(struct build *b, const struct coroutine_begin *begin)
{
	int ret = 0;

	if (begin->leaf < begin->start)
		ret = add_function(b, FROM_LEAF,
				   &(struct cfi_fde){.start = begin->leaf, .end = begin->start});
	if (!ret && begin->start < begin->end)
		ret = add_function(b, FROM_COROUTINE,
				   &(struct cfi_fde){.start = begin->start, .end = begin->end});
	return ret;
}

static int add_bare(struct build *b, const struct bare_function *function)
{
	enum source source = function->is_handler_return ? FROM_HANDLER_RETURN : FROM_BARE;

	return add_function(b, source,
			    &(struct cfi_fde){.start = function->start, .end = function->end});
}

static int read_functions(struct build *b)
{
	int ret = 0;

	qsort(b->elf.segments.data, b->elf.segments.nr, sizeof(*b->elf.segments.data),
	      compare_segments);
	for (int i = 0; !ret && i < CFI_NR_SECTIONS; i++) {
		struct cfi_fde fde;

		/* Of the assembler's functions Go's has no more than their programs tell. */
		if (i == CFI_DEBUG_FRAME && b->elf.is_go && go_code_needs_flags())
			continue;
		while (!ret && (ret = cfi_next(&b->cfi[i], &fde)) > 0)
			ret = add_function(b, FROM_EH_FRAME + i, &fde);
	}
	if (!ret)
		ret = read_go_functions(b);
	for (int i = 0; !ret && i < NR_COROUTINE_KINDS; i++)
		ret = add_coroutine(b, &b->elf.coroutines[i]);
	for (size_t i = 0; !ret && i < b->elf.nr_bare; i++)
		ret = add_bare(b, &b->elf.bare[i]);
	if (ret)
		return ret;
	sort_functions(b);
	return 0;
}

/* The code of @segment that no function covers, from the function @at on. Sets *@at behind it. */
static int find_segment_gaps(struct build *b, const struct code_segment *segment, size_t *at)
{
	uint64_t end = segment->vaddr;
	int ret = 0;

	for (; !ret && *at < b->functions.nr; ++*at) {
		const struct function *function = &b->functions.data[*at];

		if (function->off - segment->off >= segment->size)
			break;
		ret = code_gaps_add(&b->code, end, function->fde.start);
		end = function->fde.end;
	}
	return ret ? ret : code_gaps_add(&b->code, end, segment->vaddr + segment->size);
}

/* Reads the code that nothing tells of. */
static int read_code(struct build *b, int fd)
{
	size_t at = 0;
	int ret = 0;

	if (b->elf.is_made)
		return 0;
	b->code.entry = b->elf.entry;
	vec_for_each(&b->elf.segments, segment)
		ret = ret ? ret : find_segment_gaps(b, segment, &at);
	if (!ret)
		ret = code_gaps_read(&b->code, fd);
	if (!ret)
		ret = code_gaps_read_calls(&b->code, fd, b->elf.segments.data, b->elf.segments.nr);
	/* Go's own linker has C in the table, too, without a program. */
	for (uint64_t i = 0; !ret && i < b->elf.go.nr && b->code.gaps.nr; i++)
		ret = code_gaps_add_start(&b->code,
					  b->elf.go.text_start + go_table_address(&b->elf.go, i));
	return ret;
}

/* Adds a function for each stretch of code that has rules. */
static int add_code(struct build *b)
{
	const struct code_row *rows;
	struct cfi_fde fde = {0};
	int ret = code_frames_make(&b->code);

	rows = b->code.rows.data;
	for (uint32_t i = 0; !ret && i < b->code.rows.nr; i++) {
		if (rows[i].rule.cfa != UNWIND_CFA_NONE) {
			if (!fde.end)
				fde = (struct cfi_fde){
					.start = rows[i].addr, .program = i, .end = 1};
			continue;
		}
		fde.end = rows[i].addr;
		fde.program_end = i;
		ret = add_function(b, FROM_CODE, &fde);
		fde = (struct cfi_fde){0};
	}
	if (ret)
		return ret;
	if (b->code.rows.nr)
		sort_functions(b);
	return add_entry(b);
}

static int add_rule(struct build *b, const struct unwind_rule *rule, uint32_t *number)
{
	uint64_t hash = hash_bytes(rule, sizeof(*rule), 0);
	int ret;

	index_for_each(&b->by_rule, hash, i) {
		if (!memcmp(&b->rules.data[i], rule, sizeof(*rule))) {
			*number = i;
			return 0;
		}
	}
	if (b->rules.nr == UNWIND_MAX_RULES)
		return -EFBIG;
	*number = b->rules.nr;
	ret = vec_push(&b->rules, *rule);
	return ret ? ret : index_insert(&b->by_rule, hash, *number);
}

static int push_row(struct build *b, uint32_t off, uint32_t rule)
{
	if (b->rows.nr == ROWS_MAX)
		return -EFBIG;
	b->pages.data[b->pages.nr - 1].nr_rows++;
	return vec_push(&b->rows, UNWIND_ROW(off, rule));
}

/*
 * Begins pages up to @page. In the pages before it, the rule in force holds from the first byte on.
 */
static int reach_page(struct build *b, uint64_t page)
{
	if (page - b->first_page >= UNWIND_MAX_PAGES)
		return -EFBIG;
	while (b->first_page + b->pages.nr <= page) {
		struct unwind_page next = {.first_row = b->rows.nr};
		int ret = vec_push(&b->pages, next);

		if (!ret && b->rule && b->first_page + b->pages.nr <= page)
			ret = push_row(b, 0, b->rule);
		if (ret)
			return ret;
	}
	return 0;
}

/* From file offset @off on, @rule holds. Offsets rise from call to call. */
static int add_row(struct build *b, uint64_t off, uint32_t rule)
{
	uint32_t in_page = off & (UNWIND_PAGE_SIZE - 1);
	int ret;

	if (rule == b->rule)
		return 0;
	ret = reach_page(b, off >> UNWIND_PAGE_SHIFT);
	if (!ret && in_page && !b->pages.data[b->pages.nr - 1].nr_rows)
		ret = push_row(b, 0, b->rule);
	b->rule = rule;
	/* A page that begins with no rule says so with its first row, if it gets any. */
	if (ret || (!in_page && rule == UNWIND_NO_RULE))
		return ret;
	return push_row(b, in_page, rule);
}

/* Bytes of a system call, and one for the place that it returns to. */
#define SYSCALL_BYTES 3

/*
 * No rule holds from the gap on. But in some functions of libc the last instruction is a system
 * call, and the information ends before or right after it. A sample in the kernel then has the
 * address after the system call. These functions are rt_sigreturn, and clone, after which the
 * child's part follows, which nobody has called.
 */
static int end_function(struct build *b, const struct unwind_rule *next)
{
	uint64_t off = b->gap, kept = 0;

	if (b->rules.data[b->rule].cfa == UNWIND_CFA_SIGNAL)
		kept = 1;
	else if (next && next->ra == UNWIND_RA_UNDEFINED && b->gap_size >= SYSCALL_BYTES)
		kept = SYSCALL_BYTES;
	b->gap = 0;
	if (kept == b->gap_size)
		return 0; /* nothing of the gap is left: the next function's row comes here */
	return add_row(b, off + kept, UNWIND_NO_RULE);
}

static int take_row(void *ctx, uint64_t addr, const struct unwind_rule *rule)
{
	struct build *b = ctx;
	uint32_t number;
	int ret = b->gap ? end_function(b, rule) : 0;

	number = b->rule;
	if (!ret && memcmp(&b->rules.data[number], rule, sizeof(*rule)))
		ret = add_rule(b, rule, &number);
	return ret ? ret : add_row(b, addr + b->bias, number);
}

/* Takes the rows of code up to the end of @fde, which may have been clipped. */
static int run_code(struct build *b, const struct cfi_fde *fde)
{
	int ret = b->gap ? end_function(b, NULL) : 0; /* no child of what is before begins there */

	for (uint32_t i = fde->program; !ret && i < fde->program_end; i++) {
		const struct code_row *row = &b->code.rows.data[i];

		if (row->addr >= fde->end)
			break;
		ret = take_row(b, row->addr, &row->rule);
	}
	return ret;
}

static int run_function(struct build *b, const struct function *function)
{
	static const struct unwind_rule root = {
		.cfa = UNWIND_CFA_REG, .cfa_reg = UNWIND_REG_SP, .ra = UNWIND_RA_UNDEFINED};
	static const struct unwind_rule leaf = {.cfa = UNWIND_CFA_REG,
						.cfa_reg = UNWIND_REG_SP,
						.cfa_off = RETURN_BYTES,
						.ra = RETURN_AT_ENTRY};
	static const struct unwind_rule handler_return = {.cfa = UNWIND_CFA_SIGNAL};
	const struct cfi_fde *fde = &function->fde;
	const struct go_function go = {fde->start, fde->end, fde->program, fde->cie};
	int ret;

	b->bias = function->off - fde->start;
	switch (function->source) {
	case FROM_GO:
		return go_frames_run(&b->elf.go, b->elf.go_codes, &go, &b->nr_go_steps, take_row,
				     b);
	case FROM_LEAF:
	case FROM_BARE:
		return take_row(b, fde->start, &leaf);
	case FROM_HANDLER_RETURN:
		return take_row(b, fde->start, &handler_return);
	case FROM_CODE:
		return run_code(b, fde);
	case FROM_COROUTINE:
	case FROM_ENTRY:
		ret = b->gap ? end_function(b, NULL) : 0; /* no child begins there */
		return ret ? ret : take_row(b, function->off - b->bias, &root);
	default:
		return cfi_run(&b->cfi[function->source - FROM_EH_FRAME], fde, take_row, b);
	}
}

static int make_rows(struct build *b)
{
	static const struct unwind_rule none;
	uint32_t number;
	int ret = add_rule(b, &none, &number);

	if (!b->functions.nr)
		return -ENODATA;
	b->first_page = b->functions.data[0].off >> UNWIND_PAGE_SHIFT;
	for (size_t i = 0; !ret && i < b->functions.nr; i++) {
		const struct function *function = &b->functions.data[i];

		ret = run_function(b, function);
		if (i + 1 < b->functions.nr && function[1].off == function->end)
			continue;
		b->gap = function->end;
		b->gap_size =
			i + 1 < b->functions.nr ? function[1].off - function->end : UINT64_MAX;
	}
	return ret ? ret : end_function(b, NULL);
}

/* Gives back the memory that the array does not use. */
static void *shrink_array(void *data, size_t nr, size_t size)
{
	void *p = reallocarray(data, nr, size);

	return p ? p : data;
}

static void finish_table(struct build *b, struct unwind_table *table)
{
	*table = (struct unwind_table){
		.first_off = b->first_page << UNWIND_PAGE_SHIFT,
		.nr_pages = b->pages.nr,
		.nr_rows = b->rows.nr,
		.nr_rules = b->rules.nr,
		.pages = shrink_array(b->pages.data, b->pages.nr, sizeof(*b->pages.data)),
		.rows = shrink_array(b->rows.data, b->rows.nr, sizeof(*b->rows.data)),
		.rules = shrink_array(b->rules.data, b->rules.nr, sizeof(*b->rules.data)),
	};
	b->pages.data = NULL;
	b->rows.data = NULL;
	b->rules.data = NULL;
}

_Static_assert(UNWIND_HASH_BYTES == CFI_HASH_BYTES, "a table has the hash of its file");

int unwind_table_build(int fd, struct unwind_table *table)
{
	return unwind_table_build_unless(fd, NULL, table);
}

int unwind_table_build_unless(int fd, const uint8_t *known, struct unwind_table *table)
{
	struct build b = {0};
	uint8_t hash[UNWIND_HASH_BYTES];
	int ret = cfi_elf_read(fd, &b.elf);

	if (ret)
		return ret;
	for (int i = 0; i < CFI_NR_SECTIONS; i++) {
		cfi_init(&b.cfi[i], &b.elf.sections[i]);
		b.cfi[i].is_instead = b.elf.go_codes[GO_RACECALL].size != 0;
	}
	cfi_elf_hash(&b.elf, hash);
	ret = read_functions(&b);
	if (!ret)
		ret = read_code(&b, fd);
	if (!ret) {
		code_gaps_hash(&b.code, hash);
		ret = known && !memcmp(known, hash, sizeof(hash)) ? -EALREADY : add_code(&b);
	}
	if (!ret)
		ret = make_rows(&b);
	if (!ret) {
		finish_table(&b, table);
		memcpy(table->hash, hash, sizeof(hash));
	}
	code_frames_deinit(&b.code);
	vec_free(&b.functions);
	vec_free(&b.pages);
	vec_free(&b.rows);
	vec_free(&b.rules);
	index_deinit(&b.by_rule);
	for (int i = 0; i < CFI_NR_SECTIONS; i++)
		cfi_deinit(&b.cfi[i]);
	cfi_elf_deinit(&b.elf);
	return ret;
}

uint32_t unwind_rows_find(const uint32_t *rows, uint32_t nr, uint32_t in_page)
{
	return rows[search_first(nr - 1, i, UNWIND_ROW_OFF(rows[i + 1]) > in_page)];
}

const struct unwind_rule *unwind_table_find(const struct unwind_table *table, uint64_t off)
{
	uint64_t number = (off - table->first_off) >> UNWIND_PAGE_SHIFT;
	const struct unwind_page *page;
	uint32_t row;

	if (off < table->first_off || number >= table->nr_pages || !table->pages[number].nr_rows)
		return &table->rules[UNWIND_NO_RULE];
	page = &table->pages[number];
	row = unwind_rows_find(table->rows + page->first_row, page->nr_rows,
			       off & (UNWIND_PAGE_SIZE - 1));
	return &table->rules[UNWIND_ROW_RULE(row)];
}

void unwind_table_deinit(struct unwind_table *table)
{
	free(table->pages);
	free(table->rows);
	free(table->rules);
	*table = (struct unwind_table){0};
}
