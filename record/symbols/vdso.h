/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vdso: code that the kernel maps into every process, like a file, but no file system has it.
 * All processes of one architecture share one vdso. So the recorder reads its own.
 */
#ifndef RECORD_SYMBOLS_VDSO_H
#define RECORD_SYMBOLS_VDSO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/buildid.h"
#include "common/vec.h"

struct vdso_symbol {
	uint64_t off, size; /* in the image */
	const char *name;   /* in struct vdso's names */
	bool is_weak;
};

/* All zero: none is known. */
struct vdso {
	struct build_id build_id;
	size_t size;                     /* bytes of the image, as it is mapped */
	VEC(struct vdso_symbol) symbols; /* sorted by offset, one for each */
	char *names;
};

/*
 * Reads an image: a 64-bit ELF file of @size bytes whose symbols are functions of .dynsym. Returns
 * 0, -ENOEXEC when it is no such file, or -ENOMEM. vdso_deinit is due in every case.
 */
int vdso_read(struct vdso *vdso, const void *image, size_t size);

/* Reads the vdso of this process. Without one @vdso stays empty. Returns 0 or -ENOMEM. */
int vdso_load(struct vdso *vdso);

/* Is the vdso that a process maps at [start, end) this one? A vdso of 32 bits lies low. */
bool vdso_is_same(const struct vdso *vdso, uint64_t start, uint64_t end);

/* The symbol that covers @off, or NULL. */
const struct vdso_symbol *vdso_lookup(const struct vdso *vdso, uint64_t off);

void vdso_deinit(struct vdso *vdso);

#endif
