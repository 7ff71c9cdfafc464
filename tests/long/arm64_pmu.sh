#!/usr/bin/env bash
# Hardware events: QEMU's processor of arm64 counts cycles and instructions, and interrupts at each period. The recorded
# program counts its own at the same time. tests/kernels/recordings_pmu makes the recordings. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/kernels.sh
. tests/lib/kernels.sh
# shellcheck source=tests/lib/arm64.sh
. tests/lib/arm64.sh

need_arm64 6.1
check "profrec for arm64 builds" make_arm64 -j"$(nproc)" STATIC=1 profrec
[ -x "$BUILD/arm64/static/profrec" ] || { plan_end; exit; }
# shellcheck disable=SC2034 # build reads it
cc=aarch64-linux-gnu-gcc
build "$dir/counted" counted.c --sysroot="$sysroot" -O2

at=$dir/6.1-arm64
mkdir "$at"
# Instructions are counted if the emulator counts them: two nanoseconds each.
MACHINE="-icount shift=1" RECORDINGS=recordings_pmu tests/kernels/boot 6.1-arm64 "$at" "$dir/counted" > "$at.log" 2>&1
# shellcheck disable=SC2034 # booted reads it
status=$?
check "the machine boots, records, ends" booted

# Of the program's own count of EVENT in recording NAME, the number of periods of so many.
periods() { awk -v event="$2" -v period="$3" '$1 == event {print int($2 / period)}' "$at/out/$1.log"; }
# sampled NAME EVENT PERIOD: a sample each period, in the loop, and a tenth more before and after it, at most.
sampled()
{
	local wanted taken
	wanted=$(periods "$1" "$2" "$3")
	taken=$(samples "$1" ';main;spin |;spin ')
	above "$wanted" 10 && at_most "$wanted" "$((taken + 1))" && at_most "$taken" "$((wanted * 11 / 10))"
}
for name in instructions cycles default rate shared; do
	check "$name: recorded, whole, nothing unaccounted for" recorded "$name"
done
check "instructions: a sample each period" sampled instructions instructions 5000000
check "cycles: a sample each period" sampled cycles cycles 5000000
check "without an event: cycles" contains "$(value default event)" cycles
check "a rate of instructions: there are samples" above "$(samples rate ';spin ')" 5
check "other sessions have most counters: there are samples" above "$(samples shared ';spin ')" 2
check "all counters are there: nothing is said" same "$(grep -c 'of the time' "$at/out/cycles.log")" 0
check "others have all counters: that is said" contains "$(cat "$at/out/busy.log")" \
	"event 'cycles' was counted for 0 % of the time"
check "others have all counters: the recording says it" contains "$(value busy "counted for")" "0 % of the time"
check "all counters are there: the recording says that nothing is missing" \
	contains "$(value cycles "counted for")" "100 % of the time"
plan_end
