// SPDX-License-Identifier: GPL-2.0-or-later
#include <cpuid.h>
#include <string.h>

#include "record/host/processor.h"

/* Leaves of cpuid: Intel SDM volume 2A, and the range that hypervisors share. */
#define LEAF_FEATURES      1
#define LEAF_HYPERVISOR    0x40000000u
#define LEAF_BRAND         0x80000002u
#define FEATURE_HYPERVISOR (1u << 31)

/* Asks the processor, since some kernels interrupt every processor for /proc/cpuinfo. */
void processor_read(char model[PROCESSOR_MODEL_SIZE], char hypervisor[PROCESSOR_HYPERVISOR_SIZE])
{
	unsigned int r[12] = {0}, a, b, c, d;

	if ((unsigned int)__get_cpuid_max(0x80000000u, NULL) >= LEAF_BRAND + 2) {
		for (unsigned int i = 0; i < 3; i++)
			__cpuid(LEAF_BRAND + i, r[4 * i], r[4 * i + 1], r[4 * i + 2], r[4 * i + 3]);
		memcpy(model, r, sizeof(r));
	}
	if (!__get_cpuid(LEAF_FEATURES, &a, &b, &c, &d) || !(c & FEATURE_HYPERVISOR))
		return;
	__cpuid(LEAF_HYPERVISOR, a, r[0], r[1], r[2]);
	memcpy(hypervisor, r, 12);
	if (!hypervisor[0])
		strcpy(hypervisor, "unnamed");
}
