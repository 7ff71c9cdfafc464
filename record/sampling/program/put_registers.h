/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The registers of a sample, as the programs see them, by architecture. For program.c, which has
 * the types of the programs.
 */
#ifndef RECORD_SAMPLING_PROGRAM_PUT_REGISTERS_H
#define RECORD_SAMPLING_PROGRAM_PUT_REGISTERS_H

#if defined(__x86_64__)
#include "record/sampling/program/put_registers_x86_64.h"
#elif defined(__aarch64__)
#include "record/sampling/program/put_registers_aarch64.h"
#endif

#endif
