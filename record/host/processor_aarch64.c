// SPDX-License-Identifier: GPL-2.0-or-later
#include <stdio.h>

#include "record/host/processor.h"

/* Implementer, variant, part and revision, as a number: the kernel has no names for them. */
#define MIDR_FILE "/sys/devices/system/cpu/cpu0/regs/identification/midr_el1"

void processor_read(char model[PROCESSOR_MODEL_SIZE], char hypervisor[PROCESSOR_HYPERVISOR_SIZE])
{
	FILE *f = fopen(MIDR_FILE, "re");
	unsigned long long midr;

	(void)hypervisor;
	if (!f)
		return;
	if (fscanf(f, "%llx", &midr) == 1)
		snprintf(model, PROCESSOR_MODEL_SIZE, "midr_el1 %#llx", midr);
	fclose(f);
}
