/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel and the C library have settled for the architecture of this host, in macros:
 *
 * - HOST_MACHINE: e_machine of the files whose code can be unwound.
 * - HOST_AUDIT_ARCH: what seccomp calls its system calls.
 * - HOST_LIBRARY_FLAGS: of the libraries for 64-bit code in glibc's ld.so.cache.
 * - HOST_INTERRUPT_NAMES: how the names of the code begin that interrupts enter. Exceptions have
 *   other names, because a task causes them itself.
 * - HOST_REPEATS_CALLS: 1 if a stopped thread can be made to repeat a system call that the stop has
 *   cut short, so that profrec may stop threads; else 0.
 * - HOST_TLS_ABOVE: 0 if the variables of an executable's threads end at the thread pointer; else
 *   they begin so many bytes above it.
 * - HOST_TPOFF, HOST_DTPMOD, HOST_TLSDESC: relocations of variables that threads have.
 */
#ifndef RECORD_HOST_HOST_ABI_H
#define RECORD_HOST_HOST_ABI_H

#if defined(__x86_64__)
#include "record/host/host_abi_x86_64.h"
#elif defined(__aarch64__)
#include "record/host/host_abi_aarch64.h"
#else
#error "profrec does not know this architecture"
#endif

#endif
