#!/usr/bin/env bash
# Small recordings and files that are meant to use up memory or time. profrep has a gigabyte of address space and 20
# seconds of CPU time for each, more on a slow machine, and ends by itself. Unit tests (tests/unit/test_bombs.c) measure
# what it takes.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

(ulimit -v 1048576; "$profrep" --version > /dev/null 2>&1) || skip_all "profrep needs a gigabyte to start, as with sanitizers"

limit=$(slow_seconds 20)

# bounded STATUS ARGS...: profrep with limits exits with that status.
bounded()
{
	local want=$1
	shift
	(
		ulimit -v 1048576 -t "$limit"
		fails "$want" timeout 1200 "$profrep" "$@" > "$dir/out"
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
# Epochs that overlap, so that each slice could be a part of any slice before.
awk 'BEGIN {print "object f file /app -\nprocess p 1"
	for (e = 0; e < 16000; e++) {
		print "count p app 1 user f:1\nslices 1000000 0\npart 99 1\nepoch " 1000000000 + e, 1100000000 + e}}' |
	"$BUILD/tests/prof_make" > "$dir/slices.prof"
check "16,000 epochs that overlap" bounded 0 html -o - "$dir/slices.prof"
check "strings with one hash" bomb strings 0 -f

# A mangled name in one line of a map keeps libiberty busy for years.
"$BUILD/tests/prof_make" < tests/golden/mangled.txt > "$dir/names.prof"
check "names that take years to demangle" bounded 0 -f "$dir/names.prof"

# Rows that claim 2^62 samples, or repeat much text for each.
printf '%s\n' 'object f file /app -' 'process p 1' "count p few 1000 user f:1" "count p many $((1 << 62)) user f:2" |
	"$BUILD/tests/prof_make" > "$dir/rows.prof"
check "perf-script: a row of 2^62 samples" bounded 0 export perf-script "$dir/rows.prof"
check "perf-script: a row of 1000 is printed 1000 times" same "$(grep -c '^few .*: 1 event: $' "$dir/out")" 1000
check "perf-script: the periods of the other are its count" same \
	"$(($(awk '/^many/ {n[$(NF - 1)]++} END {for (p in n) print n[p] " * " p}' "$dir/out" | paste -sd +)))" $((1 << 62))
{
	printf 'object f file /app -\nprocess p 1\n'
	for i in {1..8}; do
		printf 'count p %s %s user%s\n' "$(head -c 60000 /dev/zero | tr '\0' c)" $((1 << 56)) "$(printf " f:$i%.0s" {1..200})"
	done
} | "$BUILD/tests/prof_make" > "$dir/rows.prof"
check "perf-script: long names and stacks" bounded 0 export perf-script "$dir/rows.prof"
check "perf-script: long names and stacks are repeated for a gigabyte at most" at_most "$(stat -c %s "$dir/out")" 1200000000
rm -f "$dir/out"

# A recording of a sample in /app, which --symfs has.
"$BUILD/tests/prof_make" > "$dir/app.prof" <<-'END'
	object f file /app -
	process p 1
	count p app 1 user f:0x100
END
mkdir "$dir/root"
for kind in tables names sections link; do
	"$BUILD/tests/bomb_make" $kind > "$dir/root/app"
	check "an ELF file: $kind" bounded 0 -f --symfs "$dir/root" "$dir/app.prof"
	check "an ELF file: $kind: the sample has no name" contains "$(cat "$dir/out")" "app;[unknown] 1"
done
check "an ELF file: names: that is said" contains "$("$BUILD/tests/bomb_make" names > "$dir/root/app" &&
	"$profrep" -f --symfs "$dir/root" "$dir/app.prof" 2>&1)" "the symbols of 1 files take too much work"
check "an ELF file: names: files says so" contains "$("$profrep" files --symfs "$dir/root" "$dir/app.prof")" "too much to read"
"$BUILD/tests/bomb_make" link > "$dir/root/app"
truncate -s 1T "$dir/root/app.debug"
check "a debug link to a hole of a terabyte" bounded 0 -f --symfs "$dir/root" "$dir/app.prof"

# A thousand units whose rest is in one file, which has 400,000 units, and none of them.
cat > "$dir/skeletons.s" << 'END'
.globl code
.type code, %function
code: .fill 16000, 1, 0
.size code, 16000
.section .debug_abbrev, "", %progbits
.uleb128 1, 0x11
.byte 0
.uleb128 0x2130, 0x8, 0x2131, 0x7, 0x11, 0x1, 0x12, 0x6
.byte 0, 0, 0
.section .debug_info, "", %progbits
.altmacro
.macro unit n
.long 2f - 1f
1: .short 4
.long 0
.byte 8, 1
.asciz "rest.dwo"
.quad 1, code + 16 * \n
.long 16
2:
.endm
.set i, 0
.rept 1000
unit %i
.set i, i + 1
.endr
END
cat > "$dir/rest.s" << 'END'
.section .debug_abbrev.dwo, "e", %progbits
.uleb128 1, 0x11
.byte 0
.uleb128 0x2131, 0x7
.byte 0, 0, 0
.section .debug_info.dwo, "e", %progbits
.rept 400000
.long 16
.short 4
.long 0
.byte 8, 1
.quad 2
.endr
END
"$cc" -shared -nostdlib -Wl,--build-id -o "$dir/skeletons" "$dir/skeletons.s"
"$cc" -c -o "$dir/rest.dwo" "$dir/rest.s"
{
	echo "object f file $dir/skeletons $(readelf -n "$dir/skeletons" | sed -n 's/.*Build ID: //p')"
	echo process p 1
	code=$((0x$(nm "$dir/skeletons" | sed -n 's/ T code//p')))
	for ((i = 0; i < 1000; i++)); do echo "count p app 1 user f:$((code + 16 * i + 4))"; done
} | "$BUILD/tests/prof_make" > "$dir/rest.prof"
check "a thousand units that share a file of others" bounded 0 -f -i "$dir/rest.prof"
check "units that share a file: the samples have their symbols" same "$(sum_samples '^app;code ' < "$dir/out")" 1000
check "units that share a file: what has no lines is said" contains "$("$profrep" -f -i "$dir/rest.prof" 2>&1)" "takes too much work"
plan_end
