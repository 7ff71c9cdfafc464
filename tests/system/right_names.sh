#!/usr/bin/env bash
# Frames have the names of the code that ran, or none. Programs know themselves where they spend their time.
# shellcheck source=tests/tap.sh
. tests/tap.sh
need_tables

# samples NAME REGEX: how many samples of the recording have such a folded stack.
samples() { "$profrep" -f -U "$dir/$1.prof" 2> /dev/null | sum_samples "$2"; }

## A function whose first instruction was interrupted: it has no return address, which would be looked up a byte before.
build "$dir/interrupted" interrupted.c "${frameless[@]}"
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/interrupted.prof" -- timeout 3 "$dir/interrupted" > /dev/null
check "a fault in a first instruction: its function is named" [ "$(samples interrupted ";fault_at_once[; ]")" -ge 5 ]
check "a fault in a first instruction: never the function before" same "$(samples interrupted ';never_called[; ]')" 0
plan_end
