// SPDX-License-Identifier: GPL-2.0-or-later
/* What call frame information says about places of probes. The registers are those of x86-64. */
#include "record/probes/user_places.h"

#include "elf/elf_sections.h"
#include "tests/unit/cfi_helper.h"
#include "tests/unit/suite.h"

/* A place at @at in the code, which is an entry for other reasons or not, and then is or is not. */
struct expected {
	uint64_t at, semaphore;
	bool was_entry, is_entry;
};

/* They come in any order, each this often. */
static void settle_repeated(const frames *f, const struct expected *all, size_t nr, size_t times)
{
	int fd = make_elf(&(struct test_elf){0}, f->data, f->nr);
	user_place_vec places = {0};
	struct elf_image elf;

	for (size_t i = times * nr; i-- > 0;)
		ck_assert_int_eq(
			vec_push(&places, ((struct user_place){CODE_OFF + all[i / times].at,
							       all[i / times].semaphore,
							       all[i / times].was_entry})),
			0);
	ck_assert_int_eq(elf_sections_open(fd, &elf), 0);
	ck_assert_int_eq(user_places_settle(&elf, &places), 0);
	ck_assert_uint_eq(places.nr, nr);
	for (size_t i = 0; i < nr; i++) {
		ck_assert_uint_eq(places.data[i].off, CODE_OFF + all[i].at);
		ck_assert_uint_eq(places.data[i].semaphore, all[i].semaphore);
		ck_assert_msg(places.data[i].is_entry == all[i].is_entry, "place %zu", i);
	}
	vec_free(&places);
	elf_image_close(&elf);
	close(fd);
}

static void settle(const frames *f, const struct expected *all, size_t nr)
{
	settle_repeated(f, all, nr, 2);
}

START_TEST(the_return_address_on_top)
{
	static const struct expected all[] = {
		{0x0f, 0, true, true},   /* before the function */
		{0x10, 0, false, true},  /* its entry */
		{0x10, 4, false, true},  /* a static probe there */
		{0x11, 0, true, false},  /* behind push %rbp */
		{0x1e, 0, true, false},  /* the last byte but one */
		{0x1f, 0, false, true},  /* ret */
		{0x20, 0, false, false}, /* behind the function */
		{0x30, 0, true, true},   /* by no rule that is known */
		{0x40, 0, true, false},  /* the CFA is the same distance above another register */
		{0x50, 0, true, false},  /* the return address is undefined */
		{0x60, 0, false, true},  /* a part of a function that makes no frame */
	};
	frames f = {0};
	size_t cie = put_usual_cie(&f);

	/* advance 1; CFA is rsp + 16; advance 14; CFA is rsp + 8 */
	put_fde(&f, cie, CODE_VADDR + 0x10, 0x10, BYTES(0x41, 0x0e, 16, 0x4e, 0x0e, 8));
	/* CFA by an expression: DW_OP_lit0 */
	put_fde(&f, cie, CODE_VADDR + 0x30, 0x10, BYTES(0x0f, 1, 0x30));
	put_fde(&f, cie, CODE_VADDR + 0x40, 0x10, BYTES(0x0c, 6, 8));
	put_fde(&f, cie, CODE_VADDR + 0x50, 0x10, BYTES(0x07, 16));
	put_fde(&f, cie, CODE_VADDR + 0x60, 0x10, NO_BYTES);
	settle(&f, all, ARRAY_SIZE(all));
	vec_free(&f);
}
END_TEST

/* Nothing is known: what other tables say stays. */
START_TEST(damaged_tables)
{
	static const struct expected all[] = {{0x10, 0, true, true}, {0x11, 0, false, false}};
	frames f = {0};

	put_number(&f, 0xfffffff0, 4);
	settle(&f, all, ARRAY_SIZE(all));
	settle(&f, all, 0);
	vec_free(&f);
}
END_TEST

/* However many places there are: of some functions all, of others none. */
START_TEST(every_place_is_found)
{
	enum { NR = 9 };
	struct expected all[NR];
	frames f = {0};
	size_t cie = put_usual_cie(&f);

	/* push %rbp is the first instruction. */
	for (size_t i = 0; i < NR; i++)
		put_fde(&f, cie, CODE_VADDR + 0x10 * i, 0x10, BYTES(0x41, 0x0e, 16));
	for (size_t nr = 1; nr <= NR; nr++) {
		for (size_t i = 0; i < nr; i++)
			all[i] = (struct expected){0x10 * i + i % 2, 0, i % 2, !(i % 2)};
		settle_repeated(&f, all, nr, 1);
	}
	vec_free(&f);
}
END_TEST

/* A function may save registers below its stack pointer before it moves that. */
START_TEST(saved_registers_are_no_frame)
{
	static const struct expected all[] = {{0x10, 0, false, true}, {0x11, 0, false, true}};
	frames f = {0};
	size_t cie = put_usual_cie(&f);

	/* advance 1; rbx is at CFA - 16, rbp at CFA - 24 */
	put_fde(&f, cie, CODE_VADDR + 0x10, 0x10, BYTES(0x41, 0x83, 2, 0x86, 3));
	settle(&f, all, ARRAY_SIZE(all));
	vec_free(&f);
}
END_TEST

/* Functions in no code of the file, without a place, or damaged hide none that come after them. */
START_TEST(functions_that_tell_nothing)
{
	static const struct expected all[] = {
		{0x10, 0, true, true},
		{0x20, 0, false, true},
		{0x21, 0, true, false},
	};
	frames f = {0};
	size_t cie = put_usual_cie(&f);

	put_fde(&f, cie, CODE_VADDR - 0x20, 0x10, NO_BYTES);
	put_fde(&f, cie, CODE_VADDR + CODE_SIZE, 0x10, NO_BYTES);
	put_fde(&f, cie, CODE_VADDR + 0x40, 0x10, NO_BYTES);
	/* The expression of the CFA is longer than the program. */
	put_fde(&f, cie, CODE_VADDR + 0x10, 0x10, BYTES(0x0f, 0x7f, 0x30));
	put_fde(&f, cie, CODE_VADDR + 0x20, 0x10, BYTES(0x41, 0x0e, 16));
	settle(&f, all, ARRAY_SIZE(all));
	vec_free(&f);
}
END_TEST

SUITE_MAIN("user_places", the_return_address_on_top, damaged_tables, every_place_is_found,
	   saved_registers_are_no_frame, functions_that_tell_nothing)
