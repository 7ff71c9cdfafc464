#!/usr/bin/env bash
# A user runs a forged copy of a program of root: other names over the same code, the same build-id, and, in a mount
# namespace, the same path. Programs of root have their own names all the same, in every epoch and wherever the report is.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
need_bpf
need_users
attacker=(setpriv --reuid=65534 --regid=65534 --clear-groups)
"${attacker[@]}" unshare --user --map-root-user --mount true 2> /dev/null || skip_all "users may not make mount namespaces"

mkdir "$dir/bin"
for name in right forged; do
	build "$dir/$name" named.c -DFUNCTION=${name}_name -DFRAME=64 -Wl,--build-id=0xf046ed
done
cp "$dir/right" "$dir/bin/app"
install -o 65534 -m 755 "$dir/forged" "$dir/copy"

# forge NAME MS: starts the forged program, whose pid is in $evil.
forge()
{
	# shellcheck disable=SC2016
	start_marks "$1" evil 65534 unshare --user --map-root-user --mount \
		sh -c 'mount --bind "$1/copy" "$1/bin/app" && exec "$1/bin/app" evil "$2"' sh "$dir" "$2"
	evil=$!
	named $evil evil
}

# restarted: the child for names is another one.
restarted() { local now; now=$(child_of "$recorder" profrec-names); [ -n "$now" ] && [ "$now" != "$child" ]; }

# run NAME PROGRAM: of root.
run() { run_marks "$1" "$2" 0 "$dir/bin/app" "$2" 200; }

# is_right NAME PROGRAM...: none of the programs' stacks has a forged name, and all calls have the right one. The
# recording alone has names meanwhile, as on another host.
is_right()
{
	local status
	mv "$dir/bin" "$dir/away"
	has_right_names "$@"
	status=$?
	mv "$dir/away" "$dir/bin"
	return $status
}

has_right_names()
{
	local file=$1 program event
	shift
	for program; do
		are_marked "$file" "$program" ';main;right_name;[^;]*getsid' || return 1
		for event in 1 2; do
			same "$(mark_stacks "$file" "$program" $event | sum_samples forged_name)" 0 || return 1
		done
	done
}

record()
{
	local file=$1
	shift
	begin_recording -F 499 "${marks[@]}" -U -o "$dir/$file.prof" "$@"
}

## The control: without the attack.
record alone -i 1
run alone late
end_recording
check "the control: the program has its name" is_right alone late

## The forged file comes first; short programs of root are gone when their samples are drained.
for walk in dwarf fp; do
	marked=()
	record first "--unwind=$walk" -i 1
	forge first 1500
	run_for 30 $evil
	run first late1
	run first late2
	wait $evil
	end_recording
	check "$walk: the recording ends well" same $? 0
	check "$walk: the forged file comes first: programs of root have their own names" is_right first late1 late2
	check "$walk: the forged file is in the recording" are_marked first evil ''
done

## The child for names dies, and the forged file is sent to the next one before the right one.
record killed -i 1
run killed early
child=$(child_of "$recorder" profrec-names)
forge killed 4000
kill -KILL "$child"
run_for 150 $evil
check "the child for names is started anew" wait_for restarted
run killed late1
run killed late2
wait $evil
end_recording
check "after the child's end: programs of root have their own names" is_right killed early late1 late2

## Merged recordings and intervals keep apart what the recording does.
"$profrep" merge -o "$dir/merged.prof" "$dir/killed.prof" "$dir/first.prof" > /dev/null
for program in late1 late2; do
	marked["merged $program"]=${marked["killed $program"]},${marked["first $program"]}
	marked["packed $program"]=${marked["merged $program"]}
done
check "merged recordings: programs of root have their own names" is_right merged late1 late2
"$profrep" pack -o "$dir/packed.prof" "$dir/merged.prof" > /dev/null 2>&1
check "packed recordings: programs of root have their own names" is_right packed late1 late2
plan_end
