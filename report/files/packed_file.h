/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Files that are packed as a whole, as distributions pack modules of the kernel: by xz, zstd or
 * gzip. They are anybody's, so the unpacked bytes and the memory of the decoder are limited.
 */
#ifndef REPORT_FILES_PACKED_FILE_H
#define REPORT_FILES_PACKED_FILE_H

#include "elf/elffile.h"

/*
 * Unpacks the file at @fd into memory, which *@unpacked then is a descriptor of. The unpacked bytes
 * are charged to @budget (NULL: none). Returns 0, -ENOMEM, or -EIO: not packed in a known way,
 * damaged, or too large.
 */
int packed_file_unpack(int fd, struct file_budget *budget, int *unpacked);

#endif
