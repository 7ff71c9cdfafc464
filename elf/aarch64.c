// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>

#include "common/cleanup.h"
#include "elf/arch.h"

/* Instructions: (insn & mask) == value ("Arm Architecture Reference Manual", C4.1). */
struct insn_form {
	uint32_t mask, value;
};

/*
 * No call, which changes x30, and nothing that moves sp to make room. A signed x30 is where it was.
 */
static bool is_bare(const uint8_t *code, size_t size)
{
	static const struct insn_form forms[] = {
		{0xfc000000, 0x94000000}, /* bl */
		{0xfefff000, 0xd63f0000}, /* blr, also of a signed address */
		{0xff8003ff, 0xd10003ff}, /* sub sp, sp, #N */
		{0x3bc003e0, 0x298003e0}, /* stp R, R, [sp, #-N]! */
		{0x3be00fe0, 0x38000fe0}, /* str R, [sp, #-N]! */
	};

	for (size_t at = 0; size - at >= 4; at += 4) {
		uint32_t insn = code[at] | (uint32_t)code[at + 1] << 8 |
				(uint32_t)code[at + 2] << 16 | (uint32_t)code[at + 3] << 24;

		for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
			if ((insn & forms[i].mask) == forms[i].value)
				return false;
	}
	return true;
}

/* "ELF for the Arm 64-bit Architecture (AArch64)", 5.7. */
const struct elf_arch elf_arch_aarch64 = {
	.machine = EM_AARCH64,
	.entry_mark = {0x5f, 0x24, 0x03, 0xd5}, /* bti c */
	.go_quantum = 4,
	.is_bare = is_bare,
	.jump_slot = R_AARCH64_JUMP_SLOT,
	.data_slot = R_AARCH64_GLOB_DAT,
	.chosen_slot = R_AARCH64_IRELATIVE,
	.relative = R_AARCH64_RELATIVE,
	.absolute_8 = R_AARCH64_ABS64,
	.absolute_4 = R_AARCH64_ABS32,
	.absolute_4_signed = R_AARCH64_ABS32,
};
