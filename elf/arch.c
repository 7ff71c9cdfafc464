// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf/arch.h"

#include "common/cleanup.h"

static const struct elf_arch *const arches[] = {&elf_arch_x86_64, &elf_arch_aarch64};

const struct elf_arch *elf_arch_find(uint16_t machine)
{
	for (size_t i = 0; i < ARRAY_SIZE(arches); i++)
		if (arches[i]->machine == machine)
			return arches[i];
	return NULL;
}

bool elf_arch_is_slot(const struct elf_arch *arch, uint32_t type)
{
	return arch &&
	       (type == arch->jump_slot || type == arch->data_slot || type == arch->chosen_slot);
}

size_t elf_arch_relocation_width(const struct elf_arch *arch, uint32_t type)
{
	if (!arch)
		return 0;
	if (type == arch->absolute_8)
		return 8;
	return type == arch->absolute_4 || type == arch->absolute_4_signed ? 4 : 0;
}
