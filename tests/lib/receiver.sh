# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/lib/tap.sh sets dir and profrep
# A receiver of Pyroscope's Push API for tests: tests/programs/push_receiver.py. Source it after tests/lib/tap.sh, in the root
# of the tree. Tests that use it work in $dir.
receiver_program=$PWD/tests/programs/push_receiver.py
receiver_pid=

# need_receiver: makes the messages by protoc, from the same descriptions as profrep's.
need_receiver()
{
	command -v protoc > "$dir/log" || skip_all "protoc is not installed"
	/usr/bin/python3 -c 'import google.protobuf' 2> "$dir/log" || skip_all "protobuf for python3 is not installed"
	export PUSH_MESSAGES=$dir/messages
	mkdir -p "$PUSH_MESSAGES"
	protoc --proto_path=report/export --python_out="$PUSH_MESSAGES" pprof.proto otlp.proto || exit 1
	protoc --proto_path=report/push --python_out="$PUSH_MESSAGES" report/push/push.proto || exit 1
}

end_receiver()
{
	[ -z "$receiver_pid" ] || { kill -KILL "$receiver_pid"; wait "$receiver_pid"; } 2> /dev/null
	receiver_pid=
}

# start_receiver [FAULT...]: another one in place of the last. Sets $url and $port. What came is in receiver/.
start_receiver()
{
	end_receiver
	[ -n "${keeps:-}" ] || rm -rf receiver
	mkdir -p receiver
	rm -f receiver/port
	touch receiver/profiles receiver/samples
	/usr/bin/python3 "$receiver_program" receiver "$@" > receiver/log 2>&1 &
	receiver_pid=$!
	wait_for test -e receiver/port
	port=$(cat receiver/port)
	# shellcheck disable=SC2034 # for scripts that source this
	url=http://127.0.0.1:$port
}

# start_tls NAME [FAULT...]: a receiver over TLS, whose certificate is for NAME, as IP:127.0.0.1, and in ca.pem.
start_tls()
{
	mkdir -p receiver
	openssl req -x509 -newkey rsa:2048 -nodes -keyout receiver/key.pem -out receiver/cert.pem -days 2 \
		-subj /CN=test -addext "subjectAltName=$1" > log 2>&1
	cp receiver/cert.pem ca.pem
	keeps=1 start_receiver "${@:2}"
	url=https://127.0.0.1:$port
	rm -f receiver/*.pem
}

add_up() { LC_ALL=C awk '{n = $NF; sub(/[ \t][0-9]+$/, ""); sum[$0] += n} END {for (s in sum) printf "%s %.0f\n", s, sum[s]}' | LC_ALL=C sort; }

# receiver_sums: of each stack that came.
receiver_sums() { cut -f 2,3 receiver/samples | tr '\t' ' ' | add_up; }

# folded_sums FILE...: of each stack in recordings, without the names of threads, as receivers get them.
folded_sums()
{
	local file
	for file; do
		"$profrep" export folded "$file" 2> /dev/null | sed -E 's/^[^;]*;//; t; s/^.* ([0-9]+)$/[no stack] \1/'
	done | add_up
}

## For profrep push of a recording, in $dir. What came is in receiver/. $now is the time.
# recording NAME AGE [LINE...]: a recording that began AGE seconds ago, at 100 Hz.
recording()
{
	local name=$1 age=$2
	shift 2
	printf '%s\n' "meta event cpu-clock" "meta freq_hz 100" "meta hostname web1" \
		"meta start_realtime_ns $((now - age))000000000" "$@" | "$BUILD/tests/prof_make" > "$name.prof"
}
# field NAME: that of each profile that came, sorted: .labels.host, .samples
field() { /usr/bin/python3 -c 'import functools, json, sys
for line in open("receiver/profiles"):
    print(functools.reduce(lambda value, key: value.get(key, "-"), sys.argv[1].split("."), json.loads(line)))' "$1" | sort; }
# sent: the header of the first request.
sent() { /usr/bin/python3 -c 'import json, sys
print(json.loads(open("receiver/requests").readline())["headers"].get(sys.argv[1], "-"))' "$1"; }
nr_requests() { cat receiver/requests 2> log | wc -l; }
took() { same "$(field samples | awk '{n += $1} END {print n + 0}')" "$1"; }
push() { "$profrep" push "$url" "$@"; }

# record_sums: 4 profiles with 14 samples, of three services and the kernel.
record_sums()
{
	local service=/system.slice/nginx.service
	recording sums 300 "object f file /nonexistent/f -" "sym f 0 16 a" "sym f 16 16 b;c" \
		"process n 1 1" "process m 2 2" "process o 3 3" "map n f 0x1000 0x1000 0" "map m f 0x1000 0x1000 0" \
		"map o f 0x1000 0x1000 0" "info n 1 - nginx /bin/nginx $service" "info m 2 - nginx /bin/nginx $service" \
		"info o 3 - top /bin/top /user.slice" \
		"count n nginx 5 user f:1" "part 0 2" "part 61 3" "count m nginx 4 user f:1" "part 1 1" "part 62 3" \
		"count o top 3 user f:17 f:1" "part 0 3" "count kernel kernel 2" "part 5 2" "slices 1000000000 0" "epoch 0 90000000000"
}
took_all() { took 14 && diff <(folded_sums sums.prof) <(receiver_sums); }

## For profrep push --watch in, which writes to push.log.
push_pid=

# start_push [OPTION...]: its pid is in $push_pid.
# shellcheck disable=SC2120
start_push()
{
	"$profrep" push --watch in "$@" "$url" >> push.log 2>&1 &
	push_pid=$!
}

# end_push SIGNAL: its exit status.
end_push()
{
	local pid=$push_pid
	push_pid=
	kill "-$1" "$pid" && wait "$pid"
}

# make_recording FILE NR [STACKS]: a recording of its own, $age seconds old, with profiles of three services.
make_recording()
{
	local nr=$2 stacks=${3:-3}
	awk -v nr="$nr" -v stacks="$stacks" -v now="$(($(date +%s) - ${age:-0}))" 'BEGIN {
		print "meta event cpu-clock\nmeta freq_hz 100\nmeta hostname h" nr "\nmeta start_realtime_ns " now "000000000"
		print "object f file /nonexistent/f -"
		for (i = 0; i < stacks; i++) printf "sym f %d 16 f%d_%d\n", 16 * i, nr, i
		for (p = 1; p <= 3; p++) {
			print "process p" p " " p " 1\ninfo p" p " " p " 0 service" p - 1 " \"\" \"\""
			print "map p" p " f 0x1000 0x10000000 0"
		}
		for (i = 0; i < stacks; i++) printf "count p%d service%d %d user f:%d\n", i % 3 + 1, i % 3, i % 9 + 1, 16 * i + 1
		print "epoch 0 1000000000" }' | "$BUILD/tests/prof_make" > "$1"
}

# sums_are FILE...: the receiver has the recordings, each once.
sums_are() { diff <(folded_sums "$@") <(receiver_sums); }

receiver_ids() { sed -E 's/.*"id": "([^"]*)".*/\1/' receiver/profiles; }

# taken_all NR: of so many recordings the requests are in the spool.
taken_all() { at_least "$(tail -n +3 in/.profrep-push/state | grep -vc "^id ")" "$1"; }

# no_spool: nothing waits, and something was there.
no_spool() { taken_all 1 && [ -z "$(find in/.profrep-push -type f -name '*-*' -print -quit)" ]; }

# kill_push TIMES SECONDS: runs it, and kills it after up to SECONDS. The last run ends when all is sent.
kill_push()
{
	local times=$1 seconds=$2 i
	for ((i = 0; i < times; i++)); do
		start_push
		sleep "$(awk -v s="$seconds" -v seed="$RANDOM$i" 'BEGIN {srand(seed); printf "%.3f", rand() * s}')"
		end_push KILL 2> /dev/null
	done
	start_push
	wait_for taken_all "$(find in -name '*.prof' | wc -l)"
	wait_for no_spool
	end_push TERM
}

# unique_sums: like receiver_sums, of the first of profiles with one id.
unique_sums() { awk -F '\t' '!seen[$4 FS $2 FS $1]++' receiver/samples | cut -f 2,3 | tr '\t' ' ' | add_up; }

# holds_all FILE...: nothing is missing.
holds_all() { diff <(folded_sums "$@") <(unique_sums); }

# repeats_are_said KILLS: profiles came twice at most as often as it was said, and that at most once for each kill.
repeats_are_said()
{
	local said
	said=$(grep -c "the receiver may have it already" push.log)
	at_most "$(($(receiver_ids | wc -l) - $(receiver_ids | sort -u | wc -l)))" "$said" && at_most "$said" "$1"
}
