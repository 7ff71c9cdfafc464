/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A variable that the recorder sets before it loads the programs. To the verifier it is a constant,
 * and code that it rules out costs nothing. Where the programs run in the recorder itself
 * (record/sampling/program/), it is a variable like others.
 */
#ifndef BPF_SETTING_H
#define BPF_SETTING_H

#ifdef __bpf__
#define __setting const volatile
#else
#define __setting
#endif

#endif
