#!/usr/bin/env bash
# Stacks of OpenJDK: they come to their root, and no method has a wrong caller. The methods of the program are frames of
# their own at first, and then those that HotSpot inlines. JAVA is the machine, java unless set; with JAVA_ROOT it is in that root of another system,
# which may have another version. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
: "${JAVA_SECONDS:=10}" "${JAVA:=java}" "${JAVA_ROOT:=}"
java=("$JAVA")
classes=$dir
if [ -n "$JAVA_ROOT" ]; then
	java=(tests/fresh/enter "$JAVA_ROOT" "$JAVA")
	classes=$(mktemp -d -p "$JAVA_ROOT/tmp")
	cleanup_extra() { rm -rf "$classes"; }
fi
command -v javac > /dev/null || skip_all "javac is not installed"
"${java[@]}" -version > "$dir/version" 2>&1 || skip_all "there is no $JAVA"
echo "# $(tail -n 1 "$dir/version")"
need_tables
javac --release 8 -Xlint:-options -d "$classes" tests/programs/KnownCalls.java

apart=(-XX:CompileCommand=quiet '-XX:CompileCommand=dontinline,KnownCalls*::*')

# run NAME FLAG...: records the program for JAVA_SECONDS, from when it runs.
run()
{
	local pid
	mkfifo "$dir/$1.running"
	"${java[@]}" "${@:2}" "${apart[@]}" -cp "${classes#"$JAVA_ROOT"}" KnownCalls 3600 > "$dir/$1.running" &
	pid=$!
	read -r _ < "$dir/$1.running"
	"$profrec" -q -F 499 -p $pid -o "$dir/$1.prof" "$JAVA_SECONDS" 2> "$dir/$1.err"
	kill -KILL $pid
	wait $pid 2> /dev/null
	"$profrep" -Ufa "$dir/$1.prof" > "$dir/$1.folded"
	awk -f tests/judges/pairs.awk -f tests/judges/java.awk "$dir/$1.folded" > "$dir/$1.truth" 2> "$dir/$1.wrong"
}

# Stacks of 1,000 that may seem to recur less than they do.
odd=0

# judge_java NAME FLAG...
judge_java()
{
	run "$@"
	check "$1: there are methods" above "$(truth "$1" pairs)" 1000
	check "$1: no wrong caller" same "$(truth "$1" wrong; grep '^wrong' "$dir/$1.wrong" | cut -c1-400)" 0
	check "$1: recursion is as deep as it is" at_most "$(truth "$1" depths)" "$(($(truth "$1" stacks) * odd / 1000))"
	check "$1: stacks are complete" stacks_complete 99 "$dir/$1.prof"
	check "$1: C code stands below its method" above "$(sum_samples 'deflateBytes(Bytes)?_\[java\];Java_java' < "$dir/$1.folded")" 10
	echo "# $1: $(tr '\n' ' ' < "$dir/$1.truth")$(info "$dir/$1.prof" "user stacks")"
}

judge_java tiered -XX:+TieredCompilation
judge_java interpreted -Xint
# lambdas NAME: the names of the program's lambdas.
lambdas() { "$profrep" -Uf "$dir/$1.prof" | tr ';' '\n' | grep -oE '^KnownCalls\$\$Lambda[^ ]*' | sort -u; }
check "lambdas have the same names in two runs" same "$(lambdas tiered)" "$(lambdas interpreted)"
check "lambdas have names without a number" same "$(lambdas tiered | grep -vE 'Lambda[.][a-z]+$')" ""
check "there are lambdas" above "$(lambdas tiered | wc -l)" 0
judge_java c1 -XX:TieredStopAtLevel=1
judge_java c2 -XX:-TieredCompilation
# Version 8 has one heap always.
if "${java[@]}" -XX:-SegmentedCodeCache -version > /dev/null 2>&1; then
	judge_java one-heap -XX:-SegmentedCodeCache
fi
judge_java parallel -XX:+UseParallelGC
apart=()
# Machines that start during the recording, whose first samples wait until the machine is known.
# shellcheck disable=SC2016 # the shell that is recorded expands it
"$profrec" -q -F 1999 -o "$dir/starts.prof" -- sh -c 'for i in 1 2 3 4 5; do "$@"; done' sh \
	"${java[@]}" -cp "${classes#"$JAVA_ROOT"}" KnownCalls 0 > "$dir/starts.out" 2> "$dir/starts.err"
"$profrep" -Ufa "$dir/starts.prof" > "$dir/starts.folded"
awk -f tests/judges/pairs.awk -f tests/judges/java.awk "$dir/starts.folded" > "$dir/starts.truth" 2> "$dir/starts.wrong"
check "starts: there are methods" above "$(truth starts pairs)" 300
check "starts: no wrong caller" same "$(truth starts wrong; cut -c1-400 "$dir/starts.wrong")" 0
echo "# starts: $(tr '\n' ' ' < "$dir/starts.truth")$(info "$dir/starts.prof" "user stacks")"

# judge_inlined NAME FLAG...
judge_inlined()
{
	judge "$@"
	check "$1: there are inlined methods" above "$(truth "$1" inlined)" 50
}

judge_inlined inlined -XX:+TieredCompilation
judge_inlined inlined-c1 -XX:TieredStopAtLevel=1
judge_inlined inlined-c2 -XX:-TieredCompilation
# Describes more addresses, and some instructions of the caller as the beginning of a method that is inlined there: then
# the method of the last depth is named in frames of others.
odd=3
judge_inlined inlined-dense -XX:+UnlockDiagnosticVMOptions -XX:+DebugNonSafepoints
plan_end
