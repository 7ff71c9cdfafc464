#!/usr/bin/env bash
# Frames have the names of the code that ran, or none. Programs know themselves where they spend their time.
# shellcheck source=tests/tap.sh
. tests/tap.sh
need_recording
[ "$(uname -m)" = x86_64 ] || skip_all "tables are for x86-64, this is $(uname -m)"
"$profrec" -q --unwind=dwarf -o "$dir/probe.prof" 1 2> "$dir/why" ||
	skip_all "no stacks by tables here: $(head -n 1 "$dir/why")"
cc=${CC:-cc}

# build NAME [FLAG...]: a program of tests/programs.
build()
{
	local name=$1
	shift
	"$cc" -O2 -I. -o "$dir/$name" "tests/programs/$name.c" "$@"
}

# samples NAME REGEX: how many samples of the recording have such a folded stack.
samples()
{
	"$profrep" -f -U "$dir/$1.prof" 2> /dev/null | awk -v re="$2" '$0 ~ re {n += $NF} END {print n + 0}'
}

## A function whose first instruction was interrupted: it has no return address, which would be looked up a byte before.
build interrupted
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/interrupted.prof" -- timeout 3 "$dir/interrupted" > /dev/null
check "a fault in a first instruction: its function is named" [ "$(samples interrupted ";fault_at_once[; ]")" -ge 5 ]
check "a fault in a first instruction: never the function before" same "$(samples interrupted ';never_called[; ]')" 0
plan_end
