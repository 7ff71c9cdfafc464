// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/container_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/hash.h"
#include "common/minmax.h"
#include "common/readfile.h"
#include "common/safe_open.h"
#include "format/prof.h"
#include "record/looks/json_members.h"

/* The most bytes of a file. One of a container with many mounts has a hundred KiB. */
#define FILE_BYTES_MAX (1u << 20)

/* Whose directories only root can write. */
static const char *const files[] = {
	"/var/lib/docker/containers/%.64s/config.v2.json",
	"/run/containerd/io.containerd.runtime.v2.task/k8s.io/%.64s/config.json",
	"/run/containerd/io.containerd.runtime.v2.task/default/%.64s/config.json",
	"/run/containers/storage/overlay-containers/%.64s/userdata/config.json",
	"/var/lib/containers/storage/overlay-containers/%.64s/userdata/config.json",
};

/* Members that have names. */
static const struct name_source {
	const char *outer, *key;
	enum prof_attribute attribute;
} sources[] = {
	/* moby: container.Container */
	{"", "Name", PROF_ATTRIBUTE_CONTAINER},
	/* nerdctl: pkg/labels */
	{"annotations", "nerdctl/name", PROF_ATTRIBUTE_CONTAINER},
	/* containerd: internal/cri/annotations */
	{"annotations", "io.kubernetes.cri.container-name", PROF_ATTRIBUTE_K8S_CONTAINER},
	{"annotations", "io.kubernetes.cri.sandbox-name", PROF_ATTRIBUTE_K8S_POD},
	{"annotations", "io.kubernetes.cri.sandbox-namespace", PROF_ATTRIBUTE_K8S_NAMESPACE},
	/* kubelet, as CRI-O has it */
	{"annotations", "io.kubernetes.container.name", PROF_ATTRIBUTE_K8S_CONTAINER},
	{"annotations", "io.kubernetes.pod.name", PROF_ATTRIBUTE_K8S_POD},
	{"annotations", "io.kubernetes.pod.namespace", PROF_ATTRIBUTE_K8S_NAMESPACE},
};

struct found_members {
	char_vec *attributes;
	bool is_found[PROF_NR_ATTRIBUTES];
};

/* A json_member_fn. Of several members that have a name, the first counts. */
static int take_member(void *ctx, const char *outer, const char *key, const char *value)
{
	struct found_members *found = ctx;

	for (size_t i = 0; i < ARRAY_SIZE(sources); i++) {
		const char *attribute = prof_attribute_keys[sources[i].attribute];

		if (strcmp(outer, sources[i].outer) != 0 || strcmp(key, sources[i].key) != 0)
			continue;
		/* Docker's begin with a slash. */
		value += sources[i].attribute == PROF_ATTRIBUTE_CONTAINER && *value == '/';
		if (found->is_found[sources[i].attribute] || !*value)
			return 0;
		found->is_found[sources[i].attribute] = true;
		return vec_append(found->attributes, attribute, strlen(attribute) + 1) ||
				       vec_append(found->attributes, value, strlen(value) + 1)
			       ? -ENOMEM
			       : 0;
	}
	return 0;
}

int container_names_parse(const char *json, size_t len, char_vec *attributes)
{
	struct found_members found = {.attributes = attributes};

	vec_clear(attributes);
	return json_members_visit(json, len, take_member, &found) == -ENOMEM ? -ENOMEM : 0;
}

const char *container_id_find(const char *cgroup)
{
	static const char digits[] = "0123456789abcdef", conmon[] = "conmon-";
	const char *id = NULL;

	for (const char *at = cgroup; *at;) {
		size_t len = strspn(at, digits), before = at - cgroup;
		/* A conmon watches over a container from outside. */
		bool is_conmon = before >= strlen(conmon) &&
				 !memcmp(at - strlen(conmon), conmon, strlen(conmon));

		if (len == CONTAINER_ID_DIGITS && !is_conmon)
			id = at;
		at += len;
		at += strcspn(at, digits);
	}
	return id;
}

/* Reads the first of the files that has names. Returns 0 or -ENOMEM. */
static int read_names(const char *id, char_vec *attributes)
{
	static const uid_t root = 0;
	static const struct safe_open_rules rules = {
		.lookup = SAFE_OPEN_NO_LINK,
		.max_bytes = FILE_BYTES_MAX,
		.not_empty = true,
		.owner = &root,
	};
	char_vec text = {0};
	int ret = 0;

	for (size_t i = 0; i < ARRAY_SIZE(files) && !ret && !attributes->nr; i++) {
		_cleanup_close_ int fd = -1;
		char path[256];

		snprintf(path, sizeof(path), files[i], id);
		fd = safe_open(AT_FDCWD, path, &rules);
		if (fd >= 0 && !read_fd(fd, FILE_BYTES_MAX, &text))
			ret = container_names_parse(text.data, text.nr, attributes);
	}
	vec_free(&text);
	return ret;
}

/* A look_fn. */
static int answer_names(struct look *look)
{
	char_vec attributes = {0};
	int ret = look_touch(look, look_process(0));

	if (!ret)
		ret = read_names(look->question, &attributes);
	if (!ret && !look_answer_append(look, attributes.data, attributes.nr))
		ret = -E2BIG;
	vec_free(&attributes);
	return ret;
}

/*
 * Looks the container @id up into @attributes. Returns 0, also if there is no answer, or -ENOMEM.
 */
static int ask_names(struct looker *looker, const char *id, char_vec *attributes)
{
	const struct look_question question = {
		.fn = answer_names, .bytes = id, .nr = CONTAINER_ID_DIGITS, .fd = -1};
	struct look_answer answer;
	int ret = looker_ask(looker, &question, &answer);

	if (!ret && answer.nr && !answer.bytes[answer.nr - 1])
		ret = vec_append(attributes, answer.bytes, answer.nr);
	return ret == -ENOMEM ? ret : 0;
}

/* Adds the container unless there is no room for it. */
static int add_container(struct container_names *names, const char *id, uint64_t hash)
{
	struct named_container container = {0};
	int ret = ask_names(names->looker, id, &container.attributes);

	/* Whoever may make cgroups can make up ids without end. Containers with names need room. */
	if (!ret && !container.attributes.nr && names->known.nr >= CONTAINERS_MAX / 2)
		return 0;
	memcpy(container.id, id, sizeof(container.id));
	if (!ret)
		ret = index_push(&names->by_id, &names->known, hash, container);
	if (ret)
		vec_free(&container.attributes);
	return ret;
}

int container_names_find(struct container_names *names, const char *cgroup,
			 const char_vec **attributes)
{
	const char *id = container_id_find(cgroup);
	uint64_t hash = id ? hash_bytes(id, CONTAINER_ID_DIGITS, 0) : 0;
	size_t nr = names->known.nr;
	int ret;

	*attributes = NULL;
	if (!id)
		return 0;
	index_for_each(&names->by_id, hash, i) {
		const struct named_container *known = &names->known.data[i];

		if (memcmp(known->id, id, sizeof(known->id)) != 0)
			continue;
		*attributes = &known->attributes;
		return 0;
	}
	if (nr == CONTAINERS_MAX)
		return 0;
	ret = add_container(names, id, hash);
	if (!ret && names->known.nr > nr)
		*attributes = &names->known.data[nr].attributes;
	return ret;
}

void container_names_deinit(struct container_names *names)
{
	vec_for_each(&names->known, container)
		vec_free(&container->attributes);
	vec_free(&names->known);
	index_deinit(&names->by_id);
}
