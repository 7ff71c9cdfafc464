#!/usr/bin/env bash
# Tables of recordings: sums, identities across hosts, hostile names, one result whatever the threads do. TAP.
# long/tables loads them into the databases.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v zstd > "$dir/log" || skip_all "zstd is not installed"
for text in tests/golden/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done
root=$PWD
cd "$dir" || exit 1

# rows DIR TABLE
rows() { zstd -qdc "$1/$2.tsv.zst"; }
# field DIR TABLE N [CONDITION]: field N of each row for which the condition of awk holds.
field() { rows "$1" "$2" | awk -F '\t' "${4:-1} {print \$$3}"; }
# make DIR FILE...: prints what profrep says.
make() { rm -rf "$1"; "$profrep" tables -o "$@" 2>&1; }

## Sums: of each event of each recording, as it says itself. A damaged recording has a good part.
sums_are_exact()
{
	[ -s "$1/samples.tsv.zst" ] && diff <(rows "$1" recordings | awk -F '\t' '{print $1, $14}' | sort) \
		<({ rows "$1" samples | awk -F '\t' '{n[$3] += $12} END {for (id in n) printf "%s %.0f\n", id, n[id]}'
			field "$1" recordings 1 | sed 's/$/ 0/'; } | awk '{n[$1] += $2} END {for (id in n) printf "%s %.0f\n", id, n[id]}' | sort)
}
for name in basic calls calls-bytes ends epochs host-a languages missed order processes slices; do
	make one "$name.prof" > log
	check "$name: the samples add up" sums_are_exact one
	check "$name: samples are as profrep counts them" \
		same "$(field one samples 12 | awk '{n += $1} END {printf "%.0f\n", n}')" \
		"$(for event in $(field one recordings 1 | cat -n | awk '{print $1}'); do
			"$profrep" -f --event "$event" "$name.prof" 2> log; done | awk '{n += $NF} END {printf "%.0f\n", n}')"
done

## Every id of one table is in the other, and no row is there twice.
is_whole()
{
	[ -s "$1/symbols.tsv.zst" ] && [ -n "$(field "$1" samples 10)" ] && [ -n "$(field "$1" symbols 1)" ] &&
		diff <(field "$1" samples 10 | sort -u) <(field "$1" stacks 1 | sort) &&
		diff <(field "$1" stacks 2 | tr -d '[]' | tr , '\n' | sort -u) <(field "$1" frames 1 | sort) &&
		same "$(field "$1" symbols 1 | sort -u | comm -23 - <(field "$1" frames 1 | sort))" "" &&
		same "$(rows "$1" symbols | cut -f 1,4 | sort | uniq -d)" ""
}
make lines lines.prof > log
check "lines and inlined functions of a recording" same "$(rows lines symbols | awk -F '\t' '$3 == 4127' | cut -f 3-)" \
	"$(printf '%s\t%s\t%s\t/build/app/loop.rs\t%s\tline\n' 4127 0 step 6 4127 1 add 20)"
check "a function with lines keeps the name of its symbol" same "$(field lines symbols 5 '$3 == 4624')" "app::step(int)"
check "a frame without a line has its name alone" same "$(rows lines symbols | awk -F '\t' '$3 == 4192' | cut -f 4-)" $'0\tstep\t\t0\trecording'
check "tables with lines belong together" is_whole lines
printf '%s\n' "object f file /lib/work.so 11bbccddeeff00112233445566778899aabbccdd" "line f 0x10 /work.c 7 \"\"" "sym f 0 0x80 \"\"" \
	"process p 1 1" "map p f 0x1000 0x1000 0" "count p a 1 user f:0x10" | "$BUILD/tests/prof_make" > unnamed.prof
make unnamed unnamed.prof > log
check "a line without a name leaves the frame as it is" same "$(rows unnamed symbols | cut -f 4-)" $'0\t[work.so+0x0]\t\t0\tbounds'

make all basic.prof calls.prof epochs.prof host-a.prof host-b.prof languages.prof missed.prof processes.prof slices.prof > log
check "tables of many recordings belong together" is_whole all

## Identities: hosts share stacks, wherever their kernels are, and not what only a host knows.
make hosts host-a.prof host-b.prof > log
stacks_of() { field hosts samples 10 "\$4 == \"$1\"" | sort; }
check "two hosts have their names" same "$(field hosts recordings 2 | xargs)" "a b"
check "two hosts share the stack of the kernel and of the library" same "$(comm -12 <(stacks_of a) <(stacks_of b) | wc -l)" 1
check "a file without a build-id belongs to its host" same "$(field hosts frames 6 '$5 == "file" && $2 == ""' | sort | xargs)" "a b"
check "compiled code is known by its name" same "$(field hosts frames 6 '$5 == "jit"' | sort | xargs)" "compiled_a compiled_b"
check "functions of a language are known by name and line" contains "$(rows all frames)" $'\tpy\t'

## Times: slices of a second, added up, and an epoch without slices.
make seconds --slice 1 slices.prof > log
check "slices of a second" same "$(rows seconds samples | awk -F '\t' '{n[$1 " " $2] += $12} END {for (t in n) print t, n[t]}' | sort | head -n 2)" \
	"1970-01-01 00:00:00.000 1000 1"$'\n'"1970-01-01 00:00:01.000 1000 4"
make minutes slices.prof > log
check "slices of a minute" same "$(cut -f 1,2 <(rows minutes samples) | sort -u)" $'1970-01-01 00:00:00.000\t60000'

## Threads have ids where the recording has them.
make threads threads.prof > log
check "threads" same "$(rows threads samples | awk -F '\t' '{n[$7 " " $8 "/" $16] += $12} END {for (t in n) print t, n[t]}' | sort)" \
	"$(printf '%s\n' "app 70/0 1" "pool 70/71 3" "pool 70/72 1")"

## Labels of requests are objects of JSON.
make requests requests.prof > log
check "labels" same "$(rows requests samples | cut -f 12,17 | sort -rn)" \
	"$(printf '%s\t%s\n' 50 '{"http.route":"/cart"}' 30 '{"http.route":"/pay","tenant":"a"}' \
		11 '{"http.route":"\u001b[31m<b>&'"'"'\"\u000a;=x"}' 5 '{"[other]":""}' 4 '{}')"

## Names: nothing leaves its field, all is UTF-8, and equal names of profrep are equal here.
make evil hostile.prof mangled.prof > log
columns_of()
{
	local table
	for table in recordings samples stacks frames symbols; do rows evil $table | awk -F '\t' -v t=$table '{print t, NF}' | sort -u; done
}
check "each row has all fields" same "$(columns_of)" "recordings 15"$'\n'"samples 17"$'\n'"stacks 2"$'\n'"frames 6"$'\n'"symbols 8"
all_text() { for table in recordings samples frames symbols; do rows evil $table; done; }
check "all is UTF-8" iconv -f UTF-8 -t UTF-8 <(all_text)
check "no control character is left" same "$(all_text | tr -d '\t\n' | LC_ALL=C grep -c '[[:cntrl:]]')" 0
check "a name with a newline" contains "$(field evil symbols 5)" 'a;b c\x0a'
check "a backslash stays" contains "$(field evil samples 7)" 'a\b'
check "names are demangled" contains "$(field evil symbols 5)" "("

## Services.
# service_of CGROUP [NAME [EXE]]
service_of()
{
	printf 'process p 7 1\ninfo p 7 0 %s %s %s\ncount p thread 1\n' "${2-main}" "${3-/bin/x}" "$1" | "$BUILD/tests/prof_make" > service.prof
	make service service.prof > log
	field service samples 5
}
make times times.prof > log
check "sampled nanoseconds are no samples at a rate" same "$(rows times recordings | awk -F '\t' '{print $5, $6, $7}' | sort | xargs)" \
	"cpu-clock ns 0 off-cpu ns 0"
id=0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef
check "a unit" same "$(service_of /system.slice/nginx.service)" nginx
check "a cgroup in a unit" same "$(service_of /system.slice/nginx.service/worker)" nginx
check "container, pod and unit are what the path says" same "$(service_of /kubepods/pod0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0/$id/web.service > log; rows service samples | cut -f 13-15)" \
	"$id"$'\t'"0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0"$'\t'"web.service"
check "a container in a scope" same "$(service_of /system.slice/docker-$id.scope)" 0123456789ab
check "a container" same "$(service_of /kubepods/besteffort/pod1/$id)" 0123456789ab
check "a container of LXC" same "$(service_of /lxc.payload.web)" web
check "another cgroup" same "$(service_of /user.slice/session-1.scope)" main
check "a process without a name is called after its executable" same "$(service_of / '""')" x
check "a process without name and executable has no service of a thread" same "$(service_of / '""' '""')" "[unknown]"

## One result: in any run, and a stack once, whichever thread was first.
for i in $(seq 12); do sed "s/^meta hostname a/meta hostname a$i/" "$root/tests/golden/host-a.txt" | "$BUILD/tests/prof_make" > "a$i.prof"; done
make first a*.prof b*.prof > log
make second a*.prof b*.prof > log
check "two runs have one result" diff -r first second
check "a stack is there once" is_whole first
# Of a function one recording knows the name, and the next one the bounds.
sym()
{
	printf '%s\n' "meta hostname $1" "object f file /lib/work.so 11bbccddeeff00112233445566778899aabbccdd" "sym f 0 0x80 $1" \
		"process p 1 1" "map p f 0x1000 0x1000 0" "count p a 1 user f:0x10" | "$BUILD/tests/prof_make" > "$2.prof"
}
sym work named
sym '""' bounds
for i in $(seq 5); do make names named.prof bounds.prof; field names symbols 5; done > symbols
check "a name leaves no room for bounds, whichever thread was first" same "$(sort -u symbols)" work
make names bounds.prof named.prof > log
check "bounds that came first stay beside the name" same "$(field names symbols 5 | xargs)" "[work.so+0x0] work"

## A recording may claim any time.
printf '%s\n' "process p 1 1" "count p a 1" "epoch 0 9000000000000000000" | "$BUILD/tests/prof_make" > long.prof
make long long.prof > log
check "lengths fit their column" same "$(field long samples 2)" 4294967295

## Recordings that cannot be read, or count twice.
echo damaged > damaged.prof
head -c -40 basic.prof > cut.prof
check "a damaged recording is left out" says 3 "WARNING: the recording 'damaged.prof' is left out" "$profrep" tables -o left basic.prof damaged.prof
check "a damaged recording: the others are there" sums_are_exact left
check "a recording that was cut" says 3 "WARNING: the recording 'cut.prof' is incomplete" "$profrep" tables -o short cut.prof
check "a recording that was cut says so" same "$(field short recordings 15)" 1
check "a recording that is there twice" says 3 "it is there twice" "$profrep" tables -o twice basic.prof basic.prof
check "a recording that is there twice counts once" sums_are_exact twice
"$profrep" merge -o merged.prof host-a.prof host-b.prof
check "a merged recording has no times" says 1 "failed to make tables of 'merged.prof': it was merged from several" "$profrep" tables -o none merged.prof
check "no recording can be read" says 1 "no recording can be read" "$profrep" tables -o none damaged.prof damaged.prof

check "standard input, once" says 1 "failed to make tables: only one recording can be '-'" "$profrep" tables -o none - -
printf -- '-\n-\n' > list
check "standard input, in lists" says 1 "failed to make tables: only one recording can be '-'" "$profrep" tables -o none @list

## The directory: whole or not at all.
check "nothing is left of tables that failed" same "$(ls -d none* ./*.part 2> log)" ""
check "a directory with files" says 1 "failed to create 'first': Directory not empty" "$profrep" tables -o first basic.prof
mkdir empty
check "an empty directory" "$profrep" tables -o empty/ basic.prof
check "an empty directory: all files are there" same "$(ls -x -w 0 empty)" \
	"clickhouse.sql  duckdb.sql  frames.tsv.zst  recordings.tsv.zst  samples.tsv.zst  stacks.tsv.zst  symbols.tsv.zst"
check "no output" says 2 "command tables: needs -o" "$profrep" tables basic.prof
# Only the samples take more than 16 KiB. They are written before the rows of other tables.
{
	printf '%s\n' "object f file /nonexistent/f -" "process p 1 1" "map p f 0x1000 0x1000 0"
	seq 6000 | awk '{print "count p t" $1, $1 * 7919 % 99991, "user f:1"}'
	echo "epoch 0 1"
} | "$BUILD/tests/prof_make" > large.prof
tables_of_limit() { (trap '' XFSZ && ulimit -f 16 && exec "$profrep" tables -o limited large.prof); }
check "a limit of files" says 1 "failed to write 'samples.tsv.zst': File too large" tables_of_limit
check "a limit of files: nothing is left" same "$(ls -d limited* 2> log)" ""
# A stopped reader of a FIFO keeps profrep waiting for the second recording.
mkfifo fifo
"$profrep" tables -o killed basic.prof fifo 2> log &
pid=$!
# Opening for both directions does not wait for profrep, which may have failed.
exec 3<> fifo
wait_for test -e killed.$pid.part/samples.tsv.zst
kill -TERM $pid
wait $pid
exec 3>&-
check "a signal leaves nothing" same "$(ls -d killed* 2> log)" ""

## Names of files, which a packed recording has. The code of a function that was inlined is that of its caller.
cat > named.c <<'C'
static inline __attribute__((always_inline)) void inner(void) { __asm__ volatile(".globl here\nhere: nop"); }
__attribute__((noinline)) void outer(void)
{
	inner();
}
int main(void) { outer(); }
C
gcc -g -O2 -Wl,--build-id -o 'named\program' named.c
build_id=$(readelf -n named*program | sed -n 's/.*Build ID: //p')
read -r off vaddr < <(readelf -lW named*program | awk '$1 == "LOAD" && /R E/ {print $2, $3; exit}')
at=$((0x$(nm named*program | awk '$3 == "here" {print $1}') - vaddr + off))
names_of() { rows "$1" symbols | cut -f 4-8 | sort; }
printf '%s\n' "object f file $PWD/named\\\\program $build_id" "process p 1 1" "map p f 0x1000 0x100000 0" \
	"count p a 1 user f:$at" | "$BUILD/tests/prof_make" > here.prof
make unnamed here.prof > log
check "no name yet" same "$(names_of unnamed)" ""
"$profrep" pack -o packed.prof here.prof 2> log
make named packed.prof > log
check "a packed recording brings the function of the code" same "$(names_of named)" $'0\touter\t\t0\trecording'
check "a packed recording keeps its id" same "$(field named recordings 1)" "$(field unnamed recordings 1)"
check "a packed recording keeps the ids of its frames" same "$(field named frames 1)" "$(field unnamed frames 1)"

## A loss of power: files, directory and name are synced, and errors of that are said.
if command -v strace > log && strace -qq -o log true 2> log; then
	# The search for leaks does not work below a tracer.
	export ASAN_OPTIONS=detect_leaks=0
	synced() { strace -f -qq -y -o calls -e trace=fsync,rename "$profrep" tables -o synced basic.prof; }
	check "tables are synced" synced
	check "tables are synced: each file, and the part" same "$(sed '/rename(/q' calls | grep -c 'fsync(.*\.part.*= 0')" "$(($(ls synced | wc -l) + 1))"
	check "tables are synced: after the rename, their directory" \
		contains "$(sed '1,/rename(/d; s/ *= / = /' calls)" "<$dir>) = 0"
	failing() { strace -f -qq -o log -e trace=fsync -e inject="fsync:error=EIO:when=$1" "$profrep" tables -o unsynced basic.prof; }
	files=$(ls synced | wc -l)
	for at in 1 "$files" $((files + 1)); do
		check "sync $at fails" fails 1 failing "$at"
		check "sync $at fails: nothing is left" same "$(find . -name 'unsynced*')" ""
	done
	check "the sync of the name fails" fails 1 failing $((files + 2))
	check "the sync of the name fails: all is there" same "$(ls unsynced)" "$(ls synced)"
	unset ASAN_OPTIONS
else
	skip "a loss of power" "strace is not installed, or cannot trace here"
fi
plan_end
