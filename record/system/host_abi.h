/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel and the C library have settled for the architecture of this host, in macros:
 *
 *	HOST_MACHINE		e_machine of the files whose code can be unwound
 *	HOST_AUDIT_ARCH		what seccomp calls its system calls
 *	HOST_LIBRARY_FLAGS	of the libraries for 64-bit code in glibc's ld.so.cache
 *	HOST_INTERRUPT_NAMES	beginnings of the names of the code that interrupts enter;
 *exceptions have others, because a task causes them itself
 */
#ifndef RECORD_SYSTEM_HOST_ABI_H
#define RECORD_SYSTEM_HOST_ABI_H

#if defined(__x86_64__)
#include "record/system/host_abi_x86_64.h"
#else
#error "profrec does not know this architecture"
#endif

#endif
