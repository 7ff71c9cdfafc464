/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Goroutines with labels, as Go's runtime has them in memory (bpf/count/request_labels.h), and what
 * tells a program in Go. For says_route.c, which has the form.
 */
#ifndef TESTS_PROGRAMS_GO_RECORD_H
#define TESTS_PROGRAMS_GO_RECORD_H

#define TEXT_OF(x)  TEXT_OF_(x)
#define TEXT_OF_(x) #x

__asm__(".pushsection .note.go.buildid, \"a\", @note\n"
	".long 4, 4, 4\n.asciz \"Go\"\n.byte 0\n.long 0\n"
	".popsection\n"
	".pushsection .go.buildinfo, \"aw\", @progbits\n.balign 16\n"
	".ascii \"\\377 Go buildinf:\\010\\002\"\n.zero 16\n"
	".byte 7\n.ascii \"go1." TEXT_OF(GO_MINOR) ".7\"\n.zero 64\n"
						   ".popsection\n");

#define IS_MAP (GO_MINOR < 24)
#define M      (48 / 8)
#define CURG   ((GO_MINOR < 25 ? 192 : 184) / 8)
#define LABELS ((GO_MINOR < 21 ? 360 : GO_MINOR < 23 || GO_MINOR == 25 ? 344 : 352) / 8)

struct text {
	const char *bytes;
	uint64_t length;
};

/* The g of the thread while it schedules comes first; it leads to the other g by way of m. */
struct record {
	void *scheduler[64], *m[64], *g[64];
	union {
		struct {
			uint64_t hashes;
			struct text keys[8], values[8];
			void *more;
		} bucket;
		struct {
			struct text key, value;
		} list[8];
	};
	struct {
		uint64_t count;
		uint64_t others;
		void *buckets;
	} map, *map_at;
	struct {
		void *at;
		uint64_t nr, room;
	} slice;
	char route[64], user[32];
};

static void publish(int has_route)
{
	(void)has_route;
}

static void change(void)
{
}

static struct text text_of(const char *bytes)
{
	return (struct text){bytes, strlen(bytes)};
}

static void put_label(struct record *r, int i, struct text key, struct text value)
{
	if (IS_MAP) {
		r->bucket.keys[i] = key;
		r->bucket.values[i] = value;
	} else {
		r->list[i].key = key;
		r->list[i].value = value;
	}
}

static void *any_address(void)
{
	return (void *)((uintptr_t)rand() << 17 | 8);
}

static void lie(struct record *r)
{
	struct text route = {r->route, 4};

	if (!strcmp(form, "sizes")) {
		route.length = ~0ull - rand() % 1000;
		put_label(r, 3, route, text_of("/sizes"));
		put_label(r, 4, (struct text){"http.route", 10}, (struct text){any_address(), -1});
	} else if (!strcmp(form, "entries")) {
		r->map.others = 1 + (uint64_t)rand() * 257;
		r->map.buckets = any_address();
		r->slice.at = any_address();
		r->slice.nr = (uint64_t)rand() << 33;
	} else if (!strcmp(form, "valid")) {
		void **words[] = {&r->scheduler[M], &r->m[CURG], &r->g[LABELS]};

		*words[rand() % 3] = rand() % 2 ? any_address() : NULL;
	}
}

static void fill(struct record *r, const char *route)
{
	const int is_lie = !strcmp(form, "sizes");

	memset(r, 0, sizeof(*r));
	r->scheduler[M] = r->g[M] = r->m;
	r->m[CURG] = r->g;
	r->g[LABELS] = IS_MAP ? (void *)&r->map_at : (void *)&r->slice;
	r->map_at = (void *)&r->map;
	r->map.count = r->slice.nr = 3;
	r->map.buckets = &r->bucket;
	r->slice.at = r->list;
	if (is_lie)
		r->slice.nr = 8;
	snprintf(r->route, sizeof(r->route), "%s", route);
	snprintf(r->user, sizeof(r->user), "%d", rand());
	put_label(r, 0, text_of("http.method"), text_of("GET"));
	put_label(r, 1, text_of(is_lie ? "http.rout" : "http.route"), text_of(r->route));
	put_label(r, 2, text_of("user.id"), text_of(r->user));
	lie(r);
}

static void identify(struct record *r, int route, unsigned long nr)
{
	(void)r;
	(void)route;
	(void)nr;
}

#endif
