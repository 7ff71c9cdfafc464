/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the processor says of itself; processor_ARCH.c asks that of one architecture. */
#ifndef RECORD_HOST_PROCESSOR_H
#define RECORD_HOST_PROCESSOR_H

/* The model has 48 bytes at most, then a NUL. */
#define PROCESSOR_MODEL_SIZE      49
#define PROCESSOR_HYPERVISOR_SIZE 13

/*
 * The model of the processor and the hypervisor below it, as far as they are told. Both are ""
 * before the call.
 */
void processor_read(char model[PROCESSOR_MODEL_SIZE], char hypervisor[PROCESSOR_HYPERVISOR_SIZE]);

#endif
