// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/otlp_environment.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "common/cleanup.h"

/* The variable of one signal comes before that of all. */
static const char *variable(const char *of_profiles, const char *of_all)
{
	const char *value = getenv(of_profiles);

	if (!value || !value[0])
		value = getenv(of_all);
	return value && value[0] ? value : NULL;
}

const char *otlp_environment_url(void)
{
	return variable("OTEL_EXPORTER_OTLP_PROFILES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT");
}

static int digit(char c)
{
	return isdigit((unsigned char)c) ? c - '0' : (tolower((unsigned char)c) - 'a' + 10);
}

/* Decodes "%41" in place (RFC 3986, section 2.1). */
static void decode_percent(char *s)
{
	char *to = s;

	for (; *s; s++) {
		if (s[0] == '%' && isxdigit((unsigned char)s[1]) && isxdigit((unsigned char)s[2])) {
			*to++ = (char)(digit(s[1]) << 4 | digit(s[2]));
			s += 2;
		} else {
			*to++ = *s;
		}
	}
	*to = '\0';
}

static char *trim(char *s)
{
	size_t len;

	s += strspn(s, " \t");
	len = strlen(s);
	while (len && strchr(" \t", s[len - 1]))
		len--;
	s[len] = '\0';
	return s;
}

/* Adds the header of "name=value". */
static int add_header(string_vec *headers, char *item, struct err *err)
{
	char *equals = strchr(item, '='), *text;
	int ret;

	if (!equals)
		return err_set(err, -EINVAL,
			       "OTEL_EXPORTER_OTLP_HEADERS: not a list of name=value");
	*equals = '\0';
	decode_percent(equals + 1);
	if (asprintf(&text, "%s: %s", trim(item), trim(equals + 1)) < 0)
		return err_set(err, -ENOMEM, "failed to read the environment: out of memory");
	ret = vec_push(headers, text);
	if (ret) {
		free(text);
		err_set(err, ret, "failed to read the environment: out of memory");
	}
	return ret;
}

int otlp_environment_headers(string_vec *headers, struct err *err)
{
	const char *list =
		variable("OTEL_EXPORTER_OTLP_PROFILES_HEADERS", "OTEL_EXPORTER_OTLP_HEADERS");
	_cleanup_free_ char *copy = strdup(list ? list : "");
	char *state = NULL;
	int ret = 0;

	if (!copy)
		return err_set(err, -ENOMEM, "failed to read the environment: out of memory");
	for (char *item = strtok_r(copy, ",", &state); item && !ret;
	     item = strtok_r(NULL, ",", &state))
		if (*trim(item))
			ret = add_header(headers, item, err);
	return ret;
}
