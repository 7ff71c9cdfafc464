/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ctrl-C reaches all of a pipeline. While a recording comes through a pipe, the first one is
 * profrec's, which then ends the recording and writes the rest. It would be lost if the reader
 * ended, too. The next one ends the reader as usual.
 */
#ifndef REPORT_MODEL_FIRST_INTERRUPT_H
#define REPORT_MODEL_FIRST_INTERRUPT_H

/* From now on the first SIGINT has no effect. A SIGINT that is ignored stays ignored. */
void first_interrupt_spare(void);

/* The pipe has been read: the first SIGINT ends the process. */
void first_interrupt_end(void);

/*
 * @handler is called, with the usual action restored, by the SIGINT after the one that was spared.
 */
void first_interrupt_set_next(void (*handler)(int));

#endif
