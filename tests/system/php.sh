#!/usr/bin/env bash
# Functions of PHP in short processes, of an interpreter of the tests' own, whose structure is known, and of /usr/bin/php with
# a program whose calls are known to PHP itself. system/languages has processes that go on, and lies.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
need_tables
fake=$dir/fake_php
build "$fake" fake_php.c "${frameless[@]}" -Wl,--export-dynamic

outside='execute_ex;<fake.php>_\[php\];K::middle_\[php\];call_back_\[php\]'
helper="$outside;native_helper;execute_ex;inner_\\[php\\];burn_inside"
# While the destructor runs, the loop that calls it has no function any more.
returning="$outside;native_call;execute_ex;native_return;zend_objects_destroy_object;execute_ex;K::__destruct_\\[php\\];burn_inside"
generator="$outside;delegating_\\[php\\];native_resume;execute_ex;running_\\[php\\];burn_inside"

# The file is known after the first process, and each process runs for 30 ms.
record short sh -c "$fake 25; for i in \$(seq 30); do $fake 1; done"
"$profrep" processes "$dir/short.prof" > /dev/null
check "short processes have functions" mostly <(grep burn_inside "$dir/short.folded") fake_php "$helper|$returning|$generator" 60

"$profrec" -q -U --languages py,java -F 499 -o "$dir/none.prof" -- "$fake" 10
check "other languages, no functions" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[php\]')" 0

php=/usr/bin/php

# judge_php NAME PERCENT ARG...: PHP with a program whose calls are known. In code that the JIT compiler has made for itself,
# functions have no place, so PERCENT may be displaced.
judge_php()
{
	local name=$1 percent=$2
	"$profrec" -q -U -F 999 -o "$dir/$name.prof" -- $php -n "${@:3}" tests/programs/known_calls.php 2 "$dir/$name.pairs"
	has_support "$name" "$dir/$name.prof" php "$($php -n -r 'echo PHP_VERSION;')" \
		"$($php -n -r 'echo PHP_ZTS ? "with threads" : "", PHP_DEBUG ? "with checks" : "";')" || return
	"$profrep" -fa --unnamed function "$dir/$name.prof" > "$dir/$name.folded" 2> "$dir/$name.err"
	judge "$name" 1000 -f tests/judges/php.awk "$dir/$name.pairs"
	# When a generator begins to delegate, its function may be there before its loop: one in 30,000 stacks. The
	# JIT compiler makes it one in 8,000.
	check "$name: functions stand before the frame that runs them" at_most "$(truth "$name" misplaced)" \
		"$((2 + $(truth "$name" stacks) / 1000))"
	check "$name: nothing is displaced or unread" at_most \
		"$(sum_samples '\[displaced\]|\[not readable\]' < "$dir/$name.folded")" \
		"$(($(truth "$name" stacks) * percent / 100))"
}

jit=(-d zend_extension=opcache -d opcache.enable_cli=1 -d opcache.jit_buffer_size=64M)
if [ -x $php ]; then
	judge_php php 1
else
	skip "php" "there is no $php"
fi
if [ "$($php -n "${jit[@]}" -r 'echo opcache_get_status(false)["jit"]["on"];' 2> /dev/null)" = 1 ]; then
	judge_php php-jit 5 "${jit[@]}" -d opcache.jit=tracing
else
	skip "PHP's JIT compiler" "$php has none, or is not there"
fi
plan_end
