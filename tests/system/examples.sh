#!/usr/bin/env bash
# doc/examples.md: its outputs are those of today's profrep, and its recordings can be made. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

if command -v script > /dev/null; then
	tests/examples/write > "$dir/examples.md"
	check "the document has what profrep prints: else make examples" diff -u doc/examples.md "$dir/examples.md"
else
	skip "the document has what profrep prints" "script is not installed"
fi
check "lines of the document have 80 columns at most" fails 1 grep -nE '^.{81}' doc/examples.md
check "the document has fifteen tasks" same "$(grep -cE '^\*\*[0-9]+\. ' doc/examples.md)" 15

# Each command that records, a tab, and the first line of its output, if the document has that.
awk '/^```/ {in_block = !in_block} !in_block {next}
	command != "" {print command "\t" ($0 ~ /^(Tracing|Sampling)/ ? $0 : ""); command = ""}
	/^# / {command = substr($0, 3)}' doc/examples.md > "$dir/commands"
check "the document has recordings" test "$(wc -l < "$dir/commands")" -ge 5

# records COMMAND LINE: it ends well, and prints LINE, or one with other numbers. Long lines are broken in the document.
masked() { fold -sw 80 | sed 's/ *$//; s/[0-9]\+/N/g; q'; }
records()
{
	(cd "$dir" && PATH=$BUILD:$PATH sh -c "$1") > "$dir/out" 2>&1 || { cat "$dir/out"; return 1; }
	[ -z "$2" ] || same "$(masked < "$dir/out")" "$(masked <<< "$2")"
}
cp tests/examples/words.py "$dir"
"$cc" -g -O1 -o "$dir/shop" tests/examples/shop.c || exit 1
while IFS=$'\t' read -r command line; do
	if [[ $command == *' t:'* && ! -d /sys/kernel/tracing/events ]]; then
		skip "$command" "tracefs is not mounted"
	elif [[ $command == *--cgroup* ]]; then
		skip "$command" "it needs a cgroup of that name"
	elif has_bpf "$command"; then
		check "$command" records "$command" "$line"
	fi
done < "$dir/commands"
plan_end
