/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who pays for a file in the pools of names: its slot, its bytes and its CPU time. That is the user
 * of a process that maps it. So nobody takes the room of others by mapping files of root.
 */
#ifndef RECORD_SYMBOLS_NAMES_PAYER_H
#define RECORD_SYMBOLS_NAMES_PAYER_H

#include <stdbool.h>
#include <stdint.h>

struct file_place;
struct names_budget;
struct shares;

/* Who pays for a file of @owner because of the process of @place. */
uint32_t names_payer_of(const struct file_place *place, uint32_t owner);

/*
 * Should @uid pay for a file in place of @payer, since both map it? Root pays for what its
 * processes map. Then come users with CPU time left, and then those with few of the @slots: what
 * one user has used up takes nothing from another who maps the same file.
 */
bool names_payer_is_better(const struct shares *slots, const struct names_budget *budget,
			   uint32_t uid, uint32_t payer);

#endif
