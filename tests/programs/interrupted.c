// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * interrupted NR: NR times burns in the handler of a fault. The instruction that faults is the
 * first one of its function, right after another function that never runs.
 */
#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "tests/programs/burn.h"

void fault_at_once(volatile int *at);

__asm__(".text\n"
	".type never_called, @function\n"
	"never_called:\n"
	"	.cfi_startproc\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size never_called, .-never_called\n"
	".globl fault_at_once\n"
	".type fault_at_once, @function\n"
	"fault_at_once:\n"
	"	.cfi_startproc\n"
	"	movl $0, (%rdi)\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size fault_at_once, .-fault_at_once\n");

static sigjmp_buf again;

static void handle_fault(int sig)
{
	(void)sig;
	BURN_MS(20);
	siglongjmp(again, 1);
}

int main(int argc, char **argv)
{
	static volatile int left;
	struct sigaction action;

	memset(&action, 0, sizeof(action));
	action.sa_handler = handle_fault;
	sigaction(SIGSEGV, &action, NULL);
	left = argc > 1 ? atoi(argv[1]) : 1;
	sigsetjmp(again, 1);
	if (left-- > 0)
		fault_at_once(NULL);
	return 0;
}
