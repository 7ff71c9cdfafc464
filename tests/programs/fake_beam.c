// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Has the symbols of Erlang's emulator, and none of its data: fake_beam ROUNDS. With
 * UNKNOWN_RELEASE it says a release that nobody has judged, with FOR_EXTENSIONS it has nothing but
 * a function for extensions. With TOLD such functions tell of release 29, and with TOLD_TWICE they
 * tell of two lists of modules. With STRANGE_MACHINE it has other code than that release.
 */
#include <stdint.h>
#include <stdlib.h>

#include "burn.h"

#if defined(TOLD) || defined(TOLD_TWICE)
uint64_t fake_ranges[13] = {1, 8, UINT64_MAX, 8, UINT64_MAX}, other_ranges[13];
uint64_t fake_atoms[32];
int fake_key;

__asm__(".globl driver_system_info, enif_thread_type, enif_get_atom_length\n"
	"told_release:\n"
	"	.asciz \"29\"\n"
	"driver_system_info:\n"
	"	lea told_release(%rip), %rax\n"
	"	ret\n"
	".type driver_system_info, @function\n"
	".size driver_system_info, . - driver_system_info\n"
	"told_scheduler:\n"
	"	endbr64\n"
	"	mov fake_key(%rip), %edi\n"
	"	ret\n"
	"enif_thread_type:\n"
	"	call told_scheduler\n"
	"	mov 0xb0(%rax), %eax\n"
	"	ret\n"
	".type enif_thread_type, @function\n"
	".size enif_thread_type, . - enif_thread_type\n"
	"enif_get_atom_length:\n"
	"	mov fake_atoms + 120(%rip), %rax\n"
	"	ret\n"
	".type enif_get_atom_length, @function\n"
	".size enif_get_atom_length, . - enif_get_atom_length\n"
	"	mov fake_ranges(%rip), %rax\n"
	"	shl $4, %rax\n"
	"	ret\n"
#ifdef TOLD_TWICE
	"	mov other_ranges(%rip), %rax\n"
	"	shl $4, %rax\n"
	"	ret\n"
#endif
	"	.skip 64\n");
#define FOR_EXTENSIONS
#endif

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
	"	endbr64\n"
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

#ifdef STRANGE_MACHINE
uint64_t fake_modules[2];

/* There is a module, and no loop of a scheduler. */
__attribute__((constructor)) static void make_tables(void)
{
	beam_normal_exit = (uintptr_t)run_nothing;
	fake_modules[0] = beam_normal_exit + 0x100;
	fake_modules[1] = beam_normal_exit + 0x200;
	fake_ranges[1] = (uintptr_t)fake_modules;
	fake_ranges[2] = 1;
}
#endif

int main(int argc, char **argv)
{
	run_nothing(argc > 1 ? atoi(argv[1]) : 10);
	return 0;
}
