#!/usr/bin/env bash
# profrep annotate: the samples of a recorded program by its lines and its instructions add up to those of the function, and
# objdump shows the function that was recorded. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
command -v python3 > /dev/null || skip_all "python3 is not installed"
mkdir "$dir/src"
# An escape sequence, which no terminal may get to see.
{ cat workloads/func_ab.c; printf '// \033[2J\n'; } > "$dir/src/func_ab.c"
sed -i 's/x += i;/x += i; \/\/ \x1b[31m/' "$dir/src/func_ab.c"
cd "$dir" || exit 1
"$cc" -O2 -g -Wl,--build-id -o program src/func_ab.c || skip_all "$cc cannot compile with -g"
"$profrec" -q -F 499 --comm program -o ab.prof -- "${cpu_second[@]}" ./program
"$profrep" -f ab.prof | grep -q func_a || skip_all "no sample of the program"

# reads CODE ARGUMENTS...: what CODE makes of the functions f of the only event of profrep annotate --json.
reads()
{
	"$profrep" annotate --json "${@:2}" > out.json && python3 -c 'import json, sys
e = json.load(open("out.json"))["events"][0]
f = e["functions"]
'"print($1)"
}
# of_top COLUMN FUNCTION
of_top() { "$profrep" top --json ab.prof | python3 -c 'import json, sys; print([i[sys.argv[1]] for i in json.load(sys.stdin)["events"][0]["items"] if i["name"] == sys.argv[2]][0])' "$@"; }

lines='[l for g in f[0]["files"] for l in g["lines"]]'
for name in func_a func_b; do
	check "$name: lines add up to self" same "$(reads "sum(l['self'] for l in $lines)" $name ab.prof)" "$(of_top self $name)"
	check "$name: the total is that of top" same "$(reads 'f[0]["total"]' $name ab.prof)" "$(of_top total $name)"
done
check "lines are those of the function" same "$(reads "all(3 <= l['line'] <= 7 for l in $lines if l['self'])" func_a ab.prof)" True
check "the text of lines is that of the file" same "$(reads "[l['text'].strip() for l in $lines if l['line'] == 11][0]" func_b ab.prof)" "x ^= i;"
check "calls are in the total of their lines" same \
	"$(reads "{l['text'].strip() for l in $lines if l['total'] and not l['self']} >= {'func_a(next_turns());', 'func_b(next_turns());'}" main ab.prof)" True
check "an escape sequence of the source is escaped" contains "$("$profrep" annotate func_a ab.prof)" 'x += i; // \x1b[31m'
check "no control character of the source is printed raw" same "$("$profrep" annotate func_a ab.prof | LC_ALL=C grep -c $'[\001-\010\013-\037\177]')" 0
if command -v node > /dev/null; then
	"$profrep" html --source src -o ab.html ab.prof
	reads "'\n'.join(f'{l[\"line\"]}|{l[\"self\"]}|{l[\"total\"]}' for l in $lines)" --source src main ab.prof > want
	node "$OLDPWD/html/list_lines.js" ab.html main | cut -d '|' -f 2-4 | grep -v '|0$' > got
	check "lines of a page are those of annotate" diff want got
else
	skip "lines of a page" "node is not installed"
fi
touch -d "+1 hour" src/func_ab.c
check "a file that has changed" contains "$("$profrep" annotate func_a ab.prof)" "src/func_ab.c (changed since the recording)"
mv src moved
check "a file that has gone" contains "$("$profrep" annotate func_a ab.prof)" "src/func_ab.c (not found: see --source)"
check "a file that has gone is found by --source" contains "$("$profrep" annotate --source moved func_a ab.prof)" "x += i;"

if command -v objdump > /dev/null; then
	check "instructions add up to self" same "$(reads 'sum(i["self"] for i in f[0]["instructions"])' --asm func_a ab.prof)" "$(of_top self func_a)"
	check "a call has the samples of its callee" same \
		"$(reads '[i["total"] for i in f[0]["instructions"] if "<func_a>" in i["text"]]' --asm main ab.prof)" "[$(of_top total func_a)]"
	objdump -d --no-show-raw-insn program | awk '/<func_b>:/ {on = 1; next} !NF {on = 0} on {print $2}' > want
	"$profrep" annotate --asm func_b ab.prof | awk '/ADDRESS/ {on = 1; next} on {sub(/^( *[0-9.]+ %)* */, ""); print $2}' > got
	check "instructions are those of the function, and no others" diff want got
	# All samples may be at one instruction, which is not named then.
	hottest=$(reads 'max(f[0]["instructions"], key=lambda i: i["self"])["address"]' --asm func_b ab.prof)
	named=$("$profrep" annotate --asm func_b ab.prof | sed -nE 's/^hottest: [0-9.]+ % ([0-9a-f]+).*/\1/p')
	check "the hottest instruction is named first" same "${named:-$hottest}" "$hottest"
	check "objdump is not there" says 1 "failed to start objdump: No such file or directory" env PATH=/nonexistent "$profrep" annotate --asm func_a ab.prof
	cp program kept
	strip program
	check "a stripped file has no lines" says 1 "no line of its code is known" "$profrep" annotate main ab.prof
	check "a stripped file has instructions" contains "$("$profrep" annotate --asm func_b ab.prof)" "xor"
	cp kept program
else
	skip "instructions" "objdump is not installed"
fi
"$profrep" pack -i --lines -o packed.prof ab.prof 2> /dev/null
rm program
check "lines in the recording, without the file" same "$(reads "sum(l['self'] for l in $lines)" func_a packed.prof)" \
	"$("$profrep" top --json packed.prof | python3 -c 'import json, sys; print([i["self"] for i in json.load(sys.stdin)["events"][0]["items"] if i["name"] == "func_a"][0])')"
check "instructions need the file" says 1 "failed to disassemble 'func_a': its file was not found" "$profrep" annotate --asm func_a packed.prof
cp /bin/true program
check "another file is not disassembled" says 1 "its file was not found" "$profrep" annotate --asm func_a packed.prof
plan_end
