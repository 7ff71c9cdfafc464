#!/usr/bin/env bash
# Stacks of Erlang: they come to the first function of their process, and no function has a wrong caller. A program that
# claims to be its emulator, and a release that nobody has judged. BEAM_SECONDS is the length of the recording. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
: "${BEAM_SECONDS:=2}"
need_tables
build "$dir/fake_beam" fake_beam.c "${frameless[@]}" -Wl,--export-dynamic
build "$dir/future" fake_beam.c "${frameless[@]}" -Wl,--export-dynamic -DUNKNOWN_RELEASE
build "$dir/bare" fake_beam.c "${frameless[@]}" -Wl,--export-dynamic -DFOR_EXTENSIONS
build "$dir/told" fake_beam.c "${frameless[@]}" -Wl,--export-dynamic -DTOLD
build "$dir/twice" fake_beam.c "${frameless[@]}" -Wl,--export-dynamic -DTOLD_TWICE
build "$dir/strange" fake_beam.c "${frameless[@]}" -Wl,--export-dynamic -DSTRANGE_MACHINE

for name in fake_beam future bare told twice strange; do
	"$profrec" -q -F 499 -U -o "$dir/$name.prof" -- "$dir/$name" 20
	"$profrep" -fa "$dir/$name.prof" > "$dir/$name.folded"
	check "$name: stacks are those of C" mostly "$dir/$name.folded" $name "main;run_nothing" 90
	check "$name: there are no functions" same "$(grep -c '_\[beam\]' "$dir/$name.folded")" 0
	check "$name: samples are accounted for" is_accounted "$dir/$name.prof"
done
check "the emulator is found" same "$(info "$dir/fake_beam.prof" interpreter)" "BEAM 25 [beam]"
check "an unknown release is said" contains "$(info "$dir/future.prof" interpreter)" "BEAM 99 [beam], without support"
check "an emulator with other code is said to have no support" contains "$(info "$dir/strange.prof" interpreter)" "BEAM 25 [beam], without support"
check "a release without symbols is said to have no support" contains "$(info "$dir/bare.prof" interpreter)" "BEAM without a version [beam], without support"
check "a release that tells extensions alone is found" same "$(info "$dir/told.prof" interpreter)" "BEAM 29 [beam]"
check "a release that is not certain is left alone" contains "$(info "$dir/twice.prof" interpreter)" "BEAM 29 [beam], without support"

# run NAME FLAGS OPTION...: records the program of known calls, from when it runs under "erl FLAGS". Its text is $source.
run()
{
	local pid name=$1 flags=$2
	shift 2
	mkfifo "$dir/running"
	# shellcheck disable=SC2086
	erl -noshell +S 2 $flags -pa "$dir" -s known_calls start 3600 > "$dir/running" &
	pid=$!
	read -r _ < "$dir/running"
	"$profrec" -q -F 1999 -p $pid -o "$dir/$name.prof" "$@" "$BEAM_SECONDS" 2> "$dir/err"
	kill -KILL $pid
	wait $pid 2> /dev/null
	rm "$dir/running"
	"$profrep" -Ufa "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/err"
}

# complete NAME: or cut at the depth limit.
complete()
{
	local good all cut
	read -r good all < <(info "$dir/$1.prof" "user stacks" | sed 's/ of / /; s/ samples.*//')
	cut=$(info "$dir/$1.prof" "others ended" | grep -o '[0-9]* cut')
	[ "${all:-0}" -gt 100 ] && [ $(((good + ${cut% cut}) * 100)) -ge $((all * 92)) ] && return 0
	info "$dir/$1.prof" "user stacks"
	info "$dir/$1.prof" "others ended"
	return 1
}

# judge_erlang NAME: what the program's stacks have to be.
judge_erlang()
{
	judge "$1" 1000 -f tests/judges/pairs.awk -f tests/judges/beam.awk
	"$profrep" -Ufsm "$dir/$1.prof" 2> "$dir/err" | awk -f tests/judges/beam_lines.awk "$source" - >> "$dir/$1.truth" 2> "$dir/elsewhere"
	check "$1: functions have lines" above "$(truth "$1" lined)" 10
	check "$1: lines of functions are those of their definitions" same "$(truth "$1" elsewhere; head -n 5 "$dir/elsewhere")" 0
	check "$1: frames have names" at_most "$(($(truth "$1" unnamed) * 100))" "$(($(truth "$1" frames) * 5))"
	check "$1: stacks are complete" complete "$1"
	check "$1: C code stands below its function" above "$(sum_samples "$c_code" < "$dir/$1.folded")" 0
	echo "# $1: $(info "$dir/$1.prof" "user stacks")"
}

compile() { (cd "$dir" && erlc known_calls.erl); }

source=tests/programs/known_calls.erl
why=
if ! command -v erlc > /dev/null; then
	why="erlc is not installed"
elif ! erlc -o "$dir" "$source" > "$dir/erlc.out" 2>&1; then
	why="erlc does not compile: $(head -n 1 "$dir/erlc.out")"
else
	run erlang ""
fi
release=$(erl -noshell -eval 'io:put_chars(erlang:system_info(otp_release)), halt().' 2> /dev/null)
# From release 29 on, C functions that are not for extensions have no names.
c_code='builtins/1_\[beam\].*;(erts_)?[a-z_]*term_to_binary'
[ "${release:-0}" -lt 29 ] || c_code='builtins/1_\[beam\].*;\[beam\.smp\+0x'
if [ -n "$why" ]; then
	skip "erlang" "$why"
elif has_support "erlang" "$dir/erlang.prof" beam "$release"; then
	judge_erlang erlang
	check "a function of another file has its line there" above "$(truth erlang others)" 0
	# The module's own file is the only one, and its lines have two bytes.
	source=$dir/known_calls.erl
	sed 's/^-file.*//' tests/programs/known_calls.erl > "$source"
	check "a module of one file compiles" compile
	run "frame pointers" "+JPperf true"
	judge_erlang "frame pointers"
	run none "" --languages none
	check "without languages there are no functions" same "$(grep -c '_\[beam\]' "$dir/none.folded")" 0
fi
plan_end
