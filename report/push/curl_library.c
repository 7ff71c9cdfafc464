// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/curl_library.h"

#include <dlfcn.h>
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "common/cleanup.h"

/* Debian has libcurl with either library for TLS. Their functions are the same. */
static const char *const names[] = {"libcurl.so.4", "libcurl-gnutls.so.4"};

static const struct {
	const char *name;
	size_t offset;
} functions[] = {
	{"curl_easy_init", offsetof(struct curl_library, init)},
	{"curl_easy_cleanup", offsetof(struct curl_library, cleanup)},
	{"curl_easy_setopt", offsetof(struct curl_library, setopt)},
	{"curl_easy_perform", offsetof(struct curl_library, perform)},
	{"curl_easy_getinfo", offsetof(struct curl_library, getinfo)},
	{"curl_easy_strerror", offsetof(struct curl_library, strerror)},
	{"curl_slist_append", offsetof(struct curl_library, slist_append)},
	{"curl_slist_free_all", offsetof(struct curl_library, slist_free)},
	{"curl_url", offsetof(struct curl_library, url)},
	{"curl_url_cleanup", offsetof(struct curl_library, url_cleanup)},
	{"curl_url_set", offsetof(struct curl_library, url_set)},
	{"curl_url_get", offsetof(struct curl_library, url_get)},
	{"curl_free", offsetof(struct curl_library, free)},
};

static int find_curl_functions(void *handle, struct curl_library *library, struct err *err)
{
	for (size_t i = 0; i < ARRAY_SIZE(functions); i++) {
		void *function = dlsym(handle, functions[i].name);

		if (!function)
			return err_set(err, -ENOENT, "failed to load libcurl: %s", dlerror());
		memcpy((char *)library + functions[i].offset, &function, sizeof(function));
	}
	return 0;
}

int curl_library_load(struct curl_library *library, struct err *err)
{
	char reason[256] = "";

	for (size_t i = 0; i < ARRAY_SIZE(names); i++) {
		void *handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);

		if (handle)
			return find_curl_functions(handle, library, err);
		snprintf(reason, sizeof(reason), "%s", dlerror());
	}
	err_set(err, -ENOENT, "failed to load libcurl: %s", reason);
	return err_hint(err, -ENOENT, "Debian has it in the package libcurl4");
}
