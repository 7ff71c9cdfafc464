// SPDX-License-Identifier: GPL-2.0-or-later
// Runs SQL: engine.js duckdb|clickhouse DATABASE < SQL. Prints rows as text, with tabs between their fields.
'use strict';
const fs = require('fs');

async function duckdb(database, sql) {
	const { DuckDBInstance } = require('@duckdb/node-api');
	const connection = await (await DuckDBInstance.create(database)).connect();
	const statements = await connection.extractStatements(sql);
	for (let i = 0; i < statements.count; i++) {
		const reader = await (await statements.prepare(i)).runAndReadAll();
		if (reader.columnNames()[0] === 'Count') continue;
		for (const row of reader.getRowsJson()) console.log(row.join('\t'));
	}
	connection.closeSync();
}

function clickhouse(database, sql) {
	const { Session } = require('chdb');
	const session = new Session(database);
	for (const statement of sql.replace(/\/\*[^]*?\*\/|^--.*$/gm, '').split(/;\s*\n/))
		if (statement.trim()) process.stdout.write(session.query(statement, 'TSVRaw'));
}

const [engine, database] = process.argv.slice(2);
const sql = fs.readFileSync(0, 'utf8');
(engine === 'duckdb' ? duckdb : async (...args) => clickhouse(...args))(database, sql).catch(error => {
	console.error(String(error.message || error));
	process.exit(1);
});
