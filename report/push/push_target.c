// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/push/push_target.h"

#include <arpa/inet.h>
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "common/cleanup.h"
#include "common/io.h"
#include "common/safe_open.h"

/* Headers that profrep makes, or on which the framing of requests depends. */
static const char *const own_headers[] = {
	"content-type",  "content-length", "content-encoding",         "transfer-encoding", "host",
	"x-scope-orgid", "expect",         "connect-protocol-version", "connection",
};

static const char *const secret_headers[] = {
	"authorization",
	"proxy-authorization",
	"cookie",
	"x-api-key",
};

static bool is_header(const char *text, const char *name)
{
	size_t len = strlen(name);

	return !strncasecmp(text, name, len) && text[len] == ':';
}

static bool is_one_of(const char *text, const char *const *names, size_t nr)
{
	for (size_t i = 0; i < nr; i++)
		if (is_header(text, names[i]))
			return true;
	return false;
}

/* Visible characters of ASCII, spaces and tabs: RFC 9110, section 5.5, without obsolete bytes. */
static bool is_field_value(const char *s)
{
	for (; *s; s++)
		if (*s != '\t' && (*s < ' ' || *s > '~'))
			return false;
	return true;
}

/* The characters of a token: RFC 9110, section 5.6.2. */
static size_t name_length(const char *s)
{
	size_t len = 0;

	while (isalnum((unsigned char)s[len]) || (s[len] && strchr("!#$%&'*+-.^_`|~", s[len])))
		len++;
	return len;
}

/* The value is not printed: it may be a secret. */
static int check_header(const char *text, struct err *err)
{
	size_t len = name_length(text);

	if (!len || text[len] != ':' || !is_field_value(text + len)) {
		err_set(err, -EINVAL, "option --header: the value is not NAME:VALUE");
		return err_hint(err, -EINVAL, "letters of ASCII alone, as in 'X-Team: web'");
	}
	if (is_one_of(text, own_headers, ARRAY_SIZE(own_headers)))
		return err_set(err, -EINVAL, "option --header: '%.*s' is profrep's own", (int)len,
			       text);
	return 0;
}

/*
 * Returns the length of the name, 0 if @text is not NAME=VALUE. Names are those of Prometheus;
 * OTLP's have parts with dots between them.
 */
static size_t label_name_length(const char *text, bool is_otlp)
{
	size_t len = 0;

	while (isalnum((unsigned char)text[len]) || text[len] == '_' ||
	       (is_otlp && text[len] == '.'))
		len++;
	return text[len] == '=' && !isdigit((unsigned char)text[0]) ? len : 0;
}

static int check_label(const struct push_target *target, size_t nr, struct err *err)
{
	const char *text = target->labels.data[nr];
	size_t len = label_name_length(text, target->is_otlp);

	if (!len || !text[len + 1]) {
		err_set(err, -EINVAL, "option --label: '%s' is not NAME=VALUE", text);
		return err_hint(err, -EINVAL,
				"a name has letters, digits and '_', as in 'team=web'");
	}
	if (!strncmp(text, "__", 2))
		return err_set(err, -EINVAL,
			       "option --label: names that begin with '__' are reserved");
	for (size_t i = 0; i < nr; i++)
		if (!strncmp(target->labels.data[i], text, len + 1))
			return err_set(err, -EINVAL, "option --label: '%.*s' is given twice",
				       (int)len, text);
	return 0;
}

int push_target_check(const struct push_target *target, struct err *err)
{
	int ret = 0;

	for (size_t i = 0; i < target->headers.nr && !ret; i++)
		ret = check_header(target->headers.data[i], err);
	for (size_t i = 0; i < target->labels.nr && !ret; i++)
		ret = check_label(target, i, err);
	if (ret)
		return ret;
	if (target->labels.nr > USER_LABELS_MAX)
		return err_set(err, -EINVAL, "option --label: more than %d labels",
			       USER_LABELS_MAX);
	if (target->tenant && (!target->tenant[0] || !is_field_value(target->tenant)))
		return err_set(err, -EINVAL, "option --tenant: '%s' is not a tenant's id",
			       target->tenant);
	if (target->user && (!is_field_value(target->user) || strchr(target->user, ':')))
		return err_set(err, -EINVAL, "option --user: '%s' is not a name", target->user);
	if (target->user && !target->token_file)
		return err_set(err, -EINVAL,
			       "option --user: needs --token-file, which has the password");
	return 0;
}

const char *push_target_label(const struct push_target *target, const char *name)
{
	size_t len = strlen(name);

	vec_for_each(&target->labels, label)
		if (!strncmp(*label, name, len) && (*label)[len] == '=')
			return *label + len + 1;
	return NULL;
}

bool push_target_has_secret(const struct push_target *target)
{
	vec_for_each(&target->headers, header)
		if (is_one_of(*header, secret_headers, ARRAY_SIZE(secret_headers)))
			return true;
	return target->token_file;
}

bool host_is_loopback(const char *host)
{
	struct in_addr address;

	if (!strcasecmp(host, "localhost") || !strcmp(host, "[::1]"))
		return true;
	return inet_pton(AF_INET, host, &address) == 1 && ntohl(address.s_addr) >> 24 == 127;
}

int push_token_read(const char *file, char *token, size_t size, struct err *err)
{
	static const struct safe_open_rules rules = {.not_empty = true};
	_cleanup_close_ int fd = safe_open(AT_FDCWD, file, &rules);
	ssize_t n = fd < 0 ? fd : io_pread(fd, token, size, 0);

	if (fd == -EINVAL)
		return err_set(err, fd, "failed to read '%s': no file, or an empty one", file);
	if (n < 0)
		return err_set(err, n, "failed to read '%s': %s", file, strerror(-n));
	if ((size_t)n == size)
		return err_set(err, -EINVAL, "failed to read '%s': too long for a token", file);
	while (n && isspace((unsigned char)token[n - 1]))
		n--;
	token[n] = '\0';
	if (!n || strlen(token) != (size_t)n || !is_field_value(token))
		return err_set(err, -EINVAL, "failed to read '%s': it does not hold a token", file);
	return 0;
}
