/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a session tells the user about what its recording lacks. */
#ifndef RECORD_RUN_SESSION_NOTES_H
#define RECORD_RUN_SESSION_NOTES_H

#include "record/run/session.h"

/* Says on stderr which parts the recording lacks because they would have cost too much. */
void session_note_omissions(const struct session *session);

/* Adds to @end what lacked room or time, by kind and user. Returns 0 or -ENOMEM. */
int session_tell_lacks(const struct session *session, struct prof_end *end);

/*
 * Looks which CPUs are online. Prints a note for each CPU that went offline or came online, since
 * the recorder does not sample it any more. Returns 0 or -ENOMEM.
 */
int session_watch_cpus(struct session *session);

#endif
