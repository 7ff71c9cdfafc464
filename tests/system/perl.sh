#!/usr/bin/env bash
# Subs of Perl in short processes, of an interpreter of the tests' own, whose structure is known, and of /usr/bin/perl with a
# program whose calls are known to Perl itself. system/languages has processes that go on, and lies.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
need_tables
fake=$dir/fake_perl
build "$fake" fake_perl.c "${frameless[@]}" -Wl,--export-dynamic -pthread

outside='perl_run;Perl_runops_standard;<fake.pl>_\[pl\];K::outer_\[pl\];'
helper="$outside(run_main;)?native_helper;Perl_call_sv;Perl_runops_standard;K::inner_\\[pl\\];burn_inside"
evaluated="$outside(run_main;)?native_eval;Perl_call_sv;Perl_runops_standard;native_catch;Perl_runops_standard;K::inner_\\[pl\\];burn_inside"
overloaded="$outside(run_main;)?native_add;Perl_amagic_call;Perl_runops_standard;K::plus_\\[pl\\];burn_inside"
compared="$outside(run_main;)?native_sort;native_compare;Perl_runops_standard;main::compare_\\[pl\\];burn_inside"
# Between two comparisons, no sub of the sort runs.
sorted="$outside(run_main;)?native_sort;burn_inside"

# The file is known after the first process, and each process runs for 50 ms.
record short sh -c "$fake 10; for i in \$(seq 15); do $fake 1; done"
"$profrep" processes "$dir/short.prof" > /dev/null
check "short processes have subs" mostly <(grep burn_inside "$dir/short.folded") fake_perl "$helper|$evaluated|$overloaded|$compared|$sorted" 60

"$profrec" -q -U --languages py,java -F 499 -o "$dir/none.prof" -- "$fake" 2
check "other languages, no subs" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[pl\]')" 0

check "an unknown version is not in the table" fails 1 is_claimed pl 5.99.99

# PERL is an interpreter to judge, and PERL_SECONDS the time that it runs.
perl=${PERL:-/usr/bin/perl}

judge_perl()
{
	local unusual
	"$profrec" -q -U -F 999 -o "$dir/perl.prof" -- $perl tests/programs/known_calls.pl "${PERL_SECONDS:-2}" "$dir/pairs"
	# Other builds have other sizes.
	unusual=$($perl -MConfig -e 'print "not the build of Debian" unless $Config{usethreads} && $Config{myuname} =~ /debian/i')
	has_support "perl" "$dir/perl.prof" pl "$($perl -e 'printf "%vd", $^V')" "$unusual" || return
	"$profrep" -fa --unnamed function "$dir/perl.prof" > "$dir/perl.folded" 2> "$dir/perl.err"
	judge perl 1000 -f tests/judges/perl.awk "$dir/pairs"
	check "perl: subs have names" at_most "$(truth perl nameless)" "$(($(truth perl subs) / 20))"
	# While perl jumps out of a sub that dies, or looks a method up, its subs have no place.
	check "perl: subs stand before the frame that runs them" at_most "$(truth perl misplaced)" \
		"$((2 + $(truth perl displaced) + $(truth perl stacks) / 1000))"
	check "perl: few are displaced" at_most "$(truth perl displaced)" "$((2 + $(truth perl stacks) / 50))"
}

if [ -x "${perl%% *}" ]; then
	judge_perl
else
	skip "perl" "there is no $perl"
fi
plan_end
