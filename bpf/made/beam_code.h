/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the instructions that BEAM's compiler makes, one after the other: how long each is, and
 * what it does to the stack. The compiler uses a small part of x86-64, and that alone is known
 * here.
 */
#ifndef BPF_MADE_BEAM_CODE_H
#define BPF_MADE_BEAM_CODE_H

#include <stdbool.h>
#include <linux/types.h>

#include "bpf/made/language_machines.h"

#ifndef __always_inline
#define __always_inline inline __attribute__((always_inline))
#endif

enum beam_instruction {
	BEAM_PLAIN,          /* goes on after it, with the same stack */
	BEAM_GROWS,          /* changes rsp by a number */
	BEAM_RESTORES_RBP,   /* mov rsp, rbp */
	BEAM_RESTORES_SAVE,  /* mov rsp, [r13 + n], the stack that the process has saved */
	BEAM_RESTORES_FRAME, /* mov rbp, [r13 + n], as well */
	BEAM_LEAVES,         /* a call of made code, or nothing leads from it to the next one */
	BEAM_RETURNS,        /* of these, ret */
	BEAM_DROPS_FRAME,    /* leave; only code with frame pointers has it */
	BEAM_UNKNOWN,
};

static __always_inline __u8 beam_byte(const struct beam_scratch *s, __u32 at)
{
	return s->code[at & (BEAM_CODE_SIZE - 1)];
}

/* The bytes of an operand whose first one is at @at. */
static __always_inline __u32 beam_operand(const struct beam_scratch *s, __u32 at)
{
	__u8 modrm = beam_byte(s, at), mode = modrm >> 6, base = modrm & 7;
	__u32 bytes = 1;

	if (mode == 3)
		return 1;
	if (base == 4) {
		base = beam_byte(s, at + 1) & 7;
		bytes = 2;
	}
	if (mode == 1)
		return bytes + 1;
	return mode == 2 || base == 5 ? bytes + 4 : bytes;
}

/* The instruction takes the operand at @at and @more bytes. */
static __always_inline void beam_take(struct beam_scratch *s, __u32 at, __u32 more)
{
	s->bytes = at + beam_operand(s, at) + more - s->at;
}

static __always_inline __s32 beam_number(const struct beam_scratch *s, __u32 at)
{
	return beam_byte(s, at) | beam_byte(s, at + 1) << 8 | beam_byte(s, at + 2) << 16 |
	       (__u32)beam_byte(s, at + 3) << 24;
}

/* An instruction of two bytes, 0f and @code; its operand would be at @at. */
static __always_inline void beam_long_code(struct beam_scratch *s, __u8 code, __u32 at)
{
	if (code >= 0x80 && code <= 0x8f) /* a jump on a condition */
		s->bytes = at + 4 - s->at;
	else if (code == 0x0b)
		s->kind = BEAM_LEAVES;
	else if (code == 0xba || code == 0x70 || code == 0xc6)
		beam_take(s, at, 1);
	else if ((code >= 0x10 && code <= 0x1f) || (code >= 0x28 && code <= 0x2f) ||
		 (code >= 0x40 && code <= 0x6f) || (code >= 0x7e && code <= 0x7f) ||
		 (code >= 0x90 && code <= 0x9f) || (code >= 0xaf && code <= 0xbf) || code == 0xd6)
		beam_take(s, at, 0);
	else
		s->kind = BEAM_UNKNOWN;
}

/* An instruction of AVX. Its code is at @at, and those with @map 3 have a byte at the end. */
static __always_inline void beam_vector(struct beam_scratch *s, __u8 map, __u32 at)
{
	__u8 code = beam_byte(s, at);

	if (map == 1 && (code & 0xf0) != 0x70 && (code & 0xf0) != 0xc0)
		beam_take(s, at + 1, 0);
	else if (map == 3)
		beam_take(s, at + 1, 1);
	else
		s->kind = BEAM_UNKNOWN;
}

/* add and sub of a number, at @at + 1, to rsp or something else. */
static __always_inline void beam_add_number(struct beam_scratch *s, __u32 at, bool is_byte)
{
	__s64 number = is_byte ? (__s8)beam_byte(s, at + 1) : beam_number(s, at + 1);
	__u8 modrm = beam_byte(s, at);

	beam_take(s, at, is_byte ? 1 : 4);
	if (beam_byte(s, s->at) != 0x48 || (modrm & 0xc7) != 0xc4)
		return;
	if (modrm == 0xec)
		s->grown += number;
	else if (modrm == 0xc4)
		s->grown -= number;
	s->kind = modrm == 0xec || modrm == 0xc4 ? BEAM_GROWS
		  : modrm == 0xfc                ? BEAM_PLAIN
						 : BEAM_UNKNOWN;
}

/* Instructions that move a word, or calculate with registers; the operand is at @at. */
static __always_inline void beam_move(struct beam_scratch *s, __u8 rex, __u8 code, __u32 at)
{
	__u8 modrm = beam_byte(s, at);

	beam_take(s, at, 0);
	if (code == 0x89 && rex == 0x48 && modrm == 0xec)
		s->kind = BEAM_RESTORES_RBP;
	else if (code == 0x8b && rex == 0x49 && modrm == 0x65)
		s->kind = BEAM_RESTORES_SAVE;
	else if (code == 0x8b && rex == 0x49 && modrm == 0x6d)
		s->kind = BEAM_RESTORES_FRAME;
	else if (code == 0x89 && !(rex & 1) && (modrm & 0xc7) == 0xc4)
		s->kind = BEAM_UNKNOWN;
	else if (code == 0x8b && !(rex & 4) && (modrm & 0x38) == 0x20)
		s->kind = BEAM_UNKNOWN;
}

/* ff: a call of C code through a word near by, or inc and dec. */
static __always_inline void beam_group(struct beam_scratch *s, __u32 at)
{
	__u8 modrm = beam_byte(s, at);

	beam_take(s, at, 0);
	if (modrm != 0x15 && (modrm >> 3 & 7) > 1)
		s->kind = BEAM_LEAVES;
}

/* An instruction of one byte, @code, after prefix @rex. The next byte is at @at. */
static __always_inline void beam_short_code(struct beam_scratch *s, __u8 rex, __u8 code, __u32 at)
{
	if (code == 0x81 || code == 0x83)
		beam_add_number(s, at, code == 0x83);
	else if (code == 0xff)
		beam_group(s, at);
	else if (code == 0xe8 || code == 0xe9 || code == 0xeb)
		s->kind = BEAM_LEAVES;
	else if (code == 0xc3)
		s->kind = BEAM_RETURNS;
	else if (code == 0xc9)
		s->kind = BEAM_DROPS_FRAME;
	else if (code >= 0x70 && code <= 0x7f) /* a jump on a condition */
		s->bytes = at + 1 - s->at;
	else if (code >= 0xb8 && code <= 0xbf)
		s->bytes = at + (rex & 8 ? 8 : 4) - s->at;
	else if (code == 0x90 || code == 0xab || code == 0x98 || code == 0x99)
		s->bytes = at - s->at;
	else if (code == 0xc7 || code == 0x69)
		beam_take(s, at, 4);
	else if (code == 0xc6 || code == 0xc1 || code == 0xc0 || code == 0x80 || code == 0x6b)
		beam_take(s, at, 1);
	else if (code == 0xf6 || code == 0xf7)
		beam_take(s, at, beam_byte(s, at) & 0x38 ? 0 : code == 0xf7 ? 4 : 1);
	else if (code < 0x40 && (code & 7) == 4)
		s->bytes = at + 1 - s->at;
	else if (code < 0x40 && (code & 7) == 5)
		s->bytes = at + 4 - s->at;
	else if (code == 0xa8 || (code >= 0xb0 && code <= 0xb7))
		s->bytes = at + 1 - s->at;
	else if (code == 0xa9)
		s->bytes = at + 4 - s->at;
	else if ((code && code < 0x40 && (code & 7) < 4) || code == 0x63 ||
		 (code >= 0x84 && code <= 0x8d) || code == 0xd1 || code == 0xd3)
		beam_move(s, rex, code, at);
	else
		s->kind = BEAM_UNKNOWN;
}

/*
 * Sets the kind and the bytes of the instruction at s->at. Only numbers with 16 bits are unknown.
 */
static __always_inline void beam_read_instruction(struct beam_scratch *s)
{
	__u32 at = s->at;
	__u8 code = beam_byte(s, at), rex = 0;

	s->kind = BEAM_PLAIN;
	s->bytes = 1;
	if (code == 0x66 || code == 0xf2 || code == 0xf3) {
		code = beam_byte(s, ++at);
		if (code == 0xc7 || code == 0x81 || code == 0x83) {
			s->kind = BEAM_UNKNOWN;
			return;
		}
	}
	if ((code & 0xf0) == 0x40) {
		rex = code;
		code = beam_byte(s, ++at);
	}
	at++;
	if (code == 0x0f)
		beam_long_code(s, beam_byte(s, at), at + 1);
	else if (code == 0xc5)
		beam_vector(s, 1, at + 1);
	else if (code == 0xc4)
		beam_vector(s, beam_byte(s, at) & 31, at + 2);
	else
		beam_short_code(s, rex, code, at);
}

#endif
