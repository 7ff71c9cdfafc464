/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scripts of SQL that belong to the tables: profrep writes them beside the tables. */
#ifndef REPORT_TABLES_TABLE_SCRIPTS_H
#define REPORT_TABLES_TABLE_SCRIPTS_H

#include <stddef.h>

struct table_script {
	const char *file; /* its name */
	const unsigned char *text;
	size_t len;
};

enum { NR_TABLE_SCRIPTS = 2 };

extern const struct table_script table_scripts[NR_TABLE_SCRIPTS];

#endif
