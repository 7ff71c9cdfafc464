// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/decimal.h"

#include <string.h>

static const char pairs[] = "00010203040506070809"
			    "10111213141516171819"
			    "20212223242526272829"
			    "30313233343536373839"
			    "40414243444546474849"
			    "50515253545556575859"
			    "60616263646566676869"
			    "70717273747576777879"
			    "80818283848586878889"
			    "90919293949596979899";

size_t decimal_put(char *to, uint64_t value)
{
	char digits[DECIMAL_DIGITS];
	size_t at = sizeof(digits);

	while (value >= 10) {
		at -= 2;
		memcpy(digits + at, pairs + value % 100 * 2, 2);
		value /= 100;
	}
	if (value)
		digits[--at] = '0' + value;
	if (at == sizeof(digits))
		digits[--at] = '0';
	memcpy(to, digits + at, sizeof(digits) - at);
	return sizeof(digits) - at;
}
