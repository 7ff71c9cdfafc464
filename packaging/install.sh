#!/bin/sh
# install.sh [PREFIX]: copies bin, libexec and share from beside this script to PREFIX, which is /usr/local unless said.
# It writes nowhere else, starts nothing, and needs no more rights than the directories ask for. "make uninstall PREFIX=..."
# of the sources, or removing the files that it names, undoes it.
set -eu
prefix=${1:-/usr/local}
cd "$(dirname "$0")"
find bin libexec share -type f | while read -r file; do
	mkdir -p "$prefix/${file%/*}"
	cp "$file" "$prefix/$file"
	echo "$prefix/$file"
done
