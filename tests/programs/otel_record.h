/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Records of requests and their context, as OpenTelemetry has them. For says_route.c, which has the
 * form. */
#ifndef TESTS_PROGRAMS_OTEL_RECORD_H
#define TESTS_PROGRAMS_OTEL_RECORD_H

#include "context_parts.h"

struct __attribute__((packed)) record {
	uint8_t trace_id[16], span_id[8], is_valid, trace_flags;
	uint16_t nr_bytes;
	uint8_t attributes[640];
};

static unsigned char message[2][1024];
static struct header *header;

/* The process context: the names of attributes 0 and 1 are without a route's, that of 2 may be. */
static size_t describe(unsigned char *to, int has_route)
{
	const char *const names[] = {"user.id", "http.method", has_route ? "http.route" : "x"};
	unsigned char any[512], array[256], text[64];
	size_t nr = put(any, 1, "tls_v1", 6), nr_array = 0;

	nr = put_pair(to, 2, "threadlocal.schema_version", any, nr);
	for (int i = 0; i < 3; i++) {
		size_t len = put(text, 1, names[i], strlen(names[i]));

		nr_array += put(array + nr_array, 1, text, len);
	}
	return nr + put_pair(to + nr, 2, "threadlocal.attribute_key_map", any,
			     put(any, 5, array, nr_array));
}

static void publish(int has_route)
{
	int fd = memfd_create("OTEL_CTX", MFD_CLOEXEC);

	if (fd < 0 || ftruncate(fd, 4096))
		exit(77);
	header = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (header == MAP_FAILED)
		exit(77);
	madvise(header, 4096, MADV_DONTFORK);
	header->version = 2;
	header->payload_size = describe(message[0], has_route);
	header->payload = (uintptr_t)message[0];
	memcpy(header->signature, "OTEL_CTX", 8);
	__atomic_store_n(&header->published_ns, 1, __ATOMIC_SEQ_CST);
}

/* Changes the context as the OTEP says. */
static void change(void)
{
	__atomic_store_n(&header->published_ns, 0, __ATOMIC_SEQ_CST);
	header->payload_size = describe(message[1], 1);
	header->payload = (uintptr_t)message[1];
	__atomic_store_n(&header->published_ns, 2, __ATOMIC_SEQ_CST);
}

static void put_attribute(struct record *r, uint8_t key, const char *value)
{
	size_t len = strlen(value);
	uint8_t *at = r->attributes + r->nr_bytes;

	at[0] = key;
	at[1] = len;
	memcpy(at + 2, value, len);
	r->nr_bytes += len + 2;
}

static void fill(struct record *r, const char *route)
{
	char user[32];

	snprintf(user, sizeof(user), "%d", rand());
	memset(r, 0, sizeof(*r));
	put_attribute(r, 0, user);
	put_attribute(r, 2, "/old"); /* the last of one key counts */
	put_attribute(r, 2, route);
	put_attribute(r, 200, "nobody knows it");
	r->is_valid = 1;
	if (!strcmp(form, "sizes"))
		r->nr_bytes = 641 + rand() % 60000;
	else if (!strcmp(form, "valid"))
		r->is_valid = 2 + rand() % 200;
	else if (!strcmp(form, "entries"))
		memset(r->attributes, 2, r->nr_bytes = 1 + rand() % 3);
}

/* Gives the request a trace, which begins with the number of its route. */
static void identify(struct record *r, int route, unsigned long nr)
{
	r->trace_id[0] = route + 1;
	memcpy(&r->trace_id[8], &nr, sizeof(nr));
	memcpy(r->span_id, &nr, sizeof(nr));
	r->span_id[0] |= 1;
}

#endif
