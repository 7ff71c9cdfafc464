// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/kernel_functions.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/search.h"
#include "record/sampler/event_names.h"

#define KALLSYMS  "/proc/kallsyms"
#define BLACKLIST "/sys/kernel/debug/kprobes/blacklist"

#define NAME_BYTES_MAX 512

/* Names of a file of tracefs, sorted. */
struct names {
	VEC(char *) names;
	bool are_known;
};

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

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static bool has_name(const struct names *names, const char *name)
{
	size_t at = search_first(names->names.nr, i, strcmp(names->names.data[i], name) >= 0);

	return at < names->names.nr && !strcmp(names->names.data[at], name);
}

static void free_names(struct names *names)
{
	vec_for_each(&names->names, name)
		free(*name);
	vec_free(&names->names);
}

/* Reads the names that match. The name is word @column of a line, from 0. */
static int read_names(FILE *f, int column, const struct pattern *pattern, struct names *names)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	names->are_known = f;
	while (f && getline(&line, &size, f) >= 0) {
		char *save = NULL, *word = strtok_r(line, " \t\n", &save), *copy;

		for (int i = 0; word && i < column; i++)
			word = strtok_r(NULL, " \t\n", &save);
		if (!word || !name_matches(&pattern->name, word))
			continue;
		copy = strdup(word);
		if (!copy || vec_push(&names->names, copy)) {
			free(copy);
			return -ENOMEM;
		}
	}
	if (names->names.nr)
		qsort(names->names.data, names->names.nr, sizeof(char *), compare_names);
	return 0;
}

/* One line of kallsyms. */
struct symbol {
	uint64_t addr;
	char type;
	char name[NAME_BYTES_MAX];
};

static bool read_symbol(FILE *f, char **line, size_t *size, struct symbol *symbol)
{
	while (getline(line, size, f) >= 0)
		if (sscanf(*line, "%" SCNx64 " %c %511s", &symbol->addr, &symbol->type,
			   symbol->name) == 3)
			return true;
	return false;
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
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* Sorts the addresses, and leaves out those in @ranges. */
static void choose_addrs(struct kernel_functions *found, const struct ranges *ranges)
{
	size_t nr = 0;

	if (found->addrs.nr)
		qsort(found->addrs.data, found->addrs.nr, sizeof(uint64_t), compare_addrs);
	for (size_t i = 0; i < found->addrs.nr; i++) {
		uint64_t addr = found->addrs.data[i];

		if (is_in_range(ranges, addr))
			found->nr_left_out++;
		else if (!nr || found->addrs.data[nr - 1] != addr)
			found->addrs.data[nr++] = addr;
	}
	found->addrs.nr = nr;
}

int kernel_functions_read(const struct pattern *pattern, FILE *kallsyms, FILE *traceable,
			  FILE *blacklist, struct kernel_functions *found)
{
	struct names allowed = {0}, forbidden = {0};
	struct ranges ranges = {0};
	_cleanup_free_ char *line = NULL;
	struct symbol symbol;
	size_t size = 0;
	int ret = read_names(traceable, 0, pattern, &allowed);

	if (!ret)
		ret = read_names(blacklist, 1, pattern, &forbidden);
	while (!ret && read_symbol(kallsyms, &line, &size, &symbol)) {
		note_range(&ranges, &symbol);
		if (!strchr("tTwW", symbol.type) || !name_matches(&pattern->name, symbol.name))
			continue;
		found->are_hidden |= !symbol.addr;
		if (is_unsuitable(symbol.name) || has_name(&forbidden, symbol.name) ||
		    (allowed.are_known && !has_name(&allowed, symbol.name)))
			found->nr_left_out++;
		else if (symbol.addr)
			ret = vec_push(&found->addrs, symbol.addr);
	}
	free_names(&allowed);
	free_names(&forbidden);
	choose_addrs(found, &ranges);
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
		if (strchr("tTwW", symbol.type) && !strcmp(symbol.name, name))
			return true;
	return false;
}

void kernel_functions_deinit(struct kernel_functions *functions)
{
	vec_free(&functions->addrs);
}
