#!/usr/bin/env bash
# Runtimes whose functions profrec does not find: a recording says which they are. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_tables

# says SYMBOL TEXT: a program that exports SYMBOL has that runtime.
says()
{
	printf '#include "burn.h"\nvoid %s(void) {}\nint main(void)\n{\n\tfor (;;)\n\t\tTAKE_FAULTS(100);\n}\n' "$1" > "$dir/$1.c"
	"$cc" -O1 -rdynamic -I tests/programs -include tests/programs/nice.h -o "$dir/$1" "$dir/$1.c"
	"$dir/$1" &
	pid=$!
	begun $pid "$1"
	record_while 5 $pid -U -e page-faults -p $pid -o "$dir/$1.prof"
	kill $pid
	wait $pid 2> "$dir/wait"
	check "$1: the runtime is said" contains "$(info "$dir/$1.prof" interpreter)" "$2, without support: no functions"
	check "$1: the file with the runtime is said" contains "$("$profrep" files "$dir/$1.prof" | tail -n 1)" \
		"$2 in $dir/$1: without support, so its functions have no names"
}

says lua_closeslot "Lua 5.4 [lua]"
says call_into_lisp "SBCL [lisp]"
printf 'int main(void)\n{\n\treturn 0;\n}\n' > "$dir/plain.c"
"$cc" -rdynamic -o "$dir/plain" "$dir/plain.c"
"$profrec" -q -o "$dir/plain.prof" -- "$dir/plain"
check "a program without a runtime has none" same "$(info "$dir/plain.prof" interpreter)" ""
plan_end
