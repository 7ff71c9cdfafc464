#!/usr/bin/env bash
# Functions of JavaScript: of an engine of the tests' own, whose structure is known and which can lie, and of node with a
# program whose calls are known. NODES lists the programs, node unless set.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
: "${NODES:=node}" "${NODE_SECONDS:=2}"
need_tables
build "$dir/fake_node" fake_node.c "${frameless[@]}" -Wl,--export-dynamic
build "$dir/future" fake_node.c "${frameless[@]}" -Wl,--export-dynamic -DUNKNOWN_RELEASE

# record NAME COMMAND...
record() { "$profrec" -q -F 499 -U -o "$dir/$1.prof" -- "${@:2}" && "$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"; }

named='(plain|wid€|sliced|K.inferred|\(anonymous\)|<fake.js>|builtin)_\[js\]'
stack="run_next;$named;native_middle;[^;]*;burn_inside"
record good "$dir/fake_node" 5
check "the fake engine is found" contains "$(info "$dir/good.prof" interpreter)" "V8 11.3.77 [js]"
check "functions are in place of their frames" mostly "$dir/good.folded" fake_node "$stack" 60
for name in plain wid€ sliced K.inferred '(anonymous)' '<fake.js>' builtin; do
	check "$name has its name" contains "$(cat "$dir/good.folded")" ";run_next;${name}_[js];native_middle;"
done
check "a frame of no function has none" same "$(grep -c 'native_middle;[^;]*_\[js\]' "$dir/good.folded")" 0
"$profrep" -fam "$dir/good.prof" > "$dir/modules.folded"
check "the file is that of the code" contains "$(cat "$dir/modules.folded")" "plain [fake.js]_[js]"
check "the engine's own functions have no file" contains "$(cat "$dir/modules.folded")" "builtin [internal]_[js]"
"$profrep" -fa --frames native "$dir/good.prof" > "$dir/native.folded"
check "native frames alone" same "$(grep -c '\[js\]' "$dir/native.folded")" 0
"$profrep" -fa --frames language "$dir/good.prof" > "$dir/language.folded"
check "the language alone" mostly "$dir/language.folded" fake_node "^fake_node;$named;(\[unknown\];)?[^;]*\$" 60
"$profrec" -q -U --languages py,java -F 499 -o "$dir/none.prof" -- "$dir/fake_node" 2
check "other languages, no functions" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[js\]')" 0

# Each lie spoils the stacks of the liar alone, and nobody hangs.
cp "$dir/fake_node" "$dir/liar"
record lies sh -c "$dir/fake_node 4 & for lie in thin wild huge escape types moved locals; do $dir/liar 2 \$lie & done; wait"
check "a process beside liars has its functions" mostly "$dir/lies.folded" fake_node "$stack" 50
check "the recording of liars is whole" is_complete "$dir/lies.prof"
check "samples of liars are accounted for" is_accounted "$dir/lies.prof"
check "names have control characters" contains "$(cat "$dir/lies.folded")" 'plain\x1b[31m'
check "nothing raw comes to the terminal" same "$(grep -c $'\x1b\|\x07' "$dir/lies.folded")" 0
check "long names are cut" at_most "$(grep -o 'plain[^;]*' "$dir/lies.folded" | awk '{if (length > n) n = length} END {print n + 0}')" 300

record future "$dir/future" 2
check "an unknown version is said" contains "$(info "$dir/future.prof" interpreter)" "V8 99.3.77 [js], without support"
check "an unknown version has no functions" same "$(grep -c '_\[js\]' "$dir/future.folded")" 0

# truth NAME NUMBER
truth() { sed -n "s/^$2 //p" "$dir/$1.truth"; }

map=
cleanup_extra() { rm -f "$map"; }

# run_node NAME NODE INLINED ARG... [-- ARG...]: records the program of known calls, from when it runs.
run_node()
{
	local name=$1 node=$2 inlined=$3 pid options=() args=()
	shift 3
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
	awk -v INLINED="$inlined" -f tests/judges/pairs.awk -f tests/judges/node.awk "$dir/$name.folded" \
		> "$dir/$name.truth" 2> "$dir/$name.wrong"
}

# unnamed NAME: frames of code that the engine has made, or that its interpreter runs, in stacks with functions. Other
# builtins of the engine have no names where it is stripped.
unnamed()
{
	"$profrep" -fam "$dir/$1.prof" | grep '_\[js\]' |
		awk '{n += $NF * gsub(/;\[unknown\] \[anon\]|;Builtins_InterpreterEntryTrampoline/, "")} END {print n + 0}'
}

judge_node()
{
	local name=$1
	run_node "$@"
	check "$name: there are functions" above "$(truth "$name" pairs)" 200
	check "$name: no wrong caller" same "$(truth "$name" wrong; grep "^wrong" "$dir/$name.wrong" | cut -c1-300)" 0
	check "$name: recursion is as deep as it is" same "$(truth "$name" depths; grep "^depth" "$dir/$name.wrong" | cut -c1-300)" 0
	check "$name: functions have names" at_most "$(($(unnamed "$name") * 20))" "$(truth "$name" frames)"
	echo "# $name $(info "$dir/$name.prof" interpreter): $(tr '\n' ' ' < "$dir/$name.truth")unnamed $(unnamed "$name")"
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
	# The engine writes a map of names, and frames that it would name have their functions already.
	judge_node usual "$node" 1 --perf-basic-prof
	check "usual: no name is there twice" same "$(grep -c '_\[js\];JS:[^;]*known_calls.js[^;]*_\[j\];' "$dir/usual.folded")" 0
	judge_node whole "$node" "" "${whole[@]}"
	judge_node moving "$node" "" "${whole[@]}" --compact-on-every-full-gc -- moving
done
plan_end
