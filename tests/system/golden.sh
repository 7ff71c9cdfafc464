#!/usr/bin/env bash
# Compares the output of profrep for made recordings, byte for byte: tests/golden/cases. REWRITE=1 writes the expected
# outputs anew; look at them with git diff. GOLDEN_EACH=N takes each Nth case and those of arm64, and nothing else. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
golden=$PWD/golden
newest=$(sed -n 's/^#define PROF_VERSION_MINOR *\([0-9]*\).*/1.\1/p' ../format/prof.h)
check "the version of the format has a recording" test -e "$golden/version-$newest.prof"

# listed_sections FILE...: the numbers of the sections in inputs that tests/tools/prof_list.c has made.
listed_sections()
{
	local file
	for file; do
		od -An -v -tu1 -w1 "$file" | awk '
			skip { skip--; next }
			at++ == 0 { print $1 + 0; factor = 1; next }
			{ len += $1 * factor; factor *= 256 }
			at == 4 { skip = len; at = len = 0 }'
	done
}
check "each section of the format is in an input of fuzz/reader" same \
	"$(listed_sections fuzz/reader/sections-* | sort -nu | xargs)" \
	"$(sed -n 's/^\tSECTION_[A-Z_]* = \([0-9]*\),$/\1/p' ../format/section.h | sort -n | xargs)"

for text in "$golden"/*.txt; do
	"$BUILD/tests/prof_make" < "$text" > "$dir/$(basename "$text" .txt).prof" || exit 1
done
cp -r "$golden/cases" "$golden"/*.prof "$golden/src" "$dir"
cd "$dir" || exit 1
printf '%s\n' host-a.prof "" host-b.prof > names
echo > no-names

# as_expected FILE: the output equals the stored file. No stored file stands for no output. Sizes and offsets in a
# recording depend on the compressor's version.
as_expected()
{
	local stored=$golden/$1
	sed -i -E 's/^(size: +)[0-9]+ bytes.*/\1N bytes/; s/at offset [1-9][0-9]*/at offset N/' "$1"
	if [ -n "${REWRITE:-}" ]; then
		if [ -s "$1" ]; then cp "$1" "$stored"; else rm -f "$stored"; fi
	fi
	[ -e "$stored" ] || stored=/dev/null
	diff -u "$stored" "$1"
}

run_case()
{
	local name=$1 status=$2
	shift 2
	fails "$status" sh -c '"$@" > "$0.out" 2> "$0.err"' "$name" "$profrep" "$@" || return 1
	as_expected "$name.out" && as_expected "$name.err"
}

nr=0
while read -r name status arguments; do
	[[ $name == \#* || -z $name ]] && continue
	nr=$((nr + 1))
	[ $((nr % ${GOLDEN_EACH:-1})) -eq 0 ] || [[ $name == arm64* ]] || continue
	# shellcheck disable=SC2086 # words are meant
	check "$name" run_case "$name" "$status" $arguments
done < "$golden/cases"
[ -z "${GOLDEN_EACH:-}" ] || { plan_end; exit; }

check "standard input" same "$("$profrep" -f - < basic.prof)" "$(cat "$golden/basic-folded.out")"
check "a pipe" same "$("$profrep" -f - < <(cat basic.prof))" "$(cat "$golden/basic-folded.out")"
check "the default file" same "$(cp basic.prof profrec.prof && "$profrep" -f)" \
	"$(cat "$golden/basic-folded.out")"
check "the report by its name as a command" same "$("$profrep" report -f basic.prof)" "$(cat "$golden/basic-folded.out")"
check "a file that is called like a command" same "$(cp basic.prof info && "$profrep" -f ./info)" \
	"$(cat "$golden/basic-folded.out")"
check "the default file of a command" same "$("$profrep" processes)" "$("$profrep" processes basic.prof)"
check "--help of a command is what help prints of it" same "$("$profrep" diff --help)" "$(cat "$golden/help-diff.out")"
check "one side as standard input" same "$("$profrep" diff -f before.prof - < after.prof)" \
	"$(cat "$golden/diff.out")"
check "a diff of one recording with itself shows no difference" same \
	"$("$profrep" diff -f basic.prof basic.prof | awk '$(NF - 1) != $NF')" ""

# Each recording 50 times: every count is 50 times that of two, whichever thread was first.
many_sums()
{
	"$profrep" -f @many | awk '{$NF /= 50; print}' | diff - "$golden/several-list.out"
}
for ((i = 0; i < 50; i++)); do cat names; done > many
check "a hundred recordings as one" many_sums

# A full disk is an error, not a short report.
full_disk()
{
	"$profrep" "$@" > /dev/full 2> full.err
	same "$?" 1 && same "$(cat full.err)" "profrep: failed to write the report: No space left on device"
}
check "a full disk" full_disk basic.prof
check "a full disk and intervals" full_disk -T intervals.prof
check "a full disk and --help" says 1 "profrep: failed to write the help: No space left on device" sh -c '"$0" --help > /dev/full' "$profrep"

# Nobody reads this pipe. SIGPIPE ends profrep; where it was started with that signal ignored, it says why it fails.
mkfifo unread
exec 3<> unread 4> unread 3>&-
print_unread() { env "--$1-signal=PIPE" "$profrep" "${@:2}" basic.prof >&4 2> unread.err; }
is_said() { fails 1 print_unread ignore "$@" && same "$(cat unread.err)" "profrep: failed to write the report: Broken pipe"; }
for words in "-f" "export folded" "top"; do
	read -ra output <<< "$words"
	check "$words, and the reader has gone: SIGPIPE" fails 141 print_unread default "${output[@]}"
	check "$words, and the reader has gone: said" is_said "${output[@]}"
done
exec 4>&-

# A file can hold any times, so profrep prints a limited number of intervals without samples.
"$BUILD/tests/prof_make" > sparse.prof << 'END'
meta interval_ns 1
object f file /nonexistent/f -
process p 20 1
count p a 1 user f:1
epoch 0 1
count p a 1 user f:1
epoch 20000000 20000001
END
check "too many intervals without samples" says 1 \
	"failed to report 'sparse.prof': more than 10000000 intervals have no samples" "$profrep" -f -T sparse.prof
if command -v script > /dev/null; then
	check "standard input that is a terminal" contains "$(script -qec "'$profrep' -" /dev/null < /dev/null)" \
		"profrep: failed to read '-': standard input is a terminal"
	check "standard input that is a terminal: what to do" contains "$(script -qec "'$profrep' -" /dev/null < /dev/null)" \
		"profrep: hint: give a file, or 'profrec -o - 5 | profrep -'"
else
	skip "standard input that is a terminal" "script is not installed"
fi

# awk repeats difffolded.pl's arithmetic on the folded outputs.
difffolded()
{
	awk 'function stack() { s = $0; sub(/ [0-9]+$/, "", s); return s }
		FNR == NR { a[stack()] += $NF; ta += $NF; all[stack()]; next }
		{ b[stack()] += $NF; tb += $NF; all[stack()] }
		END { for (s in all) print s, int(a[s] * (n ? tb / ta : 1)), b[s] + 0 }' n="$1" \
		<("$profrep" -f before.prof) <("$profrep" -f after.prof) | LC_ALL=C sort
}
check "the difference is that of the folded outputs" same \
	"$("$profrep" diff -f before.prof after.prof)" "$(difffolded 0)"
check "the normalized difference is that of the folded outputs" same \
	"$("$profrep" diff -f -n before.prof after.prof)" "$(difffolded 1)"

nothing_raw()
{
	local n
	n=$(cat hostile*.out hostile*.err | LC_ALL=C grep -c $'[\001-\011\013-\037\177]')
	same "$n" 0 && same "$("$profrep" -f hostile.prof | wc -l)" 4
}
check "nothing hostile is printed raw" nothing_raw
plan_end
