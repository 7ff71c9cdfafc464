#!/usr/bin/env bash
# Small recordings and files that are meant to use up memory or time. profrep has a gigabyte of address space and 20
# seconds of CPU time for each, and ends by itself. Unit tests (tests/unit/test_bombs.c) measure what it takes.
# shellcheck source=tests/tap.sh
. tests/tap.sh

(ulimit -v 1048576; "$profrep" --version > /dev/null 2>&1) || skip_all "profrep needs a gigabyte to start, as with sanitizers"

# bounded STATUS ARGS...: profrep with limits exits with that status.
bounded()
{
	local want=$1
	shift
	(
		ulimit -v 1048576 -t 20
		fails "$want" timeout 300 "$profrep" "$@" > "$dir/out"
	)
}

# bomb KIND STATUS ARG...: profrep reads a recording of that kind.
bomb()
{
	local kind=$1 want=$2
	shift 2
	"$BUILD/tests/bomb_make" "$kind" > "$dir/$kind.prof" || return 1
	at_most "$(stat -c %s "$dir/$kind.prof")" 2097152 && bounded "$want" "$@" "$dir/$kind.prof"
}

check "a million symbols, 40 times" bomb symbols 0 -f
check "a million new frames, 16 times" bomb frames 3 -f
check "a million new frames: that is said" contains "$("$profrep" -f "$dir/frames.prof" 2>&1 > "$dir/out")" \
	"it takes far more memory than a recording of its size should"
check "40,000 frames in a module with a long name" bomb module 0 -f -m
check "intervals of a nanosecond" bomb intervals 1 -T -f
check "strings with one hash" bomb strings 0 -f

# A mangled name in one line of a map keeps libiberty busy for years.
"$BUILD/tests/prof_make" < tests/golden/mangled.txt > "$dir/names.prof"
check "names that take years to demangle" bounded 0 -f "$dir/names.prof"

# A recording of a sample in /app, which --symfs has.
"$BUILD/tests/prof_make" > "$dir/app.prof" <<-'END'
	object f file /app -
	process p 1
	count p app 1 user f:0x100
END
mkdir "$dir/root"
for kind in tables sections link; do
	"$BUILD/tests/bomb_make" $kind > "$dir/root/app"
	check "an ELF file: $kind" bounded 0 -f --symfs "$dir/root" "$dir/app.prof"
	check "an ELF file: $kind: the sample has no name" contains "$(cat "$dir/out")" "app;[unknown] 1"
done
truncate -s 1T "$dir/root/app.debug"
check "a debug link to a hole of a terabyte" bounded 0 -f --symfs "$dir/root" "$dir/app.prof"
plan_end
