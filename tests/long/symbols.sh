#!/usr/bin/env bash
# Names, inlined functions and lines of many addresses, compared with those of llvm-symbolizer, eu-addr2line and
# addr2line. doc/testing.md explains each kind of difference; any other fails. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
for tool in python3 readelf objdump llvm-symbolizer llvm-dwarfdump addr2line eu-addr2line; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
addresses=${ORACLE_ADDRESSES:-100000}

# compare_names NAME FILE [OPTION...]
compare_names()
{
	if [ ! -f "$2" ]; then
		skip "$1" "there is no such file"
	else
		what=$1 tap_of python3 tests/tools/symbol_oracle.py "${@:3}" "$2" "$addresses"
	fi
}

# compare_built NAME: what the step before made, or a skip.
compare_built()
{
	if [ -f "$dir/$1" ]; then
		compare_names "$1" "$dir/$1" --inlined 1000
	else
		skip "$1" "it cannot be built: $(head -n 1 "$dir/build.log")"
	fi
}

library() { ldconfig -p | awk -v name="$1" 'index($1, name) == 1 {print $NF; exit}' | xargs -r realpath; }

compare_names libc "$(library libc.so.6)"
compare_names "libstdc++" "$(library libstdc++.so.6)"
compare_names "libstdc++ with debug information" "$(ls /usr/lib/*/debug/libstdc++.so.6.0.?? 2> /dev/null)" --inlined 2000
compare_names libLLVM "$(library libLLVM)"
compare_names python3 "$(realpath "$(PATH=/usr/bin command -v python3)")"
compare_names node "$(realpath "$(command -v node)" 2> /dev/null)"

## Programs that are built here.
templates=$PWD/tests/programs/templates.cc
cxx=(-std=c++17 -O2 -g "-Wl,--build-id")
# parts NR NAME COMPILER OPTION...: the program in so many parts, which are linked.
parts()
{
	local part objects=() next
	for ((part = 0; part < $1; part++)); do
		next=()
		[ $((part + 1)) = "$1" ] || next=(-DNEXT=$((part + 1)))
		objects+=("$dir/$2$part.o")
		"$3" "${cxx[@]}" "${@:4}" -DPART=$part "${next[@]}" -c -o "$dir/$2$part.o" "$templates" || return 1
	done
	"$3" "${cxx[@]}" "${@:4}" -o "$dir/$2" "${objects[@]}"
}
parts 3 templates g++ 2> "$dir/build.log"
compare_built templates
parts 3 clang clang++ 2> "$dir/build.log"
compare_built clang
# The linker drops functions that the parts share, so there are more parts.
parts 9 lto g++ -flto 2> "$dir/build.log"
compare_built lto
parts 3 split g++ -gsplit-dwarf 2> "$dir/build.log"
compare_built split
rustc -O -g -o "$dir/rust" tests/programs/panics.rs 2> "$dir/build.log"
compare_built rust
cat > "$dir/prog.go" << 'GO'
package main

import (
	"fmt"
	"os"
	"sort"
	"strings"
)

func main() {
	words := strings.Fields(fmt.Sprint(os.Args, "b a d c"))
	sort.Slice(words, func(i, j int) bool { return words[i] < words[j] })
	fmt.Println(words)
}
GO
HOME=$dir go build -o "$dir/go" "$dir/prog.go" 2> "$dir/build.log"
compare_built go
plan_end
