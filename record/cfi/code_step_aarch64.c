// SPDX-License-Identifier: GPL-2.0-or-later
/* Code is not read yet. Functions without tables are left along x29. */
#include "record/cfi/code_step.h"

bool code_steps_are_known(void)
{
	return false;
}

struct code_state code_state_at_entry(void)
{
	return (struct code_state){0};
}

bool code_step(const uint8_t *code, size_t size, uint64_t addr, struct code_state *state,
	       struct code_step *step)
{
	(void)code, (void)size, (void)addr, (void)state, (void)step;
	return false;
}

uint32_t code_padding(const uint8_t *code, size_t size)
{
	(void)code, (void)size;
	return 0;
}

size_t code_find_handler_return(const uint8_t *code, size_t size, size_t from, uint32_t *bytes)
{
	(void)code, (void)from, (void)bytes;
	return size;
}

size_t code_find_plt_header(const uint8_t *code, size_t size, size_t from, struct code_state *state)
{
	(void)code, (void)from;
	*state = code_state_at_entry();
	return size;
}
