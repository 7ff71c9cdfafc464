-- Loads the tables of this directory into DuckDB. Run it in this directory, once for each directory:
--
--     cd DIR && duckdb ../fleet.db < duckdb.sql
--
-- A recording that the database has already changes nothing. Text is escaped as profrep prints it, so that none has
-- a control character: nullstr is one, because otherwise a thread of that name would be NULL.

SET preserve_insertion_order = false;

BEGIN;

-- 1. Tables

CREATE TABLE IF NOT EXISTS recordings (
    recording_id UBIGINT, host VARCHAR, boot_id VARCHAR, kernel VARCHAR, event VARCHAR, unit VARCHAR, hz UBIGINT,
    cpus UBIGINT, start TIMESTAMP, duration_ms UBIGINT, taken UBIGINT, counted UBIGINT, lost UBIGINT, total UBIGINT,
    incomplete BOOLEAN);
CREATE TABLE IF NOT EXISTS samples (
    t TIMESTAMP, slice_ms UINTEGER, recording_id UBIGINT, host VARCHAR, service VARCHAR, cgroup VARCHAR, comm VARCHAR,
    pid UINTEGER, exe_build_id VARCHAR, stack_id UBIGINT, "end" VARCHAR, n UBIGINT,
    container VARCHAR, pod VARCHAR, unit VARCHAR, tid UINTEGER, labels VARCHAR);
-- A database of an older profrep lacks them.
ALTER TABLE samples ADD COLUMN IF NOT EXISTS container VARCHAR DEFAULT '';
ALTER TABLE samples ADD COLUMN IF NOT EXISTS pod VARCHAR DEFAULT '';
ALTER TABLE samples ADD COLUMN IF NOT EXISTS unit VARCHAR DEFAULT '';
ALTER TABLE samples ADD COLUMN IF NOT EXISTS tid UINTEGER DEFAULT 0;
ALTER TABLE samples ADD COLUMN IF NOT EXISTS labels VARCHAR DEFAULT '{}';
CREATE TABLE IF NOT EXISTS stacks (stack_id UBIGINT, leaf UBIGINT, frames UBIGINT[]);
CREATE TABLE IF NOT EXISTS frames (
    frame_id UBIGINT, build_id VARCHAR, path VARCHAR, "offset" UBIGINT, kind VARCHAR, scope VARCHAR);
-- Names of a frame are of one source, the best one. Depth 0 is the function of the code itself.
CREATE TABLE IF NOT EXISTS symbols (
    frame_id UBIGINT, build_id VARCHAR, "offset" UBIGINT, depth UINTEGER, name VARCHAR, file VARCHAR, line UINTEGER,
    source VARCHAR);
-- Ids that two different things have. The first one stays in its table.
CREATE TABLE IF NOT EXISTS collisions (tab VARCHAR, id UBIGINT);

-- 2. Load

CREATE OR REPLACE TEMP TABLE new_recordings AS
SELECT DISTINCT * FROM read_csv('recordings.tsv.zst', delim = '\t', quote = '', escape = '', header = false,
    auto_detect = false, nullstr = e'\x01', columns = {
    'recording_id': 'UBIGINT', 'host': 'VARCHAR', 'boot_id': 'VARCHAR', 'kernel': 'VARCHAR', 'event': 'VARCHAR',
    'unit': 'VARCHAR', 'hz': 'UBIGINT', 'cpus': 'UBIGINT', 'start': 'TIMESTAMP', 'duration_ms': 'UBIGINT',
    'taken': 'UBIGINT', 'counted': 'UBIGINT', 'lost': 'UBIGINT', 'total': 'UBIGINT', 'incomplete': 'BOOLEAN'})
WHERE recording_id NOT IN (SELECT recording_id FROM recordings);

INSERT INTO samples
SELECT * FROM read_csv('samples.tsv.zst', delim = '\t', quote = '', escape = '', header = false,
    auto_detect = false, nullstr = e'\x01', columns = {
    't': 'TIMESTAMP', 'slice_ms': 'UINTEGER', 'recording_id': 'UBIGINT', 'host': 'VARCHAR', 'service': 'VARCHAR',
    'cgroup': 'VARCHAR', 'comm': 'VARCHAR', 'pid': 'UINTEGER', 'exe_build_id': 'VARCHAR', 'stack_id': 'UBIGINT',
    'end': 'VARCHAR', 'n': 'UBIGINT', 'container': 'VARCHAR', 'pod': 'VARCHAR', 'unit': 'VARCHAR',
    'tid': 'UINTEGER', 'labels': 'VARCHAR'})
WHERE recording_id IN (SELECT recording_id FROM new_recordings)
ORDER BY service, host, stack_id, t;

INSERT INTO recordings SELECT * FROM new_recordings;

CREATE OR REPLACE TEMP TABLE new_stacks AS
SELECT * FROM read_csv('stacks.tsv.zst', delim = '\t', quote = '', escape = '', header = false, auto_detect = false,
    nullstr = e'\x01', columns = {'stack_id': 'UBIGINT', 'frames': 'UBIGINT[]'});
INSERT INTO stacks
SELECT stack_id, first(frames)[-1], first(frames)
FROM new_stacks WHERE stack_id NOT IN (SELECT stack_id FROM stacks) GROUP BY stack_id;

CREATE OR REPLACE TEMP TABLE new_frames AS
SELECT * FROM read_csv('frames.tsv.zst', delim = '\t', quote = '', escape = '', header = false, auto_detect = false,
    nullstr = e'\x01', columns = {'frame_id': 'UBIGINT', 'build_id': 'VARCHAR', 'path': 'VARCHAR', 'offset': 'UBIGINT',
    'kind': 'VARCHAR', 'scope': 'VARCHAR'});
INSERT INTO frames
SELECT DISTINCT ON (frame_id) * FROM new_frames WHERE frame_id NOT IN (SELECT frame_id FROM frames);

-- A file with a build-id can have several paths. All else makes the id.
INSERT INTO collisions
SELECT DISTINCT 'stacks', stack_id FROM new_stacks JOIN stacks USING (stack_id)
WHERE new_stacks.frames <> stacks.frames
UNION
SELECT DISTINCT 'frames', frame_id FROM new_frames n JOIN frames f USING (frame_id)
WHERE n.build_id <> f.build_id OR n."offset" <> f."offset" OR n.kind <> f.kind OR n.scope <> f.scope
    OR (n.build_id = '' AND n.path <> f.path)
EXCEPT
SELECT * FROM collisions;

CREATE OR REPLACE TEMP TABLE new_symbols AS
SELECT DISTINCT ON (frame_id, depth) * FROM (
    SELECT *, list_position(['bounds', 'recording', 'line'], source) AS rank
    FROM read_csv('symbols.tsv.zst', delim = '\t', quote = '', escape = '', header = false, auto_detect = false,
        nullstr = e'\x01', columns = {'frame_id': 'UBIGINT', 'build_id': 'VARCHAR', 'offset': 'UBIGINT',
        'depth': 'UINTEGER', 'name': 'VARCHAR', 'file': 'VARCHAR', 'line': 'UINTEGER', 'source': 'VARCHAR'}))
ORDER BY frame_id, depth, rank DESC;
-- A better source takes the place of another one.
DELETE FROM new_symbols USING symbols s WHERE new_symbols.frame_id = s.frame_id
    AND new_symbols.rank <= list_position(['bounds', 'recording', 'line'], s.source);
DELETE FROM symbols WHERE frame_id IN (SELECT frame_id FROM new_symbols);
INSERT INTO symbols SELECT * EXCLUDE (rank) FROM new_symbols;

COMMIT;

-- 3. Views and queries

-- Views have CPU time alone: counts of other events are of other units, and add up to nothing. Samples that were taken at
-- different rates do not add up either, but the CPU seconds do for which they stand.
CREATE OR REPLACE VIEW cpu_samples AS
SELECT s.*, CASE WHEN r.unit = 'ns' THEN s.n / 1e9 ELSE s.n / r.hz END AS seconds
FROM samples s JOIN (
    SELECT recording_id, unit, hz FROM recordings
    WHERE split_part(event, ':', 1) IN ('on-cpu', 'cycles', 'cpu-cycles', 'cpu-clock', 'task-clock')
        AND (unit = 'ns' OR (unit = 'samples' AND hz > 0))) r USING (recording_id);

-- Frames as people read them: the function and its module.
CREATE OR REPLACE VIEW functions AS
SELECT frame_id, coalesce(nullif(name, ''), '[unknown]') AS function, parse_filename(path, false, 'forward_slash') AS module, kind
FROM frames LEFT JOIN (SELECT frame_id, name FROM symbols WHERE depth = 0) USING (frame_id);

-- The functions with most CPU seconds, of the whole fleet: FROM fleet_top(20);
CREATE OR REPLACE MACRO fleet_top(lines) AS TABLE
SELECT round(sum(seconds), 6) AS self_s, round(100 * sum(seconds) / (SELECT sum(seconds) FROM cpu_samples), 2) AS percent,
    function, module
FROM (SELECT leaf, sum(seconds) AS seconds
      FROM (SELECT stack_id, sum(seconds) AS seconds FROM cpu_samples GROUP BY stack_id)
      JOIN stacks USING (stack_id) GROUP BY leaf)
JOIN functions ON frame_id = leaf
GROUP BY function, module ORDER BY self_s DESC, function, module LIMIT lines;

-- The functions in whose stacks most CPU seconds are, with all that they call.
CREATE OR REPLACE MACRO fleet_totals(lines) AS TABLE
WITH counts AS (SELECT stack_id, sum(seconds) AS seconds FROM cpu_samples GROUP BY stack_id),
     places AS (SELECT DISTINCT stack_id, function, module
                FROM (SELECT stack_id, unnest(frames) AS frame_id FROM stacks) JOIN functions USING (frame_id))
SELECT round(sum(seconds), 6) AS total_s, function, module
FROM counts JOIN places USING (stack_id)
GROUP BY function, module ORDER BY total_s DESC, function, module LIMIT lines;

-- The same of one service: FROM service_top('nginx', 20);
CREATE OR REPLACE MACRO service_top(wanted, lines) AS TABLE
SELECT round(sum(seconds), 6) AS self_s, function, module
FROM (SELECT stack_id, sum(seconds) AS seconds FROM cpu_samples WHERE service = wanted GROUP BY stack_id)
JOIN stacks USING (stack_id) JOIN functions ON frame_id = leaf
GROUP BY function, module ORDER BY self_s DESC, function, module LIMIT lines;

-- One host over time: FROM host_times('web7');
CREATE OR REPLACE MACRO host_times(wanted) AS TABLE
SELECT t, service, round(sum(seconds), 6) AS cpu_s FROM cpu_samples WHERE host = wanted
GROUP BY t, service ORDER BY t, cpu_s DESC, service;

-- Two days, in shares of all CPU seconds of the day: FROM days_difference('2026-11-21', '2026-11-22', 20);
CREATE OR REPLACE MACRO days_difference(day_before, day_after, lines) AS TABLE
WITH days AS (
    SELECT stack_id, sum(seconds) FILTER (t::DATE = day_before::DATE) AS b,
        sum(seconds) FILTER (t::DATE = day_after::DATE) AS a
    FROM cpu_samples WHERE t::DATE IN (day_before::DATE, day_after::DATE) GROUP BY stack_id),
sums AS (SELECT greatest(sum(b), 1e-9) AS b, greatest(sum(a), 1e-9) AS a FROM days)
SELECT round(100 * coalesce(sum(d.b), 0) / any_value(s.b), 3) AS percent_before,
       round(100 * coalesce(sum(d.a), 0) / any_value(s.a), 3) AS percent_after, function, module
FROM days d JOIN stacks USING (stack_id) JOIN functions ON frame_id = leaf, sums s
GROUP BY function, module ORDER BY abs(percent_after - percent_before) DESC, function, module LIMIT lines;

-- Folded stacks of a service with microseconds of CPU time, for 'profrep html --folded -': FROM service_folded('nginx');
CREATE OR REPLACE MACRO service_folded(wanted) AS TABLE
WITH counts AS (SELECT comm, stack_id, sum(seconds) AS seconds FROM cpu_samples WHERE service = wanted GROUP BY comm, stack_id),
     places AS (SELECT stack_id, unnest(frames) AS frame_id, generate_subscripts(frames, 1) AS depth
                FROM stacks WHERE stack_id IN (SELECT stack_id FROM counts)),
     texts AS (SELECT stack_id, string_agg(replace(function, ';', '\x3b')
                   || CASE WHEN kind IN ('kernel', 'module', 'bpf') THEN '_[k]' ELSE '' END, ';' ORDER BY depth) AS text
               FROM places JOIN functions USING (frame_id) GROUP BY stack_id)
SELECT replace(comm, ';', '\x3b') || ';' || text || ' ' || round(1e6 * sum(seconds))::UBIGINT AS folded
FROM counts JOIN texts USING (stack_id) GROUP BY comm, text ORDER BY folded;

/* 4. Queries to copy

FROM fleet_top(20);
FROM fleet_totals(20);
FROM service_top('kernel', 20);
FROM host_times('web7');
FROM days_difference('2026-11-21', '2026-11-22', 20);
FROM service_folded('kernel');
SELECT labels->>'http.route' AS route, round(sum(seconds), 6) AS cpu_s FROM cpu_samples GROUP BY route ORDER BY cpu_s DESC;
FROM collisions;
SELECT recording_id FROM recordings JOIN samples USING (recording_id) GROUP BY ALL HAVING sum(n) <> any_value(total);
COPY (FROM samples ORDER BY service, host, stack_id, t) TO 'samples.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY stacks TO 'stacks.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY frames TO 'frames.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY symbols TO 'symbols.parquet' (FORMAT parquet, COMPRESSION zstd);
COPY recordings TO 'recordings.parquet' (FORMAT parquet, COMPRESSION zstd);

*/
