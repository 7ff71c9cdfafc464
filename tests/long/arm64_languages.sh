#!/usr/bin/env bash
# Functions of Debian's interpreters for arm64, on Debian's arm64 kernel 6.1 under emulation: the programs of known calls,
# which say themselves what they call. tests/kernels/recordings_languages makes the recordings. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
# shellcheck source=tests/lib/kernels.sh
. tests/lib/kernels.sh
# shellcheck source=tests/lib/arm64.sh
. tests/lib/arm64.sh

need_arm64 6.1
command -v javac > /dev/null || skip_all "no javac: make deps-long"
root=$BUILD/arm64/languages
# The paths in packages of Java have the version.
jvm=$root/usr/lib/jvm/java-17-openjdk-arm64
{ [ -x "$root/usr/bin/node" ] && [ -x "$jvm/bin/java" ]; } ||
	mk/sysroot "$root" arm64 python3-minimal libpython3-stdlib php-cli ruby perl-base nodejs openjdk-17-jre-headless \
		> "$dir/log" 2>&1 ||
	skip_all "no interpreters: $(grep -m 1 '^E:' "$dir/log" || tail -n 1 "$dir/log")"
check "profrec for arm64 builds" make_arm64 -j"$(nproc)" STATIC=1 profrec
[ -x "$BUILD/arm64/static/profrec" ] || { plan_end; exit; }

# What the programs need, without the rest of their packages.
mkdir -p "$dir/guest/usr/share" "$dir/guest/tests"
cp -a "$root/lib" "$dir/guest/"
cp -a "$root"/usr/{bin,lib} "$dir/guest/usr/"
cp -a "$root/usr/share/nodejs" "$dir/guest/usr/share/"
cp tests/programs/known_calls.* "$dir/guest/tests/"
mkdir -p "$dir/guest/etc"
cp -a "$root"/etc/java-* "$dir/guest/etc/"
javac --release 8 -Xlint:-options -d "$dir/guest/tests" tests/programs/KnownCalls.java
for found in "$root"/usr/bin/{php,ruby}[0-9]*; do
	name=${found##*/}
	ln -sf "$name" "$dir/guest/usr/bin/${name%%[0-9]*}"
done

at=$dir/6.1-arm64
mkdir "$at"
GUEST_ROOT=$dir/guest RECORDINGS=recordings_languages tests/kernels/boot 6.1-arm64 "$at" > "$at.log" 2>&1
# shellcheck disable=SC2034 # booted reads it
status=$?
check "the machine boots, records, ends" booted

# judge_guest NAME AWK_ARGUMENT...: the stacks of the recording.
judge_guest()
{
	local name=$1
	shift
	check "$name: recorded, whole, nothing unaccounted for" recorded "$name"
	"$profrep" -fa --unnamed function --symfs "$at/root" "$at/out/$name.prof" > "$dir/$name.folded" 2> "$dir/$name.err"
	check "$name: the interpreter has support" lacks "$(value "$name" interpreter)" without
	judge "$name" 500 "$@"
}
lacks() { ! contains "$1" "$2" > /dev/null || { echo "$1"; return 1; }; }
# placed NAME: functions stand before the native frames that run them, but for a moment in a thousand.
placed() { at_most "$(truth "$1" misplaced)" "$((2 + $(truth "$1" stacks) / 1000))"; }
# displaced NAME IGNORED: samples with functions that have no place, or cannot be read, at most one in fifty.
displaced()
{
	at_most "$(grep -v "$2" "$dir/$1.folded" | sum_samples '\[displaced\]|\[not readable\]')" \
		"$((3 + $(truth "$1" stacks) / 50))"
}
# come_to_root NAME REGEX PERCENT: so many of the stacks that have such functions begin where a thread does. Samples
# before profrec knows the interpreter, which takes seconds in the emulator, have no functions.
come_to_root()
{
	awk -v functions="$2" -v percent="$3" '
		$0 ~ functions {
			all += $NF
			whole += /^[^;]*;(_start|clone|\[?(libc|ld-linux-aarch64)[.])/ * $NF
		}
		END { print "# " whole + 0 " of " all + 0; exit all < 100 || whole * 100 < all * percent }' "$dir/$1.folded"
}
# whole NAME PERCENT: so many stacks are complete, of those whose tables were there in time.
whole()
{
	local complete all early
	read -r complete _ all _ < <(value "$1" "user stacks")
	early=$(value "$1" "others ended" | grep -oE '[0-9]+ early')
	echo "# $complete of $all, ${early:-0 early}"
	at_least "$((complete * 100))" "$(((all - ${early% early}) * $2))"
}
judges=tests/judges

judge_guest python -f $judges/pairs.awk -f $judges/python.awk
awk -f $judges/stacks.awk "$at/out/python.stacks" "$dir/python.folded" >> "$dir/python.truth" 2> /dev/null
check "python: functions stand before the frame that runs them" same "$(truth python misplaced)" 0
check "python: nothing is displaced or unread" displaced python nothing
check "python: the interpreter tells of the same stacks" above "$(truth python same)" 50
check "python: the interpreter knows of all other stacks" \
	at_most "$(truth python others)" "$(($(truth python same) / 50 + 2))"
judge_guest php -f $judges/php.awk "$at/out/php.pairs"
check "php: functions stand before the frame that runs them" placed php
# The callers of a fiber run on another native stack.
check "php: hardly anything else is displaced or unread" displaced php run_fiber
check "php: stacks are complete, and those of fibers" whole php 95
check "php: fibers begin in make_fcontext" above "$(sum_samples 'make_fcontext;' < "$dir/php.folded")" 5
judge_guest ruby -f $judges/ruby.awk "$at/out/ruby.pairs"
check "ruby: functions stand after the native frames that call them" same "$(truth ruby misplaced)" 0
check "ruby: all functions have names" same "$(truth ruby unnamed)" 0
check "ruby: hardly anything is displaced or unread" displaced ruby nothing
judge_guest perl -f $judges/perl.awk "$at/out/perl.pairs"
check "perl: subs have names" at_most "$(truth perl nameless)" "$(($(truth perl subs) / 20))"
# Before profrec knows the tables, perl compiles its modules.
check "perl: few are displaced" displaced perl '::BEGIN_'
judge_guest node -f $judges/pairs.awk -f $judges/node.awk
check "node: stacks are complete" whole node 90
check "node: stacks come to their root" come_to_root node '_\[js\]' 95
for name in java_interpreted java_compiled; do
	judge_guest $name -f $judges/pairs.awk -f $judges/java.awk
	check "$name: stacks come to their root" come_to_root $name '_\[java\]' 97
	echo "# $name: $(value $name "user stacks")"
done
check "java_compiled: there are inlined methods" above "$(truth java_compiled inlined)" 20
check "what is not known on arm64 is said" grep -q 'beam .*not on this architecture' "$at/out/help.log"
plan_end
