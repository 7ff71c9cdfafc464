// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/kernel_functions.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/compare.h"
#include "common/parse.h"
#include "common/search.h"
#include "record/sampling/bpf/event_names.h"

#define KALLSYMS  "/proc/kallsyms"
#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

/* Code of the kernel that is gone after the start, or in which no probe may be. */
struct ranges {
	uint64_t begin[3], end[3];
};

static const struct {
	const char *begin, *end;
} range_symbols[] = {
	{"__init_begin", "__init_end"},
	{"__irqentry_text_start", "__irqentry_text_end"},
	{"__noinstr_text_start", "__noinstr_text_end"},
};

/* Reads the names of functions where no probe may be: the second word of each line. */
static int read_forbidden(FILE *f, name_vec *names)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int ret = 0;

	while (f && !ret && getline(&line, &size, f) >= 0) {
		char *save = NULL, *word = strtok_r(line, " \t\n", &save);

		if (word)
			word = strtok_r(NULL, " \t\n", &save);
		if (word)
			ret = name_vec_add(names, word);
	}
	name_vec_sort(names);
	return ret;
}

/* One line of kallsyms. */
struct symbol {
	uint64_t addr;
	char type;
	char *name; /* in the line */
};

static bool read_symbol(FILE *f, char **line, size_t *size, struct symbol *symbol)
{
	while (getline(line, size, f) >= 0) {
		char *p;

		symbol->addr = parse_hex(*line, &p);
		if (p == *line || p[0] != ' ' || !p[1] || p[2] != ' ')
			continue;
		symbol->type = p[1];
		symbol->name = p + 3;
		symbol->name[strcspn(symbol->name, " \t\n")] = '\0';
		if (symbol->name[0])
			return true;
	}
	return false;
}

static bool is_function(const struct symbol *symbol)
{
	return strchr("tTwW", symbol->type);
}

static void note_range(struct ranges *ranges, const struct symbol *symbol)
{
	for (size_t i = 0; i < ARRAY_SIZE(range_symbols); i++) {
		if (!strcmp(symbol->name, range_symbols[i].begin))
			ranges->begin[i] = symbol->addr;
		if (!strcmp(symbol->name, range_symbols[i].end))
			ranges->end[i] = symbol->addr;
	}
}

static bool is_in_range(const struct ranges *ranges, uint64_t addr)
{
	for (size_t i = 0; i < ARRAY_SIZE(range_symbols); i++)
		if (addr >= ranges->begin[i] && addr < ranges->end[i])
			return true;
	return false;
}

/*
 * Names that no probe may be at, or that are no functions of their own: bcc leaves out the same.
 * The compiler moves unlikely parts of functions to places of their own (.cold).
 */
static bool is_unsuitable(const char *name)
{
	const char *cold = strstr(name, ".cold");

	return !strncmp(name, "__perf", 6) || !strncmp(name, "perf_", 5) ||
	       !strncmp(name, "_kbl_addr_", 10) || !strncmp(name, "__SCT__", 7) ||
	       !strncmp(name, "__cfi_", 6) || !strncmp(name, "__pfx_", 6) ||
	       (cold && (!cold[5] || cold[5] == '.'));
}

static int compare_addrs(const void *a, const void *b)
{
	COMPARE(*(const uint64_t *)a, *(const uint64_t *)b);
	return 0;
}

static void sort_addrs(u64_vec *addrs)
{
	if (addrs->nr)
		qsort(addrs->data, addrs->nr, sizeof(*addrs->data), compare_addrs);
}

static bool has_addr(const u64_vec *addrs, uint64_t addr)
{
	size_t at = search_first(addrs->nr, i, addrs->data[i] >= addr);

	return at < addrs->nr && addrs->data[at] == addr;
}

/* A name of a function of the kernel. */
struct named_function {
	uint64_t addr;
	size_t name; /* its place in the names */
};

/* What is known of the functions that can be traced. */
struct traceable {
	bool are_known; /* the kernel lists them */
	/* Of all functions, as in kallsyms. */
	VEC(struct named_function) functions;
	char_vec names;
	u64_vec addrs;      /* of functions that are in the kernel's list */
	name_vec forbidden; /* of the blacklist */
	struct ranges ranges;
};

static int compare_functions(const void *pa, const void *pb, void *names)
{
	const struct named_function *a = pa, *b = pb;
	int order = strcmp((const char *)names + a->name, (const char *)names + b->name);

	if (order)
		return order;
	COMPARE(a->addr, b->addr);
	return 0;
}

/* A function with several names has one of them in the list, so addresses are compared. */
static bool is_traceable(const struct traceable *t, uint64_t addr)
{
	return !is_in_range(&t->ranges, addr) && (!t->are_known || has_addr(&t->addrs, addr));
}

/* Leaves each address once, and none that cannot be traced. Those that were found are sorted. */
static void choose_addrs(struct kernel_functions *found, struct traceable *t)
{
	uint64_t last = 0;
	size_t nr = 0;

	sort_addrs(&t->addrs);
	for (size_t i = 0; i < found->addrs.nr; i++) {
		uint64_t addr = found->addrs.data[i];

		if (i && addr == last)
			continue;
		last = addr;
		if (!is_traceable(t, addr))
			found->nr_left_out++;
		else
			found->addrs.data[nr++] = addr;
	}
	found->addrs.nr = nr;
}

static int keep_function(struct traceable *t, const struct symbol *symbol)
{
	const struct named_function function = {symbol->addr, t->names.nr};
	int ret = vec_append(&t->names, symbol->name, strlen(symbol->name) + 1);

	return ret ? ret : vec_push(&t->functions, function);
}

/* Leaves the names of functions at @addrs, which are sorted, in the order of names. */
static void choose_names(struct traceable *t, const u64_vec *addrs)
{
	size_t nr = 0;

	vec_for_each(&t->functions, function)
		if (has_addr(addrs, function->addr))
			t->functions.data[nr++] = *function;
	t->functions.nr = nr;
	if (nr)
		qsort_r(t->functions.data, nr, sizeof(*t->functions.data), compare_functions,
			t->names.data);
}

/*
 * Reads the functions that the kernel lists: the first word of each line. There are tens of
 * thousands, so none is kept but those that were chosen.
 */
static int read_traceable(struct traceable *t, FILE *f)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	int ret = 0;

	while (!ret && getline(&line, &size, f) >= 0) {
		size_t at;

		line[strcspn(line, " \t\n")] = '\0';
		at = search_first(t->functions.nr, i,
				  strcmp(t->names.data + t->functions.data[i].name, line) >= 0);
		for (; !ret && at < t->functions.nr &&
		       !strcmp(t->names.data + t->functions.data[at].name, line);
		     at++)
			ret = vec_push(&t->addrs, t->functions.data[at].addr);
	}
	return ret;
}

/* Takes one symbol into account. Returns 0 or -ENOMEM. */
static int add_symbol(const struct pattern *pattern, const struct symbol *symbol,
		      struct traceable *t, struct kernel_functions *found)
{
	note_range(&t->ranges, symbol);
	if (!is_function(symbol))
		return 0;
	if (t->are_known && keep_function(t, symbol))
		return -ENOMEM;
	if (!name_matches(&pattern->name, symbol->name))
		return 0;
	found->are_hidden |= !symbol->addr;
	if (is_unsuitable(symbol->name) || name_vec_has(&t->forbidden, symbol->name))
		found->nr_left_out++;
	else if (symbol->addr)
		return vec_push(&found->addrs, symbol->addr);
	return 0;
}

int kernel_functions_read(const struct pattern *pattern, FILE *kallsyms, FILE *traceable,
			  FILE *blacklist, struct kernel_functions *found)
{
	struct traceable t = {.are_known = traceable};
	_cleanup_free_ char *line = NULL;
	struct symbol symbol;
	size_t size = 0;
	int ret = read_forbidden(blacklist, &t.forbidden);

	while (!ret && read_symbol(kallsyms, &line, &size, &symbol))
		ret = add_symbol(pattern, &symbol, &t, found);
	sort_addrs(&found->addrs);
	if (traceable)
		choose_names(&t, &found->addrs);
	if (!ret && traceable)
		ret = read_traceable(&t, traceable);
	choose_addrs(found, &t);
	vec_free(&t.functions);
	vec_free(&t.names);
	name_vec_free(&t.forbidden);
	vec_free(&t.addrs);
	return ret;
}

static FILE *open_traceable(void)
{
	for (const char *const *root = tracefs_roots; *root; root++) {
		char path[128];
		FILE *f;

		snprintf(path, sizeof(path), "%s/available_filter_functions", *root);
		f = fopen(path, "re");
		if (f)
			return f;
	}
	return NULL;
}

int kernel_functions_find(const struct pattern *pattern, struct kernel_functions *found,
			  struct err *err)
{
	_cleanup_fclose_ FILE *kallsyms = fopen(KALLSYMS, "re");
	_cleanup_fclose_ FILE *traceable = open_traceable();
	_cleanup_fclose_ FILE *blacklist = fopen(BLACKLIST, "re");
	int ret;

	*found = (struct kernel_functions){0};
	if (!kallsyms)
		return err_set(err, -errno, "failed to read '%s': %m", KALLSYMS);
	ret = kernel_functions_read(pattern, kallsyms, traceable, blacklist, found);
	return ret ? err_set(err, ret, "failed to read '%s': %s", KALLSYMS, strerror(-ret)) : 0;
}

bool kernel_functions_have(const char *name)
{
	_cleanup_fclose_ FILE *f = fopen(KALLSYMS, "re");
	_cleanup_free_ char *line = NULL;
	struct symbol symbol;
	size_t size = 0;

	while (f && read_symbol(f, &line, &size, &symbol))
		if (is_function(&symbol) && !strcmp(symbol.name, name))
			return true;
	return false;
}

char *kernel_functions_suggest(struct suggestion *similar)
{
	_cleanup_fclose_ FILE *f = fopen(KALLSYMS, "re");
	_cleanup_free_ char *line = NULL;
	struct symbol symbol;
	size_t size = 0;
	char *best = NULL;

	while (f && read_symbol(f, &line, &size, &symbol)) {
		if (!is_function(&symbol) || is_unsuitable(symbol.name))
			continue;
		suggestion_try(similar, symbol.name);
		if (similar->best != symbol.name)
			continue;
		/* The next line comes to the same place. */
		free(best);
		best = strdup(symbol.name);
		similar->best = best;
	}
	return best;
}

/* Leaves out each name that comes more than once. The names are sorted. */
static void leave_unique(name_vec *names)
{
	size_t nr = 0;

	for (size_t i = 0, end; i < names->nr; i = end) {
		for (end = i + 1; end < names->nr && !strcmp(names->data[i], names->data[end]);
		     end++)
			free(names->data[end]);
		if (end == i + 1)
			names->data[nr++] = names->data[i];
		else
			free(names->data[i]);
	}
	names->nr = nr;
}

int kernel_functions_names(const struct pattern *pattern, const struct kernel_functions *functions,
			   FILE *kallsyms, name_vec *names)
{
	_cleanup_(name_vec_free) name_vec all = {0}, chosen = {0};
	_cleanup_free_ char *line = NULL;
	struct symbol symbol;
	size_t size = 0;
	int ret = 0;

	while (!ret && read_symbol(kallsyms, &line, &size, &symbol)) {
		if (!is_function(&symbol) || !name_matches(&pattern->name, symbol.name))
			continue;
		ret = name_vec_add(&all, symbol.name);
		if (!ret && has_addr(&functions->addrs, symbol.addr))
			ret = name_vec_add(&chosen, symbol.name);
	}
	name_vec_sort(&all);
	leave_unique(&all);
	vec_for_each(&chosen, name)
		if (!ret && name_vec_has(&all, *name))
			ret = name_vec_add(names, *name);
	name_vec_sort(names);
	return ret;
}

int kernel_functions_list(const struct pattern *pattern, const struct kernel_functions *functions,
			  name_vec *names, struct err *err)
{
	_cleanup_fclose_ FILE *f = fopen(KALLSYMS, "re");
	_cleanup_free_ char *line = NULL;
	struct symbol symbol;
	size_t size = 0;
	int ret = f ? 0 : err_set(err, -errno, "failed to read '%s': %m", KALLSYMS);

	while (!ret && read_symbol(f, &line, &size, &symbol))
		if (is_function(&symbol) && name_matches(&pattern->name, symbol.name) &&
		    has_addr(&functions->addrs, symbol.addr))
			ret = name_vec_add(names, symbol.name);
	return ret;
}

void kernel_functions_deinit(struct kernel_functions *functions)
{
	vec_free(&functions->addrs);
}
