// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/looks/process_context.h"

#include <errno.h>
#include <stdio.h>

#include "record/proc/proc_query.h"
#include "tests/unit/suite.h"

/* A resource with an attribute: its key, and a value that is a string. */
static const char shop[] = "\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop";

static char_vec found;

static void expect(const void *bytes, size_t len, const char *text, size_t text_len)
{
	ck_assert_int_eq(process_context_parse(bytes, len, &found), 0);
	ck_assert_uint_eq(found.nr, text_len);
	ck_assert(!text_len || !memcmp(found.data, text, text_len));
}

#define EXPECT(message, text) expect(message, sizeof(message) - 1, text, sizeof(text) - 1)

static void teardown(void)
{
	vec_free(&found);
}

START_TEST(a_service)
{
	EXPECT(shop, "service.name\0shop\0");
	/* fields of all wire types before it, which it passes over */
	EXPECT("\x10\x96\x01\x19\1\2\3\4\5\6\7\x08\x25\1\2\3\4\x2a\2\x0a\x7f"
	       "\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop",
	       "service.name\0shop\0");
	/* a length of more bytes than it needs */
	EXPECT("\x0a\x98\x80\x00\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop",
	       "service.name\0shop\0");
	/* two resources, with a key that is not kept */
	EXPECT("\x0a\x11\x0a\x0f\x0a\x05token\x12\x06\x0a\x04shop"
	       "\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04shop",
	       "service.name\0shop\0");
}
END_TEST

START_TEST(no_service)
{
	EXPECT("", "");
	EXPECT("\x0a\x00", "");
	/* a number for a name */
	EXPECT("\x0a\x14\x0a\x12\x0a\x0cservice.name\x12\x02\x18\x07", "");
	/* an empty text, and one with a NUL */
	EXPECT("\x0a\x14\x0a\x12\x0a\x0cservice.name\x12\x02\x0a\x00", "");
	EXPECT("\x0a\x18\x0a\x16\x0a\x0cservice.name\x12\x06\x0a\x04sh\0p", "");
	/* groups, which nobody writes */
	EXPECT("\x0b\x0c", "");
	/* a length that never ends, and one beyond everything */
	EXPECT("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "");
	EXPECT("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "");
}
END_TEST

START_TEST(cut_short)
{
	for (size_t len = 0; len < sizeof(shop) - 1; len++) {
		char *bytes = malloc(len + 1);

		memcpy(bytes, shop, len);
		expect(bytes, len, "", 0);
		free(bytes);
	}
}
END_TEST

START_TEST(long_value)
{
	/* a name of 300 bytes, of which 255 are kept */
	char message[512], text[13 + 256] = "service.name";
	static const char head[] =
		"\x0a\xc3\x02\x0a\xc0\x02\x0a\x0cservice.name\x12\xaf\x02\x0a\xac\x02";

	memcpy(message, head, sizeof(head) - 1);
	memset(message + sizeof(head) - 1, 'x', 300);
	memset(text + 13, 'x', 255);
	text[13 + 255] = '\0';
	expect(message, sizeof(head) - 1 + 300, text, sizeof(text));
}
END_TEST

static const struct label_keys wanted = {.nr = 2, .names = {"http.route", "tenant"}};
static uint8_t numbers[LABEL_NAMES_MAX];

#define SCHEMA(version)                                                                            \
	"\x12\x26\x0a\x1a"                                                                         \
	"threadlocal.schema_version\x12\x08\x0a\x06" version
#define KEY_MAP "threadlocal.attribute_key_map"

/* An array of the strings "x", "tenant" and "http.route". */
#define KEYS                                                                                       \
	"\x12\x40\x0a\x1d" KEY_MAP                                                                 \
	"\x12\x1f\x2a\x1d\x0a\x03\x0a\x01x\x0a\x08\x0a\x06tenant\x0a\x0c\x0a\x0ahttp.route"

static bool has_keys(const char *bytes, size_t len)
{
	return process_context_keys(bytes, len, &wanted, numbers);
}

#define HAS_KEYS(message) has_keys(message, sizeof(message) - 1)

START_TEST(keys_of_threads)
{
	ck_assert(HAS_KEYS(SCHEMA("tls_v1") KEYS));
	ck_assert_uint_eq(numbers[0], 0);
	ck_assert_uint_eq(numbers[1], 2);
	ck_assert_uint_eq(numbers[2], 1);
	ck_assert_uint_eq(numbers[3], 0);
	/* in the other order, behind a resource */
	ck_assert(HAS_KEYS("\x0a\x00" KEYS SCHEMA("tls_v1")));
	ck_assert_uint_eq(numbers[1], 2);
	/* another schema, and none */
	ck_assert(!HAS_KEYS(SCHEMA("tls_v2") KEYS));
	ck_assert(!HAS_KEYS(KEYS));
	/* no names */
	ck_assert(HAS_KEYS(SCHEMA("tls_v1")));
	ck_assert_uint_eq(numbers[1], 0);
	/* names that are no array */
	ck_assert(HAS_KEYS(SCHEMA("tls_v1") "\x12\x29\x0a\x1d" KEY_MAP "\x12\x08\x0a\x06tenant"));
	ck_assert_uint_eq(numbers[0], 0);
}
END_TEST

START_TEST(keys_cut_short)
{
	static const char all[] = SCHEMA("tls_v1") KEYS;

	for (size_t len = 0; len < sizeof(all) - 1; len++) {
		char *bytes = malloc(len + 1);

		memcpy(bytes, all, len);
		has_keys(bytes, len);
		ck_assert_uint_eq(numbers[2], 0);
		free(bytes);
	}
}
END_TEST

START_TEST(many_names)
{
	static const char head[] =
		SCHEMA("tls_v1") "\x12\xdd\x17\x0a\x1d" KEY_MAP "\x12\xbb\x17\x2a\xb8\x17";
	char message[4096];
	size_t nr = sizeof(head) - 1;

	/* 300 names; numbers end at 256 */
	memcpy(message, head, nr);
	for (int i = 0; i < 300; i++, nr += 10)
		memcpy(message + nr, "\x0a\x08\x0a\x06tenant", 10);
	ck_assert(has_keys(message, nr));
	for (size_t i = 0; i < LABEL_NAMES_MAX; i++)
		ck_assert_uint_eq(numbers[i], 2);
}
END_TEST

/* The context in the memory of the process, which is this one's. */
static struct {
	char signature[8];
	uint32_t version, payload_size;
	uint64_t published_ns, payload;
} header;

static struct {
	const char *paths[4]; /* of its mappings, each a page after the other */
	size_t nr_paths;
	bool has_query; /* the kernel answers for single mappings */
	int nr_changes; /* reads after which the header changes once more */
	size_t nr_lists;
} played;

#define MAPPING_AT(i) (0x1000 * ((i) + 1))

int __wrap_proc_query_memory(int fd, uint64_t addr, char name[static PATH_MAX],
			     struct proc_map *map);
int __wrap_proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx);
long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len);

static struct proc_map mapping(size_t i)
{
	return (struct proc_map){.start = MAPPING_AT(i),
				 .end = MAPPING_AT(i + 1),
				 .path = (char *)(uintptr_t)played.paths[i]};
}

int __wrap_proc_query_memory(int fd, uint64_t addr, char name[static PATH_MAX],
			     struct proc_map *map)
{
	size_t i = addr / 0x1000;

	(void)fd, (void)name;
	if (!played.has_query)
		return -ENOTTY;
	i = i ? i - 1 : 0;
	if (i >= played.nr_paths)
		return -ENOENT;
	*map = mapping(i);
	return 0;
}

int __wrap_proc_maps_read(int fd, char_vec *scratch, proc_map_fn fn, void *ctx)
{
	int ret = 0;

	(void)fd, (void)scratch;
	played.nr_lists++;
	for (size_t i = 0; i < played.nr_paths && !ret; i++) {
		struct proc_map map = mapping(i);

		ret = fn(ctx, &map);
	}
	return ret;
}

/* The header is in the mapping with number 1, and nowhere else. */
long __wrap_resident_memory_read(struct resident_memory *m, uint64_t addr, void *buf, size_t len)
{
	(void)m;
	if (addr == MAPPING_AT(1)) {
		memcpy(buf, &header, len);
		if (played.nr_changes && played.nr_changes--)
			header.published_ns++;
		return len;
	}
	if (addr != (uintptr_t)shop)
		return -EFAULT;
	memcpy(buf, shop, len);
	return len;
}

static void play(const char *path)
{
	memset(&played, 0, sizeof(played));
	played.paths[0] = "/bin/app";
	played.paths[1] = path;
	played.nr_paths = 2;
	memcpy(header.signature, "OTEL_CTX", 8);
	header.version = 2;
	header.payload_size = sizeof(shop) - 1;
	header.payload = (uintptr_t)shop;
	header.published_ns = 1;
}

/* Reads the context, and returns its address. */
static uint64_t read_context(uint64_t addr)
{
	ck_assert_int_eq(process_context_read(NULL, getpid(), &addr, &found), 0);
	if (addr)
		ck_assert_str_eq(found.data, "service.name");
	else
		ck_assert_uint_eq(found.nr, 0);
	return addr;
}

START_TEST(names_of_mappings)
{
	static const struct {
		const char *path;
		bool is_context;
	} cases[] = {{"[anon_shmem:OTEL_CTX]", true},
		     {"[anon:OTEL_CTX]", true},
		     {"/memfd:OTEL_CTX (deleted)", true},
		     {"[anon:OTEL]", false},
		     {"", false}};

	for (size_t i = 0; i < 2 * ARRAY_SIZE(cases); i++) {
		play(cases[i / 2].path);
		played.has_query = i % 2;
		ck_assert_uint_eq(read_context(0), cases[i / 2].is_context ? MAPPING_AT(1) : 0);
		ck_assert_uint_eq(played.nr_lists, !played.has_query);
	}
	/* The first one counts. */
	play("[anon:OTEL_CTX]");
	played.paths[2] = played.paths[1];
	played.nr_paths = 3;
	ck_assert_uint_eq(read_context(0), MAPPING_AT(1));
	/* It is where it was, and nobody searches. */
	played.nr_lists = 0;
	ck_assert_uint_eq(read_context(MAPPING_AT(1)), MAPPING_AT(1));
	ck_assert_uint_eq(played.nr_lists, 0);
	ck_assert_uint_eq(read_context(MAPPING_AT(2)), MAPPING_AT(1));
	ck_assert_uint_eq(played.nr_lists, 1);
}
END_TEST

START_TEST(contexts_that_are_not_whole)
{
	play("[anon:OTEL_CTX]");
	header.signature[7]++;
	ck_assert_uint_eq(read_context(0), 0);
	play("[anon:OTEL_CTX]");
	header.version++;
	ck_assert_uint_eq(read_context(0), 0);
	play("[anon:OTEL_CTX]");
	header.payload_size = CONTEXT_MESSAGE_MAX + 1;
	ck_assert_uint_eq(read_context(0), 0);
	play("[anon:OTEL_CTX]");
	header.payload++;
	ck_assert_uint_eq(read_context(0), 0);
	play("[anon:OTEL_CTX]");
	header.published_ns = 0;
	ck_assert_uint_eq(read_context(0), 0);
}
END_TEST

/* A context that changes while it is read is read again, and not for ever. */
START_TEST(contexts_that_change)
{
	struct resident_memory memory = RESIDENT_MEMORY_INIT(getpid());
	struct process_context context = {.addr = MAPPING_AT(1)};

	play("[anon:OTEL_CTX]");
	played.nr_changes = 1;
	ck_assert_int_eq(process_context_fetch(&memory, &context), 0);
	ck_assert_uint_eq(context.published_ns, 2);
	ck_assert_uint_eq(context.nr, sizeof(shop) - 1);
	play("[anon:OTEL_CTX]");
	played.nr_changes = 4;
	ck_assert_int_eq(process_context_fetch(&memory, &context), 0);
	ck_assert_uint_eq(context.published_ns, 5);
	play("[anon:OTEL_CTX]");
	played.nr_changes = 100;
	ck_assert_int_eq(process_context_fetch(&memory, &context), -ENOENT);
	ck_assert_uint_eq(context.addr, 0);
	/* Two searches of three tries, of which each reads the header twice. */
	ck_assert_int_eq(played.nr_changes, 100 - 2 * 3 * 2);
}
END_TEST

SUITE_MAIN_WITH("process_context", NULL, teardown, a_service, no_service, cut_short, long_value,
		keys_of_threads, keys_cut_short, many_names, names_of_mappings,
		contexts_that_are_not_whole, contexts_that_change)
