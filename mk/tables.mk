# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of profrep tables, as a C header.

TABLE_SCRIPTS := report/tables/duckdb.sql report/tables/clickhouse.sql

$(B)/report/tables/scripts_text.h: $(TABLE_SCRIPTS)
	@mkdir -p $(@D)
	for script in $^; do \
		printf 'static const unsigned char %s_sql[] = {\n' $$(basename $$script .sql) && \
		od -v -An -tx1 $$script | sed 's/ \(..\)/0x\1,/g' && printf '};\n'; \
	done > $@

$(B)/report/tables/table_scripts.o: $(B)/report/tables/scripts_text.h
