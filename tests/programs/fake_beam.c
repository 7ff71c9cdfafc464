// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the symbols of Erlang's emulator, and none of its data: fake_beam ROUNDS. With
 * UNKNOWN_RELEASE it says a release that nobody has judged, with FOR_EXTENSIONS it has nothing but
 * a function for extensions.
 */
#include <stdint.h>
#include <stdlib.h>

#include "burn.h"

#ifdef FOR_EXTENSIONS
void enif_schedule_nif(void)
{
}
#else
#ifdef UNKNOWN_RELEASE
const char etp_otp_release[] = "99";
#else
const char etp_otp_release[] = "25";
#endif

const int etp_beamasm = 1, etp_debug_compiled = 0, etp_lock_count = 0, etp_lock_check = 0;

/* Lists of modules and the table of atoms, which lead anywhere. */
uint64_t beam_normal_exit = 0x10000, fake_ranges[13] = {1, 8, UINT64_MAX, 8, UINT64_MAX};
uint64_t erts_atom_table[32];
int erts_frame_layout, the_active_code_index, fake_key;

__asm__(".globl erts_get_scheduler_data, erts_ranges_sz\n"
	"erts_get_scheduler_data:\n"
	"	mov fake_key(%rip), %edi\n"
	"	ret\n"
	".type erts_get_scheduler_data, @function\n"
	".size erts_get_scheduler_data, . - erts_get_scheduler_data\n"
	"erts_ranges_sz:\n"
	"	mov fake_ranges(%rip), %rax\n"
	"	ret\n"
	".type erts_ranges_sz, @function\n"
	".size erts_ranges_sz, . - erts_ranges_sz\n");
#endif

__attribute__((noinline)) void run_nothing(int rounds)
{
	for (int i = 0; i < rounds; i++)
		BURN_MS(30);
}

int main(int argc, char **argv)
{
	run_nothing(argc > 1 ? atoi(argv[1]) : 10);
	return 0;
}
