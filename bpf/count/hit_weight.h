/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The weight of a hit: an argument of the function, or a field of the tracepoint. The verifier
 * allows reads of a tracepoint's record at constant offsets only. So there is a read for every
 * place that a field can be at, and the verifier removes the reads after the last field that is
 * wanted.
 */
#ifndef BPF_COUNT_HIT_WEIGHT_H
#define BPF_COUNT_HIT_WEIGHT_H

#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#include "bpf/kernel.h"
#include "bpf/setting.h"
#include "bpf/shared.h"
#include "bpf/walk/user_registers.h"

/* Set before load: where the last field ends that is a weight. */
__setting __u32 fields_end;

struct {
	__uint(type, BPF_MAP_TYPE_ARRAY);
	__uint(max_entries, 1); /* the events, set before load */
	__type(key, __u32);
	__type(value, struct weight);
} weights SEC(".maps");

#ifdef __bpf__
#define LOAD_FIELD(type, off)                                                                      \
	asm volatile("%0 = *(" #type " *)(%1 + %2)" : "=r"(v) : "r"(ctx), "i"(off))
#else
#define LOAD_FIELD(type, off) (void)(ctx) /* the recorder's own program has no tracepoints */
#endif
#define FIELD(type, bytes, off)                                                                    \
	if ((off) + (bytes) <= fields_end && w->at == (off) && w->size == (bytes)) {               \
		LOAD_FIELD(type, off);                                                             \
		return v;                                                                          \
	}
#define FIELDS4(type, bytes, off)                                                                  \
	FIELD(type, bytes, off)                                                                    \
	FIELD(type, bytes, (off) + (bytes))                                                        \
	FIELD(type, bytes, (off) + 2 * (bytes))                                                    \
	FIELD(type, bytes, (off) + 3 * (bytes))
#define FIELDS16(type, bytes, off)                                                                 \
	FIELDS4(type, bytes, off)                                                                  \
	FIELDS4(type, bytes, (off) + 4 * (bytes))                                                  \
	FIELDS4(type, bytes, (off) + 8 * (bytes))                                                  \
	FIELDS4(type, bytes, (off) + 12 * (bytes))

/* The field of the record at @ctx. Its first 8 bytes are the kernel's own. */
static __always_inline __u64 field_of(void *ctx, const struct weight *w)
{
	__u64 v = 0;

	FIELDS16(u64, 8, 8)
	FIELDS16(u32, 4, 8)
	FIELDS16(u32, 4, 72)
	FIELDS16(u16, 2, 8)
	FIELDS16(u16, 2, 40)
	FIELDS16(u8, 1, 8)
	FIELDS16(u8, 1, 24)
	FIELDS16(u8, 1, 40)
	FIELDS16(u8, 1, 56)
	return v;
}

/* A negative number becomes a large one, which no sum takes. */
static __always_inline __u64 extend(__u64 v, const struct weight *w)
{
	__u32 unused = 64 - 8 * (w->size & 15);

	if (!unused || unused >= 64)
		return v;
	v <<= unused;
	return w->is_signed ? (__u64)((__s64)v >> unused) : v >> unused;
}

#endif
