// SPDX-License-Identifier: GPL-2.0-or-later
#include <elf.h>
#include <string.h>

#include "elf/arch.h"
#include "elf/dwarf_bytes.h"

static bool skip_bytes(struct cursor *b, const void *bytes, size_t len)
{
	if (cursor_left(b) < len || memcmp(b->p, bytes, len) != 0)
		return false;
	b->p += len;
	return true;
}

/*
 * All forms have an indirect jump relative to rip; before it may stand endbr64, bnd, or the move of
 * a number into r11. With indirect branch tracking, .plt has stubs of another form, which push the
 * number of their relocation.
 *
 * The forms are from the System V ABI for AMD64, section 5.2 and appendix B.1, and from lld and
 * mold.
 */
static bool read_stub(struct cursor b, uint64_t addr, struct elf_stub *stub)
{
	const uint8_t *start = b.p;

	skip_bytes(&b, elf_arch_x86_64.entry_mark, ELF_ENTRY_MARK_BYTES);
	if (skip_bytes(&b, "\x68", 1)) { /* push $number */
		*stub = (struct elf_stub){.is_pushed = true, .value = dwarf_fixed(&b, 4)};
		return !b.bad;
	}
	if (skip_bytes(&b, "\x41\xbb", 2)) /* mov $number,%r11d */
		dwarf_fixed(&b, 4);
	skip_bytes(&b, "\xf2", 1);          /* bnd */
	if (!skip_bytes(&b, "\xff\x25", 2)) /* jmp *distance(%rip) */
		return false;
	stub->is_pushed = false;
	stub->value = (int32_t)dwarf_fixed(&b, 4);
	stub->value += addr + (b.p - start);
	return !b.bad;
}

/* Is @byte a prefix that may come before those of vectors (Intel SDM, volume 2, 2.1.1)? */
static bool is_legacy_prefix(uint8_t byte)
{
	return memchr("\x26\x2e\x36\x3e\x64\x65\x66\x67\xf0\xf2\xf3", byte, 11);
}

/*
 * The kernel executes the instruction at a uprobe elsewhere, or emulates it. It takes the opcode of
 * an instruction with the prefixes VEX, EVEX, REX2 or XOP for one without them: it takes
 * vpbroadcastb for a jump, and vxorps for a push (branch_setup_xol_ops and push_setup_xol_ops in
 * arch/x86/kernel/uprobes.c, Linux 6.18). A process then goes on with wrong registers. So no probe
 * may be there. Longer instructions do not exist (Intel SDM, volume 2, 2.3.11).
 */
static bool may_be_probed(const uint8_t insn[static ELF_INSN_BYTES_MAX])
{
	size_t at = 0;

	while (at < ELF_INSN_BYTES_MAX - 1 && is_legacy_prefix(insn[at]))
		at++;
	switch (insn[at]) {
	case 0xc4: /* VEX */
	case 0xc5:
	case 0x62: /* EVEX */
	case 0xd5: /* REX2 */
		return false;
	case 0x8f: /* XOP, or pop */
		return !(insn[at + 1] & 0x38);
	default:
		return true;
	}
}

/* "System V Application Binary Interface, AMD64 Architecture Processor Supplement", 4.4.1. */
const struct elf_arch elf_arch_x86_64 = {
	.machine = EM_X86_64,
	.entry_mark = {0xf3, 0x0f, 0x1e, 0xfa}, /* endbr64 */
	.go_quantum = 1,
	.read_stub = read_stub,
	.may_be_probed = may_be_probed,
	.jump_slot = R_X86_64_JUMP_SLOT,
	.data_slot = R_X86_64_GLOB_DAT,
	.chosen_slot = R_X86_64_IRELATIVE,
	.relative = R_X86_64_RELATIVE,
	.absolute_8 = R_X86_64_64,
	.absolute_4 = R_X86_64_32,
	.absolute_4_signed = R_X86_64_32S,
};
