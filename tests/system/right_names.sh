#!/usr/bin/env bash
# Frames have the names of the code that ran, or none. Programs take known numbers of page faults, each of which is a sample.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_tables
TEST_CFLAGS="${TEST_CFLAGS:-} -DBURN_FAULTS"

# record NAME OPTION... [-- COMMAND...]: each page fault. Its function is certain to be there. Its callers may be missing
# while a process begins.
record() { "$profrec" -q -e page-faults -o "$dir/$1.prof" "${@:2}"; }
# samples NAME REGEX [OPTION...]: how many samples of the recording have such a folded stack.
samples() { "$profrep" -f -P -U "${@:3}" "$dir/$1.prof" 2> /dev/null | sum_samples "$2"; }

## A function whose first instruction was interrupted: it has no return address, which would be looked up a byte before.
build "$dir/interrupted" interrupted.c "${frameless[@]}"
# Before each page fault it calls a function of the C library. A table of a program with probes is there from the first call on.
"$profrec" -q -e c:madvise -e "$dir/interrupted:main" --unwind=dwarf -o "$dir/interrupted.prof" -- "$dir/interrupted" 2
check "a fault in a first instruction: its function is named" same \
	"$(samples interrupted ';main;fault_at_once;.*handle_fault;[^;]*madvise ' --event 1)" 40
check "a fault in a first instruction: never the function before" same "$(samples interrupted ';never_called[; ]' --event 1)" 0

# build_named NAME FUNCTION FRAME [FLAG...]: tests/programs/named.c.
build_named()
{
	local name=$1 function=$2 frame=$3
	shift 3
	"$cc" -O2 -fomit-frame-pointer -I. -DBURN_FAULTS -DFUNCTION="$function" -DFRAME="$frame" -o "$dir/$name" tests/programs/named.c "$@"
}

## A program without a build-id, which another one of equal size and age replaces after the recording.
build_named first first_function 64 -Wl,--build-id=none
build_named other other_function 64 -Wl,--build-id=none
touch -d 2001-01-01 "$dir/first" "$dir/other"
mkdir "$dir/bin"
cp -p "$dir/first" "$dir/bin/app"
record replaced --no-names --unwind=dwarf -- "$dir/bin/app" one 50
check "no build-id: the file that is still there names its function" \
	at_least "$(samples replaced '^one;(.*;)?first_function ')" 50
cp -p "$dir/other" "$dir/bin/new"
mv "$dir/bin/new" "$dir/bin/app"
check "no build-id: a file that takes its place names nothing" same "$(samples replaced ';other_function ')" 0
check "no build-id: a file that took its place: that is said" contains "$("$profrep" files "$dir/replaced.prof")" \
	"file has changed since"

## Two programs without a build-id at one path, in two mount namespaces.
if unshare -m true 2> /dev/null; then
	cp -p "$dir/first" "$dir/bin/app"
	"$dir/bin/app" one 1000000000 &
	one=$!
	# shellcheck disable=SC2016
	unshare -m sh -c 'mount --bind "$0/other" "$0/bin/app" && exec "$0/bin/app" two 1000000000' "$dir" &
	two=$!
	named $one one
	named $two two
	record_while 5 "$one $two" -e page-faults --unwind=dwarf -p "$one,$two" -o "$dir/spaces.prof"
	kill $one $two
	check "two mount namespaces: the program outside has its names" \
		at_least "$(samples spaces '^one;.*;first_function ')" 1
	check "two mount namespaces: the program inside was sampled" at_least "$(samples spaces '^two;')" 1
	check "two mount namespaces: the program inside has no names of the other" \
		same "$(samples spaces '^two;(.*;)?first_function ')" 0
else
	skip "two mount namespaces" "there are no mount namespaces"
fi

## A program that is written anew in place, with other frames. Copies hold the names of both.
build_named before before_function 64 -Wl,--build-id=0xbefe01
build_named after after_function 4000 -Wl,--build-id=0xaf7e01
mkdir -p "$dir/sym/.build-id/be" "$dir/sym/.build-id/af"
cp "$dir/before" "$dir/sym/.build-id/be/fe01.debug"
cp "$dir/after" "$dir/sym/.build-id/af/7e01.debug"
cp "$dir/before" "$dir/bin/rewritten"
# roots COMM FUNCTION: how many stacks of the program have roots, in the part of the recording that is on the disk.
roots() { "$profrep" -f -U --symfs "$dir/sym" "$dir"/rewritten.prof.*.part | sum_samples "^$1;_start;.*;main;$2 "; }
has_roots() { above "$(roots "$@")" 0; }
begin_recording -i 1 -e page-faults --unwind=dwarf --follow -p $$ -o "$dir/rewritten.prof"
for turn in "one before" "two after"; do
	read -r comm name <<< "$turn"
	"$dir/bin/rewritten" "$comm" 1000000000 &
	pid=$!
	check "written anew in place: stacks from $name have roots" wait_for has_roots "$comm" "${name}_function"
	kill $pid
	wait $pid
	cat "$dir/after" > "$dir/bin/rewritten"
done 2> /dev/null
end_recording

## Programs that exec each other, with different functions at equal addresses. The end of an exec is sampled in the
## kernel, with the registers of the old image and the mappings of the new one.
for image in 1 2; do
	"$cc" -O2 -static -no-pie -I. -DBURN_FAULTS -DIMAGE=$image -Wl,--section-start=.turns=0x10000000 -o "$dir/image$image" \
		tests/programs/image.c
done
for unwind in dwarf fp; do
	record exec_$unwind --unwind=$unwind -- "$dir/image1" 200 "$dir/image2" "$dir/image1"
	check "exec, --unwind=$unwind: the function that calls exec" at_least "$(samples exec_$unwind ';exec_here[; ]')" 200
	check "exec, --unwind=$unwind: never a function at its address" same "$(samples exec_$unwind ';never_here[; ]')" 0
done

## Code that moves (mremap), and processes that share memory: the side-band tells of neither.
spin_one=$dir/libspin_one.so:spin_one spin_two=$dir/libspin_two.so:spin_two
for name in spin_one spin_two; do
	"$cc" -O2 -shared -fPIC -DSPIN=$name -o "$dir/lib$name.so" tests/programs/spin.c
done
build "$dir/remap" remap.c "${frameless[@]}" -D_GNU_SOURCE -ldl

# remapped HOW UNWIND RUN [NOT]: the code of RUN has its samples, and the code NOT has none.
remapped()
{
	local how=$1 unwind=$2 run=$3 not=${4:-}
	check "$how, --unwind=$unwind: it was recorded" record remap --unwind="$unwind" -- \
		"$dir/remap" "$how" "$spin_one" "$spin_two"
	check "$how, --unwind=$unwind: the code that ran is named" at_least "$(samples remap ";$run ")" 100
	[ -z "$not" ] || check "$how, --unwind=$unwind: the code that was there is not" \
		same "$(samples remap ";${not}[; ]")" 0
}
if "$profrec" -o "$dir/probe.prof" -- true 2>&1 | grep -q mremap; then
	skip "code that moves" "the kernel does not tell of moves"
else
	remapped away dwarf spin_one
	remapped grow dwarf spin_one
	remapped onto dwarf spin_two spin_one
	remapped onto fp spin_two spin_one
	remapped back dwarf spin_two spin_one
	remapped child-moves dwarf spin_two spin_one
fi
remapped child-maps dwarf spin_two spin_one
remapped child-runs dwarf spin_two spin_one
remapped child-runs fp spin_two spin_one

# The processes share memory already when the recording begins. The program waits for the end of its input.
mkfifo "$dir/go"
"$dir/remap" child-runs "$spin_one" "$spin_two" wait < "$dir/go" &
remap=$!
exec 3> "$dir/go"
has_child() { [ -n "$(child_of "$remap" child)" ]; }
wait_for has_child
begin_recording -e page-faults --unwind=dwarf -p "$remap,$(child_of "$remap" child)" -o "$dir/remap.prof" 3>&-
exec 3>&-
wait "$remap"
end_recording
check "child-runs, begun before: the code that ran is named" at_least "$(samples remap '^child;.*;spin_two ')" 100
check "child-runs, begun before: the code that was there is not" same "$(samples remap '^child;.*;spin_one[; ]')" 0
plan_end
