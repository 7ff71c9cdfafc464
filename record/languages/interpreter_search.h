/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Searches files for interpreters of all languages. Runs in the child that reads files. */
#ifndef RECORD_LANGUAGES_INTERPRETER_SEARCH_H
#define RECORD_LANGUAGES_INTERPRETER_SEARCH_H

#include "record/languages/files/found_interpreter.h"

/* Looks into the file at @fd. Damaged files have no interpreter. */
void interpreter_search(int fd, struct found_interpreter *found);

#endif
