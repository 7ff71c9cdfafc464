#!/usr/bin/env bash
# One table of what stacks of the languages are worth: a row for each kind of program, with the pairs of caller and function
# that were judged, those that are wrong, how many stacks come to their root, and how many frames have no name. A program's
# own account of its calls is the truth. Where there is none, only the other columns are judged. TRUTH_SECONDS is how long
# each program is recorded. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
: "${TRUTH_SECONDS:=5}"
need_tables
printf 'program\tstacks\tpairs\twrong\tcomplete %%\tnameless %%\n' > "$dir/table"

# has NAME TOOL...: the row of NAME can be made.
has()
{
	local tool
	for tool in "${@:2}"; do
		command -v "$tool" > /dev/null && continue
		skip "$1" "there is no $tool"
		return 1
	done
}

# complete NAME: percent of the user stacks that could be walked at all. Early samples and those of the depth limit are no
# fault of the walk, but the limit is, so those count.
complete()
{
	local good all early
	read -r good all < <(info "$dir/$1.prof" "user stacks" | sed 's/ of / /; s/ samples.*//')
	early=$(info "$dir/$1.prof" "others ended" | sed 's/.* \([0-9]*\) early.*/\1/')
	awk -v good="${good:-0}" -v all="$((${all:-0} - ${early:-0}))" 'BEGIN {printf "%.1f", all ? 100 * good / all : 0}'
}

# nameless NAME: percent of the frames of which nothing is known, neither a name nor the bounds of a function.
nameless()
{
	"$profrep" -Uf --unnamed function "$dir/$1.prof" |
		awk -F ';' '{n = $NF; sub(/.* /, "", n); sub(/ [0-9]+$/, ""); for (i = 2; i <= NF; i++) {all += n; none += n * ($i ~ /^\[unknown\]/)}}
			END {printf "%.1f", all ? 100 * none / all : 0}'
}

# row NAME COMPLETE NAMELESS [WRONG]: judges the recording NAME.prof, of which at least COMPLETE percent have to be complete,
# and at most NAMELESS percent nameless; and NAME.truth, if a judge made one, of which WRONG of 10,000 pairs may be wrong.
row()
{
	local pairs=- wrong=- stacks
	read -r _ _ stacks _ < <(info "$dir/$1.prof" "user stacks")
	check "$1: there are stacks" above "${stacks:-0}" 200
	if [ -s "$dir/$1.truth" ]; then
		pairs=$(sed -n 's/^pairs //p' "$dir/$1.truth")
		wrong=$(sed -n 's/^\(wrong\|unknown\) //p' "$dir/$1.truth")
		check "$1: there are pairs" above "$pairs" 500
		check "$1: hardly any caller is wrong" at_most "$wrong" "$((pairs * ${4:-0} / 10000))"
		[ "$wrong" = 0 ] || head -n 5 "$dir/$1.wrong" | cut -c1-300 | sed 's/^/# /'
	fi
	check "$1: stacks are complete" at_least "$(complete "$1")" "$2"
	check "$1: frames have names" at_most "$(nameless "$1")" "$3"
	printf '%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$stacks" "$pairs" "$wrong" "$(complete "$1")" "$(nameless "$1")" >> "$dir/table"
}

# folded NAME
folded() { "$profrep" -fa --unnamed function "$dir/$1.prof" > "$dir/$1.folded" 2> "$dir/$1.err"; }

# record NAME COMMAND...: the command ends by itself.
record() { "$profrec" -q -U -F 999 -o "$dir/$1.prof" -- "${@:2}" > "$dir/$1.out" 2> "$dir/$1.err"; folded "$1"; }

# record_running NAME COMMAND...: the command says when it begins, and would not end.
record_running()
{
	local pid
	mkfifo "$dir/$1.running"
	"${@:2}" > "$dir/$1.running" 2> "$dir/$1.err" &
	pid=$!
	read -r _ < "$dir/$1.running"
	"$profrec" -q -U -F 999 -p $pid -o "$dir/$1.prof" "$TRUTH_SECONDS"
	kill -KILL $pid
	wait $pid 2> /dev/null
	folded "$1"
}

# judge NAME ARG...: by an awk of tests/judges.
judge() { awk "${@:2}" "$dir/$1.folded" > "$dir/$1.truth" 2> "$dir/$1.wrong"; }

pairs=tests/judges/pairs.awk
if has python python3; then
	record python /usr/bin/python3 tests/programs/known_calls.py "$TRUTH_SECONDS"
	judge python -f $pairs -f tests/judges/python.awk
	row python 99 1
fi
if ! has greenlets /usr/bin/python3; then
	:
elif ! /usr/bin/python3 -c 'import greenlet' 2> "$dir/greenlet.err"; then
	skip greenlets "python3 has no greenlet"
else
	record greenlets /usr/bin/python3 tests/programs/known_greenlets.py "$TRUTH_SECONDS" "$dir/greenlets.pairs"
	judge greenlets -v MARK=py -f tests/judges/noted.awk "$dir/greenlets.pairs"
	row greenlets 99 1
fi
if has php php; then
	record php php -n tests/programs/known_calls.php "$TRUTH_SECONDS" "$dir/php.pairs"
	judge php -f tests/judges/php.awk "$dir/php.pairs"
	row php 97 1
fi
if has ruby ruby; then
	record ruby ruby tests/programs/known_calls.rb "$TRUTH_SECONDS" "$dir/ruby.pairs"
	judge ruby -f tests/judges/ruby.awk "$dir/ruby.pairs"
	row ruby 99 1
fi
if has perl perl; then
	record perl /usr/bin/perl tests/programs/known_calls.pl "$TRUTH_SECONDS" "$dir/perl.pairs"
	judge perl -f tests/judges/perl.awk "$dir/perl.pairs"
	row perl 99 1
fi
if has node node; then
	record_running node node --expose-gc tests/programs/known_calls.js 3600
	judge node -v INLINED=yes -f $pairs -f tests/judges/node.awk
	row node 97 3
fi
if has erlang erl erlc; then
	erlc -o "$dir" tests/programs/known_calls.erl > "$dir/erlc.out"
	record_running erlang erl -noshell +S 2 -pa "$dir" -s known_calls start 3600
	judge erlang -f $pairs -f tests/judges/beam.awk
	row erlang 92 12
fi
if has java java javac; then
	javac --release 8 -Xlint:-options -d "$dir" tests/programs/KnownCalls.java
	for way in TieredStopAtLevel=4 TieredStopAtLevel=1; do
		name=java-${way#TieredStopAtLevel=}
		record_running "$name" java -XX:$way -cp "$dir" KnownCalls 3600
		judge "$name" -f $pairs -f tests/judges/java.awk
		row "$name" 99 2 1
	done
fi

# record_native NAME PROGRAM: judges pairs by the calls in the program's code. system/unwind_check compares whole stacks with
# elfutils.
record_native()
{
	record "$1" "$dir/$2" $((TRUTH_SECONDS * 1000))
	readelf -rW "$dir/$2" > "$dir/$1.relocations"
	objdump -d --no-show-raw-insn "$dir/$2" > "$dir/$1.code"
	# Before it runs, the process is profrec's.
	"$profrep" -Uf --demangle none --unnamed function "$dir/$1.prof" | grep "^$2;" > "$dir/$1.folded"
	judge "$1" -v NATIVE=yes -f tests/judges/go.awk "$dir/$1.relocations" "$dir/$1.code"
}

if has c++ c++ objdump readelf; then
	c++ -O2 -o "$dir/throw" tests/programs/throw.cc
	record_native c++ throw
	# While an exception lands, the registers that the walk needs are being replaced.
	row c++ 98 1 10
fi
if has rust rustc objdump readelf; then
	if rustc -O -o "$dir/panics" tests/programs/panics.rs 2> "$dir/rustc.err"; then
		record_native rust panics
		row rust 98 1 10
	else
		skip rust "it cannot be built: $(grep -m 1 error "$dir/rustc.err")"
	fi
fi
if has go go objdump; then
	cp -r tests/programs/known_go "$dir/go"
	printf 'module calls\ngo 1.17\n' > "$dir/go/go.mod"
	export GOPATH=$dir/path GOCACHE=$dir/cache GOTOOLCHAIN=local GOFLAGS=-mod=mod
	for way in plain cgo; do
		cgo=1
		[ $way != plain ] || cgo=0
		if ! (cd "$dir/go" && CGO_ENABLED=$cgo go build -o "$dir/go-$way" . 2> "$dir/build.log"); then
			skip go-$way "it cannot be built: $(grep -v '^#' "$dir/build.log" | head -n 1)"
			continue
		fi
		record go-$way "$dir/go-$way" "$TRUTH_SECONDS" "$dir/go-$way.pprof"
		objdump -d --no-show-raw-insn "$dir/go-$way" > "$dir/go-$way.code"
		go tool pprof -noinlines -traces "$dir/go-$way" "$dir/go-$way.pprof" 2> "$dir/go.err" > "$dir/go-$way.traces"
		# Before it runs, the process is profrec's.
		"$profrep" -Uf --unnamed function "$dir/go-$way.prof" | grep "^go-$way;" > "$dir/go-$way.folded"
		judge go-$way -f tests/judges/go.awk "$dir/go-$way.traces" "$dir/go-$way.code"
		row go-$way 98 1 200
	done
fi

# Interpreters without functions in profrec, whose recursion makes deep native stacks.
if has octave octave-cli; then
	record octave octave-cli --no-gui -q tests/programs/deep_calls.m "$TRUTH_SECONDS"
	row octave 99 1
fi
if has r Rscript; then
	record r Rscript --vanilla tests/programs/deep_calls.R "$TRUTH_SECONDS"
	row r 99 1
fi
sed 's/^/# /' "$dir/table"
plan_end
