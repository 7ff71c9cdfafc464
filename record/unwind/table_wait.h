/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The wait for unwind tables that the child makes. */
#ifndef RECORD_UNWIND_TABLE_WAIT_H
#define RECORD_UNWIND_TABLE_WAIT_H

#include "record/unwind/file_tables.h"

/*
 * Waits for the tables that the first child makes, and takes them over: @ms milliseconds at most,
 * or five times as long where the child waits for a processor. Returns 0 or -ENOMEM.
 */
int table_wait(struct file_tables *tables, int ms);

/*
 * The same for all tables, before sampling begins, when no samples ask again. @ask asks for what
 * nobody has asked for yet, or in vain since the child has died or had no place. Ends when @ask has
 * asked for nothing. Returns 0, -ENOMEM, or what @ask returns.
 */
int table_wait_asking(struct file_tables *tables, int ms, int (*ask)(void *ctx), void *ctx);

#endif
