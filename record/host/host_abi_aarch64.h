/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef RECORD_HOST_HOST_ABI_AARCH64_H
#define RECORD_HOST_HOST_ABI_AARCH64_H

#include <elf.h>
#include <linux/audit.h>

#define HOST_MACHINE    EM_AARCH64
#define HOST_AUDIT_ARCH AUDIT_ARCH_AARCH64

/* FLAG_ELF_LIBC6 | FLAG_AARCH64_LIB64 (glibc, sysdeps/generic/ldconfig.h). */
#define HOST_LIBRARY_FLAGS 0xa03

/* arch/arm64/kernel/entry.S */
#define HOST_INTERRUPT_NAMES "el0t_64_irq", "el1h_64_irq", "el0t_32_irq", "el0_irq", "el1_irq"

#define HOST_REPEATS_CALLS 0
#define HOST_TLS_ABOVE     16

#define HOST_TPOFF   R_AARCH64_TLS_TPREL
#define HOST_DTPMOD  R_AARCH64_TLS_DTPMOD
#define HOST_TLSDESC R_AARCH64_TLSDESC

#endif
