# SPDX-License-Identifier: GPL-2.0-or-later
# The scripts of profrep tables, as a C header.

TABLE_SCRIPTS := report/tables/duckdb.sql report/tables/clickhouse.sql

$(B)/report/tables/scripts_text.h: $(TABLE_SCRIPTS)
	@mkdir -p $(@D)
	$(call msg,GEN)
	$(Q)for script in $^; do \
		printf 'static const unsigned char %s_sql[] = {\n' $$(basename $$script .sql) && \
		od -v -An -tx1 $$script > $@.hex && test -s $@.hex && \
		sed 's/ \(..\)/0x\1,/g' $@.hex && printf '};\n' || exit 1; \
	done > $@.tmp
	@rm -f $@.hex
	@mv $@.tmp $@

$(B)/report/tables/table_scripts.o: $(B)/report/tables/scripts_text.h
