/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the architecture of the recorded host decides, for the BPF programs and the recorder. Each
 * architecture has a header of these names, and bpf/kernel_ARCH.h, bpf/walk/unwind_step_ARCH.h and
 * bpf/walk/user_registers_ARCH.h.
 */
#ifndef BPF_HOST_ARCH_H
#define BPF_HOST_ARCH_H

#if defined(__TARGET_ARCH_x86) || defined(__x86_64__)
#include "bpf/host_arch_x86_64.h"
#elif defined(__TARGET_ARCH_arm64) || defined(__aarch64__)
#include "bpf/host_arch_aarch64.h"
#else
#error "profrec does not know this architecture"
#endif

/* What lies in one of these lies in one page of any host: larger pages are multiples of it. */
#define PAGE_BYTES 4096

#endif
