#!/usr/bin/env bash
# Stacks of Debian's programs for arm64 come to their root, on Debian's arm64 kernel 6.1 under emulation: programs in C, C++
# and Rust at least 99 % of them, also openssl, whose assembler has no call frame information. 98 % do of a program in Go,
# whose runtime changes stacks. tests/kernels/recordings_complete makes the recordings. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/kernels.sh
. tests/lib/kernels.sh
# shellcheck source=tests/lib/arm64.sh
. tests/lib/arm64.sh

need_arm64 6.1
root=$BUILD/arm64/complete
[ -x "$root/usr/bin/rg" ] ||
	mk/sysroot "$root" arm64 python3-minimal perl-base openssl sqlite3 groff-base ripgrep > "$dir/log" 2>&1 ||
	skip_all "no programs: $(grep -m 1 '^E:' "$dir/log" || tail -n 1 "$dir/log")"
check "profrec for arm64 builds" make_arm64 -j"$(nproc)" STATIC=1 profrec
[ -x "$BUILD/arm64/static/profrec" ] || { plan_end; exit; }
programs=()
if command -v go > /dev/null && HOME=$dir GOTOOLCHAIN=local GOFLAGS=-modcacherw GOARCH=arm64 CGO_ENABLED=0 \
	go build -o "$dir/goroutines" tests/programs/says_label.go 2> "$dir/log"; then
	programs=("$dir/goroutines")
else
	skip "go" "no program can be built: $(head -n 1 "$dir/log")"
fi
mkdir -p "$dir/guest/usr/share"
cp -a "$root/lib" "$dir/guest/"
cp -a "$root"/usr/{bin,lib} "$dir/guest/usr/"
cp -a "$root/usr/share/groff" "$dir/guest/usr/share/"

at=$dir/6.1-arm64
mkdir "$at"
GUEST_ROOT=$dir/guest RECORDINGS=recordings_complete tests/kernels/boot 6.1-arm64 "$at" "${programs[@]}" > "$at.log" 2>&1
# shellcheck disable=SC2034 # booted reads it
status=$?
check "the machine boots, records, ends" booted

# complete NAME PERCENT: so many of the stacks are complete, of those whose tables were there in time.
complete()
{
	local complete all early
	read -r complete _ all _ < <(value "$1" "user stacks")
	value "$1" "others ended"
	early=$(value "$1" "others ended" | grep -oE '[0-9]+ early')
	all=$((all - ${early% early}))
	above "$all" 20 && at_least "$((complete * 100))" "$((all * $2))"
}
for name in python perl openssl sqlite3 cpp rust ${programs:+go}; do
	check "$name: recorded, whole, nothing unaccounted for" recorded "$name"
	least=99
	[ "$name" != go ] || least=98
	check "$name: $least % of the stacks are complete" complete "$name" $least
	echo "# $name: $(value "$name" "user stacks")"
done
plan_end
