#!/usr/bin/env bash
# Unwind tables that are kept for the recordings to come.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_tables
build "$dir/frames" frames.c "${frameless[@]}" -Wl,--build-id=0x0123456789abcdef -ldl
table=$dir/cache/0123456789abcdef
mkdir "$dir/cache"

# record [OPTION...]: the program; profrec's words go to $dir/err.
record()
{
	"$profrec" -F 999 --unwind=dwarf -o "$dir/a.prof" "$@" -- "$dir/frames" calls 1000 > /dev/null 2> "$dir/err"
}
complete() { mostly <("$profrep" -f "$dir/a.prof") frames '^frames;_start;'; }
# A file that is put there anew has a different inode.
inode() { stat -c %i "$1"; }
no_table() { [ ! -e "$table" ]; }

check "a directory that is not there" fails 125 record --unwind-cache "$dir/none"
check "a directory that is not there: that is said" contains "$(cat "$dir/err")" \
	"profrec: failed to open '$dir/none': No such file or directory"
check "a file" fails 125 record --unwind-cache "$dir/frames"
check "a file: it is said that it is no directory" contains "$(cat "$dir/err")" \
	"profrec: failed to open '$dir/frames': Not a directory"
check "along frame pointers there is nothing to keep" "$profrec" -q --unwind=fp --unwind-cache "$dir/cache" -o "$dir/fp.prof" -- true
check "along frame pointers nothing is kept" no_table

check "the first recording" record --unwind-cache "$dir/cache"
check "the first recording: stacks are complete" complete
check "a table was kept under its build-id" test -s "$table"
check "nothing else was left" same "$(find "$dir/cache" -name '.*' -type f)" ""
before=$(inode "$table")
ln "$table" "$dir/kept"
check "the second recording" record --unwind-cache "$dir/cache"
check "the second recording: stacks are complete" complete
check "the second recording makes no table" same "$(inode "$table")" "$before"

# A walk by a table of other code goes astray.
other=$(find "$dir/cache" -type f ! -samefile "$table" -size +1k | head -n 1)
cp --remove-destination "${other:-/dev/null}" "$table"
check "another file's table" record --unwind-cache "$dir/cache"
check "another file's table does not count" complete
check "another file's table is replaced" cmp "$dir/kept" "$table"

# A program of other frames that bears the build-id comes first.
"$cc" -O2 -fomit-frame-pointer -I. -DFUNCTION=forged -DFRAME=4000 -Wl,--build-id=0x0123456789abcdef -o "$dir/forged" \
	tests/programs/named.c
rm "$table"
check "a forged build-id" "$profrec" -q -F 999 --unwind-cache "$dir/cache" -o "$dir/forged.prof" -- "$dir/forged" one 300
check "a forged build-id: its table was kept" test -s "$table"
check "a forged build-id: that is no table of the other file" fails 1 cmp -s "$dir/kept" "$table"
check "after a forged build-id" record --unwind-cache "$dir/cache"
check "after a forged build-id: stacks are complete" complete
check "after a forged build-id: the table is kept" cmp "$dir/kept" "$table"

# Both run in one recording, and at one time.
together()
{
	# shellcheck disable=SC2016
	"$profrec" -q -F 999 --unwind=dwarf -o "$dir/a.prof" -- \
		sh -c '"$0/forged" one 300; "$0/forged" two 1000 & "$0/frames" calls 800 > "$0/null"; wait' "$dir"
}
check "two files of one build-id" together
check "two files of one build-id: the stacks of one are complete" complete
check "two files of one build-id: the stacks of the other are, too" \
	mostly <("$profrep" -f "$dir/a.prof") two '^two;_start;'

# damaged NAME COMMAND...: records with the table, after the command has damaged it.
damaged()
{
	local what=$1
	shift
	cp --remove-destination "$dir/kept" "$table"
	"$@"
	check "a table that is $what" record --unwind-cache "$dir/cache"
	check "a table that is $what: stacks are complete all the same" complete
	check "a table that is $what is replaced" cmp "$dir/kept" "$table"
}
overwrite() { printf X | dd of="$table" bs=1 seek=60 conv=notrunc status=none; }
damaged damaged overwrite
damaged "cut short" truncate -s 100 "$table"

## Places where there can be no table.
rm "$table"
mkfifo "$table"
check "a FIFO in a table's place" record --unwind-cache "$dir/cache"
check "a FIFO gives way to a table" cmp "$dir/kept" "$table"
rm "$table"
mkdir "$table"
check "a directory in a table's place" record --unwind-cache "$dir/cache"
check "a directory in a table's place: stacks are complete" complete
rmdir "$table"
ln -s "$dir/victim" "$table"
check "a link in a table's place" record --unwind-cache "$dir/cache"
check "a link is not followed" fails 1 test -e "$dir/victim"
rm "$table"

# root may still write to it.
if unshare -m true 2> /dev/null; then
	read_only()
	{
		# shellcheck disable=SC2016
		unshare -m sh -c 'mount -t tmpfs -o ro none "$0" && exec "$@"' "$dir/cache" \
			"$profrec" -F 999 -o "$dir/a.prof" --unwind-cache "$dir/cache" -- "$dir/frames" calls 1000 2> "$dir/err"
	}
	check "a read-only directory" read_only
	check "a read-only directory: that is said" contains "$(cat "$dir/err")" \
		"profrec: unwind tables are read from '$dir/cache', but not kept there: Read-only file system"
	check "a read-only directory: stacks are complete" complete
else
	skip "a read-only directory" "there are no mount namespaces"
fi

# The directory belongs to another user, so root needs its capabilities to the end.
if [ "$(id -u)" -eq 0 ]; then
	chown 64123 "$dir/cache"
	chmod 755 "$dir/cache"
	check "a directory of another user" record --unwind-cache "$dir/cache"
	check "a directory of another user: a table was kept" cmp "$dir/kept" "$table"
else
	skip "a directory of another user" "needs root"
fi

plan_end
