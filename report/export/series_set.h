/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The series of a recording: processes whose profiles are pushed as one, because they have equal
 * labels. A series is a service in a cgroup, of one version and so on. The service is that of
 * profrep tables.
 */
#ifndef REPORT_EXPORT_SERIES_SET_H
#define REPORT_EXPORT_SERIES_SET_H

#include "common/cgroup_facts.h"
#include "report/model/model.h"
#include "report/text/string_set.h"
#include "report/text/textbuf.h"

/* Longer values are cut: Pyroscope's max_label_value_length. */
#define LABEL_BYTES_MAX 2048

struct series {
	uint32_t service, cgroup;                /* in texts; cgroup 0: not known */
	uint32_t attributes[PROF_NR_ATTRIBUTES]; /* in texts; 0: not known. The first is unused */
	uint32_t cgroup_parts[NR_CGROUP_PARTS];  /* in texts; 0: none. The cgroup tells them */
};

/* series_set_init makes it. */
struct series_set {
	struct string_set texts; /* values of labels, escaped */
	VEC(struct series) items;
	struct index index;
	VEC(uint32_t) of_processes; /* number of the series of each, + 1; 0: not looked at yet */
	struct textbuf scratch;
};

/* Returns 0 or -ENOMEM. */
int series_set_init(struct series_set *set);

/* An all-zero set is fine. */
void series_set_deinit(struct series_set *set);

/*
 * Finds or adds the series of @process of @model, which is the same in each call. Returns 0 with
 * *@id set, or -ENOMEM.
 */
int series_set_add(struct series_set *set, const struct model *model, uint32_t process,
		   uint32_t *id);

/* Hashes what tells series @id from others into @base, for ids of profiles. */
uint64_t series_id(const struct series_set *set, uint32_t id, uint64_t base);

/*
 * Cuts the value of a label in @text from @start on, if it is longer than LABEL_BYTES_MAX. Its end
 * is then a hash of the whole, so that different values stay different.
 */
void label_value_cut(struct textbuf *text, size_t start);

static inline const char *series_service(const struct series_set *set, uint32_t id)
{
	return string_set_get(&set->texts, set->items.data[id].service);
}

static inline const char *series_cgroup(const struct series_set *set, uint32_t id)
{
	return string_set_get(&set->texts, set->items.data[id].cgroup);
}

static inline const char *series_attribute(const struct series_set *set, uint32_t id,
					   enum prof_attribute attribute)
{
	return string_set_get(&set->texts, set->items.data[id].attributes[attribute]);
}

static inline const char *series_cgroup_part(const struct series_set *set, uint32_t id,
					     enum cgroup_part part)
{
	return string_set_get(&set->texts, set->items.data[id].cgroup_parts[part]);
}

#endif
