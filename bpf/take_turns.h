/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops of code that the BPF programs share with others. The verifier goes through each turn of a
 * loop in C, with each way through the turn before. A function that bpf_loop calls costs it a few
 * turns, however many there are. The helper needs Linux 5.17, as all unwinding by tables does.
 */
#ifndef BPF_TAKE_TURNS_H
#define BPF_TAKE_TURNS_H

/* Calls @turn(0, @ctx), @turn(1, @ctx) and so on, @nr times at most, until it returns 1. */
#ifdef __bpf__
#include <linux/bpf.h>
#include <bpf/bpf_helpers.h>

#define take_turns(nr, turn, ctx) bpf_loop(nr, turn, ctx, 0)
#else
#define take_turns(nr, turn, ctx)                                                                  \
	do {                                                                                       \
		for (__u32 turn_ = 0; turn_ < (nr) && !turn(turn_, ctx);)                          \
			turn_++;                                                                   \
	} while (0)
#endif

#endif
