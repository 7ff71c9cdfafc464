// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/elf_image.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "common/io.h"

#define SECTION_BYTES_MAX (512u << 20)

int elf_image_read(const struct elf_image *elf, uint64_t off, void *buf, size_t len)
{
	ssize_t n;

	if (off > elf->size || len > elf->size - off)
		return -ENOEXEC;
	n = io_pread(elf->fd, buf, len, off);
	if (n < 0)
		return n;
	return (size_t)n == len ? 0 : -ENOEXEC; /* else cut short meanwhile */
}

/* Reads @len bytes at @off into new memory, with a NUL after them. */
static int read_new(const struct elf_image *elf, uint64_t off, size_t len, void *buf)
{
	char *p;
	int ret;

	if (off > elf->size || len > elf->size - off)
		return -ENOEXEC;
	if (len > SECTION_BYTES_MAX)
		return -EFBIG;
	p = malloc(len + 1);
	if (!p)
		return -ENOMEM;
	ret = elf_image_read(elf, off, p, len);
	if (ret) {
		free(p);
		return ret;
	}
	p[len] = '\0';
	*(void **)buf = p;
	return 0;
}

int elf_image_open_segments(int fd, struct elf_image *elf)
{
	const unsigned char *ident = elf->header.e_ident;
	struct stat st;
	int ret;

	*elf = (struct elf_image){.fd = fd};
	if (fstat(fd, &st))
		return -errno;
	elf->size = st.st_size;
	ret = elf_image_read(elf, 0, &elf->header, sizeof(elf->header));
	if (ret)
		return ret;
	if (memcmp(ident, ELFMAG, SELFMAG) != 0 || ident[EI_CLASS] != ELFCLASS64 ||
	    ident[EI_DATA] != ELFDATA2LSB || elf->header.e_phentsize != sizeof(Elf64_Phdr))
		return -ENOEXEC;
	return read_new(elf, elf->header.e_phoff, elf->header.e_phnum * sizeof(Elf64_Phdr),
			&elf->segments);
}

void elf_image_close(struct elf_image *elf)
{
	free(elf->segments);
	free(elf->sections);
	free(elf->names);
	*elf = (struct elf_image){.fd = -1};
}

const char *elf_image_section_name(const struct elf_image *elf, const Elf64_Shdr *section)
{
	return elf->names && section->sh_name < elf->names_size ? elf->names + section->sh_name
								: "";
}

const Elf64_Shdr *elf_image_find_section(const struct elf_image *elf, const char *name)
{
	for (size_t i = 0; i < elf->nr_sections; i++)
		if (elf->sections[i].sh_type != SHT_NOBITS &&
		    !strcmp(elf_image_section_name(elf, &elf->sections[i]), name))
			return &elf->sections[i];
	return NULL;
}

int elf_image_read_section(const struct elf_image *elf, const Elf64_Shdr *section, void *bytes)
{
	if (section->sh_type == SHT_NOBITS)
		return -ENOEXEC;
	return read_new(elf, section->sh_offset, section->sh_size, bytes);
}

bool elf_image_find_offset(const struct elf_image *elf, uint64_t vaddr, uint32_t flags,
			   uint64_t *off)
{
	for (size_t i = 0; i < elf->header.e_phnum; i++) {
		const Elf64_Phdr *ph = &elf->segments[i];

		if (ph->p_type != PT_LOAD || (ph->p_flags & flags) != flags ||
		    vaddr < ph->p_vaddr || vaddr - ph->p_vaddr >= ph->p_filesz ||
		    ph->p_offset >= elf->size || vaddr - ph->p_vaddr >= elf->size - ph->p_offset)
			continue;
		*off = vaddr - ph->p_vaddr + ph->p_offset;
		return true;
	}
	return false;
}
