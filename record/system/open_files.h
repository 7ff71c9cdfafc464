/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How many files the recorder may have open: three for each CPU, and some for processes. The usual
 * limit of 1024 was made for select(2); the hard one is what the administrator allows.
 */
#ifndef RECORD_SYSTEM_OPEN_FILES_H
#define RECORD_SYSTEM_OPEN_FILES_H

/* Raises the limit as far as it may be. Where it cannot be, opening a file too many fails. */
void open_files_raise(void);

/* In a child: the limit that the process inherited. */
void open_files_restore(void);

#endif
