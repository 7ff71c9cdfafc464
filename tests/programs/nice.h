/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program of the tests leaves the CPU to the shell and the programs that work while it runs, so
 * that a busy machine does not spend its time on what nobody waits for. No header is included,
 * because the source defines _GNU_SOURCE and its like only after this.
 */
int nice(int increment);

__attribute__((constructor)) static void be_nice(void)
{
	(void)!nice(5);
}
