# shellcheck shell=bash
# Programs of interpreters: their recordings, and which versions profrec claims to know. Source it after tests/lib/tap.sh.
: "${profrec:?}" "${profrep:?}" "${dir:?}"

# language KEY VERSION [DIRECTORY SECONDS]: the table of languages. Sets $says to what a recording says of the interpreter, and
# $arguments to those with which it runs the program of known calls in the directory. A KEY with "+" makes code, or its
# functions run in a fiber.
# shellcheck disable=SC2034 # for those who ask
language()
{
	local at=${3:-} seconds=${4:-}
	case $1 in
	py) says="CPython $2" arguments=("$at/known_calls.py" "$seconds") ;;
	php) says="PHP $2." arguments=(-n "$at/known_calls.php" "$seconds" "$at/pairs") ;;
	rb) says="Ruby $2." arguments=("$at/known_calls.rb" "$seconds" "$at/pairs") ;;
	pl) says="Perl $2." arguments=("$at/known_calls.pl" "$seconds" "$at/pairs") ;;
	js)
		# The file says the version of V8 alone.
		says=$(grep -o "\.node = $2, [^}]*" record/languages/files/node_layouts.c | awk -F '[^0-9]+' '{print "V8 " $3 "." $4}')
		arguments=("$at/known_calls.js" "$seconds")
		;;
	java) says="HotSpot ${2/#8/1.8}." arguments=(-Xmx64m -cp "$at" KnownCalls "$seconds") ;;
	beam) says="BEAM $2" arguments=(-noshell +S 2 -pa "$at" -s known_calls start "$seconds") ;;
	py+perf) arguments=(-X perf "$at/known_calls.py" "$seconds") ;;
	php+jit)
		# A file that is new counts.
		arguments=(-d opcache.enable_cli=1 -d opcache.file_update_protection=0 -d opcache.jit_buffer_size=64M
			-d opcache.jit=function -d pcre.jit=0 "$at/known_calls.php" "$seconds" "$at/pairs")
		;;
	php+fiber) arguments=(-n "$at/known_fibers.php" "$seconds") ;;
	rb+yjit) arguments=(--yjit --yjit-call-threshold=1 "$at/known_calls.rb" "$seconds" "$at/pairs") ;;
	lua+jit) arguments=("$at/known_traces.lua" "$seconds" 20) ;;
	scm+jit) arguments=("$at/known_calls.scm" "$seconds") ;;
	regex+jit) arguments=(libpcre2-8.so.0 run $((seconds * 50))) ;;
	*) says="a language with a row here" ;;
	esac
}

# record NAME COMMAND...: makes NAME.prof, and its folded stacks, NAME.folded.
record() { "$profrec" -q -F 499 -U -o "$dir/$1.prof" -- "${@:2}" && "$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"; }

# truth NAME WORD: what the program has said of WORD in NAME.truth.
truth() { sed -n "s/^$2 //p" "$dir/$1.truth"; }

# judge NAME LEAST AWK_ARGUMENT...: makes NAME.truth of NAME.folded by an awk program that knows who calls whom. It has to
# see more than LEAST callers, and none that is wrong.
judge()
{
	awk "${@:3}" "$dir/$1.folded" > "$dir/$1.truth" 2> "$dir/$1.wrong"
	check "$1: there are functions" above "$(truth "$1" pairs)" "$2"
	check "$1: no wrong caller" same "$(truth "$1" wrong; grep '^wrong' "$dir/$1.wrong" | cut -c1-400)" 0
	check "$1: recursion is as deep as it is" same "$(truth "$1" depths; grep '^depth' "$dir/$1.wrong" | cut -c1-400)" 0
	echo "# $1: $(tr '\n' ' ' < "$dir/$1.truth")"
}

# is_claimed NAME VERSION: does 'profrec --languages help' list this version, of the language with that short name or of
# what makes code?
is_claimed()
{
	"$profrec" --languages help | awk -F '  +' -v name="$1" -v version="$2" '
		# Is the version in the run from the version a to the version b?
		function is_in(a, b,    v, from, to)
		{
			split(version, v, "."); split(a, from, "."); split(b, to, ".")
			if (from[2] == "") return v[1] + 0 >= from[1] + 0 && v[1] + 0 <= to[1] + 0
			return v[1] == from[1] && v[2] + 0 >= from[2] + 0 && v[2] + 0 <= to[2] + 0
		}
		{sub(/^ +/, "")}
		$1 == name {
			sub(/^[^0-9]*/, "", $NF)
			nr = split($NF, runs, ", ")
			for (i = 1; i <= nr; i++) {
				split(runs[i] " to " runs[i], ends, " to ")
				if (is_in(ends[1], ends[2])) found = 1
			}
		}
		END {exit !found}'
}

# has_support NAME RECORDING LANGUAGE VERSION [UNUSUAL]: does the recording say that it knows the interpreter? If not, that
# fails for a VERSION, as the interpreter tells it, that profrec claims to know. Other versions are skipped, and so are
# builds of which UNUSUAL says why they differ.
has_support()
{
	local found
	found=$(info "$2" interpreter)
	case $found in
	*without*) ;;
	*) return 0 ;;
	esac
	if [ -z "${5:-}" ] && is_claimed "$3" "$4"; then
		check "$1: version $4 has support" same "$found" "an interpreter with support"
	else
		skip "$1" "it is $found${5:+ ($5)}"
	fi
	return 1
}
