#!/usr/bin/env bash
# Debian's arm64 kernels 6.1 and 6.12, and 6.12 with pages of 16 KiB, record under emulation with a profrec that is built
# here, and profrep reports here. Builds the static programs under build/arm64, with the libraries of make sysroot
# ARCH=arm64. tests/kernels/recordings_arm64 makes the recordings. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/kernels.sh
. tests/lib/kernels.sh
# shellcheck source=tests/lib/arm64.sh
. tests/lib/arm64.sh
# shellcheck source=tests/lib/probed.sh
. tests/lib/probed.sh

read -ra kernels <<< "${ARM64_SERIES:-6.1 6.12 6.12-16k}"
need_arm64 "${kernels[@]}"
compare=$(realpath --relative-to=. "$BUILD")/arm64/tests/unwind_compare
check "profrec and profrep for arm64 build" make_arm64 -j"$(nproc)" STATIC=1 profrec profrep "$compare"
[ -x "$BUILD/arm64/static/profrec" ] || { plan_end; exit; }

mkdir "$dir/programs"
cc=aarch64-linux-gnu-gcc
for_arm64=(--sysroot="$sysroot")
build "$dir/programs/frameless" acts.c "${for_arm64[@]}" "${frameless[@]}"
build "$dir/programs/signed" acts.c "${for_arm64[@]}" "${frameless[@]}" -mbranch-protection=standard
build "$dir/programs/frames" frames.c "${for_arm64[@]}" "${frameless[@]}"
build "$dir/programs/lazy.so" lazy.c "${for_arm64[@]}" -O2 -fPIC -shared -Wl,-z,lazy
cp "$compare" "$dir/programs/"
libraries=$dir/guest/usr/lib/aarch64-linux-gnu
mkdir -p "$libraries"
for name in dw.so.1 elf.so.1 z.so.1 zstd.so.1 lzma.so.5 bz2.so.1.0 nettle.so.8; do
	cp -L "$sysroot"/{,usr/}lib/aarch64-linux-gnu/lib$name "$libraries" 2> /dev/null
done
build "$dir/programs/clocks" clocks.c "${for_arm64[@]}" -O2
build "$dir/programs/calls" calls.c "${for_arm64[@]}" -DWITH_SDT
build "$dir/programs/waits" waits.c "${for_arm64[@]}"
build "$dir/programs/short" short.c "${for_arm64[@]}" "${frameless[@]}"
build "$dir/programs/put_probes" put_probes.c "${for_arm64[@]}"
build "$dir/programs/probed" probed.c "${for_arm64[@]}" -O2 -foptimize-sibling-calls -mbranch-protection=standard
probed_places "$dir/programs/probed" aarch64-linux-gnu-objdump > "$dir/programs/places"

# Variables of threads: in the program, at a distance that is known when it is linked or loaded, or in a block of its own.
library=(-fPIC -shared)
says_route=(says_route.c "${for_arm64[@]}" -DNR_THREADS=1)
build "$dir/programs/own" "${says_route[@]}" -rdynamic
build "$dir/programs/libinitial.so" thread_record.c "${for_arm64[@]}" "${library[@]}" -ftls-model=initial-exec
build "$dir/programs/linked" "${says_route[@]}" -DIN_LIBRARY -L"$dir/programs" -linitial
build "$dir/programs/libgeneral.so" thread_record.c "${for_arm64[@]}" "${library[@]}" -mtls-dialect=trad
build "$dir/programs/libdesc.so" thread_record.c "${for_arm64[@]}" "${library[@]}" -mtls-dialect=desc
build "$dir/programs/loads_general" "${says_route[@]}" -DIN_LIBRARY -DLOADED
cp "$dir/programs/loads_general" "$dir/programs/loads_desc"
build "$dir/programs/like_go" "${says_route[@]}" -DGO_MINOR=23
labelled="own linked loads_general loads_desc like_go"
if command -v go > "$dir/log" &&
	HOME=$dir GOPATH=$dir/path GOCACHE=$dir/cache GOTOOLCHAIN=local GOFLAGS=-modcacherw GOARCH=arm64 CGO_ENABLED=0 \
		go build -o "$dir/programs/goroutines" tests/programs/says_label.go 2> "$dir/log"; then
	labelled+=" goroutines"
else
	skip "labels of a program in Go" "it cannot be built: $(grep -v '^#' "$dir/log" | head -n 1)"
fi

# have_routes COMM: samples of the program have a route, after the first look at it, and each that of the function.
have_routes()
{
	"$profrep" -f --by-label http.route --comm "$1" --symfs "$at/root" "$at/out/labels.prof" |
		awk -F ';' 'match($0, /[;.]on_[a-z]+/) {
			n = substr($0, match($0, / [0-9]+$/)); match($0, /[;.]on_[a-z]+/); name = "/" substr($0, RSTART + 4, RLENGTH - 4)
			all += n; if ($1 == name) right += n; else if ($1 !~ /^\[no/) wrong += n}
			END {print right + 0, "of", all + 0, "are right,", wrong + 0, "are wrong"; exit !(all > 5 && 3 * right > all && !wrong)}'
}

# have_tables NAME: of at most one stack in twenty the recording says that a table was missing.
have_tables()
{
	local all missing
	all=$(value "$1" "user stacks" | sed 's/.* of //; s/ samples.*//')
	missing=$(value "$1" "others ended" | sed 's/.* \([0-9]*\) no unwind table.*/\1/')
	above "$all" 5 && at_most "$((missing * 20))" "$all"
}
# report_on PROFREP NAME: reports of several kinds.
report_on()
{
	local file=$at/out/$2.prof
	"$1" --symfs "$at/root" "$file" && "$1" -fms --threads --unnamed module --symfs "$at/root" "$file" &&
		"$1" info "$file" && "$1" files --symfs "$at/root" "$file"
}
profrep_arm64() { qemu-aarch64 "$BUILD/arm64/static/profrep" "$@"; }
# same_on_arm64 NAME: profrep for arm64 writes the same bytes.
same_on_arm64()
{
	report_on "$profrep" "$1" > "$dir/here" 2>&1 || { tail -n 3 "$dir/here"; return 1; }
	report_on profrep_arm64 "$1" > "$dir/there" 2>&1
	diff "$dir/here" "$dir/there"
}
# agrees NAME STOPS: walks by tables find the frames of libdwfl, but for one in a hundred, and no other caller. libdwfl
# does not know the code that the vdso has on arm64.
agrees()
{
	local stops frames same other
	head -n 9 "$at/out/compared_$1.log"
	read -r stops frames same other < <(awk 'NR == 1 {for (i = 1; i < NF; i += 2) n[$i] = $(i + 1)
		print n["stops"], n["frames"], n["same-frames"], n["other-callers"]}' "$at/out/compared_$1.log")
	at_least "$stops" "$2" && at_least "$frames" $((2 * $2)) && at_least $((same * 100)) $((frames * 99)) && same "$other" 0
}
# Handlers have a stack of their own, which is all that an early sample has.
handlers=';main;do_signals;.*;__kernel_rt_sigreturn;on_outer;raise;.*;__kernel_rt_sigreturn;on_inner'
root="_start;.*;main;$(printf 'descend;%.0s' {1..20})descend"
for series in "${kernels[@]}"; do
	at=$dir/$series-arm64
	mkdir "$at"
	GUEST_ROOT=$dir/guest tests/kernels/boot "$series-arm64" "$at" "$dir"/programs/* > "$at.log" 2>&1
	# shellcheck disable=SC2034 # booted reads it
	status=$?
	check "Linux $series: boots, records, ends" booted
	for name in $(sed -n 's/^\(not \)\?ok \([a-z]*\)\(:.*\)\?$/\2/p' "$at/said"); do
		check "Linux $series: $name: recorded, whole, nothing unaccounted for" recorded "$name"
	done
	check "Linux $series: without frame pointers: to the root" mostly unwound "^frameless;$root"
	check "Linux $series: stopped at random, stacks are those of libdwfl" agrees stops 60
	check "Linux $series: after each instruction, stacks are those of libdwfl" agrees steps 200
	check "Linux $series: signed return addresses: to the root" mostly signed "^signed;$root"
	check "Linux $series: in the vdso: the callers are there" mostly vdso '^clocks;_start;.*;main(;ask_clock| )'
	check "Linux $series: in the vdso: there are samples" above "$(samples vdso ';ask_clock;clock_gettime;__kernel_clock_gettime ')" 5
	check "Linux $series: handlers of signals: to the root" above "$(samples signals "^frames;_start;.*$handlers")" 5
	check "Linux $series: handlers of signals: stacks do not end for want of a table" have_tables signals
	for name in $labelled; do check "Linux $series: labels of requests: $name" have_routes "$name"; done
	check "Linux $series: the kernel's architecture is told" same "$(value unwound architecture)" aarch64
	check "Linux $series: a kernel's function: each call is a sample" same "$(sum kcall 1 '^frameless;.*;syscall[ ;]')" 500
	check "Linux $series: a tracepoint: each hit is a sample" same "$(samples hits '^frameless;.*;syscall[ ;]')" 500
	for name in probed probedfp; do
		check "Linux $series: $name: calls below return probes have their callers" same \
			"$(sum $name 1 '^probed;_start;.*;main;.*;(outer;middle|again|leap|after_leap|wait_for_child;middle);inner ')" 140
	done
	check "Linux $series: an instruction with a probe is where it belongs" same "$(sum probed 2 ';main;.*;touch ')" 20
	check "Linux $series: calls of a function of user space: their sum" same "$(sum probes 1 ';main;call_all;(one|two|three);own_function ')" 3210000
	check "Linux $series: hits of a static probe" same "$(sum probes 2 ';main;call_all;(one|two|three);own_function ')" 600
	check "Linux $series: the stack of the waker" above \
		"$(sum offcpu 1 ';wait_for_pipe;.*;__schedule;--;try_to_wake_up;.*;vfs_write;.*;write_bytes;')" 0
	check "Linux $series: processes of 40 ms: to the root" above "$(samples early '^short;_start;.*;main;burn_shortly')" 5
	if command -v qemu-aarch64 > /dev/null; then
		for name in unwound signals labels hits offcpu; do
			check "Linux $series: $name: reports are the same on arm64" same_on_arm64 $name
		done
	else
		skip "Linux $series: reports are the same on arm64" "no qemu-aarch64: make deps-long"
	fi
done
plan_end
