#!/usr/bin/env bash
# Tables of profrep in DuckDB and ClickHouse, the engines themselves: sums, the top functions, loads that change nothing,
# collisions, names that come later, all queries of the scripts. Recordings are of a build, of Python and of all processes, as of several hosts. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording
export NODE_PATH=${NODE_PATH:-$BUILD/npm/node_modules}
engine=$PWD/tests/readers/engine.js
root=$PWD

"$profrec" -q -F 499 -o "$dir/all.prof" 5 > "$dir/log" 2>&1
"$profrec" -q -F 499 -o "$dir/build.prof" -- timeout 5 sh -c 'while :; do gcc -O2 -c -o /dev/null tests/workloads/manystacks.c; done' \
	> "$dir/log" 2>&1
"$profrec" -q -F 499 -o "$dir/python.prof" -- timeout 5 python3 -c 'while True: sorted(str(i) for i in range(9999))' \
	> "$dir/log" 2>&1
cd "$dir" || exit 1
# A program whose names the recorder leaves out.
cat > spinner.c <<'C'
static volatile unsigned long n;
static inline __attribute__((always_inline)) void inlined(void) { n += n / 7; }
__attribute__((noinline)) void spin_long(void) { for (int i = 0; i < 3000; i++) inlined(); }
__attribute__((noinline)) void spin_short(void) { for (int i = 0; i < 1000; i++) n += n / 7; }
int main(void) { for (;;) { spin_long(); spin_short(); } }
C
gcc -g -O1 -Wl,--build-id -o spinner spinner.c
"$profrec" -q -F 499 --no-names -o spinner.prof -- timeout 3 ./spinner > log 2>&1
"$profrep" tables -o unnamed spinner.prof > log 2>&1
spun=$(zstd -qdc unnamed/samples.tsv.zst | awk -F '\t' '{n += $12} END {print n}')
"$profrep" pack -o packed.prof spinner.prof > log 2>&1
"$profrep" tables -o named packed.prof > log 2>&1
"$profrep" pack -i --lines -o lined.prof spinner.prof > log 2>&1
"$profrep" tables -o lined lined.prof > log 2>&1
for host in web1 web2; do
	for name in all build python; do
		"$BUILD/tests/prof_vary" $name.prof $host 3600 300000 > $host-$name.prof
		"$BUILD/tests/prof_vary" $name.prof $host 90000 1 > $host-$name-later.prof
	done
done
"$BUILD/tests/prof_make" < "$root/tests/golden/hostile.txt" > hostile.prof
"$profrep" tables -o first web1-*.prof web2-all.prof > log 2>&1
"$profrep" tables -o second web1-build.prof web2-*.prof > log 2>&1
"$BUILD/tests/prof_make" < "$root/tests/golden/calls.txt" > calls.prof
"$profrep" tables -o calls calls.prof > log 2>&1
calls=$(zstd -qdc calls/samples.tsv.zst | awk -F '\t' '{n += $12} END {print n}')
"$profrep" merge -o merged.prof web*.prof
days=$(zstd -qdc first/samples.tsv.zst | cut -c 1-10 | sort -u | xargs)
samples=$("$profrep" info merged.prof | awk '/^samples counted/ {print $3}')

# query ENGINE SQL: ENGINE's own name of tables is in place of "fleet.".
query()
{
	local sql=$2
	[ "$1" = clickhouse ] || sql=${sql//fleet./}
	node "$engine" "$1" "$dir/$1.db" <<< "$sql"
}
load() { (cd "$dir/$2" && node "$engine" "$1" "$dir/$1.db" < "$1.sql"); }
# Numbers of rows, and what they have.
contents()
{
	local table
	for table in samples recordings stacks frames symbols collisions; do
		query "$1" "SELECT '$table', count(*) FROM fleet.$table;"
	done
	query "$1" "SELECT sum(n) FROM fleet.samples;"
	query "$1" "$2"
}
loads_twice()
{
	local before
	before=$(contents "$1" "$3")
	load "$1" "$2" && diff <(echo "$before") <(contents "$1" "$3")
}
# The functions with most samples, as profrep counts them.
top_of_profrep()
{
	"$profrep" -fm --unnamed function "$1" 2> log | awk '{
		n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); self[f[k]] += n} END {for (i in self) print self[i] "\t" i}' |
		LC_ALL=C sort -t $'\t' -k 1,1nr -k 2 | head -n 20
}
top_of_engine()
{
	query "$1" "$2" | awk -F '\t' '{m = $3; if (m != "" && m !~ /^\[/) m = "[" m "]"; printf "%.0f\t%s\n", $1 * 499, $2 (m == "" ? "" : " " m)}' |
		sed 's/;/\\x3b/g' | LC_ALL=C sort -t $'\t' -k 1,1nr -k 2 | head -n 20
}
# The functions of the spinner, as profrep finds them in the file, and as the engine has them.
spinner_of_profrep()
{
	"$profrep" -f --comm spinner spinner.prof 2> log | awk '{n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); self[f[k]] += n}
		END {for (i in self) if (i ~ /^(spin_|main)/) print self[i] "\t" i}' | LC_ALL=C sort
}
spinner_of_engine()
{
	local top="SELECT self_s, function FROM fleet.service_top(wanted = 'spinner', lines = 100) WHERE module = 'spinner';"
	[ "$1" = clickhouse ] || top="SELECT self_s, function FROM service_top('spinner', 100) WHERE module = 'spinner';"
	query "$1" "$top" | grep -v '\[' | awk -F '\t' '{printf "%.0f\t%s\n", $1 * 499, $2}' | LC_ALL=C sort
}
changes_nothing()
{
	local before
	before=$(contents "$1" "SELECT * FROM fleet.symbols ORDER BY frame_id, depth;")
	load "$1" "$2" && diff <(echo "$before") <(contents "$1" "SELECT * FROM fleet.symbols ORDER BY frame_id, depth;")
}
# names_come_later ENGINE: the database has frames first, then their names, of the packed recording.
names_come_later()
{
	check "$1: frames without names load" load "$1" unnamed
	check "$1: frames without names have none" same "$(spinner_of_engine "$1")" ""
	check "$1: names of files load later" load "$1" named
	check "$1: names of files are those of profrep" diff <(spinner_of_engine "$1") <(spinner_of_profrep)
	check "$1: names of files have functions that were seen" contains "$(spinner_of_engine "$1")" spin_long
	check "$1: a second load of names changes nothing" changes_nothing "$1" named
	check "$1: tables without names change nothing" changes_nothing "$1" unnamed
	check "$1: lines load later" load "$1" lined
	check "$1: functions with lines are those of profrep" diff <(spinner_of_engine "$1") <(spinner_of_profrep)
	check "$1: inlined functions have their lines" contains \
		"$(contents "$1" "SELECT depth, name, line FROM fleet.symbols WHERE depth > 0 ORDER BY line, name;")" $'1\tinlined\t2'
	check "$1: a second load of lines changes nothing" changes_nothing "$1" lined
	check "$1: names without lines change nothing" changes_nothing "$1" named
}
# Two stacks with one id, as somebody may make them.
forge()
{
	cp -r first forged
	zstd -qdc first/stacks.tsv.zst | awk -F '\t' -v OFS='\t' 'NR == 1 {sub(/^\[/, "[1,", $2); print}' | zstd -qc >> forged/stacks.tsv.zst
	zstd -qdc first/frames.tsv.zst | awk -F '\t' -v OFS='\t' 'NR == 1 {$5 = "forged"; print}' | zstd -qc >> forged/frames.tsv.zst
}
forge
examples() { sed -n '/^\/\* 4/,/^\*\//p' "$1.sql" | sed "1d; \$d; s/'web7'/'web1'/g; s/'2026-11-21'/'${days%% *}'/; s/'2026-11-22'/'${days##* }'/"; }

# On each of two days a second at 100 Hz, and one or three at 10000 Hz, and nanoseconds beside time off the CPU. A thread
# is called \N.
# rated HOST DAY HZ SECONDS OFFSET
rated()
{
	printf '%s\n' "meta event cpu-clock" "meta freq_hz $3" "meta hostname $1" "meta start_realtime_ns $(date -ud "$2" +%s)000000000" \
		"object f file /opt/f aa" "sym f 0 16 slow" "sym f 16 16 fast" "process p 1 1" "map p f 0x1000 0x1000 0" \
		"info p 1 0 app /opt/f /" "count p \\x5cN $(($3 * $4)) user f:$5" "epoch 0 1000000000" |
		"$BUILD/tests/prof_make" > "$1-$2.prof"
}
for day in 2026-01-01 2026-01-02; do
	rated slow $day 100 1 1
	rated fast $day 10000 $((2 * ${day: -1} - 1)) 17
done
"$BUILD/tests/prof_make" < "$root/tests/golden/times.txt" > times.prof
"$profrep" tables -o rates slow-*.prof fast-*.prof times.prof > log 2>&1
# rates_of ENGINE: what each view says of them.
rates_of()
{
	local sql="SELECT self_s, function FROM fleet.fleet_top(lines = 9); SELECT count(*) FROM fleet.samples WHERE comm = '\\\\N';
		SELECT total_s, function FROM fleet.fleet_totals(lines = 2);
		SELECT self_s, function FROM fleet.service_top(wanted = 'app', lines = 9);
		SELECT service, cpu_s FROM fleet.host_times(wanted = 'fast'); SELECT service, cpu_s FROM fleet.host_times(wanted = 'slow');
		SELECT percent_before, percent_after, function
			FROM fleet.days_difference(day_before = '2026-01-01', day_after = '2026-01-02', lines = 9);
		SELECT * FROM fleet.service_folded(wanted = 'app');"
	[ "$1" = clickhouse ] ||
		sql="SELECT self_s, function FROM fleet_top(9); SELECT count(*) FROM samples WHERE comm = '\\N';
			SELECT total_s, function FROM fleet_totals(2); SELECT self_s, function FROM service_top('app', 9);
			SELECT service, cpu_s FROM host_times('fast'); SELECT service, cpu_s FROM host_times('slow');
			SELECT percent_before, percent_after, function FROM days_difference('2026-01-01', '2026-01-02', 9);
			SELECT * FROM service_folded('app');"
	node "$engine" "$1" "$dir/rates-$1.db" <<< "$sql" | tr '\t' ' '
}
rates_are_seconds()
{
	(cd rates && node "$engine" "$1" "$dir/rates-$1.db" < "$1.sql") && diff <(rates_of "$1") - << 'END'
4 fast
2 slow
0.010101 wait_for_other
4
4 fast
2 slow
4 fast
2 slow
app 1
app 3
app 1
app 1
50 75 fast
50 25 slow
\N;fast 4000000
\N;slow 2000000
END
}

for name in duckdb clickhouse; do
	top="SELECT self_s, function, module FROM fleet.fleet_top(lines = 20);"
	[ $name = clickhouse ] || top="SELECT self_s, function, module FROM fleet_top(20);"
	if ! query $name "SELECT 1;" > log 2>&1; then
		skip "$name" "its package of npm is not installed: make deps-long"
		continue
	fi
	check "$name: rates that differ, sampled nanoseconds, a name that looks like NULL" rates_are_seconds $name
	check "$name: tables load" load $name first
	check "$name: tables load beside the first" load $name second
	check "$name: the sum of all samples" same "$(query $name "SELECT sum(n) FROM fleet.samples;")" "$samples"
	check "$name: each recording has its samples" same "$(query $name \
		"SELECT r.recording_id FROM fleet.recordings AS r JOIN fleet.samples AS s ON r.recording_id = s.recording_id
			GROUP BY r.recording_id HAVING sum(s.n) <> min(r.counted);")" ""
	check "$name: the top functions are those of the merged recording" diff <(top_of_engine $name "$top") <(top_of_profrep merged.prof)
	check "$name: a second load changes nothing" loads_twice $name first "$top"
	check "$name: a second load of the other tables changes nothing" loads_twice $name second "$top"
	check "$name: no collision" same "$(query $name "SELECT count(*) FROM fleet.collisions;")" 0
	check "$name: tables with collisions load" load $name forged
	check "$name: collisions of frames and of stacks are found" same "$(query $name "SELECT tab FROM fleet.collisions ORDER BY tab;" | xargs)" "frames stacks"
	check "$name: collisions change nothing" diff <(top_of_engine $name "$top") <(top_of_profrep merged.prof)
	check "$name: tables of calls load" load $name calls
	check "$name: calls are not among samples of CPU time" diff <(top_of_engine $name "$top") <(top_of_profrep merged.prof)
	query $name "ALTER TABLE fleet.samples DROP COLUMN pod; ALTER TABLE fleet.samples DROP COLUMN unit;
		ALTER TABLE fleet.samples DROP COLUMN tid; ALTER TABLE fleet.samples DROP COLUMN labels;" > log 2>&1
	check "$name: a database of an older profrep gets the columns that it lacks" load $name first
	check "$name: rows of an older profrep have empty new columns" same "$(query $name "SELECT sum(n) FROM fleet.samples WHERE unit = '' AND pod = '' AND tid = 0 AND labels = '{}';")" \
		"$(query $name "SELECT sum(n) FROM fleet.samples;")"
	names_come_later $name
	"$profrep" tables -o "evil-$name" hostile.prof > log 2>&1
	check "$name: tables with hostile names load" load $name "evil-$name"
	check "$name: hostile names have their samples" \
		same "$(query $name "SELECT sum(n) FROM fleet.samples;")" "$((samples + 10 + calls + spun))"
	check "$name: a backslash ends no module" same "$(query $name \
		"SELECT DISTINCT length(module) FROM fleet.functions WHERE module LIKE '%xfe';")" 8
	check "$name: all queries of the script run" sh -c 'cd "$1" && node "$2" "$3" "$4" > ../answers' - first "$engine" $name "$dir/$name.db" \
		< <(cd first && examples $name)
	folded="SELECT * FROM fleet.service_folded(wanted = 'gcc');"
	[ $name = clickhouse ] || folded="SELECT * FROM service_folded('gcc');"
	check "$name: a flame graph has the samples of the service" same \
		"$(query $name "$folded" | tee "$name.folded" | awk '{n += $NF} END {printf "%.0f\n", n * 499 / 1e6}')" \
		"$(query $name "SELECT sum(n) FROM fleet.samples WHERE service = 'gcc';")"
	"$profrep" html --folded --demangle none -o "$name.html" - < "$name.folded"
	[ -z "$(command -v node)" ] || tap_of node "$root/tests/html/check_page.js" "$name.html" \
		<(sed 's/_\[k\]//g' "$name.folded")
	check "$name: all queries of the script have answers" at_least "$(wc -l < answers)" 50
	check "$name: the script writes Parquet" same "$(head -c 4 first/samples.parquet)" PAR1
	rm -f first/*.parquet
	sed -E 's/(:00)\.000/\1/; s/\.0+\t/\t/g' answers > "$name.answers"
done
[ ! -e duckdb.answers ] || [ ! -e clickhouse.answers ] ||
	check "both engines give one answer" diff <(sort duckdb.answers) <(sort clickhouse.answers)
plan_end
