// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/languages/files/host_code.h"

#include <string.h>

#include "elf/arch.h"

const bool host_knows_made_code = true;
const uint16_t host_java_versions[] = {8, 11, 17, 21, 25, 26, 27, 0};
const char host_java_mark[] = " for linux-amd64 JRE (";
const char host_without_code[] = "";
const uint64_t host_code_step = 1;

/* jmp, call, and jumps with a condition, all with a distance of 32 bits */
enum host_jump host_jump_at(const uint8_t *code, uint64_t left, uint64_t addr, uint64_t *target)
{
	enum host_jump jump = HOST_NO_JUMP;
	uint64_t len = 5;
	int32_t distance;

	if (left >= 5 && code[0] == 0xe9) {
		jump = HOST_JUMP;
	} else if (left >= 5 && code[0] == 0xe8) {
		jump = HOST_CALL;
	} else if (left >= 6 && code[0] == 0x0f && (code[1] & 0xf0) == 0x80) {
		jump = HOST_JUMP_IF;
		len = 6;
	} else {
		return HOST_NO_JUMP;
	}
	memcpy(&distance, code + len - sizeof(distance), sizeof(distance));
	*target = addr + len + (int64_t)distance;
	return jump;
}

/* The function's first instruction, after an endbr64. */
static const uint8_t *skip_mark(const uint8_t *code)
{
	bool has_mark = !memcmp(code, elf_arch_x86_64.entry_mark, ELF_ENTRY_MARK_BYTES);

	return code + (has_mark ? ELF_ENTRY_MARK_BYTES : 0);
}

bool host_code_returns(const uint8_t code[HOST_CODE_BYTES], uint8_t value)
{
	/* mov $VALUE,%eax; ret */
	const uint8_t wanted[] = {0xb8, value, 0, 0, 0, 0xc3};

	return !memcmp(skip_mark(code), wanted, sizeof(wanted));
}

bool host_code_loads(const uint8_t code[HOST_CODE_BYTES], uint8_t off, bool is_number)
{
	/* mov 16(%rdi),%rax; mov OFF(%rax),%rax or movslq OFF(%rax),%rax */
	const uint8_t wanted[] = {0x48, 0x8b, 0x47, 16, 0x48, is_number ? 0x63 : 0x8b, 0x40, off};

	return !memcmp(skip_mark(code), wanted, sizeof(wanted));
}

/*
 * In 3.1 that is, with any register for the context:
 *
 *	48 8b 73 10	mov  0x10(%rbx),%rsi
 *	48 89 df	mov  %rbx,%rdi
 *	ff d0		call *%rax
 */
bool host_code_calls_yjit(const uint8_t *code, uint64_t size)
{
	for (uint64_t i = 0; i + 9 <= size; i++)
		if ((code[i] & 0xfe) == 0x48 && code[i + 1] == 0x8b &&
		    (code[i + 2] & 0xf8) == 0x70 && code[i + 3] == 0x10 &&
		    (code[i + 4] & 0xfb) == 0x48 && code[i + 5] == 0x89 &&
		    (code[i + 6] & 0xc7) == 0xc7 && code[i + 7] == 0xff &&
		    (code[i + 8] & 0xf8) == 0xd0)
			return true;
	return false;
}

bool host_python_key(uint32_t minor, int32_t *key)
{
	(void)minor, (void)key;
	return true;
}

bool host_perl_numbers(uint8_t minor, struct host_perl *perl)
{
	(void)minor, (void)perl;
	return true;
}
