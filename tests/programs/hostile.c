// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Burns in a thread with a hostile name, and in a function to which the test gives a hostile name.
 */
#include <sys/prctl.h>

#include "burn.h"

void symbol_of_byte(void);

__attribute__((noinline)) void symbol_of_byte(void)
{
	BURN_MS(500);
}

int main(void)
{
	prctl(PR_SET_NAME, "co\033]0;x\007\nm;\377");
	symbol_of_byte();
	return 0;
}
