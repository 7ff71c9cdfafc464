/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RECORD_HOST_HOST_ABI_X86_64_H
#define RECORD_HOST_HOST_ABI_X86_64_H

#include <elf.h>
#include <linux/audit.h>

#define HOST_MACHINE    EM_X86_64
#define HOST_AUDIT_ARCH AUDIT_ARCH_X86_64

/* FLAG_ELF_LIBC6 | FLAG_X8664_LIB64 (glibc, sysdeps/generic/ldconfig.h). */
#define HOST_LIBRARY_FLAGS 0x303

/* arch/x86/include/asm/idtentry.h */
#define HOST_INTERRUPT_NAMES "asm_sysvec_", "asm_common_interrupt", "asm_spurious_interrupt"

#define HOST_REPEATS_CALLS 1
#define HOST_TLS_ABOVE     0

#define HOST_TPOFF   R_X86_64_TPOFF64
#define HOST_DTPMOD  R_X86_64_DTPMOD64
#define HOST_TLSDESC R_X86_64_TLSDESC

#endif
