#!/usr/bin/env bash
# --json of all commands that have it: a real reader takes it, whatever names a recording holds, and it has the numbers of
# the tables. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
command -v python3 > /dev/null || skip_all "python3 is not installed"

for text in tests/golden/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done
cd "$dir" || exit 1
# Names with quotes, a newline, an escape sequence, a NUL's neighbour, DEL, bytes that are no UTF-8, half a surrogate pair, and
# U+2028, which ends a line in JavaScript.
"$BUILD/tests/prof_make" > names.prof << 'END'
meta event cpu-clock
meta event_type 1
meta freq_hz 10
meta cpus 0
meta nr_cpus 1
meta hostname q"\\\n\x1b[31m\x7f
meta command_line \xff\xed\xa0\x80
object a file /q"\\\n\x1b\x01\xff\xc0\x80/f"\xed\xa0\x80 -
object b file /nonexistent/\xe2\x80\xa8 -
sym a 0x1000 0x100 main"\\\n\x1b[2J
sym a 0x1100 0x100 \xff\xfe\xc3(
sym b 0x1000 0x100 </script>\xe2\x80\xa8
process p 20 1
info p 0 0 n"\x80 /e"\n\xff /c"\x1b
map p a 0x400000 0x10000 0
map p b 0x800000 0x10000 0
count p c"\\\xff\n 4 user a:0x1110 a:0x1010
count p d 3 user b:0x1010 a:0x1010
count p d 1 user b:0x2010 a:0x1010
epoch 0 1000000000
end duration_ns 1000000000
END

# reads CODE COMMAND...: python3 reads the output of profrep as strict UTF-8 and JSON, and prints what CODE makes of it.
reads()
{
	local code=$1
	shift
	"$profrep" "$@" > out.json 2> err
	[ $? -le 3 ] && python3 -c 'import json, re, sys
def printed(name):
    name = re.sub(r"\\(?=[\0-\x1f])", r"\\\\", name)
    return "".join(c if c.isprintable() else "".join(f"\\x{b:02x}" for b in c.encode()) for c in name)
d = json.loads(open("out.json", "rb").read().decode("utf-8", "strict"), parse_constant=lambda s: sys.exit("not JSON: " + s))
e = d["events"] if isinstance(d, dict) and "events" in d else []
'"print($code)"
}
# Each file is JSON in strict UTF-8, and nothing in it is obeyed by a terminal, whatever its texts are.
cat > texts.py << 'END'
import json, sys
for name in sys.argv[1:]:
    try:
        text = open(name, "rb").read().decode("utf-8", "strict")
        json.loads(text, parse_constant=lambda s: 1 / 0)
    except Exception as e:
        sys.exit(f"{name}: {e}")
    bad = [line for line in text.split("\n") if not line.isprintable()]
    if bad:
        sys.exit(f"{name}: {bad!r}")
print(len(sys.argv) - 1)
END

# all_read DIRECTORY COMMAND...: of all recordings. Where no stack has the function, or there is nothing to report, the status
# is 1 and no output stands. A diff takes two recordings.
all_read()
{
	local out=$1 file status words
	shift
	mkdir "$out"
	for file in *.prof; do
		words=("$@")
		[ "$1" != diff ] || words=(diff -A "$file")
		"$profrep" "${words[@]}" --json "$file" > "$out/$file" 2> err
		status=$?
		[ $status -ne 1 ] || { [ ! -s "$out/$file" ] && rm "$out/$file"; } || return 1
		[ $status -le 3 ] || return 1
	done
	above "$(python3 texts.py "$out"/*)" 5
}
for command in top "top --by process" "top --by file" tree "callers main" info files processes missing diff; do
	read -ra words <<< "$command"
	check "$command: all recordings" all_read "out.${command//[^a-z]/}" "${words[@]}"
done

# printed() makes a name of JSON what the table shows.
names='sorted(printed(i["name"]) for i in e[0]["items"])'
check "names are those of the table" same "$(reads "'\\n'.join($names)" top --json names.prof)" \
	"$("$profrep" top --unit raw names.prof | awk 'seen {print substr($0, 91)} /^   CPUS/ {seen = 1}' | LC_ALL=C sort)"
check "self adds up" same "$(reads '[sum(i["self"] for i in v["items"]) == v["sum"] for v in e]' top --json -n 100000 events.prof)" \
	"[True, True, True, True]"
check "a number of 64 bits has all digits" \
	same "$(reads 'max(i["total"] for i in e[3]["items"])' top --json events.prof 2>&1)" 18446744073709551615
check "the CPUs that were busy" same "$(reads 'round(e[0]["busy_cpus"], 3), e[0]["nr_cpus"]' top --json names.prof)" "0.8 1"
check "a tree: roots add up, and parents come first" same \
	"$(reads 'sum(n["total"] for n in e[0]["nodes"] if not n["parent"]) == e[0]["sum"], all(n["parent"] < n["id"] for n in e[0]["nodes"])' \
		tree --json --min-percent 0.001 basic.prof)" "True True"
check "callers" same "$(reads 'e[0]["nodes"][0]["name"], e[0]["nodes"][0]["total"], e[0]["function"]' callers --json func_a basic.prof)" \
	"func_a 16 func_a"
annotated() { "$profrep" annotate --json step lines.prof > annotated.json && same "$(python3 texts.py annotated.json)" 1; }
check "annotate: text" annotated
check "annotate: lines add up" same "$(reads '[f["self"] == sum(l["self"] for g in f["files"] for l in g["lines"]) for f in e[0]["functions"]]' \
	annotate --json step lines.prof)" "[True, True]"
check "info" same "$(reads 'd["samples"]["taken"], d["host"]["name"], d["complete"], d["samples"]["per_cpu"]' info --json basic.prof)" \
	"37 build7 True [20, 17]"
check "info of a recording that was cut short" same "$(reads 'd["complete"], d["samples"], d["seconds"], bool(d["defect"])' info --json cut.prof)" \
	"False None None True"
check "files" same "$(reads 'sum(i["count"] for i in e[0]["items"])' files --json basic.prof)" 28
check "processes" same "$(reads '[(i["pid"], i["uid"], i["count"], len(i["threads"])) for i in e[0]["items"]][:2]' processes --json processes.prof)" \
	"[(100, 33, 13, 2), (400, None, 12, 9)]"
check "missing" same "$(reads '[i["path"] for i in d["items"]]' missing --json processes.prof)" "['/lib/libx.so']"
check "JSON and a live view" says 2 "not allowed with option" "$profrep" top --json --live basic.prof
plan_end
