/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The place of the kernel's code in its files. Offsets in a recording count from _stext, and those
 * of a module from its load address. So it does not matter where the kernel of the host was
 * (KASLR).
 *
 * vmlinux has the symbol _stext. The file of a module has sections without addresses. The kernel
 * lays them out when it loads the module, in a way that follows from the headers alone. The symbols
 * in the recording tell whether this was so.
 */
#ifndef REPORT_SYMBOLS_KERNEL_LAYOUT_H
#define REPORT_SYMBOLS_KERNEL_LAYOUT_H

#include "report/model/model.h"
#include "report/symbols/elf_pairs.h"

/* Offset @off of the object, below @size, is address @start + @off in the files. All zero: none. */
struct kernel_layout {
	uint64_t start, size;
};

/*
 * Finds the layout of @object, the kernel or a module, in the files of @elf. Gives the sections of
 * a module their addresses. Leaves @layout all zero if that is not certain. Returns 0 or -ENOMEM.
 */
int kernel_layout_find(struct elf_pair *elf, const struct model *model, uint32_t object,
		       struct kernel_layout *layout);

#endif
