# shellcheck shell=bash
# Programs whose probes a test records, one after the other. Every program begins when the probes are there, so no time
# matters. Source it after tests/lib/tap.sh.
: "${dir:?a directory}" "${profrec:?from tests/lib/tap.sh}" "${profrep:?from tests/lib/tap.sh}"

# record NAME OPTION... -- COMMAND...
record() { "$profrec" -o "$dir/$1.prof" "${@:2}" 2> "$dir/$1.err" || { cat "$dir/$1.err" >&2; return 1; }; }
# folded NAME [EVENT]
folded() { "$profrep" -fP ${2:+--event "$2"} "$dir/$1.prof" 2> /dev/null; }
# hits NAME REGEX [EVENT]
hits() { folded "$1" "${3:-}" | sum_samples "$2"; }

# target PROGRAM ARGUMENT...: starts a run that waits for finish. It gets a FIFO as its last argument, and says its pid.
# Its pid is $target.
target()
{
	rm -f "$dir/go" "$dir/pid" && mkfifo "$dir/go"
	"$@" "$dir/go" > "$dir/pid" &
	wait_for test -s "$dir/pid"
	target=$(head -n 1 "$dir/pid")
}
# trace NAME OPTION...: records the target. The recorder says so when all probes are there.
trace()
{
	: > "$dir/$1.err"
	"$profrec" -o "$dir/$1.prof" -p "$target" "${@:2}" 2> "$dir/$1.err" &
	recorder=$!
	wait_for has_text "Ctrl-C" "$dir/$1.err"
}
# begin NAME PROGRAM N OPTION...: both.
begin()
{
	target "$2" "$3"
	trace "$1" "${@:4}"
}
finish()
{
	echo > "$dir/go"
	wait "$target"
	kill -INT $recorder
	wait $recorder
}
# refused NAME TEXT OPTION...: profrec says the text and fails.
refused() { check "$1" says 1 "$2" "$profrec" -q -o "$dir/x.prof" "${@:3}" 1; }
