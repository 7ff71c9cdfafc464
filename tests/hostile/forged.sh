#!/usr/bin/env bash
# A user runs a forged copy of a program of root: other names over the same code, the same build-id, and, in a mount
# namespace, the same path. Programs of root have their own names all the same, in every epoch and wherever the report is.
# Runs alone, because it attacks what recorders share.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
need_users
attacker=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${attacker[@]}" unshare --user --map-root-user --mount true 2> /dev/null || skip_all "users may not make mount namespaces"

mkdir "$dir/bin" "$dir/none"
for name in right forged; do
	build "$dir/$name" named.c -DFUNCTION=${name}_name -DFRAME=64 -Wl,--build-id=0xf046ed
done
cp "$dir/right" "$dir/bin/app"
install -o 65534 -m 755 "$dir/forged" "$dir/copy"

# forge MS: starts the forged program, whose pid is in $evil.
forge()
{
	# shellcheck disable=SC2016
	"${attacker[@]}" unshare --user --map-root-user --mount \
		sh -c 'mount --bind "$1/copy" "$1/bin/app" && exec "$1/bin/app" evil "$2"' sh "$dir" "$1" &
	evil=$!
	wait_for has_text evil "/proc/$evil/comm"
}

# restarted: the child for names is another one.
restarted() { local now; now=$(child_of "$recorder" profrec-names); [ -n "$now" ] && [ "$now" != "$child" ]; }

# names NAME: the folded stacks by what the recording has, as on another host.
names() { "$profrep" -f -U --symfs "$dir/none" "$dir/$1.prof" > "$dir/$1.folded"; }

# is_right FILE PROGRAM...: none of the samples has a forged name, and nearly all have the right one. On some machines, the
# dynamic linker has a tenth of a program of half a second.
is_right()
{
	local folded=$dir/$1.folded program
	shift
	for program; do
		mostly "$folded" "$program" ';right_name[; ]' 85 || return 1
		same "$(sum_samples "^$program;.*forged_name" < "$folded")" 0 || return 1
	done
}

record()
{
	local file=$1
	shift
	begin_recording -F 499 -U -o "$dir/$file.prof" "$@"
}

## The control: without the attack.
record alone -i 1
"$dir/bin/app" late 500
end_recording
names alone
check "the control: the program has its name" is_right alone late

## The forged file comes first; short programs of root are gone when their samples are drained.
for walk in dwarf fp; do
	record first "--unwind=$walk" -i 1
	forge 1500
	run_for 30 $evil
	"$dir/bin/app" late1 500
	"$dir/bin/app" late2 500
	wait $evil
	end_recording
	check "$walk: the recording ends well" same $? 0
	names first
	check "$walk: the forged file comes first: programs of root have their own names" is_right first late1 late2
	check "$walk: the forged file was sampled" [ "$(sum_samples '^evil;' < "$dir/first.folded")" -ge 5 ]
done

## The child for names dies, and the forged file is sent to the next one before the right one.
record killed -i 1
"$dir/bin/app" early 500
child=$(child_of "$recorder" profrec-names)
forge 4000
kill -KILL "$child"
run_for 150 $evil
check "the child for names is started anew" wait_for restarted
"$dir/bin/app" late1 500
"$dir/bin/app" late2 500
wait $evil
end_recording
names killed
check "after the child's end: programs of root have their own names" is_right killed early late1 late2

## Merged recordings and intervals keep apart what the recording does.
"$profrep" merge -o "$dir/merged.prof" "$dir/killed.prof" "$dir/first.prof" > /dev/null
names merged
check "merged recordings: programs of root have their own names" is_right merged late1 late2
"$profrep" pack -o "$dir/packed.prof" "$dir/merged.prof" > /dev/null 2>&1
names packed
check "packed recordings: programs of root have their own names" is_right packed late1 late2
plan_end
