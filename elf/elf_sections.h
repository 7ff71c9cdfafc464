/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The sections of an ELF file. A program runs without their headers, and some tools take them away
 * (sstrip, packers). What the loader or the runtime needs is there nevertheless, and the program
 * headers lead to it. So a file without usable headers gets sections that are made from these:
 * .dynsym, .dynstr, .rela.dyn, .rela.plt, .eh_frame_hdr, .eh_frame and .gopclntab.
 */
#ifndef ELF_ELF_SECTIONS_H
#define ELF_ELF_SECTIONS_H

#include "elf/elf_image.h"

/*
 * Opens the file at @fd as elf_image_open_segments, and reads the headers of its sections or makes
 * them. Damaged ones are as good as none. Returns 0, -ENOEXEC (damaged program headers, or no
 * 64-bit ELF file), -EFBIG (beyond a limit), -ENOMEM, or a failing read's errno. The caller calls
 * elf_image_close in either case.
 */
int elf_sections_open(int fd, struct elf_image *elf);

#endif
