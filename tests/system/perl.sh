#!/usr/bin/env bash
# Subs of Perl: of an interpreter of the tests' own, whose structure is known and which can lie, and of /usr/bin/perl with
# a program whose calls are known to Perl itself.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
need_tables
fake=$dir/fake_perl
build "$fake" fake_perl.c "${frameless[@]}" -Wl,--export-dynamic -pthread
build "$dir/single" fake_perl.c "${frameless[@]}" -Wl,--export-dynamic -pthread -DWITHOUT_THREADS
build "$dir/old" fake_perl.c "${frameless[@]}" -Wl,--export-dynamic -pthread -DSHORT_CONTEXTS
build "$dir/future" fake_perl.c "${frameless[@]}" -Wl,--export-dynamic -pthread -DUNKNOWN_RELEASE

# record NAME COMMAND...
record() { "$profrec" -q -F 499 -U -o "$dir/$1.prof" -- "${@:2}" && "$profrep" -fa "$dir/$1.prof" > "$dir/$1.folded"; }

outside='perl_run;Perl_runops_standard;<fake.pl>_\[pl\];K::outer_\[pl\];'
helper="$outside(run_main;)?native_helper;Perl_call_sv;Perl_runops_standard;K::inner_\\[pl\\];burn_inside"
evaluated="$outside(run_main;)?native_eval;Perl_call_sv;Perl_runops_standard;native_catch;Perl_runops_standard;K::inner_\\[pl\\];burn_inside"
overloaded="$outside(run_main;)?native_add;Perl_amagic_call;Perl_runops_standard;K::plus_\\[pl\\];burn_inside"
compared="$outside(run_main;)?native_sort;native_compare;Perl_runops_standard;main::compare_\\[pl\\];burn_inside"
# Between two comparisons, no sub of the sort runs.
sorted="$outside(run_main;)?native_sort;burn_inside"
record good "$fake" 20
check "the fake interpreter is found" contains "$(info "$dir/good.prof" interpreter)" "Perl 5.36.99 [pl]"
check "subs have their place" mostly "$dir/good.folded" fake_perl "$helper|$evaluated|$overloaded|$compared|$sorted" 80
for part in helper evaluated overloaded compared sorted; do
	check "$part subs" above "$(sum_samples "${!part}" < "$dir/good.folded")" 10
done
# The program ends with a sub under way, which no native frame calls by then.
check "nothing is displaced" same "$(grep -v ';exit;' "$dir/good.folded" | grep -c '\[displaced\]\|\[not readable\]')" 0
check "lines are those of the definitions" contains "$("$profrep" -fas "$dir/good.prof")" "K::outer:7_[pl];"
check "the file is that of the sub" contains "$("$profrep" -fm "$dir/good.prof")" "K::inner [fake.pm]"
"$profrep" -fa --frames language "$dir/good.prof" > "$dir/language.folded"
check "the language without its interpreter" mostly "$dir/language.folded" fake_perl \
	'^fake_perl;<fake.pl>_\[pl\];K::outer_\[pl\](;K::inner_\[pl\]|;K::plus_\[pl\]|;main::compare_\[pl\])?( |;)' 80

record single "$dir/single" 8
check "without threads, subs have their place" mostly "$dir/single.folded" single "$helper|$evaluated|$overloaded|$compared|$sorted" 80

record old "$dir/old" 8
check "the fake interpreter of an old release is found" contains "$(info "$dir/old.prof" interpreter)" "Perl 5.30.99 [pl]"
check "with short contexts, subs have their place" mostly "$dir/old.folded" old "$helper|$evaluated|$overloaded|$compared|$sorted" 80

# The file is known after the first process, and each process runs for 50 ms.
record short sh -c "$fake 10; for i in \$(seq 15); do $fake 1; done"
"$profrep" processes "$dir/short.prof" > /dev/null
check "short processes have subs" mostly <(grep burn_inside "$dir/short.folded") fake_perl "$helper|$evaluated|$overloaded|$compared|$sorted" 60

"$profrec" -q -U --languages py,java -F 499 -o "$dir/none.prof" -- "$fake" 2
check "other languages, no subs" same "$("$profrep" -fa "$dir/none.prof" | grep -c '\[pl\]')" 0

# Each lie spoils the stacks of the liar alone, and nobody hangs.
for lie in cycle wild huge many escape loops; do
	record $lie sh -c "$fake 6 & $fake 6 $lie & wait"
	check "$lie: the other process has its subs" above "$(sum_samples "$helper" < "$dir/$lie.folded")" 3
	check "$lie: the recording is whole" is_complete "$dir/$lie.prof"
	check "$lie: samples are accounted for" is_accounted "$dir/$lie.prof"
done
check "a wild list is said to be unreadable" contains "$(cat "$dir/wild.folded")" "[not readable]_[pl]"
check "subs without a place are said to have none" contains "$(cat "$dir/loops.folded")" "[displaced]_[pl]"
check "nothing raw comes to the terminal" same "$(tr -d '\n' < "$dir/escape.folded" | tr -d '[:print:]')" ""
check "long names are cut" at_most "$(grep -o 'inner[^;]*' "$dir/huge.folded" | awk '{if (length > n) n = length} END {print n + 0}')" 300

record future "$dir/future" 3
check "an unknown version is said" contains "$(info "$dir/future.prof" interpreter)" "Perl 5.99.99 [pl], without support"
check "an unknown version is not in the table" fails 1 is_claimed pl 5.99.99
check "an unknown version has no subs" same "$(grep -c '_\[pl\]' "$dir/future.folded")" 0

# PERL is an interpreter to judge, and PERL_SECONDS the time that it runs.
perl=${PERL:-/usr/bin/perl}
# truth NUMBER
truth() { sed -n "s/^$1 //p" "$dir/truth"; }

judge_perl()
{
	local unusual
	"$profrec" -q -U -F 999 -o "$dir/perl.prof" -- $perl tests/programs/known_calls.pl "${PERL_SECONDS:-2}" "$dir/pairs"
	# Other builds have other sizes.
	unusual=$($perl -MConfig -e 'print "not the build of Debian" unless $Config{usethreads} && $Config{myuname} =~ /debian/i')
	has_support "perl" "$dir/perl.prof" pl "$($perl -e 'printf "%vd", $^V')" "$unusual" || return
	"$profrep" -fa --unnamed function "$dir/perl.prof" > "$dir/perl.folded" 2> "$dir/perl.err"
	awk -f tests/judges/perl.awk "$dir/pairs" "$dir/perl.folded" > "$dir/truth" 2> "$dir/wrong"
	check "perl: there are subs" above "$(truth pairs)" 1000
	check "perl: no wrong caller" same "$(truth wrong; grep "^wrong" "$dir/wrong")" 0
	check "perl: recursion is as deep as it is" same "$(truth depths)" 0
	check "perl: subs have names" at_most "$(truth nameless)" "$(($(truth subs) / 20))"
	# While perl jumps out of a sub that dies, or looks a method up, its subs have no place.
	check "perl: subs stand before the frame that runs them" at_most "$(truth misplaced)" \
		"$((2 + $(truth displaced) + $(truth stacks) / 1000))"
	check "perl: few are displaced" at_most "$(truth displaced)" "$((2 + $(truth stacks) / 50))"
}

if [ -x "${perl%% *}" ]; then
	judge_perl
else
	skip "perl" "there is no $perl"
fi
plan_end
