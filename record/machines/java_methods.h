/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the names and lines of a method of Java from the memory of its process. The process may
 * write anything there: names and tables have limits, and nothing of them is believed. Runs in the
 * looker.
 */
#ifndef RECORD_MACHINES_JAVA_METHODS_H
#define RECORD_MACHINES_JAVA_METHODS_H

#include "record/machines/java_scopes.h"
#include "record/languages/source_function.h"

/* The word of the Method at @method, as in a stack; 0: it cannot be read. */
uint64_t java_method_word(const struct java_code *code, uint64_t method);

/* Reads the Method at @addr. Returns 0, -EFAULT, or -EBADMSG if it has no names. */
int java_method_read(const struct java_code *code, uint64_t addr, struct machine_function *method);

#endif
