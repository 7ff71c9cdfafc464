# shellcheck shell=bash
# shellcheck disable=SC2154 # tests/tap.sh sets dir and profrep
# A receiver of Pyroscope's Push API for tests: tests/programs/push_receiver.py. Source it after tests/tap.sh, in the root
# of the tree. Tests that use it work in $dir.
receiver_program=$PWD/tests/programs/push_receiver.py
receiver_pid=

# need_receiver: makes the messages by protoc, from the same descriptions as profrep's.
need_receiver()
{
	command -v protoc > "$dir/log" || skip_all "protoc is not installed"
	/usr/bin/python3 -c 'import google.protobuf' 2> "$dir/log" || skip_all "protobuf for python3 is not installed"
	export PUSH_MESSAGES=$dir/messages
	mkdir "$PUSH_MESSAGES"
	protoc --proto_path=report/export --python_out="$PUSH_MESSAGES" report/export/pprof.proto || exit 1
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
	: > receiver/profiles
	: > receiver/samples
	/usr/bin/python3 "$receiver_program" receiver "$@" > receiver/log 2>&1 &
	receiver_pid=$!
	wait_for test -e receiver/port
	port=$(cat receiver/port)
	# shellcheck disable=SC2034 # for scripts that source this
	url=http://127.0.0.1:$port
}

add_up() { LC_ALL=C awk '{n = $NF; sub(/[ \t][0-9]+$/, ""); sum[$0] += n} END {for (s in sum) printf "%s %.0f\n", s, sum[s]}' | LC_ALL=C sort; }

# receiver_sums: of each stack that came.
receiver_sums() { cut -f 2- receiver/samples | sed 's/\t/ /' | add_up; }

# folded_sums FILE...: of each stack in recordings, without the names of threads, as receivers get them.
folded_sums()
{
	local file
	for file; do
		"$profrep" export folded "$file" 2> /dev/null | sed -E 's/^[^;]*;//; t; s/^.* ([0-9]+)$/[no stack] \1/'
	done | add_up
}
