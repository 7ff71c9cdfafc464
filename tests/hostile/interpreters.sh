#!/usr/bin/env bash
# A user's process maps many files that look like interpreters. Scripts of others keep their functions.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
need_bpf
need_tables
need_users
build "$dir/fake_python" fake_python.c "${frameless[@]}" -Wl,--export-dynamic
build "$dir/hoard" hoard.c -O2 -ldl
folding=(-fPa)
functions='outer_\[py\];K.middle_\[py\];'

# record NAME [PID]: scripts of root and of a user begin while profrec records, after the process has run. The files of
# their interpreters are new.
record()
{
	for owner in 0 65533; do
		install -o "$owner" -m 755 "$dir/fake_python" "$dir/python$owner"
	done
	begin_recording -F 499 "${marks[@]}" -U -i 1 -o "$dir/$1.prof"
	[ -z "${2:-}" ] || run_for 400 "$2"
	# The recorder knows the files after their first processes.
	for owner in 0 65533; do
		ln -sf "python$owner" "$dir/first$owner"
		as "$owner" "$dir/first$owner" 10
	done
	for owner in 0 65533; do
		start_marks "$1" "$owner" "$owner" "$dir/python$owner" 1000000
		finish_marks "$1" "$owner" "$functions"
	done
	end_recording
}

# Libraries that look like CPython, and run for longer than it takes to be sampled. All differ in their build-id, which is in the file as the program has it.
cat > "$dir/forged.c" << 'END'
#include "tests/programs/burn.h"
char _PyRuntime[4096];
const unsigned int Py_Version = 0x030c07f0;
void *PyEval_EvalFrameEx(void *state, void *frame) { return state ? state : frame; }
void work(void) { BURN_MS(2); }
END
"$cc" -shared -fPIC -O1 -I. -Wl,--build-id=0x41424344454647484142434445464748 -o "$dir/forged.so" "$dir/forged.c"
chmod 755 "$dir/forged.so"
copies=()
for i in {1000..1099}; do
	sed "s/ABCDEFGHABCDEFGH/ABCDEFGHABCD$i/" "$dir/forged.so" > "$dir/$i.so"
	copies+=("$dir/$i.so:work")
done
chown 65534 "$dir"/????.so

record alone
for owner in 0 65533; do
	check "without others: scripts of $owner have their functions" are_marked alone $owner "$functions"
done
setpriv --reuid=65534 --regid=65534 --clear-groups nice "$dir/hoard" "${copies[@]}" &
hoard=$!
record crowd $hoard
kill $hoard
wait 2> /dev/null
for owner in 0 65533; do
	check "among many interpreters: scripts of $owner have their functions" \
		are_marked crowd $owner "$functions"
done
plan_end
