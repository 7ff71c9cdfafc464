/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The service that a process belongs to, as people name it. */
#ifndef REPORT_TABLES_SERVICE_NAME_H
#define REPORT_TABLES_SERVICE_NAME_H

#include "report/text/textbuf.h"

/*
 * Appends the service of a process in the @cgroup: the innermost unit of systemd without
 * ".service", or a container: the first 12 digits of its id, or its name. Other processes have
 * their
 * @name (process_name), and those without any "[unknown]". @process 0 is the kernel. All are
 * escaped.
 */
void service_name_put(struct textbuf *out, const char *cgroup, uint32_t process, const char *name);

#endif
