// SPDX-License-Identifier: GPL-2.0-or-later
/* The texts and tables in which probes are found: kallsyms, tracefs, the loader's cache. */
#include <errno.h>
#include <sys/stat.h>

#include "record/probes/hit_weights.h"
#include "record/probes/kernel_functions.h"
#include "record/probes/library.h"
#include "record/probes/tracepoints.h"
#include "tests/unit/suite.h"

static FILE *file_of(const char *text)
{
	FILE *f = fmemopen((void *)(uintptr_t)text, strlen(text), "r");

	ck_assert_ptr_nonnull(f);
	return f;
}

static struct kernel_functions found;

static void find(const char *name, const char *kallsyms, const char *traceable,
		 const char *blacklist)
{
	const struct pattern p = {.name.text = (char *)(uintptr_t)name};
	FILE *symbols = file_of(kallsyms);
	FILE *allowed = traceable ? file_of(traceable) : NULL;
	FILE *forbidden = blacklist ? file_of(blacklist) : NULL;

	kernel_functions_deinit(&found);
	found = (struct kernel_functions){0};
	ck_assert_int_eq(kernel_functions_read(&p, symbols, allowed, forbidden, &found), 0);
	fclose(symbols);
	if (allowed)
		fclose(allowed);
	if (forbidden)
		fclose(forbidden);
}

static const char kallsyms[] = "ffffffff81000000 T tcp_sendmsg\n"
			       "ffffffff81000100 t tcp_sendmsg.cold\n"
			       "ffffffff81000200 t tcp_helper\n"
			       "ffffffff81000300 D tcp_data\n"
			       "ffffffff81000200 t tcp_alias\n"
			       "ffffffff81000400 W tcp_weak\n"
			       "ffffffff82000000 D __init_begin\n"
			       "ffffffff82000100 t tcp_init\n"
			       "ffffffff83000000 D __init_end\n"
			       "ffffffffc0000000 t tcp_module\t[tcp_module]\n"
			       "not a line\n";

START_TEST(functions_of_the_kernel)
{
	find("tcp_*", kallsyms, NULL, NULL);
	/*
	 * Each address once; neither data, nor cold parts, nor code that is gone after the start.
	 */
	ck_assert_uint_eq(found.addrs.nr, 4);
	ck_assert_uint_eq(found.addrs.data[0], 0xffffffff81000000);
	ck_assert_uint_eq(found.addrs.data[1], 0xffffffff81000200);
	ck_assert_uint_eq(found.addrs.data[2], 0xffffffff81000400);
	ck_assert_uint_eq(found.addrs.data[3], 0xffffffffc0000000);
	ck_assert_uint_eq(found.nr_left_out, 2);
	find("tcp_sendmsg", kallsyms, NULL, NULL);
	ck_assert_uint_eq(found.addrs.nr, 1);
	ck_assert_uint_eq(found.nr_left_out, 0);
	find("udp_*", kallsyms, NULL, NULL);
	ck_assert_uint_eq(found.addrs.nr, 0);
	kernel_functions_deinit(&found);
}
END_TEST

START_TEST(functions_that_take_no_probe)
{
	find("tcp_*", kallsyms, "tcp_sendmsg\ntcp_weak\ntcp_module [tcp_module]\n",
	     "0xffffffff81000400-0xffffffff81000410\ttcp_weak\n");
	ck_assert_uint_eq(found.addrs.nr, 2);
	ck_assert_uint_eq(found.addrs.data[0], 0xffffffff81000000);
	ck_assert_uint_eq(found.addrs.data[1], 0xffffffffc0000000);
	/* The cold part, the helper, and the function that is gone; the blacklisted one. */
	ck_assert_uint_eq(found.nr_left_out, 4);
	/* One of the names of a function is in the list. */
	find("tcp_helper", kallsyms, "tcp_alias\n", NULL);
	ck_assert_uint_eq(found.addrs.nr, 1);
	find("tcp_*", "0000000000000000 T tcp_sendmsg\n", NULL, NULL);
	ck_assert(found.are_hidden);
	ck_assert_uint_eq(found.addrs.nr, 0);
	kernel_functions_deinit(&found);
}
END_TEST

START_TEST(names_of_the_kernel)
{
	const struct pattern p = {.name.text = (char *)(uintptr_t) "tcp_*"};
	/* Another function has the name of the helper. */
	static const char more[] = "ffffffff81000900 t tcp_helper\n";
	char text[sizeof(kallsyms) + sizeof(more)];
	name_vec names = {0};
	FILE *f;

	snprintf(text, sizeof(text), "%s%s", more, kallsyms);
	find("tcp_*", kallsyms, NULL, NULL);
	f = file_of(text);
	ck_assert_int_eq(kernel_functions_names(&p, &found, f, &names), 0);
	fclose(f);
	ck_assert_uint_eq(names.nr, 4);
	ck_assert_str_eq(names.data[0], "tcp_alias");
	ck_assert_str_eq(names.data[1], "tcp_module");
	ck_assert_str_eq(names.data[2], "tcp_sendmsg");
	ck_assert_str_eq(names.data[3], "tcp_weak");
	ck_assert(name_vec_has(&names, "tcp_weak"));
	ck_assert(!name_vec_has(&names, "tcp_helper"));
	name_vec_free(&names);
	kernel_functions_deinit(&found);
}
END_TEST

static const char format[] = "name: block_rq_issue\n"
			     "format:\n"
			     "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
			     "\n"
			     "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
			     "\tfield:unsigned int bytes;\toffset:28;\tsize:4;\tsigned:0;\n"
			     "\tfield:int error;\toffset:32;\tsize:4;\tsigned:1;\n"
			     "\tfield:char comm[16];\toffset:42;\tsize:16;\tsigned:0;\n"
			     "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n"
			     "\tfield:int odd;\toffset:65;\tsize:4;\tsigned:1;\n";

START_TEST(fields_of_tracepoints)
{
	struct tracepoint_field f;

	ck_assert_int_eq(tracepoint_field_parse(format, "bytes", &f), 0);
	ck_assert_uint_eq(f.off, 28);
	ck_assert_uint_eq(f.size, 4);
	ck_assert(!f.is_signed);
	ck_assert_int_eq(tracepoint_field_parse(format, "error", &f), 0);
	ck_assert(f.is_signed);
	ck_assert_int_eq(tracepoint_field_parse(format, "sector", &f), 0);
	ck_assert_uint_eq(f.size, 8);
	ck_assert_int_eq(tracepoint_field_parse(format, "ector", &f), -ENOENT);
	ck_assert_int_eq(tracepoint_field_parse(format, "sector_t", &f), -ENOENT);
	ck_assert_int_eq(tracepoint_field_parse(format, "cmd", &f), -EINVAL);
	ck_assert_int_eq(tracepoint_field_parse(format, "comm[16]", &f), -EINVAL);
	ck_assert_int_eq(tracepoint_field_parse(format, "odd", &f), -EINVAL);
	ck_assert_int_eq(tracepoint_field_parse("", "bytes", &f), -ENOENT);
}
END_TEST

START_TEST(tracepoints_of_a_tracefs)
{
	/* NULL: a directory. What has no number is no tracepoint. */
	static const char *const files[][2] = {
		{"events", NULL},
		{"events/enable", "0\n"},
		{"events/sched", NULL},
		{"events/sched/filter", "none\n"},
		{"events/sched/wake", NULL},
		{"events/sched/wake/id", "7\n"},
		{"events/sched/switch", NULL},
		{"events/sched/switch/id", "4294967295\n"},
		{"events/sched/switch/format", format},
		{"events/sched/odd", NULL},
		{"events/sched/odd/id", "4294967296\n"},
		{"events/block", NULL},
		{"events/block/wake", NULL},
		{"events/block/wake/id", "9\n"},
		{"events/block/a", NULL},
		{"events/block/a/id", "10\n"},
		{"events/block/z", NULL},
		{"events/block/z/id", "11\n"},
	};
	const char *const roots[] = {"/nowhere", enter_new_dir(), NULL};
	struct pattern p = {.place.text = (char[]){"s*"}, .name.text = (char[]){"*"}};
	tracepoint_vec all = {0};
	struct tracepoint_field field;
	struct err err = {0};

	for (size_t i = 0; i < ARRAY_SIZE(files); i++)
		if (files[i][1])
			write_file(files[i][0], files[i][1]);
		else
			ck_assert_int_eq(mkdir(files[i][0], 0700), 0);
	ck_assert_int_eq(tracepoints_find(&p, roots, &all, &err), 0);
	ck_assert_uint_eq(all.nr, 2);
	ck_assert_str_eq(all.data[0].name, "sched:switch");
	ck_assert_uint_eq(all.data[0].id, UINT32_MAX);
	ck_assert_str_eq(all.data[1].name, "sched:wake");
	ck_assert_uint_eq(all.data[1].id, 7);
	ck_assert_int_eq(tracepoint_field_find(&all.data[0], roots, "bytes", &field), 0);
	ck_assert_uint_eq(field.off, 28);
	ck_assert_int_eq(tracepoint_field_find(&all.data[1], roots, "bytes", &field), -ENOENT);
	tracepoints_free(&all);
	ck_assert(tracepoints_have_category(&p.place, roots));
	ck_assert(!tracepoints_have_category(&p.place, roots + 2));
	ck_assert_int_eq(tracepoints_find(&p, roots + 2, &all, &err), -ENOENT);
	p.place.text = (char[]){"*"};
	ck_assert_int_eq(tracepoints_find(&p, roots, &all, &err), 0);
	ck_assert_uint_eq(all.nr, 5);
	for (size_t i = 1; i < all.nr; i++)
		ck_assert_str_lt(all.data[i - 1].name, all.data[i].name);
	p.place.text = (char[]){"x*"};
	ck_assert(!tracepoints_have_category(&p.place, roots));
	tracepoints_free(&all);
}
END_TEST

START_TEST(weights)
{
	static const struct {
		const char *text, *name;
		enum prof_event_unit unit;
		struct weight weight;
	} good[] = {
		{"arg1", "arg1", PROF_UNIT_NUMBER, {WEIGHT_ARG, 1, 8, 0}},
		{"arg6:s32", "arg6:s32", PROF_UNIT_NUMBER, {WEIGHT_ARG, 6, 4, 1}},
		{"arg2:u16:bytes", "arg2:u16", PROF_UNIT_BYTES, {WEIGHT_ARG, 2, 2, 0}},
		{"arg3:ns", "arg3", PROF_UNIT_NS, {WEIGHT_ARG, 3, 8, 0}},
		{"bytes", "bytes", PROF_UNIT_BYTES, {.source = WEIGHT_FIELD}},
		{"nr_bytes", "nr_bytes", PROF_UNIT_BYTES, {.source = WEIGHT_FIELD}},
		{"wait_ns", "wait_ns", PROF_UNIT_NS, {.source = WEIGHT_FIELD}},
		{"runtime:ns", "runtime", PROF_UNIT_NS, {.source = WEIGHT_FIELD}},
		{"argument", "argument", PROF_UNIT_NUMBER, {.source = WEIGHT_FIELD}},
	};
	static const char *const bad[] = {"",      "arg0",     "arg7",   "arg1:f32", "arg1x",
					  "arg12", "field:u8", ":bytes", "arg1:"};
	struct hit_weight w;
	struct err err;

	for (size_t i = 0; i < ARRAY_SIZE(good); i++) {
		ck_assert_int_eq(hit_weight_parse(good[i].text, &w, &err), 0);
		ck_assert_str_eq(w.name, good[i].name);
		ck_assert_int_eq(w.unit, good[i].unit);
		ck_assert_mem_eq(&w.weight, &good[i].weight, sizeof(w.weight));
		free(w.name);
	}
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		ck_assert_msg(hit_weight_parse(bad[i], &w, &err) == -EINVAL, "%s", bad[i]);
		ck_assert_ptr_nonnull(strstr(err.text, "is no weight"));
		free(w.name);
	}
}
END_TEST

/* Those of libraries of this architecture. */
#ifdef __x86_64__
static const int32_t cache_flags = 0x303;
#else
static const int32_t cache_flags = 0xa03;
#endif

/* A cache of two libraries: header, entries, strings (glibc, sysdeps/generic/dl-cache.h). */
static size_t make_cache(char cache[static 256], int32_t flags)
{
	static const char strings[] = "libc.so.6\0/lib/libc.so.6\0libcap.so.2\0/lib/libcap.so.2";
	uint32_t nr = 2, bytes = sizeof(strings), base = 48 + 2 * 24;
	uint32_t keys[] = {base, base + 25}, values[] = {base + 10, base + 37};

	memset(cache, 0, 256);
	memcpy(cache, "glibc-ld.so.cache1.1", 20);
	memcpy(cache + 20, &nr, 4);
	memcpy(cache + 24, &bytes, 4);
	for (int i = 0; i < 2; i++) {
		memcpy(cache + 48 + 24 * i, &flags, 4);
		memcpy(cache + 52 + 24 * i, &keys[i], 4);
		memcpy(cache + 56 + 24 * i, &values[i], 4);
	}
	memcpy(cache + base, strings, sizeof(strings));
	return base + sizeof(strings);
}

START_TEST(cache_of_the_loader)
{
	char cache[256];
	size_t size = make_cache(cache, cache_flags);
	uint32_t far = UINT32_MAX;

	ck_assert_str_eq(library_in_cache(cache, size, "c"), "/lib/libc.so.6");
	ck_assert_str_eq(library_in_cache(cache, size, "cap"), "/lib/libcap.so.2");
	ck_assert_ptr_null(library_in_cache(cache, size, "ca"));
	/* Whatever is missing or points beyond the end is refused. */
	for (size_t i = 0; i < size; i++)
		library_in_cache(cache, i, "cap");
	memcpy(cache + 56, &far, 4);
	ck_assert_ptr_null(library_in_cache(cache, size, "c"));
	memcpy(cache + 20, &far, 4);
	ck_assert_ptr_null(library_in_cache(cache, size, "nothing"));
	size = make_cache(cache, 3);
	ck_assert_ptr_null(library_in_cache(cache, size, "c"));
}
END_TEST

/* As make_cache, with the name of a library behind the end. */
static uint32_t make_cache_before_name(char cache[static 256])
{
	uint32_t size = make_cache(cache, cache_flags);

	ck_assert_uint_le(size + sizeof("libc.so.6"), 256);
	strcpy(cache + size, "libc.so.6");
	return size;
}

/* Another header, a text without an end, entries that are not whole, and strings behind the end. */
START_TEST(damaged_caches_of_the_loader)
{
	char cache[256];
	uint32_t size = make_cache_before_name(cache), none = 0, last = size - 1;

	for (size_t i = 0; i < 20; i++) {
		cache[i]++;
		ck_assert_ptr_null(library_in_cache(cache, size, "c"));
		cache[i]--;
	}
	ck_assert_ptr_nonnull(library_in_cache(cache, size, "c"));
	cache[size - 1] = 'x';
	ck_assert_ptr_null(library_in_cache(cache, size, "c"));
	cache[size - 1] = '\0';
	memcpy(cache + 48 + 4, &size, 4);
	ck_assert_ptr_null(library_in_cache(cache, size, "c"));
	make_cache_before_name(cache);
	memcpy(cache + 48 + 8, &size, 4);
	ck_assert_ptr_null(library_in_cache(cache, size, "c"));
	memcpy(cache + 48 + 8, &last, 4);
	ck_assert_str_eq(library_in_cache(cache, size, "c"), "");
	memcpy(cache + 20, &none, 4);
	ck_assert_ptr_null(library_in_cache(cache, size, "c"));
	/* No header, and two entries, but not quite. */
	make_cache_before_name(cache);
	memset(cache + 48 + 24, 0, 256 - 48 - 24);
	ck_assert_ptr_null(library_in_cache(cache, 47, "c"));
	memcpy(cache + 48 + 24, &cache_flags, 4);
	ck_assert_ptr_null(library_in_cache(cache, 48 + 47, ""));
	ck_assert_ptr_null(library_in_cache(cache, 48 + 48, ""));
}
END_TEST

START_TEST(names_of_libraries)
{
	ck_assert(library_is_named("libc.so.6", "c"));
	ck_assert(library_is_named("libc-2.31.so", "c"));
	ck_assert(library_is_named("libpthread.so", "pthread"));
	ck_assert(library_is_named("libc.so.6", "libc"));
	ck_assert(library_is_named("libapp", "libapp"));
	ck_assert(library_is_named("app", "app"));
	ck_assert(!library_is_named("libcrypt.so.1", "c"));
	ck_assert(!library_is_named("libc.so6", "c"));
	ck_assert(!library_is_named("libc", "c"));
	ck_assert(!library_is_named("c.so", "c"));
	/* Neither another prefix, nor more of a name, nor a version without its number. */
	ck_assert(!library_is_named("xyzc.so.6", "c"));
	ck_assert(!library_is_named("libcrypt.so.1", "libc"));
	ck_assert(!library_is_named("libcabc.so.1", "c"));
	ck_assert(!library_is_named("libc.1.so", "c"));
	ck_assert(!library_is_named("libc-.so", "c"));
	ck_assert(library_is_named("libc-0.1.so", "c"));
	ck_assert(library_is_named("libc-9.so", "c"));
}
END_TEST

SUITE_MAIN("probe_sources", functions_of_the_kernel, functions_that_take_no_probe,
	   names_of_the_kernel, fields_of_tracepoints, tracepoints_of_a_tracefs, weights,
	   cache_of_the_loader, damaged_caches_of_the_loader, names_of_libraries)
