#!/usr/bin/env bash
# Threads of one name, told apart by their ids: which of a pool is busy?
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

cat > "$dir/pool.c" << 'END'
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static volatile unsigned long sum;

static void *work(void *busy)
{
	pthread_setname_np(pthread_self(), "worker");
	if (!busy)
		pause();
	printf("%d\n", gettid());
	fflush(stdout);
	for (;;)
		sum++;
	return NULL;
}

int main(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, work, i == 1 || i == 2 ? work : NULL);
	pause();
	return 0;
}
END
"$cc" -O1 -pthread -o "$dir/pool" "$dir/pool.c" || exit 1
"$dir/pool" > "$dir/tids" &
pool=$!
both_told() { [ "$(wc -l < "$dir/tids")" -eq 2 ]; }
wait_for both_told
# others_rest: the main thread and the two other workers are there, and wait.
others_rest()
{
	local task nr=0
	for task in /proc/$pool/task/*; do
		grep -qx "${task##*/}" "$dir/tids" && continue
		is_state "${task#/proc/}" S || return
		nr=$((nr + 1))
	done
	[ $nr -eq 3 ]
}
wait_for others_rest
expected=$(sort -n "$dir/tids" | sed "s|.*|worker/& ($pool)|")

# threads OPTION... FILE: the threads of the pool, as top names them.
threads() { "$profrep" top --by thread "$@" 2> /dev/null | sed -n 's/.* \(worker.*\)/\1/p' | sort; }

busy=$(sed "s|^|$pool/task/|" "$dir/tids")
for backend in auto perf ptrace; do
	if ! "$profrec" -q --backend $backend -p $pool -o "$dir/$backend.prof" 0.1 2> "$dir/err"; then
		skip "--backend $backend: ids of a process's threads" "$(head -n 1 "$dir/err")"
		continue
	fi
	record_while 50 "$busy" --backend $backend -F 199 -p $pool -o "$dir/$backend.prof"
	check "--backend $backend: ids of a process's threads" same "$(threads "$dir/$backend.prof")" "$expected"
done
file=$dir/auto.prof

heads() { awk -F ';' '{print $1}' | sort -u; }
check "folded, by name" same "$("$profrep" -f "$file" | heads)" worker
check "folded, by id" same "$("$profrep" -f --threads "$file" | heads)" "$(sort -n "$dir/tids" | sed 's|^|worker/|')"
total() { "$profrep" -f "$@" | sum_samples; }
check "the counts add up" same "$(total --threads "$file")" "$(total "$file")"
check "a filter takes names" same "$(threads --comm worker "$file")" "$expected"
for id in $(cat "$dir/tids"); do
	check "--tid: one of them" same "$(threads --tid "$id" "$file")" "worker/$id ($pool)"
done
check "--tid: by name" same "$("$profrep" -f --tid "$(paste -sd , "$dir/tids")" "$file" | heads)" worker
check "perf-script has ids" same "$("$profrep" export perf-script "$file" | sed -n 's|^worker \([0-9]*/[0-9]*\) .*|\1|p' | sort -u)" \
	"$(sort -n "$dir/tids" | sed "s|^|$pool/|")"

tid=$(head -n 1 "$dir/tids")
record_while 50 "$pool/task/$tid" -F 99 -L "$tid" -o "$dir/one.prof"
check "-L: the id of the one" same "$(threads "$dir/one.prof")" "worker/$tid ($pool)"

if has_bpf "the whole host"; then
	record_while 50 "$busy" -F 99 -o "$dir/host.prof"
	check "the whole host, by name" same "$(threads "$dir/host.prof")" "worker ($pool)"
	record_while 50 "$busy" -F 99 --threads -o "$dir/host.prof"
	check "--threads: the whole host, by id" same "$(threads "$dir/host.prof")" "$expected"
fi
kill $pool

# Ids differ from run to run.
"$profrep" merge -o "$dir/merged.prof" "$file" "$file" 2> "$dir/err"
check "merge: names alone" same "$(threads "$dir/merged.prof" | sed 's/ .*//' | sort -u)" worker
"$profrep" pack -o "$dir/packed.prof" "$file" 2> /dev/null
check "pack: ids stay" same "$(threads "$dir/packed.prof")" "$expected"
plan_end
