// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>

#include "elf/arch.h"

/* "System V Application Binary Interface, AMD64 Architecture Processor Supplement", 4.4.1. */
const struct elf_arch elf_arch_x86_64 = {
	.machine = EM_X86_64,
	.jump_slot = R_X86_64_JUMP_SLOT,
	.data_slot = R_X86_64_GLOB_DAT,
	.chosen_slot = R_X86_64_IRELATIVE,
	.absolute_8 = R_X86_64_64,
	.absolute_4 = R_X86_64_32,
	.absolute_4_signed = R_X86_64_32S,
};
