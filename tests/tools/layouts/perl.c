// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints the row of perl_layouts.c for the Perl whose headers it is compiled with. That needs the
 * options of its build: tests/layouts asks perl for them.
 */
#include <EXTERN.h>
#include <perl.h>

#include <stdio.h>

int main(void)
{
#if PERL_VERSION < 32
	printf("\t{.minor = %d,\n\t .is_short = 1,\n", PERL_VERSION);
#else
	printf("\t{.minor = %d,\n", PERL_VERSION);
#endif
#if PERL_VERSION < 36
	printf("\t .name_in_array = 1,\n");
#endif
	printf("\t .first_op = %d,\n", OP_NEXTSTATE);
	printf("\t .bytes = %#zx,\n", sizeof(struct interpreter));
	printf("\t .stackinfo = %#zx,\n", offsetof(struct interpreter, Icurstackinfo));
	printf("\t .main_sub = %#zx,\n", offsetof(struct interpreter, Imain_cv));
	printf("\t .file = %#zx},\n", offsetof(struct interpreter, Iorigfilename));
	return 0;
}
