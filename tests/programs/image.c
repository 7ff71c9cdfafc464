// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * image ROUNDS NEXT AFTER_NEXT: burns a millisecond, then becomes NEXT for the next round. IMAGE is
 * 1 or 2. At the addresses where one image burns or calls exec, the other has functions that never
 * run. For that, link both at a fixed address, with NEXT_CODE in the place that the other image
 * leaves.
 */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "burn.h"

/*
 * Both images call exec by the system call itself, from a page of its own. So the address after the
 * call is in never_here of the other image.
 */
__asm__(".section .turns, \"ax\", @progbits\n"
	".balign 4096\n"
#if IMAGE == 1
	".globl exec_here\n.type exec_here, @function\nexec_here:\n"
	"	movl $59, %eax\n	syscall\n	ret\n.size exec_here, . - exec_here\n"
	".skip 2048 - (. - exec_here), 0xcc\n"
	".type never_here, @function\nnever_here:\n.skip 2048, 0xcc\n.size never_here, 2048\n"
#else
	".type never_here, @function\nnever_here:\n.skip 2048, 0xcc\n.size never_here, 2048\n"
	".globl exec_here\n.type exec_here, @function\nexec_here:\n"
	"	movl $59, %eax\n	syscall\n	ret\n.size exec_here, . - exec_here\n"
	".skip 2048 - (. - exec_here), 0xcc\n"
#endif
	".text\n");

long exec_here(const char *path, char **argv, char **environment);

int main(int argc, char **argv, char **environment)
{
	int rounds = argc == 4 ? atoi(argv[1]) : 0;
	char left[16];

	if (argc != 4)
		return 2;
	BURN_MS(1);
	if (!rounds)
		return 0;
	snprintf(left, sizeof(left), "%d", rounds - 1);
	exec_here(argv[2], (char *[]){argv[2], left, argv[3], argv[2], NULL}, environment);
	return 1;
}
