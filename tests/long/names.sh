#!/usr/bin/env bash
# A recording carries the names that profrep finds with the files at hand: the edges of all symbols, what lies beside and
# between them, in every ELF file of this system. NAMES_DIRS: other directories. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
read -ra dirs <<< "${NAMES_DIRS:-/usr/bin /usr/sbin /usr/lib /usr/libexec}"
for i in "${!dirs[@]}"; do
	[ -d "${dirs[i]}" ] || unset "dirs[i]"
done
find "${dirs[@]}" -type f -readable -print0 | xargs -0 "$BUILD/tests/carried_names" > "$dir/out" 2> "$dir/err"
# xargs starts the program several times, and each time prints a sum.
read -r files places names < <(awk '/^[0-9]+ [0-9]+ [0-9]+$/ {f += $1; p += $2; n += $3} END {print +f, +p, +n}' "$dir/out")
echo "# $files files, $places places, $names names"
check "files were compared" above "$files" 0
check "names were carried" above "$names" 0
check "no name differs from that in the file" same "$(grep -vE '^[0-9]+ [0-9]+ [0-9]+$' "$dir/out")" ""
check "no file failed" same "$(cat "$dir/err")" ""
plan_end
