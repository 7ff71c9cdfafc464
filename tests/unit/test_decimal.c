// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decimal.h"

#include <inttypes.h>
#include <stdio.h>

#include "tests/unit/suite.h"

static void check(uint64_t value)
{
	char digits[DECIMAL_DIGITS + 1] = "", expected[DECIMAL_DIGITS + 1];

	snprintf(expected, sizeof(expected), "%" PRIu64, value);
	ck_assert_uint_eq(decimal_put(digits, value), strlen(expected));
	ck_assert_str_eq(digits, expected);
}

/* Numbers of all lengths, and their neighbours. */
START_TEST(numbers)
{
	for (uint64_t power = 1; power <= UINT64_MAX / 10; power *= 10)
		for (uint64_t digit = 0; digit < 100; digit++)
			check(power * digit - 1 + digit % 3);
	for (uint64_t value = 0; value < 2000; value++)
		check(value);
	check(UINT64_MAX);
}
END_TEST

SUITE_MAIN("decimal", numbers)
