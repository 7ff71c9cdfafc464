// SPDX-License-Identifier: GPL-2.0-or-later
/* The instructions are those of the Arm Architecture Reference Manual for A-profile, C6.2. */
#include "record/languages/files/host_code.h"

#include <string.h>

#include "elf/arch.h"

const bool host_knows_made_code = false;
const uint16_t host_java_versions[] = {17, 0};
const char host_java_mark[] = " for linux-aarch64 JRE (";
const char host_without_code[] = " on arm64";
const uint64_t host_code_step = 4;

/* The distance of a jump: @bits from bit @shift of @insn on, in instructions. */
static int64_t distance_of(uint32_t insn, unsigned int shift, unsigned int bits)
{
	uint32_t high = insn << (32 - shift - bits);

	return (int64_t)((int32_t)high >> (32 - bits)) * 4;
}

/* b, bl; b.cond, cbz, cbnz; tbz, tbnz */
enum host_jump host_jump_at(const uint8_t *code, uint64_t left, uint64_t addr, uint64_t *target)
{
	uint32_t insn;

	if (left < sizeof(insn))
		return HOST_NO_JUMP;
	memcpy(&insn, code, sizeof(insn));
	if ((insn & 0x7c000000) == 0x14000000) {
		*target = addr + distance_of(insn, 0, 26);
		return insn & 0x80000000 ? HOST_CALL : HOST_JUMP;
	}
	if ((insn & 0xff000010) == 0x54000000 || (insn & 0x7e000000) == 0x34000000) {
		*target = addr + distance_of(insn, 5, 19);
		return HOST_JUMP_IF;
	}
	if ((insn & 0x7e000000) == 0x36000000) {
		*target = addr + distance_of(insn, 5, 14);
		return HOST_JUMP_IF;
	}
	return HOST_NO_JUMP;
}

/* Are the function's first two instructions these, after a bti c? */
static bool begins_with(const uint8_t *code, uint32_t first, uint32_t second)
{
	const uint32_t wanted[] = {first, second};

	if (!memcmp(code, elf_arch_aarch64.entry_mark, ELF_ENTRY_MARK_BYTES))
		code += ELF_ENTRY_MARK_BYTES;
	return !memcmp(code, wanted, sizeof(wanted));
}

bool host_code_returns(const uint8_t code[HOST_CODE_BYTES], uint8_t value)
{
	/* mov w0, #VALUE; ret */
	return begins_with(code, 0x52800000 | (uint32_t)value << 5, 0xd65f03c0);
}

bool host_code_loads(const uint8_t code[HOST_CODE_BYTES], uint8_t off, bool is_number)
{
	/* ldr x0, [x0, #16]; ldr x0, [x0, #OFF] or ldrsw x0, [x0, #OFF] */
	return begins_with(code, 0xf9400800,
			   is_number ? 0xb9800000 | (uint32_t)off / 4 << 10
				     : 0xf9400000 | (uint32_t)off / 8 << 10);
}

bool host_code_calls_yjit(const uint8_t *code, uint64_t size)
{
	(void)code, (void)size;
	return false;
}

/* tests/layouts python */
bool host_python_key(uint32_t minor, int32_t *key)
{
	*key = 612;
	return minor == 11;
}

/* tests/layouts perl */
bool host_perl_numbers(uint8_t minor, struct host_perl *perl)
{
	*perl = (struct host_perl){.bytes = 0xf18, .main_sub = 0x768, .file = 0x620};
	return minor == 36;
}
