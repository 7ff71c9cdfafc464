#!/usr/bin/env bash
# The files that profrep writes: none replaces an input, an older file stays until the new one is whole, and a writer that
# fails leaves nothing. TAP.
set -u
cd "$(dirname "$0")/../.." || exit 1
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
for name in basic before after; do
	"$BUILD/tests/prof_make" < tests/golden/$name.txt > "$dir/$name.prof" || exit 1
done
cd "$dir" || exit 1
cp before.prof kept
nothing_left() { same "$(find . -name '*.part')" ""; }

# Every writer, with the name of its output as the last word. The input is before.prof.
writers=("html before.prof -o" "html after.prof before.prof -o" "diff before.prof after.prof --html"
	"export pprof before.prof -o" "export pprof after.prof --base before.prof -o" "export speedscope before.prof -o"
	"export perf-script before.prof -o" "export folded before.prof -o" "pack before.prof -o" "merge before.prof -o"
	"merge after.prof before.prof -o")

# refuses TEXT COMMAND...: it does not write, and before.prof is as it was.
refuses() { says 1 "$@" && cmp before.prof kept && nothing_left; }

ln -s before.prof symbolic
ln before.prof hard
for writer in "${writers[@]}"; do
	read -ra words <<< "$writer"
	for output in before.prof ./before.prof symbolic hard; do
		check "$writer $output is refused" refuses "failed to write '$output': it is the input 'before.prof'" \
			"$profrep" "${words[@]}" "$output"
	done
done
# The input is no recording, so a writer that read it first would say so.
cp before.prof whole
echo damaged > before.prof
for writer in "${writers[@]}"; do
	read -ra words <<< "$writer"
	check "$writer is refused before the input is read" says 1 "failed to write 'hard': it is the input 'before.prof'" \
		"$profrep" "${words[@]}" hard
done
cp whole before.prof
# shellcheck disable=SC2016
check "an input by standard input" refuses "failed to write 'hard': it is the input '-'" \
	sh -c '"$0" html -o hard - < before.prof' "$profrep"
# shellcheck disable=SC2016
check "an output by standard output" refuses "failed to write '-': it is the input 'before.prof'" \
	sh -c '"$0" export folded before.prof >> before.prof' "$profrep"
echo before.prof > list
check "a recording of a list" refuses "failed to write 'hard': it is the input 'before.prof'" "$profrep" html -o hard @list
check "the list itself as output" \
	refuses "failed to write 'list': it is the input 'list'" "$profrep" merge -o list after.prof @list
check "the list itself as output is as it was" same "$(cat list)" before.prof

# replaces WRITER: a new file is its owner's alone; it takes the place of an older one with the permissions of that one.
replaces()
{
	local words
	read -ra words <<< "$1"
	rm -f link new old
	(umask 022 && "$profrep" "${words[@]}" new) || return 1
	same "$(stat -c %a new)" 600 || return 1
	echo older > old
	chmod 640 old
	ln -s old link
	(umask 027 && "$profrep" "${words[@]}" link) || return 1
	cmp new old && same "$(readlink link)" old && same "$(stat -c %a old)" 640 && nothing_left
}

# A limit of the size makes each write to a file fail. Standard error is a pipe.
limited() { (ulimit -f 0 && "$profrep" "$@") 2>&1 | grep -q "File too large"; }
keeps()
{
	local words
	read -ra words <<< "$1"
	echo older > old
	limited "${words[@]}" old || return 1
	same "$(cat old)" older && nothing_left && limited "${words[@]}" absent && fails 1 test -e absent && nothing_left
}
for writer in "${writers[@]}"; do
	check "$writer: by a link, the new file replaces its target" replaces "$writer"
	check "$writer: the older file survives a failure" keeps "$writer"
done

# The writer has its part open and waits for its input when the signal comes.
mkfifo input
ended_by()
{
	local status writer
	echo older > old
	"$profrep" merge -o old - < input &
	writer=$!
	exec 3> input
	wait_for test -e old.$writer.part && kill "-$1" $writer
	wait $writer
	status=$?
	exec 3>&-
	same "$status" $((128 + $(kill -l "$1"))) && same "$(cat old)" older && nothing_left
}
for signal in TERM HUP; do check "SIG$signal leaves no part" ended_by $signal; done

# Files that are no regular files are written in place.
mkfifo pipe
through_pipe()
{
	"$profrep" export folded -o pipe before.prof &
	cmp pipe <("$profrep" -f before.prof) && wait $!
}
check "a FIFO" through_pipe
# shellcheck disable=SC2016
in_place() { sh -c '"$0" export folded -o /dev/stdout before.prof && echo last' "$profrep" >> both; }
check "/dev/stdout" in_place
check "/dev/stdout stays the same file" same "$(tail -n 1 both)" last
check "/dev/null" "$profrep" html -o /dev/null before.prof
check "/dev/null is a device still" test -c /dev/null
ln -s nowhere dangling
check "a link to no file makes the file" "$profrep" export folded -o dangling before.prof
check "a link to no file: the file is there" cmp nowhere <("$profrep" -f before.prof)
ln -s loop loop
check "a link to itself" says 1 "failed to create 'loop': Too many levels of symbolic links" \
	"$profrep" html -o loop before.prof
long=$(printf 'x%.0s' {1..250})
check "a name that has no room for a suffix" "$profrep" export folded -o "$long" before.prof
check "a name that has no room for a suffix: the file is there" cmp "$long" <("$profrep" -f before.prof)
check "no name" says 1 "failed to create '': No such file or directory" "$profrep" html -o "" before.prof

# Root may write everywhere, so another user tries.
nobody() { setpriv --reuid 65534 --regid 65534 --clear-groups --inh-caps=-all --bounding-set=-all "$@"; }
chmod 755 "$dir"
if [ "$(id -u)" -eq 0 ] && nobody test -x "$profrec" 2> /dev/null; then
	mkdir -m 777 theirs
	echo older > theirs/mine
	chmod 644 before.prof theirs/mine
	check "a file that the user may not write" says 1 "failed to create 'theirs/mine': Permission denied" \
		nobody "$profrep" export folded -o theirs/mine before.prof
	echo older > open
	chmod 666 open
	check "a file to write in a directory to read" nobody "$profrep" export folded -o open before.prof
	check "a file to write in a directory to read is written" cmp open <("$profrep" -f before.prof)
	mkdir -m 1777 sticky
	echo older > sticky/open
	chmod 666 sticky/open
	check "another user's file that may be written, but not replaced" \
		nobody "$profrep" export folded -o sticky/open before.prof
	check "another user's file that may be written is written as well" cmp sticky/open <("$profrep" -f before.prof)
	check "another user's file that may be written: no part is left" nothing_left
else
	skip "a file that the user may not write" "other users cannot reach the build directory"
	skip "a file to write in a directory to read" "other users cannot reach the build directory"
fi
plan_end
