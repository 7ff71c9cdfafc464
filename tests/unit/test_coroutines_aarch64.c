// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/cfi/coroutines.h"
#include "tests/unit/suite.h"

/* Of Boost.Context: and x0, x0, #-16; sub x0, x0, #176; str x2, [x0, #160]; adr x1, END; str x1,
 * [x0, #152]; ret; END: mov x0, #0; bl _exit */
static const uint32_t code[] = {0x927cec00, 0xd102c000, 0xf9005002, 0x10000061,
				0xf9004c01, 0xd65f03c0, 0xd2800000, 0x97f99147};

/* A return address is looked up at the byte before, which is of the ret. */
START_TEST(the_coroutine_returns_to_the_end)
{
	bool is_leaf = false;
	uint64_t begin = 0;

	ck_assert(fcontext_find_begin((const uint8_t *)code, sizeof(code), &begin, &is_leaf));
	ck_assert_uint_eq(begin, 23);
	ck_assert(is_leaf);
	ck_assert(!fcontext_find_begin((const uint8_t *)code, 24, &begin, &is_leaf));
}
END_TEST

SUITE_MAIN("coroutines_aarch64", the_coroutine_returns_to_the_end)
