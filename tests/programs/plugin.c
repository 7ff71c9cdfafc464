// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A shared library with a function of the name PLUGIN, for programs/loader.c. A call burns
 * PLUGIN_MS milliseconds.
 */
#include "burn.h"

#ifndef PLUGIN_MS
#define PLUGIN_MS 300
#endif

void PLUGIN(void);

#ifdef PADDING /* code that makes the library larger */
__asm__(".text\n.skip 8192, 0x90\n");
#endif

void PLUGIN(void)
{
	BURN_MS(PLUGIN_MS);
}
