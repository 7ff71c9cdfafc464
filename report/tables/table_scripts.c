// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/tables/table_scripts.h"

#include "report/tables/scripts_text.h"

const struct table_script table_scripts[NR_TABLE_SCRIPTS] = {
	{"duckdb.sql", duckdb_sql, sizeof(duckdb_sql)},
	{"clickhouse.sql", clickhouse_sql, sizeof(clickhouse_sql)},
};
