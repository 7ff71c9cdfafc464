// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/symbols/vdso.h"

#include <errno.h>
#include <sys/auxv.h>

#include "tests/unit/random.h"
#include "tests/unit/suite.h"

/* The size of the mapping, as /proc says it. */
static uint64_t mapped_size(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	unsigned long start = 0, end = 0;
	char line[512];

	ck_assert_ptr_nonnull(f);
	while (fgets(line, sizeof(line), f) && !strstr(line, "[vdso]"))
		;
	sscanf(line, "%lx-%lx", &start, &end);
	fclose(f);
	return end - start;
}

START_TEST(of_this_process)
{
	struct vdso vdso;
	bool found = false;

	ck_assert_int_eq(vdso_load(&vdso), 0);
	if (!getauxval(AT_SYSINFO_EHDR)) {
		ck_assert_uint_eq(vdso.size, 0);
		return;
	}
	ck_assert_uint_ge(vdso.build_id.size, 8);
	ck_assert_uint_eq(vdso.size, mapped_size());
	for (size_t i = 0; i < vdso.symbols.nr; i++) {
		const struct vdso_symbol *symbol = &vdso.symbols.data[i];

		found |= strstr(symbol->name, "clock_gettime") != NULL;
		ck_assert(i == 0 || symbol[-1].off < symbol->off);
		ck_assert_ptr_eq(vdso_lookup(&vdso, symbol->off), symbol);
		ck_assert_ptr_eq(vdso_lookup(&vdso, symbol->off + symbol->size - 1), symbol);
		ck_assert_ptr_ne(vdso_lookup(&vdso, symbol->off + symbol->size), symbol);
	}
	ck_assert(found);
	ck_assert_ptr_null(vdso_lookup(&vdso, 0));
	vdso_deinit(&vdso);
}
END_TEST

/* An image may be cut anywhere and have any bytes. A sanitizer sees reads beyond its end. */
START_TEST(damaged)
{
	const uint8_t *image = (const void *)(uintptr_t)getauxval(AT_SYSINFO_EHDR);
	struct vdso vdso;
	uint8_t *copy;
	struct random rng = {.state = 42};
	size_t size;

	ck_assert_int_eq(vdso_load(&vdso), 0);
	size = vdso.size;
	vdso_deinit(&vdso);
	if (!size)
		return;
	for (int i = 0; i < 2000; i++) {
		size_t len = i < 200 ? (size_t)i : random_below(&rng, size);

		copy = malloc(len + 1);
		memcpy(copy, image, len);
		for (int n = 0; len && n < 3; n++) {
			/* One of the changes is in the header. */
			size_t end = n || len < 64 ? len : 64;

			copy[random_below(&rng, end)] ^= random_below(&rng, 256);
		}
		vdso_read(&vdso, copy, len);
		for (uint64_t off = 0; off < len; off += 97)
			vdso_lookup(&vdso, off);
		vdso_deinit(&vdso);
		free(copy);
	}
}
END_TEST

START_TEST(no_image)
{
	static const char text[] =
		"This is a text of some length, more than sixty-four bytes of it.";
	struct vdso vdso;

	ck_assert_int_eq(vdso_read(&vdso, text, 0), -ENOEXEC);
	vdso_deinit(&vdso);
	ck_assert_int_eq(vdso_read(&vdso, text, sizeof(text)), -ENOEXEC);
	ck_assert_uint_eq(vdso.symbols.nr, 0);
	ck_assert_ptr_null(vdso_lookup(&vdso, 0));
	vdso_deinit(&vdso);
}
END_TEST

/* 32-bit processes have another vdso, and processes that migrated from another kernel. */
START_TEST(whose)
{
	struct vdso vdso = {.size = 0x2000}, none = {0};

	ck_assert(vdso_is_same(&vdso, 0x7ffc00000000, 0x7ffc00002000));
	ck_assert(!vdso_is_same(&vdso, 0x7ffc00000000, 0x7ffc00001000));
	ck_assert(!vdso_is_same(&vdso, 0xf7fc0000, 0xf7fc2000));
	ck_assert(!vdso_is_same(&none, 0x7ffc00000000, 0x7ffc00000000));
}
END_TEST

SUITE_MAIN("vdso", of_this_process, damaged, no_image, whose)
