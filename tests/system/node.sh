#!/usr/bin/env bash
# Functions of JavaScript: of node with a program whose calls are known. NODES lists the programs, node unless set.
# system/languages has an engine of the tests' own, which can lie.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
: "${NODES:=node}" "${NODE_SECONDS:=2}"
need_tables
build "$dir/fake_node" fake_node.c "${frameless[@]}" -Wl,--export-dynamic

"$profrec" -q -U --languages py,java -F 499 -o "$dir/none.prof" -- "$dir/fake_node" 2
check "other languages, no functions" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[js\]')" 0

map=
cleanup_extra() { rm -f "$map"; }

# run_node NAME NODE ARG... [-- ARG...]: records the program of known calls, from when it runs.
run_node()
{
	local name=$1 node=$2 pid options=() args=()
	shift 2
	while [ $# -gt 0 ] && [ "$1" != -- ]; do options+=("$1"); shift; done
	shift
	args=("$@")
	mkfifo "$dir/running"
	# The map of names comes with a log.
	"$node" --expose-gc --no-logfile-per-isolate --logfile="$dir/v8.log" "${options[@]}" tests/programs/known_calls.js 3600 "${args[@]}" > "$dir/running" &
	pid=$!
	map=/tmp/perf-$pid.map
	read -r _ < "$dir/running"
	"$profrec" -q -U -F 999 -p $pid -o "$dir/$name.prof" "$NODE_SECONDS"
	kill -KILL $pid
	wait $pid 2> /dev/null
	rm -f "$dir/running" "$map"
	"$profrep" -fa "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/$name.err"
}

# unnamed NAME: frames of code that the engine has made, or that its interpreter runs, in stacks with functions. Other
# builtins of the engine have no names where it is stripped.
unnamed()
{
	"$profrep" -fam "$dir/$1.prof" | grep '_\[js\]' |
		awk '{n += $NF * gsub(/;\[unknown\] \[anon\]|;Builtins_InterpreterEntryTrampoline/, "")} END {print n + 0}'
}

# lines_of_v8 NODE: NAME:LINE [FILE] of functions of the program, as the engine's own profiler tells them.
lines_of_v8()
{
	rm -rf "$dir/v8"
	"$1" --cpu-prof --cpu-prof-dir="$dir/v8" --cpu-prof-interval 500 tests/programs/known_calls.js 2 > /dev/null
	"$1" -e 'for (const file of process.argv.slice(1))
		for (const {callFrame: f} of JSON.parse(fs.readFileSync(file)).nodes)
			if (f.functionName && f.url.endsWith("/known_calls.js"))
				console.log(`${f.functionName}:${f.lineNumber + 1} [known_calls.js]`);' "$dir/v8"/*
}

# judge_lines NAME NODE: of functions that both know, and whose name the file has once.
judge_lines()
{
	lines_of_v8 "$2" | sort -u > "$dir/$1.v8"
	"$profrep" -Ufsm "$dir/$1.prof" 2> "$dir/err" | awk -f tests/judges/node_lines.awk "$dir/$1.v8" - >> "$dir/$1.truth" 2> "$dir/elsewhere"
	check "$1: functions have the lines that the engine tells" above "$(truth "$1" lined)" 15
	check "$1: and no others" same "$(truth "$1" elsewhere; head -n 5 "$dir/elsewhere")" 0
	check "$1: few have none" at_most "$(($(truth "$1" unlined) * 20))" "$(truth "$1" known)"
}

# judge_inlined NAME: functions that the engine has put into others are there, with few exceptions: their code has gone before
# it was looked at, or the engine does not describe the place.
judge_inlined()
{
	local missing
	check "$1: there are inlined functions" above "$("$profrep" -fa "$dir/$1.prof" | grep -c '_\[js,inl\]')" 10
	missing=$(awk -f tests/judges/pairs.awk -f tests/judges/node.awk "$dir/$1.folded" 2> "$dir/missing" | awk '/^wrong|^depths/ {n += $2} END {print n + 0}')
	check "$1: hardly any is missing between others" at_most "$((missing * 50))" "$(truth "$1" pairs)"
	echo "# $1: $missing of $(truth "$1" pairs) callers are missing"
}

# judge_node NAME NODE INLINED ARG... [-- ARG...]
judge_node()
{
	local name=$1
	run_node "$1" "$2" "${@:4}"
	judge "$name" 200 -v INLINED="$3" -f tests/judges/pairs.awk -f tests/judges/node.awk
	check "$name: functions have names" at_most "$(($(unnamed "$name") * 20))" "$(truth "$name" frames)"
	echo "# $name: $(info "$dir/$name.prof" interpreter), unnamed $(unnamed "$name")"
}

for node in $NODES; do
	if ! command -v "$node" > /dev/null; then
		skip "$node" "there is no $node"
		continue
	fi
	"$profrec" -q -U -F 999 -o "$dir/version.prof" -- "$node" -e 'while (process.cpuUsage().user < 3e5);'
	has_support "$node" "$dir/version.prof" js "$("$node" -p 'process.versions.node')" || continue
	whole=(--no-turbo-inlining)
	! "$node" --v8-options | grep -q -e --maglev-inlining || whole+=(--no-maglev-inlining)
	# The engine describes the places of calls alone.
	judge_node usual "$node" 1
	judge_inlined usual
	judge_lines usual "$node"
	# Where it logs, it describes more. It writes a map of names, and frames that it would name have their functions already.
	NODE_SECONDS=1 judge_node mapped "$node" 1 --perf-basic-prof
	check "mapped: no name is there twice" same "$(grep -c '_\[js\];JS:[^;]*known_calls.js[^;]*_\[j\];' "$dir/mapped.folded")" 0
	judge_node whole "$node" "" "${whole[@]}"
	judge_lines whole "$node"
	judge_node moving "$node" "" "${whole[@]}" --compact-on-every-full-gc -- moving
	# What moves all the time has hardly any inlined functions, and no wrong ones.
	judge_node compacted "$node" 1 --compact-on-every-full-gc -- moving
done
plan_end
