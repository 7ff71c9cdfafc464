/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers of HotSpot's debug information (unsigned5.hpp). A number takes one to five bytes,
 * and each gives six bits more. A byte below a limit is the last one. From version 20 on no byte is
 * zero, and each counts one less. Runs in the looker.
 */
#ifndef RECORD_MACHINES_UNSIGNED5_H
#define RECORD_MACHINES_UNSIGNED5_H

#include <stdbool.h>
#include <stdint.h>

/* The first version of HotSpot that writes no zero bytes. */
#define UNSIGNED5_WITHOUT_ZEROS 20

struct unsigned5 {
	const uint8_t *at, *end;
	uint8_t least; /* the byte that stands for 0: 0 or 1 */
};

/* The numbers in [@at, @end) as HotSpot @version writes them. */
static inline struct unsigned5 unsigned5_of(const uint8_t *at, const uint8_t *end, uint32_t version)
{
	return (struct unsigned5){at, end, version >= UNSIGNED5_WITHOUT_ZEROS};
}

/* Reads a number. Returns false if it does not end, or has a byte that cannot be. */
static inline bool unsigned5_read(struct unsigned5 *in, uint32_t *value)
{
	const uint32_t last = 192; /* below it, a byte ends the number */
	uint32_t sum = 0;

	for (uint32_t i = 0; i < 5; i++) {
		uint8_t byte;

		if (in->at == in->end || *in->at < in->least)
			return false;
		byte = *in->at++;
		sum += (uint32_t)(byte - in->least) << (6 * i);
		if (byte < last || i == 4)
			break;
	}
	*value = sum;
	return true;
}

/* The signed number that was written as @value: its sign is in the lowest bit. */
static inline int32_t unsigned5_signed(uint32_t value)
{
	return (int32_t)(value >> 1 ^ -(value & 1));
}

#endif
