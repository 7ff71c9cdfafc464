// SPDX-License-Identifier: GPL-2.0-or-later
#include "tests/fuzz/made_elf.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static void put(int fd, const void *bytes, size_t len, off_t at)
{
	if (pwrite(fd, bytes, len, at) != (ssize_t)len)
		abort();
}

int made_file(const void *bytes, size_t len)
{
	int fd = memfd_create("input", MFD_CLOEXEC);

	if (fd < 0)
		abort();
	put(fd, bytes, len, 0);
	return fd;
}

int made_elf(const Elf64_Phdr *load, const struct made_section *sections, size_t nr)
{
	char names[32 * (MADE_SECTIONS_MAX + 1)] = "";
	Elf64_Shdr sh[MADE_SECTIONS_MAX + 2] = {0};
	const Elf64_Ehdr eh = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			    EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = EM_X86_64,
		.e_version = EV_CURRENT,
		.e_ehsize = sizeof(eh),
		.e_phoff = sizeof(eh),
		.e_phentsize = sizeof(*load),
		.e_phnum = 1,
		.e_shoff = sizeof(eh) + sizeof(*load),
		.e_shentsize = sizeof(sh[0]),
		.e_shnum = nr + 2,
		.e_shstrndx = nr + 1,
	};
	uint64_t off = load->p_offset + load->p_filesz;
	size_t names_len = 1;
	int fd = made_file(&eh, sizeof(eh));

	if (nr > MADE_SECTIONS_MAX)
		abort();
	if (off < eh.e_shoff + sizeof(sh))
		off = eh.e_shoff + sizeof(sh);
	for (size_t i = 0; i < nr; i++) {
		sh[i + 1] = (Elf64_Shdr){
			.sh_name = names_len,
			.sh_type = sections[i].type,
			.sh_addr = sections[i].vaddr,
			.sh_offset = off,
			.sh_size = sections[i].size,
			.sh_entsize = sections[i].entry_bytes,
			.sh_link = sections[i].link,
		};
		names_len += strlen(strcpy(names + names_len, sections[i].name)) + 1;
		if (sections[i].size)
			put(fd, sections[i].bytes, sections[i].size, off);
		off += sections[i].size;
	}
	sh[nr + 1] = (Elf64_Shdr){.sh_type = SHT_STRTAB, .sh_offset = off, .sh_size = names_len};
	put(fd, names, names_len, off);
	put(fd, load, sizeof(*load), eh.e_phoff);
	put(fd, sh, (nr + 2) * sizeof(sh[0]), eh.e_shoff);
	return fd;
}
