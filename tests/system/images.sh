#!/usr/bin/env bash
# Saved samples of all versions of interpreters that profrec claims to know (tests/images): the walk of each gives the
# same frames as it did in the process. tests/versions.tsv says why a version has no sample. Languages with "+" are
# one sample for each kind of code that programs make.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
images=tests/images

# claimed_versions: lines "LANGUAGE VERSION" of 'profrec --languages help'.
claimed_versions()
{
	"$profrec" --languages help | awk -F '  +' '
		NR > 1 && !NF {exit}
		NR > 1 {
			runs = $NF
			sub(/^[^0-9]*/, "", runs)
			nr = split(runs, list, ", ")
			for (i = 1; i <= nr; i++) {
				split(list[i] " to " list[i], ends, " to ")
				split(ends[1], from, ".")
				split(ends[2], to, ".")
				if (from[2] == "") {
					for (v = from[1]; v <= to[1] + 0; v++) print $1, v
					continue
				}
				for (v = from[2]; v <= to[2] + 0; v++) print $1, from[1] "." v
			}
		}'
}

# same_frames IMAGE
same_frames()
{
	timeout 60 "$BUILD/tests/image_frames" "$1.zst" > "$dir/frames" || return
	diff -u "$1.frames" "$dir/frames"
}

# is_telling FRAMES: enough functions and native frames to show that the walk is right.
is_telling()
{
	awk '/_\[[a-z,]*\]$/ {if (!seen[$0]++) functions++; next} NR > 1 {native++} {last = NR}
		END {print NR - 1 " frames, " functions " functions"; exit !(NR > 10 && functions > 1 && native > 0)}' "$1"
}

# leads_through FRAMES: the stack is complete, and other code has called made code.
leads_through()
{
	head -n 1 "$1" | grep ', complete$' && awk '
		NR > 2 && $0 == "[made code]" && last != $0 {found = 1}
		{last = $0}
		END {exit !found}' "$1"
}

# is_called FRAMES: the stack is complete, and the functions that called the fiber stand before its native frames.
is_called()
{
	head -n 1 "$1" | grep ', complete$' && awk '
		/displaced/ {bad = 1}
		NR == 2 {first = $0}
		!native && /_\[php\]$/ {last = $0}
		NR > 1 && !/_\[php\]$/ {native++}
		END {print first, last; exit bad || first !~ /php>_/ || last !~ /^Fiber::/ || !native}' "$1"
}

# Each version, and "saved" or the reason for which there is no sample.
awk -F '\t' -v OFS='\t' '$7 == "system/images" {print $1, $2, $13}' tests/versions.tsv > "$dir/versions"
cut -f 1,2 "$dir/versions" | grep -v + | tr '\t' ' ' | sort > "$dir/listed"
claimed_versions | sort > "$dir/claimed"
check "versions.tsv has each version that is claimed, and no other" diff -u "$dir/claimed" "$dir/listed"
check "there are versions" at_least "$(wc -l < "$dir/claimed")" 30

while IFS=$'\t' read -r language version why; do
	image=$images/$language-$version
	if [ "$why" != saved ]; then
		skip "$language $version" "$why"
		continue
	fi
	check "$language $version: the frames are those of the process" same_frames "$image"
	if [[ $language = *+fiber ]]; then
		check "$language $version: the stack is complete, and has the callers of the fiber" is_called "$image.frames"
		continue
	fi
	if [[ $language = *+* ]]; then
		check "$language $version: the stack is complete, through made code" leads_through "$image.frames"
		continue
	fi
	check "$language $version: the frames tell enough" is_telling "$image.frames"
	language "$language" "$version"
	check "$language $version: the file says that version" contains "$(head -n 1 "$image.frames")" "$says"
done < "$dir/versions"

check "an image is small" at_most "$(stat -c %s "$images"/*.zst | sort -n | tail -n 1)" 51200
check "all images are small" at_most "$(cat "$images"/*.zst | wc -c)" 1048576
plan_end
