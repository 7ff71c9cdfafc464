// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>

#include "elf/arch.h"

/* "ELF for the Arm 64-bit Architecture (AArch64)", 5.7. */
const struct elf_arch elf_arch_aarch64 = {
	.machine = EM_AARCH64,
	.entry_mark = {0x5f, 0x24, 0x03, 0xd5}, /* bti c */
	.go_quantum = 4,
	.jump_slot = R_AARCH64_JUMP_SLOT,
	.data_slot = R_AARCH64_GLOB_DAT,
	.chosen_slot = R_AARCH64_IRELATIVE,
	.relative = R_AARCH64_RELATIVE,
	.absolute_8 = R_AARCH64_ABS64,
	.absolute_4 = R_AARCH64_ABS32,
	.absolute_4_signed = R_AARCH64_ABS32,
};
