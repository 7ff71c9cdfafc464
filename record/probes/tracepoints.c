// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/probes/tracepoints.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/parse.h"
#include "common/readfile.h"
#include "record/sampling/bpf/event_names.h"

#define PATH_SIZE    1024
#define ID_BYTES_MAX 64

struct search {
	const struct pattern *pattern;
	const char *root;
	tracepoint_vec *found;
};

/* Calls @each for each name in directory @path that @match matches. Returns 0 or its error. */
static int each_name(const char *path, const struct name_match *match, const struct search *search,
		     int (*each)(const struct search *search, const char *dir, const char *name))
{
	DIR *dir = opendir(path);
	const struct dirent *entry;
	int ret = 0;

	if (!dir)
		return errno == ENOTDIR ? 0 : -errno;
	while (!ret && (entry = readdir(dir)))
		if (entry->d_name[0] != '.' && name_matches(match, entry->d_name))
			ret = each(search, path, entry->d_name);
	closedir(dir);
	return ret;
}

static int add_event(const struct search *search, const char *dir, const char *name)
{
	struct tracepoint found = {0};
	char path[PATH_SIZE];
	char_vec text = {0};
	int ret;

	if ((size_t)snprintf(path, sizeof(path), "%s/%s/id", dir, name) >= sizeof(path))
		return 0;
	ret = read_file(path, ID_BYTES_MAX, &text);
	if (!ret) {
		text.data[strcspn(text.data, "\n")] = '\0';
		ret = parse_u64(text.data, 0, UINT32_MAX, &found.id);
	}
	vec_free(&text);
	if (ret)
		return ret == -ENOMEM ? ret : 0; /* filters and the like have no id */
	if (asprintf(&found.name, "%s:%s", strrchr(dir, '/') + 1, name) < 0)
		return -ENOMEM;
	ret = vec_push(search->found, found);
	if (ret)
		free(found.name);
	return ret;
}

static int add_category(const struct search *search, const char *dir, const char *name)
{
	char path[PATH_SIZE];

	if ((size_t)snprintf(path, sizeof(path), "%s/%s", dir, name) >= sizeof(path))
		return 0;
	return each_name(path, &search->pattern->name, search, add_event);
}

static int note_category(const struct search *search, const char *dir, const char *name)
{
	(void)search, (void)dir, (void)name;
	return 1;
}

bool tracepoints_have_category(const struct name_match *category, const char *const *roots)
{
	for (; *roots; roots++) {
		char path[PATH_SIZE];

		snprintf(path, sizeof(path), "%s/events", *roots);
		if (each_name(path, category, NULL, note_category) > 0)
			return true;
	}
	return false;
}

static int compare_tracepoints(const void *a, const void *b)
{
	const struct tracepoint *x = a, *y = b;

	return strcmp(x->name, y->name);
}

int tracepoints_find(const struct pattern *pattern, const char *const *roots, tracepoint_vec *found,
		     struct err *err)
{
	struct search search = {.pattern = pattern, .found = found};
	char path[PATH_SIZE];
	int ret = tracefs_find(roots, &search.root, err);

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/events", search.root);
	ret = each_name(path, &pattern->place, &search, add_category);
	if (ret)
		return err_set(err, ret, "failed to read '%s': %s", path, strerror(-ret));
	if (found->nr)
		qsort(found->data, found->nr, sizeof(*found->data), compare_tracepoints);
	return 0;
}

/* A line is "field:TYPE NAME; offset:N; size:N; signed:N;". */
static bool is_field(const char *line, const char *name)
{
	const char *end = strchr(line, ';');
	size_t len = strlen(name);

	return end && (size_t)(end - line) > len && !strncmp(end - len, name, len) &&
	       end[-(ptrdiff_t)len - 1] == ' ';
}

int tracepoint_field_parse(const char *format, const char *name, struct tracepoint_field *field)
{
	for (const char *line = strstr(format, "field:"); line; line = strstr(line + 1, "field:")) {
		unsigned int off, size, is_signed;
		const char *end = strchr(line, ';');

		if (!is_field(line, name))
			continue;
		if (sscanf(end, "; offset:%u; size:%u; signed:%u;", &off, &size, &is_signed) != 3)
			return -EINVAL;
		/* A string in the record is described by a number, which says nothing. */
		if (!strncmp(line + 6, "__data_loc", 10) ||
		    (size != 1 && size != 2 && size != 4 && size != 8) || off % size)
			return -EINVAL;
		*field = (struct tracepoint_field){off, size, is_signed};
		return 0;
	}
	return -ENOENT;
}

/* A format has a few lines; the longest has some KB. */
#define FORMAT_BYTES_MAX (1u << 20)

int tracepoint_field_find(const struct tracepoint *t, const char *const *roots, const char *name,
			  struct tracepoint_field *field)
{
	const char *root;
	char path[PATH_SIZE];
	char_vec text = {0};
	int ret = tracefs_find(roots, &root, NULL);

	if (ret)
		return ret;
	snprintf(path, sizeof(path), "%s/events/%.*s/%s/format", root, (int)strcspn(t->name, ":"),
		 t->name, strchr(t->name, ':') + 1);
	ret = read_file(path, FORMAT_BYTES_MAX, &text);
	if (!ret)
		ret = tracepoint_field_parse(text.data, name, field);
	vec_free(&text);
	return ret;
}

void tracepoints_free(tracepoint_vec *tracepoints)
{
	vec_for_each(tracepoints, t)
		free(t->name);
	vec_free(tracepoints);
}
