/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libcurl, loaded when it is used first: it brings two dozen other libraries, which would make each
 * start of profrep take eight times as long.
 */
#ifndef REPORT_PUSH_CURL_LIBRARY_H
#define REPORT_PUSH_CURL_LIBRARY_H

/* Without the checks of types: they are for calls of the functions by their names. */
#define CURL_DISABLE_TYPECHECK
#include <curl/curl.h>

#include "common/err.h"

struct curl_library {
	CURL *(*init)(void);
	void (*cleanup)(CURL *handle);
	CURLcode (*setopt)(CURL *handle, CURLoption option, ...);
	CURLcode (*perform)(CURL *handle);
	CURLcode (*getinfo)(CURL *handle, CURLINFO info, ...);
	const char *(*strerror)(CURLcode code);
	struct curl_slist *(*slist_append)(struct curl_slist *list, const char *text);
	void (*slist_free)(struct curl_slist *list);
	CURLU *(*url)(void);
	void (*url_cleanup)(CURLU *url);
	CURLUcode (*url_set)(CURLU *url, CURLUPart part, const char *text, unsigned int flags);
	CURLUcode (*url_get)(const CURLU *url, CURLUPart part, char **text, unsigned int flags);
	void (*free)(void *text);
};

/*
 * Loads the library, which stays loaded. Returns 0, or -ENOENT with @err set if it is not there or
 * too old.
 */
int curl_library_load(struct curl_library *library, struct err *err);

#endif
