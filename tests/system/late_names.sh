#!/usr/bin/env bash
# On a busy host, names come late, but they come: the files of ten programs are removed before the report. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

build "$dir/short" short.c
pids=()
for i in {1..10}; do
	cp "$dir/short" "$dir/app$i"
	"$dir/app$i" 600000 &
	pids+=($!)
	begun $! "app$i"
done

what="beside ten programs that need a processor"
record_while 3 "${pids[*]}" -F 99 -U --names-wait 1h -o "$dir/a.prof"
rm "$dir"/app*
check "$what: every program is in the recording" same "$("$profrep" -f "$dir/a.prof" | grep -o '^app[0-9]*;' | sort -u | wc -l)" 10
check "$what: no leaf of theirs is without a name" same "$("$profrep" -f "$dir/a.prof" | grep '^app[0-9]*;.*\(unknown\|+0x\)[^;]* [0-9]*$')" ""
check "$what: no names of files are left out" same \
	"$("$profrep" info --json "$dir/a.prof" | grep -o '"left_out":{[^}]*}' | grep -o '"names":[0-9]*')" '"names":0'

record_while 3 "${pids[*]}" -F 99 -U --names-wait 0 -o "$dir/none.prof"
check "--names-wait 0: the recording is whole" is_complete "$dir/none.prof"
plan_end
