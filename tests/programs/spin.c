// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A shared library with a function of the name SPIN, for programs/remap.c. It refers to nothing, so
 * its code runs anywhere.
 */
void SPIN(volatile char *page);

void SPIN(volatile char *page)
{
	*page = 1;
}
