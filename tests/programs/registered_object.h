/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Makes a function and registers it with GDB's JIT interface, as LLVM's compilers do: linked in
 * memory, with an object that is not linked but for the addresses of its sections. x86-64 only.
 */
#ifndef TESTS_PROGRAMS_REGISTERED_OBJECT_H
#define TESTS_PROGRAMS_REGISTERED_OBJECT_H

#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* From the code to its table in memory. */
#define FRAMES_OFF 1024

struct jit_code_entry {
	struct jit_code_entry *next, *prev;
	const void *symfile_addr;
	uint64_t symfile_size;
};

struct jit_descriptor {
	uint32_t version, action_flag;
	struct jit_code_entry *relevant_entry, *first_entry;
};

/* As the compiler links it in memory. */
struct frames {
	uint8_t cie[24];
	uint32_t length, to_cie;
	int32_t start;
	uint32_t size;
	uint8_t program[8];
	uint32_t end;
} __attribute__((packed));

static const uint8_t cie[] = {20, 0,    0,  0, 0,    0,    0, 0, 1,    'z', 'R', 0,
			      1,  0x78, 16, 1, 0x1b, 0x0c, 7, 8, 0x90, 1,   0,   0};

/* sub $bytes, %rsp; call *%rdi; add $bytes, %rsp; ret */
static const uint8_t code[] = {0x48, 0x83, 0xec, 0, 0xff, 0xd7, 0x48, 0x83, 0xc4, 0, 0xc3};

enum { NONE, TEXT, FRAMES, SYMBOLS, STRINGS, NAMES, NR_SECTIONS };

/* The object that the compiler has made: not linked, but for the addresses of sections. */
struct object {
	Elf64_Ehdr header;
	Elf64_Shdr sections[NR_SECTIONS];
	struct frames frames;
	char names[64], strings[64];
	Elf64_Sym symbols[2];
};

static inline void make_section(struct object *object, int i, const char *name, uint32_t type,
				size_t off, size_t size)
{
	size_t at = i * 10;

	strcpy(object->names + at, name);
	object->sections[i] =
		(Elf64_Shdr){.sh_name = at, .sh_type = type, .sh_offset = off, .sh_size = size};
}

static inline void make_object(struct object *object, const char *name, uint8_t *memory)
{
	const size_t frames = offsetof(struct object, frames);

	strcpy(object->strings + 1, name);
	make_section(object, TEXT, ".text", SHT_NOBITS, frames, sizeof(code));
	make_section(object, FRAMES, ".eh_frame", SHT_PROGBITS, frames, sizeof(object->frames));
	make_section(object, SYMBOLS, ".symtab", SHT_SYMTAB, offsetof(struct object, symbols),
		     sizeof(object->symbols));
	make_section(object, STRINGS, ".strtab", SHT_STRTAB, offsetof(struct object, strings),
		     sizeof(object->strings));
	make_section(object, NAMES, ".names", SHT_STRTAB, offsetof(struct object, names),
		     sizeof(object->names));
	object->sections[TEXT].sh_flags = SHF_ALLOC | SHF_EXECINSTR;
	object->sections[TEXT].sh_addr = (uintptr_t)memory;
	object->sections[FRAMES].sh_flags = SHF_ALLOC;
	object->sections[FRAMES].sh_addr = (uintptr_t)memory + FRAMES_OFF;
	object->sections[SYMBOLS].sh_link = STRINGS;
	object->sections[SYMBOLS].sh_entsize = sizeof(*object->symbols);
	object->symbols[1] = (Elf64_Sym){.st_name = 1,
					 .st_info = ELF64_ST_INFO(STB_GLOBAL, STT_FUNC),
					 .st_shndx = TEXT,
					 .st_size = sizeof(code)};
	object->header = (Elf64_Ehdr){.e_ident = {0x7f, 'E', 'L', 'F', ELFCLASS64, ELFDATA2LSB, 1},
				      .e_type = ET_REL,
				      .e_machine = EM_X86_64,
				      .e_version = EV_CURRENT,
				      .e_shoff = offsetof(struct object, sections),
				      .e_shentsize = sizeof(Elf64_Shdr),
				      .e_shnum = NR_SECTIONS,
				      .e_shstrndx = NAMES};
}

/* Compiles a function with a frame of @bytes to @memory, as @name in the object. */
static inline void compile_object(struct object *object, const char *name, uint8_t *memory,
				  uint8_t bytes)
{
	struct frames frames = {.length = 24,
				.to_cie = 28,
				.start = -(FRAMES_OFF + (int)offsetof(struct frames, start)),
				.size = sizeof(code),
				/* After 4 bytes, CFA is rsp + bytes + 8; after 6 more, rsp + 8. */
				.program = {0, 0x44, 0x0e, bytes + 8, 0x46, 0x0e, 8, 0}};

	memcpy(frames.cie, cie, sizeof(cie));
	memcpy(memory, code, sizeof(code));
	memory[3] = memory[9] = bytes;
	memcpy(memory + FRAMES_OFF, &frames, sizeof(frames));
	make_object(object, name, memory);
}

#endif
