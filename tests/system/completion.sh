#!/usr/bin/env bash
# Completion in bash, and where it is installed. TAP.
# shellcheck source=tests/tap.sh
. tests/tap.sh

# completes PROGRAM WORD...: what bash is offered for the last word.
completes()
{
	local program=$1
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	# shellcheck source=/dev/null
	. "$BUILD/completions/$program" && "_$program"
	echo "${COMPREPLY[*]}"
}
# options_of PROGRAM: as --help lists them.
options_of()
{
	"$BUILD/$1" --help | sed -n '/^examples:/q; s/^  *\(-., \)\{0,1\}\(--[^ ]*\).*/\1\2/p' | tr -s ', ' '\n' | sort -u
}

for program in profrec profrep; do
	check "$program: a script that bash takes" bash -n "$BUILD/completions/$program"
	check "$program: all options are offered" same "$(completes $program - | tr ' ' '\n' | sort -u)" "$(options_of $program)"
done
check "an option's beginning" same "$(completes profrec --fr)" "--frequency"
check "several of a beginning" same "$(completes profrec -p 1 --rotate)" "--rotate --rotate-keep"
check "another program's options are not offered" same "$(completes profrep --freq)" ""
check "behind other words" same "$(completes profrep app.prof --sy)" "--symfs"
check "no options where a value is due" same "$(completes profrec -F -)" ""
check "no options where a file is due" same "$(completes profrec --output -)" ""
check "nor behind an equals sign" same "$(completes profrec --output = -)" ""
check "options behind a value" same "$(completes profrec -F 99 --qu)" "--quiet"
check "a command behind --" contains " $(completes profrec -F 99 -- mktem) " " mktemp "
check "the command's own options are not ours" same "$(completes profrec -- ls --q)" ""
check "elsewhere files are bash's business" same "$(completes profrep app)" ""

check "installed" make -s install PREFIX=/usr DESTDIR="$dir/root" B="$BUILD"
for program in profrec profrep; do
	check "$program: where bash-completion looks" cmp "$BUILD/completions/$program" \
		"$dir/root/usr/share/bash-completion/completions/$program"
done
plan_end
