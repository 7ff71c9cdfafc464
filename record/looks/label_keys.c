// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/label_keys.h"

#include <errno.h>
#include <string.h>

const struct label_keys label_keys_default = {.nr = 2, .names = {"http.route", "rpc.method"}};

uint32_t label_keys_find(const struct label_keys *keys, const char *name, size_t len)
{
	uint32_t i = 0;

	while (i < keys->nr &&
	       (strlen(keys->names[i]) != len || memcmp(keys->names[i], name, len) != 0))
		i++;
	return i;
}

int label_keys_parse(const char *text, void *target)
{
	struct label_keys keys = {.are_chosen = true}, *out = target;
	bool is_last = !strcmp(text, "none");

	while (!is_last) {
		size_t len = strcspn(text, ",");

		if (!len || len >= LABEL_KEY_BYTES || keys.nr == LABEL_KEYS_MAX ||
		    label_keys_find(&keys, text, len) < keys.nr)
			return -EINVAL;
		memcpy(keys.names[keys.nr++], text, len);
		is_last = !text[len];
		text += len + 1;
	}
	*out = keys;
	return 0;
}

void label_keys_describe(const struct label_keys *keys, struct label_name names[LABEL_KEYS_MAX])
{
	memset(names, 0, LABEL_KEYS_MAX * sizeof(*names));
	for (uint32_t i = 0; i < keys->nr; i++) {
		names[i].length = strlen(keys->names[i]);
		memcpy(names[i].words, keys->names[i], names[i].length);
	}
}
