#!/usr/bin/env bash
# Functions of Ruby in short processes, of an interpreter of the tests' own, whose structure is known, and of /usr/bin/ruby
# with a program whose calls are known to Ruby itself. RUBY is another interpreter for that. system/languages has processes
# that go on, and lies.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
need_tables
fake=$dir/fake_ruby
build "$fake" fake_ruby.c "${frameless[@]}" -Wl,--export-dynamic

outside='rb_vm_exec;<main>_\[rb\];middle_\[rb\]'
inner='block in a method with a long name_\[rb\]'
helper="$outside;native_helper;rb_vm_exec;$inner;burn_inside"
# A function whose loop has not begun is the leaf. One that has left the frames is not there, and its loop still is.
beginning="$outside;native_begin(;clock_gettime(;[^;]*)?)?;$inner"
returning="$outside;native_call;rb_vm_exec;native_return;burn_inside"

# The file is known after the first process, and each process runs for 30 ms.
record short sh -c "$fake 25; for i in \$(seq 30); do $fake 1; done"
"$profrep" processes "$dir/short.prof" > /dev/null
check "short processes have functions" mostly <(grep -E 'burn_inside|native_begin' "$dir/short.folded") fake_ruby "$helper|$beginning|$returning" 60

"$profrec" -q -U --languages py,java -F 499 -o "$dir/none.prof" -- "$fake" 10
check "other languages, no functions" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[rb\]')" 0

ruby=${RUBY:-/usr/bin/ruby}

# judge_ruby NAME ARG...: Ruby with a program whose calls are known. $percent of the stacks may have functions out of place.
percent=1
judge_ruby()
{
	local name=$1
	"$profrec" -q -U -F 1999 -o "$dir/$name.prof" -- "$ruby" "${@:2}" tests/programs/known_calls.rb 2 "$dir/$name.pairs"
	has_support "$name" "$dir/$name.prof" rb "$("$ruby" -e 'print RUBY_VERSION')" || return
	"$profrep" -fa --unnamed function "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/$name.err"
	judge "$name" 1000 -f tests/judges/ruby.awk "$dir/$name.pairs"
	check "$name: functions stand after the native frames that call them" same "$(truth "$name" misplaced)" 0
	check "$name: all functions have names" same "$(truth "$name" unnamed)" 0
	# While a thread or a fiber begins or ends, or changes to another.
	check "$name: hardly anything is displaced or unread" at_most "$(truth "$name" displaced)" \
		"$((3 + $(truth "$name" stacks) * percent / 100))"
}

if [ -x "$ruby" ]; then
	judge_ruby ruby
	# Each library in C calls functions of Ruby while it begins.
	cat > "$dir/begin" <<- END
		for i in 1 2 3 4; do for j in 1 2 3 4 5 6 7 8 9 10; do
			"$ruby" -e 'require "socket"; require "json"; require "date"; require "openssl"'
		done; done
	END
	"$profrec" -q -U -F 1999 -o "$dir/begin.prof" -- sh "$dir/begin"
	"$profrep" -fa --unnamed function "$dir/begin.prof" > "$dir/begin.folded"
	check "there are libraries that begin" above "$(sum_samples ';dln_load;.*_\[rb\]' < "$dir/begin.folded")" 20
	check "libraries that begin are no functions" same "$(sum_samples ';/[^;]*_\[rb\]' < "$dir/begin.folded")" 0
else
	skip "ruby" "there is no $ruby"
fi
if [ "$("$ruby" --yjit -e 'print RubyVM::YJIT.enabled?' 2> /dev/null)" = true ] &&
	is_claimed "ruby --yjit" "$("$ruby" -e 'print RUBY_VERSION')"; then
	# The code of 3.2 sometimes keeps more words on the stack, most of all while it is made.
	case $("$ruby" -e 'print RUBY_VERSION') in
	3.2.*) percent=4 whole=94 ;;
	*) whole=97 ;;
	esac
	judge_ruby ruby-yjit --yjit
	complete=$(info "$dir/ruby-yjit.prof" "user stacks" | sed 's/.*(//; s/[.].*//')
	check "YJIT: stacks are complete" above "$complete" $whole
else
	skip "YJIT" "$ruby has none that is known, or is not there"
fi
plan_end
