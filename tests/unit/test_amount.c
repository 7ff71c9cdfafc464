// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/cleanup.h"
#include "report/text/amount.h"
#include "tests/unit/suite.h"

static void expect(uint64_t value, uint8_t unit, enum amount_unit shown, const char *want)
{
	char text[AMOUNT_SIZE];

	ck_assert_str_eq(amount_text(value, unit, shown, text), want);
}

START_TEST(times)
{
	expect(11501272467, PROF_UNIT_NS, AMOUNT_AUTO, "11.5 s");
	expect(230000000, PROF_UNIT_NS, AMOUNT_AUTO, "230 ms");
	expect(1234567, PROF_UNIT_NS, AMOUNT_AUTO, "1.23 ms");
	expect(1000, PROF_UNIT_NS, AMOUNT_AUTO, "1.00 us");
	expect(999, PROF_UNIT_NS, AMOUNT_AUTO, "999 ns");
	/* No unit is filled by rounding. */
	expect(999499999, PROF_UNIT_NS, AMOUNT_AUTO, "999 ms");
	expect(999600000, PROF_UNIT_NS, AMOUNT_AUTO, "1.00 s");
	expect(99960, PROF_UNIT_NS, AMOUNT_AUTO, "100 us");
	expect(9996, PROF_UNIT_NS, AMOUNT_AUTO, "10.0 us");
	expect(1048575, PROF_UNIT_BYTES, AMOUNT_AUTO, "1.00 MiB");
	expect(7, PROF_UNIT_NS, AMOUNT_AUTO, "7 ns");
	expect(0, PROF_UNIT_NS, AMOUNT_AUTO, "0");
	expect(UINT64_MAX, PROF_UNIT_NS, AMOUNT_AUTO, "18446744074 s");
	expect(11501272467, PROF_UNIT_NS, AMOUNT_RAW, "11501272467");
	expect(11501272467, PROF_UNIT_NS, AMOUNT_S, "11.501 s");
	expect(11501272467, PROF_UNIT_NS, AMOUNT_MS, "11501.272 ms");
	expect(UINT64_MAX, PROF_UNIT_NS, AMOUNT_MS, "18446744073709.551 ms");
}
END_TEST

START_TEST(sizes)
{
	expect(1023, PROF_UNIT_BYTES, AMOUNT_AUTO, "1023 B");
	expect(1536, PROF_UNIT_BYTES, AMOUNT_AUTO, "1.50 KiB");
	expect(1264321, PROF_UNIT_BYTES, AMOUNT_AUTO, "1.21 MiB");
	expect(UINT64_MAX, PROF_UNIT_BYTES, AMOUNT_AUTO, "16777216 TiB");
	expect(1536, PROF_UNIT_BYTES, AMOUNT_RAW, "1536");
	expect(1536, PROF_UNIT_BYTES, AMOUNT_MS, "1536");
}
END_TEST

START_TEST(plain_counts)
{
	expect(123456789, PROF_UNIT_EVENTS, AMOUNT_AUTO, "123456789");
	expect(123456789, PROF_UNIT_NUMBER, AMOUNT_S, "123456789");
}
END_TEST

START_TEST(mean_times)
{
	char text[AMOUNT_SIZE];

	ck_assert_str_eq(amount_time(0.5, AMOUNT_AUTO, text), "0.50 ns");
	ck_assert_str_eq(amount_time(61.56e6, AMOUNT_AUTO, text), "61.6 ms");
	ck_assert_str_eq(amount_time(61.56e6, AMOUNT_S, text), "0.06156 s");
	ck_assert_str_eq(amount_time(61.56e6, AMOUNT_MS, text), "61.56 ms");
}
END_TEST

SUITE_MAIN("amount", times, sizes, plain_counts, mean_times)
