-- Loads the tables of this directory into ClickHouse. Run it in this directory, once for each directory:
--
--     cd DIR && clickhouse local --path ../fleet --queries-file clickhouse.sql
--
-- With a server, the directory is below its user_files_path, and the names of the files begin with it.
-- A recording that the database has already changes nothing. Text is escaped as profrep prints it: so the format is
-- TSVRaw.

-- Otherwise the text \N, which a thread may have as its name, would be an empty one.
SET input_format_null_as_default = 0;

CREATE DATABASE IF NOT EXISTS fleet;

-- 1. Tables

CREATE TABLE IF NOT EXISTS fleet.recordings (
    recording_id UInt64, host LowCardinality(String), boot_id String, kernel LowCardinality(String),
    event LowCardinality(String), unit LowCardinality(String), hz UInt64, cpus UInt64, start DateTime64(3, 'UTC'),
    duration_ms UInt64, taken UInt64, counted UInt64, lost UInt64, total UInt64, incomplete UInt8)
ENGINE = ReplacingMergeTree ORDER BY recording_id;
CREATE TABLE IF NOT EXISTS fleet.samples (
    t DateTime64(3, 'UTC') CODEC(Delta, ZSTD), slice_ms UInt32 CODEC(ZSTD), recording_id UInt64 CODEC(ZSTD),
    host LowCardinality(String) CODEC(ZSTD), service LowCardinality(String) CODEC(ZSTD),
    cgroup LowCardinality(String) CODEC(ZSTD), comm LowCardinality(String) CODEC(ZSTD), pid UInt32 CODEC(ZSTD),
    exe_build_id LowCardinality(String) CODEC(ZSTD), stack_id UInt64 CODEC(ZSTD),
    `end` LowCardinality(String) CODEC(ZSTD), n UInt64 CODEC(T64, ZSTD),
    container LowCardinality(String) CODEC(ZSTD), pod LowCardinality(String) CODEC(ZSTD),
    unit LowCardinality(String) CODEC(ZSTD), tid UInt32 CODEC(ZSTD), labels String DEFAULT '{}' CODEC(ZSTD))
ENGINE = MergeTree PARTITION BY toDate(t) ORDER BY (service, host, stack_id, t);
-- A database of an older profrep lacks them.
ALTER TABLE fleet.samples ADD COLUMN IF NOT EXISTS container LowCardinality(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS pod LowCardinality(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS unit LowCardinality(String) CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS tid UInt32 CODEC(ZSTD),
    ADD COLUMN IF NOT EXISTS labels String DEFAULT '{}' CODEC(ZSTD);
CREATE TABLE IF NOT EXISTS fleet.stacks (stack_id UInt64, leaf UInt64, frames Array(UInt64) CODEC(ZSTD))
ENGINE = MergeTree ORDER BY stack_id;
CREATE TABLE IF NOT EXISTS fleet.frames (
    frame_id UInt64, build_id LowCardinality(String), path LowCardinality(String), `offset` UInt64,
    kind LowCardinality(String), scope String)
ENGINE = MergeTree ORDER BY frame_id;
-- Names of a frame are of one source, the best one. Depth 0 is the function of the code itself.
CREATE TABLE IF NOT EXISTS fleet.symbols (
    frame_id UInt64, build_id LowCardinality(String), `offset` UInt64, depth UInt32, name String,
    file LowCardinality(String), line UInt32, source LowCardinality(String), rank UInt8)
ENGINE = ReplacingMergeTree(rank) ORDER BY (frame_id, depth);
-- Ids that two different things have. The first one stays in its table.
CREATE TABLE IF NOT EXISTS fleet.collisions (tab String, id UInt64) ENGINE = ReplacingMergeTree ORDER BY (tab, id);

-- 2. Load

-- A load that was interrupted has left samples without their recording, which comes last.
DELETE FROM fleet.samples WHERE recording_id NOT IN (SELECT recording_id FROM fleet.recordings);

INSERT INTO fleet.samples
SELECT * FROM file('samples.tsv.zst', 'TSVRaw',
    't DateTime64(3, \'UTC\'), slice_ms UInt32, recording_id UInt64, host String, service String, cgroup String,
    comm String, pid UInt32, exe_build_id String, stack_id UInt64, `end` String, n UInt64, container String, pod String,
    unit String, tid UInt32, labels String')
WHERE recording_id NOT IN (SELECT recording_id FROM fleet.recordings)
SETTINGS max_partitions_per_insert_block = 0;

INSERT INTO fleet.stacks
SELECT stack_id, any(frames)[-1], any(frames)
FROM file('stacks.tsv.zst', 'TSVRaw', 'stack_id UInt64, frames Array(UInt64)')
WHERE stack_id NOT IN (SELECT stack_id FROM fleet.stacks) GROUP BY stack_id;

INSERT INTO fleet.frames
SELECT * FROM file('frames.tsv.zst', 'TSVRaw',
    'frame_id UInt64, build_id String, path String, `offset` UInt64, kind String, scope String')
WHERE frame_id NOT IN (SELECT frame_id FROM fleet.frames) LIMIT 1 BY frame_id;

-- A file with a build-id can have several paths. All else makes the id.
INSERT INTO fleet.collisions
SELECT DISTINCT 'stacks', stack_id
FROM file('stacks.tsv.zst', 'TSVRaw', 'stack_id UInt64, frames Array(UInt64)') AS n
JOIN fleet.stacks AS s USING (stack_id) WHERE n.frames != s.frames
UNION ALL
SELECT DISTINCT 'frames', frame_id
FROM file('frames.tsv.zst', 'TSVRaw',
    'frame_id UInt64, build_id String, path String, `offset` UInt64, kind String, scope String') AS n
JOIN fleet.frames AS f USING (frame_id)
WHERE n.build_id != f.build_id OR n.`offset` != f.`offset` OR n.kind != f.kind OR n.scope != f.scope
    OR (n.build_id = '' AND n.path != f.path);

-- A better source takes the place of another one. Frames about which the tables say nothing better stay as they are.
DROP TABLE IF EXISTS fleet.new_symbols;
CREATE TABLE fleet.new_symbols ENGINE = MergeTree ORDER BY (frame_id, depth) AS
SELECT frame_id, build_id, `offset`, depth, name, file, line, source,
    toUInt8(indexOf(['bounds', 'recording', 'line'], source)) AS rank
FROM file('symbols.tsv.zst', 'TSVRaw',
    'frame_id UInt64, build_id String, `offset` UInt64, depth UInt32, name String, file String, line UInt32,
    source String')
ORDER BY rank DESC LIMIT 1 BY frame_id, depth;
DELETE FROM fleet.new_symbols WHERE frame_id NOT IN (
    SELECT n.frame_id FROM fleet.new_symbols AS n
    LEFT JOIN (SELECT frame_id, rank FROM fleet.symbols FINAL) AS s ON n.frame_id = s.frame_id
    WHERE n.rank > s.rank);
DELETE FROM fleet.symbols WHERE frame_id IN (SELECT frame_id FROM fleet.new_symbols);
INSERT INTO fleet.symbols SELECT * FROM fleet.new_symbols;
DROP TABLE fleet.new_symbols;

INSERT INTO fleet.recordings
SELECT DISTINCT * FROM file('recordings.tsv.zst', 'TSVRaw',
    'recording_id UInt64, host String, boot_id String, kernel String, event String, unit String, hz UInt64, cpus UInt64,
    start DateTime64(3, \'UTC\'), duration_ms UInt64, taken UInt64, counted UInt64, lost UInt64, total UInt64,
    incomplete UInt8')
WHERE recording_id NOT IN (SELECT recording_id FROM fleet.recordings);

-- 3. Views and queries

-- Views have CPU time alone: counts of other events are of other units, and add up to nothing. Samples that were taken at
-- different rates do not add up either, but the CPU seconds do for which they stand.
CREATE OR REPLACE VIEW fleet.cpu_samples AS
SELECT s.*, if(r.unit = 'ns', s.n / 1e9, s.n / r.hz) AS seconds
FROM fleet.samples AS s JOIN (
    SELECT recording_id, unit, hz FROM fleet.recordings FINAL
    WHERE splitByChar(':', event)[1] IN ('on-cpu', 'cycles', 'cpu-cycles', 'cpu-clock', 'task-clock')
        AND (unit = 'ns' OR (unit = 'samples' AND hz > 0))) AS r ON s.recording_id = r.recording_id;

-- Frames as people read them: the function and its module.
CREATE OR REPLACE VIEW fleet.functions AS
SELECT f.frame_id AS frame_id, if(s.name = '', '[unknown]', s.name) AS function,
    arrayElement(splitByChar('/', f.path), -1) AS module, f.kind AS kind
FROM fleet.frames AS f
LEFT JOIN (SELECT frame_id, name FROM fleet.symbols FINAL WHERE depth = 0) AS s ON f.frame_id = s.frame_id;

-- The functions with most CPU seconds, of the whole fleet: SELECT * FROM fleet.fleet_top(lines = 20);
CREATE OR REPLACE VIEW fleet.fleet_top AS
WITH leaves AS (
    SELECT leaf, sum(c.seconds) AS seconds
    FROM fleet.stacks AS s JOIN (SELECT stack_id, sum(seconds) AS seconds FROM fleet.cpu_samples GROUP BY stack_id) AS c
        ON s.stack_id = c.stack_id GROUP BY leaf)
SELECT round(sum(l.seconds), 6) AS self_s,
    round(100 * sum(l.seconds) / (SELECT sum(seconds) FROM fleet.cpu_samples), 2) AS percent, f.function AS function,
    f.module AS module
FROM fleet.functions AS f JOIN leaves AS l ON f.frame_id = l.leaf
GROUP BY function, module ORDER BY self_s DESC, function, module LIMIT {lines:UInt64};

-- The functions in whose stacks most CPU seconds are, with all that they call.
CREATE OR REPLACE VIEW fleet.fleet_totals AS
WITH places AS (
    SELECT DISTINCT p.stack_id AS stack_id, f.function AS function, f.module AS module
    FROM (SELECT stack_id, arrayJoin(frames) AS frame_id FROM fleet.stacks) AS p
    JOIN fleet.functions AS f ON p.frame_id = f.frame_id)
SELECT round(sum(c.seconds), 6) AS total_s, p.function AS function, p.module AS module
FROM places AS p JOIN (SELECT stack_id, sum(seconds) AS seconds FROM fleet.cpu_samples GROUP BY stack_id) AS c
    ON p.stack_id = c.stack_id
GROUP BY function, module ORDER BY total_s DESC, function, module LIMIT {lines:UInt64};

-- The same of one service: SELECT * FROM fleet.service_top(wanted = 'nginx', lines = 20);
CREATE OR REPLACE VIEW fleet.service_top AS
WITH leaves AS (
    SELECT leaf, sum(c.seconds) AS seconds
    FROM fleet.stacks AS s
    JOIN (SELECT stack_id, sum(seconds) AS seconds FROM fleet.cpu_samples WHERE service = {wanted:String} GROUP BY stack_id) AS c
        ON s.stack_id = c.stack_id GROUP BY leaf)
SELECT round(sum(l.seconds), 6) AS self_s, f.function AS function, f.module AS module
FROM fleet.functions AS f JOIN leaves AS l ON f.frame_id = l.leaf
GROUP BY function, module ORDER BY self_s DESC, function, module LIMIT {lines:UInt64};

-- One host over time: SELECT * FROM fleet.host_times(wanted = 'web7');
CREATE OR REPLACE VIEW fleet.host_times AS
SELECT t, service, round(sum(seconds), 6) AS cpu_s FROM fleet.cpu_samples WHERE host = {wanted:String}
GROUP BY t, service ORDER BY t, cpu_s DESC, service;

-- Two days, in shares of all CPU seconds of the day:
-- SELECT * FROM fleet.days_difference(day_before = '2026-11-21', day_after = '2026-11-22', lines = 20);
CREATE OR REPLACE VIEW fleet.days_difference AS
WITH days AS (
    SELECT leaf, sum(c.b) AS b, sum(c.a) AS a
    FROM fleet.stacks AS s
    JOIN (SELECT stack_id, sumIf(seconds, toDate(t) = {day_before:Date}) AS b, sumIf(seconds, toDate(t) = {day_after:Date}) AS a
          FROM fleet.cpu_samples WHERE toDate(t) IN ({day_before:Date}, {day_after:Date}) GROUP BY stack_id) AS c
        ON s.stack_id = c.stack_id GROUP BY leaf)
SELECT round(100 * sum(d.b) / greatest((SELECT sum(b) FROM days), 1e-9), 3) AS percent_before,
    round(100 * sum(d.a) / greatest((SELECT sum(a) FROM days), 1e-9), 3) AS percent_after, f.function AS function,
    f.module AS module
FROM fleet.functions AS f JOIN days AS d ON f.frame_id = d.leaf
GROUP BY function, module ORDER BY abs(percent_after - percent_before) DESC, function, module LIMIT {lines:UInt64};

-- Folded stacks of a service with microseconds of CPU time, for 'profrep html --folded -': SELECT * FROM fleet.service_folded(wanted = 'nginx')
-- FORMAT TSVRaw;
CREATE OR REPLACE VIEW fleet.service_folded AS
WITH counts AS (
    SELECT comm, stack_id, sum(seconds) AS seconds FROM fleet.cpu_samples WHERE service = {wanted:String} GROUP BY comm, stack_id),
texts AS (
    SELECT p.stack_id AS stack_id, arrayStringConcat(arrayMap(x -> x.2, arraySort(groupArray((p.depth,
        concat(replaceAll(f.function, ';', '\\x3b'), if(f.kind IN ('kernel', 'module', 'bpf'), '_[k]', '')))))), ';') AS text
    FROM (SELECT stack_id, frame_id, depth FROM fleet.stacks ARRAY JOIN frames AS frame_id,
              arrayEnumerate(frames) AS depth
          WHERE stack_id IN (SELECT stack_id FROM counts)) AS p
    JOIN fleet.functions AS f ON p.frame_id = f.frame_id GROUP BY p.stack_id)
SELECT concat(replaceAll(c.comm, ';', '\\x3b'), ';', t.text, ' ', toString(toUInt64(round(1e6 * sum(c.seconds))))) AS folded
FROM counts AS c JOIN texts AS t ON c.stack_id = t.stack_id GROUP BY c.comm, t.text ORDER BY folded;

/* 4. Queries to copy

SELECT * FROM fleet.fleet_top(lines = 20);
SELECT * FROM fleet.fleet_totals(lines = 20);
SELECT * FROM fleet.service_top(wanted = 'kernel', lines = 20);
SELECT * FROM fleet.host_times(wanted = 'web7');
SELECT * FROM fleet.days_difference(day_before = '2026-11-21', day_after = '2026-11-22', lines = 20);
SELECT * FROM fleet.service_folded(wanted = 'kernel');
SELECT JSONExtractString(labels, 'http.route') AS route, round(sum(seconds), 6) AS cpu_s FROM fleet.cpu_samples
    GROUP BY route ORDER BY cpu_s DESC;
SELECT DISTINCT * FROM fleet.collisions;
SELECT r.recording_id FROM fleet.recordings AS r JOIN fleet.samples AS s ON r.recording_id = s.recording_id
    GROUP BY r.recording_id HAVING sum(s.n) != any(r.total);
INSERT INTO FUNCTION file('samples.parquet', 'Parquet') SELECT * FROM fleet.samples
    SETTINGS engine_file_truncate_on_insert = 1;
INSERT INTO FUNCTION file('stacks.parquet', 'Parquet') SELECT * FROM fleet.stacks
    SETTINGS engine_file_truncate_on_insert = 1;
INSERT INTO FUNCTION file('frames.parquet', 'Parquet') SELECT * FROM fleet.frames
    SETTINGS engine_file_truncate_on_insert = 1;
INSERT INTO FUNCTION file('symbols.parquet', 'Parquet') SELECT * FROM fleet.symbols FINAL
    SETTINGS engine_file_truncate_on_insert = 1;
INSERT INTO FUNCTION file('recordings.parquet', 'Parquet') SELECT * FROM fleet.recordings FINAL
    SETTINGS engine_file_truncate_on_insert = 1;

*/
