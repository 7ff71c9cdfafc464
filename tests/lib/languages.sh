# shellcheck shell=bash
# Programs of interpreters: their recordings, and which versions profrec claims to know. Source it after tests/lib/tap.sh.
: "${profrec:?}" "${profrep:?}" "${dir:?}"

# record NAME COMMAND...: makes NAME.prof, and its folded stacks, NAME.folded.
record() { "$profrec" -q -F 499 -U -o "$dir/$1.prof" -- "${@:2}" && "$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"; }

# truth NAME WORD: what the program has said of WORD in NAME.truth.
truth() { sed -n "s/^$2 //p" "$dir/$1.truth"; }

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
