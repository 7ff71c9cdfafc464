#!/usr/bin/env bash
# Code that a process registers with GDB's JIT interface, as LLVM's compilers do: stacks through it are complete, and its
# functions have names. The last calls of each process are counted, so each stack is known. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
need_bpf
need_tables
build "$dir/registers" registers.c "${frameless[@]}" -DBURN_MARKS -Wl,--export-dynamic

# Stacks of each process. A list that cannot be read tells nothing, and an object without symbols has no names.
declare -A stacks=(
	[honest]='main;run_made;compiled;burn;[^;]*$'
	[circle]='main;run_made;compiled;burn;[^;]*$'
	[next]='main;run_made;next;burn;[^;]*$'
	[size]='main;run_made;\[unknown\];burn;[^;]*$'
	[version]='^version;\[unknown\];burn;[^;]*$'
	[image]='^image;\[unknown\];burn;[^;]*$'
)
begin_recording -F 99 "${marks[@]}" -U -i 1 -o "$dir/all.prof"
for how in "${!stacks[@]}"; do
	ln -s registers "$dir/$how"
	start_marks all "$how" 0 "$dir/$how" compiled "$how"
done
for how in "${!stacks[@]}"; do finish_marks all "$how" "${stacks[$how]}"; done
end_recording
for how in "${!stacks[@]}"; do check "$how: each stack" are_marked all "$how" "${stacks[$how]}"; done
plan_end
