#!/bin/sh
# install.sh [PREFIX]: copies bin, libexec and share from beside this script to PREFIX, which is /usr/local unless said.
# It writes nowhere else, starts nothing, and needs no more rights than the directories ask for. "make uninstall PREFIX=..."
# of the sources, or removing the files that it names, undoes it.
set -eu
mkdir -p "${1:-/usr/local}"
prefix=$(cd "${1:-/usr/local}" && pwd)
cd "$(dirname "$0")"
find bin libexec share -type f | while read -r file; do
	mkdir -p "$prefix/${file%/*}"
	case $file in
	# Units name the programs.
	*.service) sed "s,/usr/local/\(bin/prof\|libexec/\),$prefix/\1," "$file" > "$prefix/$file" ;;
	# -f also replaces a program that runs.
	*) cp -f "$file" "$prefix/$file" ;;
	esac
	echo "$prefix/$file"
done
