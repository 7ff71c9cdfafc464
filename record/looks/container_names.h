/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The names of containers whose ids are in paths of cgroups: what their engine wrote about them on
 * this host. Docker, containerd (nerdctl, Kubernetes) and CRI-O keep a file in JSON for each
 * container, in directories of root. No engine is asked.
 */
#ifndef RECORD_LOOKS_CONTAINER_NAMES_H
#define RECORD_LOOKS_CONTAINER_NAMES_H

#include "common/index.h"
#include "common/vec.h"
#include "record/looks/looker.h"

/* Digits of an id. */
#define CONTAINER_ID_DIGITS 64

/* The most containers that are kept, half of them without names. */
#define CONTAINERS_MAX 4096

struct named_container {
	char id[CONTAINER_ID_DIGITS];
	char_vec attributes; /* key and value by turns, each with a NUL; empty: nothing is known */
};

/* All zero but the looker: none. */
struct container_names {
	struct looker *looker; /* NULL: this process looks itself */
	VEC(struct named_container) known;
	struct index by_id;
};

/*
 * Finds the attributes of the container in the path @cgroup; it is looked up once. *@attributes is
 * NULL if there is none or no room, and valid until the next call. Returns 0 or -ENOMEM.
 */
int container_names_find(struct container_names *names, const char *cgroup,
			 const char_vec **attributes);

/* Returns the id of the innermost container in the path @cgroup, NULL if there is none. */
const char *container_id_find(const char *cgroup);

/*
 * Takes the names out of the file of an engine @json into @attributes, in place of its contents.
 * Takes what stands before an error. Returns 0 or -ENOMEM.
 */
int container_names_parse(const char *json, size_t len, char_vec *attributes);

void container_names_deinit(struct container_names *names);

#endif
