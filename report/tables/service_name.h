/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The service that a process belongs to, as people name it. */
#ifndef REPORT_TABLES_SERVICE_NAME_H
#define REPORT_TABLES_SERVICE_NAME_H

#include "report/text/textbuf.h"

/* What is known of a process; texts are "" where nothing is. */
struct service_facts {
	const char *said;   /* its service.name */
	const char *cgroup; /* path */
	/* What the engine calls the container of the path. */
	const char *container;
	const char *name; /* process_name */
	bool is_kernel;
};

/*
 * Appends the service of a process: the name that it says itself, or else the innermost unit of
 * systemd without ".service", or a container: its name, or the first 12 digits of its id. Other
 * processes have their name, and those without any "[unknown]". It is as in the recording.
 */
void service_name_put(struct textbuf *out, const struct service_facts *facts);

/* Like service_name_put, but appends a field of a table. */
void service_name_put_field(struct textbuf *out, const struct service_facts *facts);

#endif
