#!/usr/bin/env bash
# Completion in bash, zsh and fish, and where it is installed. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh

# completes PROGRAM WORD...: prints the words that bash offers for the last word.
completes()
{
	local program=$1
	COMP_WORDS=("$@")
	COMP_CWORD=$(($# - 1))
	# shellcheck source=/dev/null
	. "$BUILD/completions/${program##*/}" && "_${program##*/}"
	echo "${COMPREPLY[*]}"
}

echo 'void another(void) {} void whole_name(void) {}' > "$dir/lib.c"
cc -shared -nostdlib -Wl,--strip-debug -o "$dir/lib" "$dir/lib.c"
for program in profrec profrep; do
	check "$program: a script that bash takes" bash -n "$BUILD/completions/$program"
	check "$program: all options are offered" same "$(completes $program - | tr ' ' '\n' | sort -u)" "$(help_options $program)"
done
for command in $(profrep_commands); do
	check "profrep $command: all its options are offered" same \
		"$(completes profrep $command - | tr ' ' '\n' | sort -u)" "$(help_options profrep $command)"
done
check "an option's beginning" same "$(completes profrec --fr)" "--frequency"
check "several of a beginning" same "$(completes profrec -p 1 --rotate)" "--rotate --rotate-keep"
check "another program's options are not offered" same "$(completes profrep --freq)" ""
check "an option after other words" same "$(completes profrep app.prof --symf)" "--symfs"
check "no options where a value is due" same "$(completes profrec -F -)" ""
check "no options where a file is due" same "$(completes profrec --output -)" ""
check "no options where a path or a name is due" same "$(completes profrec --cgroup -)" ""
check "paths where a path or a name is due" contains "$(sed -n '/--output | -o/p' "$BUILD/completions/profrec")" "--cgroup"
check "no options after an equals sign" same "$(completes profrec --output = -)" ""
check "options after a value" same "$(completes profrec -F 99 --qu)" "--quiet"
check "words of a value" same "$(completes profrec --languages p)" "py php pl"
check "words after a comma" same "$(completes profrec --languages py,rb,p)" "py,rb,py py,rb,php py,rb,pl"
check "ids of processes" contains " $(completes profrec -p "") " " $$ "
check "ids of processes after a comma" contains " $(completes profrec --pid = "1,$$") " " 1,$$ "
check "events" same "$(completes "$profrec" -e page-f)" "page-faults"
check "events after an equals sign" same "$(completes "$profrec" --event = page-f)" "page-faults"
# What bash replaces begins after the colon, which is a word of its own.
check "functions of a library" same "$(completes "$profrec" -e "$dir/lib" : whole)" "whole_name"
check "functions of a library after a colon" same "$(completes "$profrec" -F 9 -e "$dir/lib" :)" "another whole_name"
rm "$dir/lib" "$dir/lib.c"
check "options after a colon" same "$(completes profrec -e c : malloc --qu)" "--quiet"
check "a command after --" contains " $(completes profrec -F 99 -- mktem) " " mktemp "
check "options of a command that is recorded are not offered" same "$(completes profrec -- ls --q)" ""
## Words that choose a command.
commands="report diff plan info top tree callers annotate files missing processes html export pack merge tables push"
touch "$dir/processes.prof" "$dir/app.prof"
cd "$dir" || exit 1
check "all that --help lists" same "$commands" "$(profrep_commands | tr '\n' ' ' | sed 's/ $//')"
check "commands, and files beside them" same "$(completes profrep "")" "$commands help app.prof processes.prof"
check "a command's beginning" same "$(completes profrep f)" "files"
check "a beginning of a command and of a file" same "$(completes profrep proc)" "processes processes.prof"
check "a command is the first word" same "$(completes profrep app.prof f)" ""
check "help takes commands" same "$(completes profrep help "")" "$commands"
check "a command's option" same "$(completes profrep diff --norm)" "--normalize"
check "another command's option is not offered" same "$(completes profrep info --norm)" ""
formats="pprof otlp speedscope perf-script folded"
check "the first operand is one of some words" same "$(completes profrep export "")" "$formats"
check "the first operand is one of some words, also after options" \
	same "$(completes profrep export -o x.pb.gz p)" "pprof perf-script"
check "later operands are files" same "$(completes profrep export pprof p)" ""
check "no options where a command's value is due" same "$(completes profrep processes --from -)" ""
cd "$OLDPWD" || exit 1
check "in another directory, files are bash's business" same "$(completes profrep app)" ""

## zsh and fish
# scripted PROGRAM [COMMAND]: the options that both scripts have; their conditions and branches name the command.
in_fish()
{
	local condition="^complete -c $1 -l"
	[ "$1" = profrec ] || condition="-n 'not __fish_seen_subcommand_from"
	[ -z "${2:-}" ] || condition="-n '__fish_seen_subcommand_from $2'"
	grep -e "$condition" "$BUILD/completions/$1.fish" | sed -E "s/.* -l ([a-z-]+)( -s (.))? .*/--\1 -\3/; s/ -$//" | tr ' ' '\n' | sort -u
}
in_zsh()
{
	awk -v branch="${2:-*}" -v all="$([ "$1" = profrec ] && echo 1)" '/^\t[a-z*]+\)$/ {is_here = $1 == branch ")"}
		(is_here || all) && /^\t\t.\*?-/ {sub(/^[^-]*/, ""); sub(/[=+]?\[.*/, ""); print}' "$BUILD/completions/_$1" | sort -u
}
for script in fish zsh; do
	for program in profrec profrep; do
		check "$program in $script: all options" same "$(in_$script $program)" "$(help_options $program)"
	done
	for command in $(profrep_commands); do
		[ "$command" = report ] ||
			check "profrep $command in $script: all its options" same "$(in_$script profrep "$command")" "$(help_options profrep "$command")"
	done
done
if command -v zsh > /dev/null; then
	for program in profrec profrep; do
		check "$program: a script that zsh takes" zsh -f -n "$BUILD/completions/_$program"
	done
	check "zsh: commands, options and words of values, at Tab" \
		same "$(timeout 100 tests/lib/zsh_completes "$BUILD/completions" "profrep exp" "profrep export ppro" \
			"profrep top --lim" "profrep top --by proce" "profrec --unwind dw" | sed 's/ $//')" \
		"$(printf '%s\n' "profrep export" "profrep export pprof" "profrep top --limit=" "profrep top --by process" "profrec --unwind dwarf")"
	check "zsh: the first operand" contains "$(sed -n '/^\texport)/,/;;/p' "$BUILD/completions/_profrep")" "'1:word:($formats)'"
else
	skip "a script that zsh takes" "zsh is not installed"
fi
if command -v fish > /dev/null; then
	fish_completes() { HOME=$dir fish -N -c "source '$BUILD/completions/$1.fish'; complete -C '${*:1}'" | cut -f 1 | xargs; }
	check "fish: words of a value" same "$(fish_completes profrec --languages p)" "php pl py"
	check "fish: a command's option" same "$(fish_completes profrep diff --norm)" "--normalize"
	check "fish: another command's option is not offered" same "$(fish_completes profrep info --norm)" ""
	# shellcheck disable=SC2086 # the formats are words
	check "fish: the first operand" same "$(fish_completes profrep export "" | tr ' ' '\n' | sort)" "$(printf '%s\n' $formats | sort)"
	check "fish: later operands are files" same "$(cd "$dir" && fish_completes profrep export pprof proc)" "processes.prof"
	check "fish: a command's beginning" same "$(fish_completes profrep dif)" "diff"
else
	skip "fish completes" "fish is not installed"
fi

check "completions are installed" make -s install PREFIX=/usr DESTDIR="$dir/root" B="$BUILD"
for program in profrec profrep; do
	check "$program: where bash-completion looks" cmp "$BUILD/completions/$program" \
		"$dir/root/usr/share/bash-completion/completions/$program"
done
check "zsh: completions are where it looks" \
	cmp "$BUILD/completions/_profrep" "$dir/root/usr/share/zsh/vendor-completions/_profrep"
check "fish: completions are where it looks" cmp "$BUILD/completions/profrep.fish" "$dir/root/usr/share/fish/vendor_completions.d/profrep.fish"
check "completions are removed again" make -s uninstall PREFIX=/usr DESTDIR="$dir/root" B="$BUILD"
check "after the removal nothing is left" same "$(find "$dir/root" -type f)" ""
plan_end
