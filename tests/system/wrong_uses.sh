#!/usr/bin/env bash
# What both programs say to wrong uses: tests/golden/wrong-uses, whose messages depend on no machine and no privileges.
# REWRITE=1 writes the expected messages anew; look at them with git diff. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
golden=$PWD/golden
cd "$dir" || exit 1

# answer PROGRAM ARGUMENT...: the status and the message; stdout stays empty.
answer()
{
	local program=$1 status
	shift
	"${!program}" "$@" > out 2> err < /dev/null
	status=$?
	printf '%s %s\n' "$program" "$*"
	sed "s/^/$status  /" err
	[ ! -s out ] || echo "unexpected output"
}

while read -ra words; do
	[[ ${#words[@]} -eq 0 || ${words[0]} == \#* ]] || answer "${words[@]}"
done < "$golden/wrong-uses" > answers

[ -z "${REWRITE:-}" ] || cp answers "$golden/wrong-uses.err"
check "each wrong use has its message" diff -u "$golden/wrong-uses.err" answers
check "each wrong use fails by its status" same "$(sed -nE 's/^([0-9]+)  .*/\1/p' answers | sort -u | xargs)" "1 125 2"
plan_end
