#!/usr/bin/env bash
# Frames have the names of the code that ran, or none. Programs know themselves where they spend their time.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_tables

# samples NAME REGEX: how many samples of the recording have such a folded stack.
samples() { "$profrep" -f -U "$dir/$1.prof" 2> /dev/null | sum_samples "$2"; }

## A function whose first instruction was interrupted: it has no return address, which would be looked up a byte before.
build "$dir/interrupted" interrupted.c "${frameless[@]}"
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/interrupted.prof" -- timeout 3 "$dir/interrupted" > /dev/null
check "a fault in a first instruction: its function is named" [ "$(samples interrupted ";fault_at_once[; ]")" -ge 5 ]
check "a fault in a first instruction: never the function before" same "$(samples interrupted ';never_called[; ]')" 0

# build_named NAME FUNCTION FRAME [FLAG...]: tests/programs/named.c.
build_named()
{
	local name=$1 function=$2 frame=$3
	shift 3
	"$cc" -O2 -fomit-frame-pointer -I. -DFUNCTION="$function" -DFRAME="$frame" -o "$dir/$name" tests/programs/named.c "$@"
}

## A program without a build-id, which another one of equal size and age replaces after the recording.
build_named first first_function 64 -Wl,--build-id=none
build_named other other_function 64 -Wl,--build-id=none
touch -d 2001-01-01 "$dir/first" "$dir/other"
mkdir "$dir/bin"
cp -p "$dir/first" "$dir/bin/app"
"$profrec" -q --no-names -F 999 --unwind=dwarf -o "$dir/replaced.prof" -- "$dir/bin/app" one 500
check "no build-id: the file that is still there names its function" \
	[ "$(samples replaced '^one;.*;first_function ')" -ge 5 ]
cp -p "$dir/other" "$dir/bin/new"
mv "$dir/bin/new" "$dir/bin/app"
check "no build-id: a file that takes its place names nothing" same "$(samples replaced ';other_function ')" 0
check "no build-id: a file that took its place: that is said" contains "$("$profrep" files "$dir/replaced.prof")" \
	"file has changed since"

## Two programs without a build-id at one path, in two mount namespaces.
if unshare -m true 2> /dev/null; then
	cp -p "$dir/first" "$dir/bin/app"
	# shellcheck disable=SC2016
	"$profrec" -q -F 999 --unwind=dwarf -o "$dir/spaces.prof" -- sh -c '"$0/bin/app" one 500 &
		unshare -m sh -c "mount --bind \"\$0/other\" \"\$0/bin/app\" && exec \"\$0/bin/app\" two 500" "$0" & wait' "$dir"
	check "two mount namespaces: the program outside has its names" \
		[ "$(samples spaces '^one;.*;first_function ')" -ge 5 ]
	check "two mount namespaces: the program inside was sampled" [ "$(samples spaces '^two;')" -ge 5 ]
	check "two mount namespaces: the program inside has no names of the other" \
		same "$(samples spaces '^two;.*;first_function ')" 0
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
# shellcheck disable=SC2016
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/rewritten.prof" -- sh -c '"$0/bin/rewritten" one 500
	cat "$0/after" > "$0/bin/rewritten"
	"$0/bin/rewritten" two 500' "$dir"
rooted() { mostly <("$profrep" -f --symfs "$dir/sym" "$dir/rewritten.prof") "$1" "^$1;_start;.*;main;$2 "; }
check "written anew in place: stacks from before have roots" rooted one before_function
check "written anew in place: stacks from after have roots" rooted two after_function

# plug_in NAME [FLAG...]: the library libNAME.so with the function NAME.
plug_in()
{
	local name=$1
	shift
	"$cc" -O2 -shared -fPIC -I. "$@" -DPLUGIN="$name" -o "$dir/lib$name.so" tests/programs/plugin.c
}

# is_share A B FROM TO: A has between FROM and TO percent of A + B, which are at least 100 samples.
is_share()
{
	echo "$1 and $2 samples"
	[ $(($1 + $2)) -ge 100 ] && [ $(($1 * 100)) -ge $((($1 + $2) * $3)) ] && [ $(($1 * 100)) -le $((($1 + $2) * $4)) ]
}

## Plug-ins of one size that take turns at one address: equal addresses, and equal stacks.
for name in plug_one plug_two plug_ten; do
	plug_in $name -DPLUGIN_MS=20
done
build "$dir/loader" loader.c -ldl
turns=()
for _ in $(seq 50); do
	turns+=("$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two")
done
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/turns.prof" -- "$dir/loader" "${turns[@]}"
check "plug-ins in turns: each has its share" is_share "$(samples turns ';plug_one[; ]')" "$(samples turns ';plug_two[; ]')" 40 60
turns=("$dir/libplug_ten.so:plug_ten")
for _ in $(seq 25); do
	turns+=("$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two" "$dir/libplug_one.so:plug_one")
done
"$profrec" -q -F 999 --unwind=dwarf -o "$dir/three.prof" -- "$dir/loader" "${turns[@]}"
check "two turns of three: two thirds" is_share "$(samples three ';plug_one[; ]')" "$(samples three ';plug_two[; ]')" 57 77
check "one turn in the beginning: little" [ "$(samples three ';plug_ten[; ]')" -le 60 ]

## Programs that exec each other, with different functions at equal addresses. The end of an exec is sampled in the
## kernel, with the registers of the old image and the mappings of the new one.
for image in 1 2; do
	"$cc" -O2 -static -no-pie -I. -DIMAGE=$image -Wl,--section-start=.turns=0x10000000 -o "$dir/image$image" \
		tests/programs/image.c
done
for unwind in dwarf fp; do
	"$profrec" -q -F 4999 --unwind=$unwind -o "$dir/exec_$unwind.prof" -- \
		"$dir/image1" 1000 "$dir/image2" "$dir/image1"
	check "exec, --unwind=$unwind: the function that calls exec" [ "$(samples exec_$unwind ';exec_here[; ]')" -ge 10 ]
	check "exec, --unwind=$unwind: never a function at its address" same "$(samples exec_$unwind ';never_here[; ]')" 0
done

## Code that moves (mremap), and processes that share memory: the side-band tells of neither.
spin_one=$dir/libspin_one.so:spin_one spin_two=$dir/libspin_two.so:spin_two
for name in spin_one spin_two; do
	"$cc" -O2 -shared -fPIC -DSPIN=$name -o "$dir/lib$name.so" tests/programs/spin.c
done
build "$dir/remap" remap.c "${frameless[@]}" -D_GNU_SOURCE -ldl

# remapped HOW UNWIND RUN [NOT]: the code of RUN has most samples, and the code NOT has none.
remapped()
{
	local how=$1 unwind=$2 run=$3 not=${4:-}
	check "$how, --unwind=$unwind: it was recorded" "$profrec" -q -F 999 --unwind="$unwind" -o "$dir/remap.prof" -- \
		"$dir/remap" "$how" "$spin_one" "$spin_two"
	"$profrep" -f -U "$dir/remap.prof" > "$dir/folded"
	check "$how, --unwind=$unwind: the code that ran is named" mostly "$dir/folded" '(remap|child)' ";$run "
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
begin_recording -F 999 --unwind=dwarf -p "$remap,$(child_of "$remap" child)" -o "$dir/remap.prof" 3>&-
exec 3>&-
wait "$remap"
end_recording
"$profrep" -f -U "$dir/remap.prof" > "$dir/folded"
check "child-runs, begun before: the code that ran is named" mostly "$dir/folded" child ';spin_two '
check "child-runs, begun before: the code that was there is not" same "$(samples remap '^child;.*;spin_one[; ]')" 0
plan_end
