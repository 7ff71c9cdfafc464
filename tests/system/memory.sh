#!/usr/bin/env bash
# Out of memory at any allocation, also in libraries: an error that says so, no crash, no leak, nothing half done. A
# chain of callers identifies an allocation. For each chain the first allocation fails, in a run of its own. In a second
# run it fails with all after it. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
"$cc" -O2 -shared -fPIC -fno-builtin -o "$dir/failmalloc.so" tests/programs/failmalloc.c 2> "$dir/cc.err" ||
	skip_all "the preloaded library cannot be built: $(head -n 1 "$dir/cc.err")"
"$BUILD/profrep" --version > /dev/null 2>&1 && ! ldd "$profrep" | grep -q libasan || skip_all "built with a sanitizer"

# under PROGRAM [VAR=VALUE...] -- COMMAND...: runs it with the library.
under()
{
	local program=$1 vars=()
	shift
	while [ "$1" != -- ]; do vars+=("$1"); shift; done
	shift
	env LD_PRELOAD="$dir/failmalloc.so" FAIL_PROGRAM="$program" "${vars[@]}" timeout 120 "$@"
}

# verdict STATUS: prints the defects of a run in which an allocation failed: its log in $dir/log, its stderr in
# $dir/err.
verdict()
{
	local status=$1
	[ "$status" -ne 125 ] || status=1 # of profrec with a command
	if [ "$status" -gt 3 ]; then
		echo "exit status $status"
	elif grep -q '^leak' "$dir/log"; then
		echo "not freed: allocations $(sed -n 's/^leak //p' "$dir/log" | head -n 5 | tr '\n' ' ')"
	elif [ "$status" -eq 0 ]; then
		# A library may do without the memory. Then the output lacks nothing, and the caller compares it.
		"$when_fine" || echo "exit status 0, but what was made is not right"
	elif [ "$status" -ne 1 ]; then
		echo "exit status $status"
	# libbpf and libelf do not always tell why.
	elif ! grep -qiE 'out of memory|cannot allocate memory|failed to (open|load) the BPF programs' "$dir/err"; then
		echo "the error does not say it: $(head -n 1 "$dir/err")"
	elif ! "$when_failed"; then
		echo "something half done was left"
	fi
}

# survives PROGRAM MAX COMMAND...: an allocation fails at each of its sites, at most about MAX of them, evenly chosen
# (OOM_SITES: 100000 for a thorough run).
survives()
{
	local program=$1 max=$2 n wrong all nr=0 bad=0
	shift 2
	rm -f "$dir/sites"
	under "$program" FAIL_LOG="$dir/sites" -- "$@" > "$dir/out" 2> "$dir/err" || { echo "fails without help:"; cat "$dir/err"; return 1; }
	grep -q '^leak' "$dir/sites" && { echo "not freed in a run that succeeds: $(grep -c '^leak' "$dir/sites") blocks"; return 1; }
	sed -n 's/^site //p' "$dir/sites" > "$dir/list"
	[ -s "$dir/list" ] || { echo "no allocation was seen"; return 1; }
	awk -v max="$max" '{a[NR] = $1} END {step = NR > max ? NR / max : 1; for (i = 1; i <= NR; i += step) print a[int(i)]}' \
		"$dir/list" > "$dir/chosen"
	while read -r n; do
		for all in "" FAIL_AND_ALL=1; do
			rm -f "$dir/log"
			"$before"
			under "$program" FAIL_AT="$n" $all FAIL_LOG="$dir/log" -- "$@" > "$dir/out" 2> "$dir/err"
			wrong=$(verdict $?)
			nr=$((nr + 1))
			[ -z "$wrong" ] && continue
			echo "allocation $n${all:+ and all after it}: $wrong"
			bad=$((bad + 1))
		done
	done < "$dir/chosen"
	echo "$nr runs, $(wc -l < "$dir/list") sites"
	[ $bad -eq 0 ]
}

## The recorder, and a recording with real files in it for the reporter.
before=rm_outputs
rm_outputs() { rm -f "$dir"/oom.prof*; }
is_whole() { is_complete "$dir/oom.prof" > /dev/null; }
when_fine=is_whole
nothing_under_the_name() { [ ! -e "$dir/oom.prof" ]; }
when_failed=nothing_under_the_name
if "$profrec" -q -F 999 -o "$dir/real.prof" 1 -- "$workloads/func_ab" > "$dir/err" 2>&1; then
	# Without a sample there would be no epoch.
	# shellcheck disable=SC2016 # for the shell that is started
	check "profrec -- COMMAND" survives profrec "${OOM_SITES:-24}" "$profrec" -q -F 4999 -o "$dir/oom.prof" -- \
		sh -c 'i=0; while [ $i -lt 20000 ]; do i=$((i + 1)); done'
else
	fail_if_refused "$(cat "$dir/err")" ||
		skip "profrec -- COMMAND" "profrec cannot record here: $(head -n 1 "$dir/err")"
	"$BUILD/tests/prof_make" < tests/golden/basic.txt > "$dir/real.prof"
fi

## The reporter.
"$BUILD/tests/prof_make" < tests/golden/hostile.txt > "$dir/hostile.prof"
before=true
when_failed=true
same_as_ever() { cmp -s "$dir/out" "$dir/want"; }
when_fine=same_as_ever
for options in "" "-f" "info" "files" "-v"; do
	# shellcheck disable=SC2086
	"$profrep" $options "$dir/real.prof" > "$dir/want"
	# shellcheck disable=SC2086
	check "profrep $options" survives profrep "${OOM_SITES:-24}" "$profrep" $options "$dir/real.prof"
done
"$profrep" diff "$dir/real.prof" "$dir/hostile.prof" > "$dir/want"
check "profrep diff" survives profrep "${OOM_SITES:-24}" "$profrep" diff "$dir/real.prof" "$dir/hostile.prof"
plan_end
