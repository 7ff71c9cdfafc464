/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The registers with which user space entered the kernel, by architecture. */
#ifndef BPF_WALK_USER_REGISTERS_H
#define BPF_WALK_USER_REGISTERS_H

#include "bpf/host_arch.h"

#ifdef BPF_HOST_ARCH_X86_64_H
#include "bpf/walk/user_registers_x86_64.h"
#endif
#ifdef BPF_HOST_ARCH_AARCH64_H
#include "bpf/walk/user_registers_aarch64.h"
#endif

#endif
