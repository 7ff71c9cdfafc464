#!/usr/bin/env bash
# Functions of interpreted languages in processes whose structure is known: interpreters of the tests' own, which can lie. The
# processes of one run side by side, and each lie spoils the stacks of its process alone. The last calls of each are counted,
# so each stack is known. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/marks.sh
. tests/lib/marks.sh
need_bpf
need_tables
folding=(-fa)
declare -A stacks # of each process, regular expressions, a line each

# process NAME REGEX...: a process with stacks of these kinds. "honest" does not lie, and others have their lie's name.
process()
{
	names+=("$1")
	stacks[$1]=$(printf '%s\n' "${@:2}")
}

# has_stacks RECORDING NAME: all last calls have stacks as the process has, and there are two of each kind.
has_stacks()
{
	local all kind
	all=$(mark_stacks "$1" "${marked["$1 $2"]}" 3)
	while IFS= read -r kind; do
		at_least "$(sum_samples "$kind" <<< "$all")" 2 && continue
		printf '%s\n' "$kind" "$all"
		return 1
	done <<< "${stacks[$2]}"
	are_marked "$1" "$2" "${stacks[$2]//$'\n'/|}"
}

# run NAME SOURCE VERSION [FLAG...]: builds the interpreter, records the processes, and judges them.
run()
{
	local recording=$1 name lie
	mkdir "$dir/$recording"
	build "$dir/$recording/honest" "fake_$2.c" "${frameless[@]}" -DBURN_MARKS -Wl,--export-dynamic "${@:4}"
	begin_recording -F 99 "${marks[@]}" -U -i 1 -o "$dir/$recording.prof"
	for name in "${names[@]}"; do
		lie=()
		[ "$name" = honest ] || { lie=("$name"); ln -s honest "$dir/$recording/$name"; }
		start_marks "$recording" "$name" 0 "$dir/$recording/$name" 1000000 "${lie[@]}"
	done
	for name in "${names[@]}"; do finish_marks "$recording" "$name" "${stacks[$name]//$'\n'/|}"; done
	end_recording
	check "$recording: the recording is whole" is_complete "$dir/$recording.prof"
	check "$recording: samples are accounted for" is_accounted "$dir/$recording.prof"
	check "$recording: the interpreter is said" contains "$(info "$dir/$recording.prof" interpreter)" "$3"
	for name in "${names[@]}"; do check "$recording, $name: each stack" has_stacks "$recording" "$name"; done
	"$profrep" -fa --event 3 "$dir/$recording.prof" > "$dir/folded"
	check "$recording: nothing raw comes to the terminal" same "$(tr -d '\n' < "$dir/folded" | LC_ALL=C tr -d '[:print:]€')" ""
	check "$recording: names are cut" at_most "$(tr ';' '\n' < "$dir/folded" | awk '{if (length > n) n = length} END {print n + 0}')" $longest
	names=() stacks=()
}
names=()
longest=300 # characters of a frame

# frames_alone RECORDING LANGUAGE REGEX: what --frames chooses. REGEX are the functions of the honest process.
frames_alone()
{
	check "$1: native frames alone" same "$("$profrep" -fa --event 3 --frames native "$dir/$1.prof" | grep -c "\\[$2\\]")" 0
	folding=(-fa --frames language)
	check "$1: the language without its interpreter" are_marked "$1" honest "$3"
	folding=(-fa)
}
# told RECORDING OPTION TEXT...: what the report with an option says of functions.
told()
{
	local text
	for text in "${@:3}"; do check "$1: $text" contains "$("$profrep" "-fa$2" --event 3 "$dir/$1.prof")" "$text"; done
}

# What a process calls: getpgid until it has been seen, then getsid.
mark='_*get(pg|s)id'
inside="burn_inside;$mark"
escaped='\\x1b\[31m\\x0a\\x3b\\x07' long='[?]*\.\.\.' # what lies put after names

# CPython. Marks say which functions run in one native frame. -X perf puts a stub without a name before each.
outside='main;PyEval_EvalFrameEx;evaluate;' helper='native_helper;evaluate;'
displaced='_\[py\];\[displaced\]_\[py\];_start;.*'
process honest "${outside}outer_\[py\];K.middle_\[py\];${helper}inner_\[py\];$inside"
process cycle '^[^;]*;inner_\[py\];inner_\[py\];inner_\[py\];'
process wild "^[^;]*;\[not readable\]_\[py\];inner$displaced$outside$helper$inside"
process huge "$outside\[unknown\]_\[py\];\[unknown\]_\[py\];$helper\[unknown\]_\[py\];$inside"
process escape "${outside}outer${escaped}_\[py\];K.middle${escaped}_\[py\];${helper}inner${escaped}_\[py\];$inside"
process other "$outside$helper$inside"
process mark "^[^;]*;outer_\[py\];K.middle_\[py\];inner$displaced$outside$helper$inside"
process perf 'main;PyEval_EvalFrameEx;\[unknown\];evaluate;outer_\[py\];K.middle_\[py\];native_helper;\[unknown\];evaluate;inner_\[py\];burn_inside'
process stub "^[^;]*;outer_\[py\];K.middle_\[py\];\[displaced\]_\[py\];\[unknown\];evaluate;inner_\[py\];$inside"
run python python "CPython 3.12.7 [py]"
frames_alone python py '^[^;]*;outer_\[py\];K.middle_\[py\];inner_\[py\]( |;)'
told python s "outer:3_[py];K.middle:7_[py]"
told python m "inner [fake.py]_[py]"
process honest "$outside$helper$inside"
run future_python python "CPython 3.99.0 [py], without support" -DUNKNOWN_RELEASE

# CPython 3.9 has no marks, and one function in each native frame of the loop. Each kind of it has a name of its own.
loop=_PyEval_EvalFrameDefault
process honest "main;$loop;outer_\[py\];run_middle;$loop;middle_\[py\];native_helper;$loop;inner_\[py\];$inside"
process suspended "inner$displaced*native_helper;$loop;$inside"
process parted "inner$displaced*native_helper;$loop;$inside"
run python_3_9 python_3_9 "CPython 3.9 [py]"

# PHP. While a destructor runs, the loop that calls it has no function any more. One generator delegates to another.
outside='main;run_file;execute_ex;'
return='native_call;execute_ex;native_return;zend_objects_destroy_object;execute_ex;'
# php MAIN MIDDLE INNER DESTRUCT DELEGATING RUNNING CALLBACK: the three stacks, with such names.
php()
{
	local callers="$1_\[php\];$2_\[php\];$7_\[php\];"
	echo "$outside${callers}native_helper;execute_ex;$3_\[php\];$inside"
	echo "$outside$callers$return$4_\[php\];$inside"
	echo "$outside$callers$5_\[php\];native_resume;execute_ex;$6_\[php\];$inside"
}
mapfile -t honest < <(php '<fake.php>' K::middle inner K::__destruct delegating running call_back)
process honest "${honest[@]}"
process cycle '^[^;]*;inner_\[php\];inner_\[php\];inner_\[php\];' "${honest[@]:1}"
process wild "^[^;]*;\[not readable\]_\[php\];_start;.*${outside}native_helper;execute_ex;inner_\[php\];$inside" "${honest[@]:1}"
process huge "$outside\[unknown\]_\[php\];\[unknown\]_\[php\];call_back${long}_\[php\];native_helper;execute_ex;\[unknown\]_\[php\];$inside" \
	"call_back${long}_\[php\];$return\[unknown\]_\[php\];$inside" \
	"call_back${long}_\[php\];\[unknown\]_\[php\];native_resume;execute_ex;\[unknown\]_\[php\];$inside"
mapfile -t all < <(php '<fake.php>' {K::middle,inner,K::__destruct,delegating,running,call_back}"$escaped")
process escape "${all[@]}"
process generator "${honest[@]}"
process loops "\[displaced\]_\[php\];_start;.*native_helper;execute_ex;$inside" "\[displaced\]_\[php\];_start;.*native_resume;execute_ex;$inside" \
	"native_return;zend_objects_destroy_object;execute_ex;K::middle_\[php\];call_back_\[php\];$inside;K::__destruct_\[php\]"
run php php "PHP 8.2.99 [php]"
frames_alone php php '^[^;]*;<fake.php>_\[php\];K::middle_\[php\];call_back_\[php\];(inner|K::__destruct|delegating_\[php\];running)_\[php\]( |;)'
told php s "K::middle:7_[php];call_back_[php]"
told php m "inner [fake.php]_[php]"
for how in UNKNOWN_RELEASE="PHP 9.9.9 [php], without support" WITH_THREADS="PHP 8.2.99, with threads [php], without support"; do
	process honest "${outside}native_"{helper,resume}";execute_ex;$inside" "$outside$return$inside"
	run "php_${how%%=*}" php "${how#*=}" "-D${how%%=*}"
done

# Ruby. A function whose loop has not begun is the leaf. One that has left the frames is not there, and its loop still is.
outside='main;run_file;rb_vm_exec;' inner='block in a method with a long name'
# ruby MAIN MIDDLE INNER
ruby()
{
	echo "$outside$1_\[rb\];$2_\[rb\];native_helper;rb_vm_exec;$3_\[rb\];$inside"
	echo "$outside$1_\[rb\];$2_\[rb\];native_begin;$mark;$3_\[rb\]"
	echo "$outside$1_\[rb\];$2_\[rb\];native_call;rb_vm_exec;native_return;$inside"
}
mapfile -t honest < <(ruby '<main>' middle "$inner")
process honest "${honest[@]}"
process endless '^[^;]*;middle_\[rb\];middle_\[rb\];middle_\[rb\];'
process wild "^[^;]*;\[not readable\]_\[rb\];_start;.*${outside}native_helper;rb_vm_exec;$inner""_\[rb\];$inside" "${honest[@]:1}"
mapfile -t all < <(ruby '\[unknown\]' '\[unknown\]' '\[unknown\]')
process huge "${all[@]}"
process array "${all[@]}"
mapfile -t all < <(ruby {'<main>',middle,"$inner"}"$escaped")
process escape "${all[@]}"
process loops "\[displaced\]_\[rb\];_start;.*native_helper;rb_vm_exec;$inside" "\[displaced\]_\[rb\];_start;.*native_begin;$mark" \
	"\[displaced\]_\[rb\];_start;.*rb_vm_exec;middle_\[rb\];native_return;$inside"
process elsewhere "\[displaced\]_\[rb\];_start;.*native_helper;rb_vm_exec;$inside" "\[displaced\]_\[rb\];_start;.*native_begin;$mark" \
	"\[displaced\]_\[rb\];_start;.*rb_vm_exec;native_return;$inside"
process context "main;rb_vm_exec;$inside"
run ruby ruby "Ruby 3.3.99 [rb]"
frames_alone ruby rb "^[^;]*;<main>_\\[rb\\];middle_\\[rb\\];($mark;)?($inner""_\\[rb\\];?)?($mark)? "
told ruby s "<main>:1_[rb];middle:7_[rb];native"
told ruby m "middle [fake.rb]_[rb]"
for how in UNKNOWN_RELEASE="Ruby 9.9.9 [rb], without support" OTHER_LINES="Ruby 3.3.99 [rb], without support"; do
	process honest "${outside}native_helper;rb_vm_exec;$inside" "${outside}native_begin;$mark" "${outside}native_call;rb_vm_exec;native_return;$inside"
	run "ruby_${how%%=*}" ruby "${how#*=}" "-D${how%%=*}"
done

# Perl. Subs that C calls, operators that are subs, and a sort, whose sub is not there between two comparisons.
main='main;perl_run;Perl_runops_standard;' part='(run_main;)?native_'
# perl CALLERS INNER PLUS COMPARE
perl()
{
	echo "$main$1${part}helper;Perl_call_sv;Perl_runops_standard;$2$inside"
	echo "$main$1${part}eval;Perl_call_sv;Perl_runops_standard;native_catch;Perl_runops_standard;$2$inside"
	echo "$main$1${part}add;Perl_amagic_call;Perl_runops_standard;$3$inside"
	echo "$main$1${part}sort;native_compare;Perl_runops_standard;$4$inside"
	echo "$main$1${part}sort;$inside"
}
mapfile -t honest < <(perl '<fake.pl>_\[pl\];K::outer_\[pl\];' 'K::inner_\[pl\];' 'K::plus_\[pl\];' 'main::compare_\[pl\];')
unread=('^[^;]*;\[not readable\]_\[pl\];.*native_add;burn_inside' '^[^;]*;\[not readable\]_\[pl\];.*native_sort;native_compare;'
	'^[^;]*;\[not readable\]_\[pl\];.*native_sort;burn_inside')
process honest "${honest[@]}"
process cycle "${honest[@]:0:2}" '^[^;]*;K::plus_\[pl\];K::plus_\[pl\];' '^[^;]*;main::compare_\[pl\];main::compare_\[pl\];'
process wild "${honest[@]:0:2}" "${unread[@]}"
process many "${honest[@]:0:2}" "${unread[@]}"
longest=600
mapfile -t all < <(perl "<fake.pl>_\\[pl\\];K$long::outer${long}_\\[pl\\];" {K"$long"::inner,K"$long"::plus,main"$long"::compare}"$long"'_\[pl\];')
process huge "${all[@]}"
mapfile -t all < <(perl '<fake.pl>_\[pl\];K::outer'$escaped'_\[pl\];' {K::inner,K::plus,main::compare}"$escaped"'_\[pl\];')
process escape "${all[@]}"
process loops "native_helper;.*;K::outer_\[pl\];$inside;K::inner_\[pl\]" "native_eval;.*;K::outer_\[pl\];$inside;K::inner_\[pl\]" \
	"native_add;.*;K::outer_\[pl\];$inside;K::plus_\[pl\]" '\[displaced\]_\[pl\];.*native_compare;' '\[displaced\]_\[pl\];.*native_sort;burn_inside'
run perl perl "Perl 5.36.99 [pl]" -pthread
frames_alone perl pl '^[^;]*;<fake.pl>_\[pl\];K::outer_\[pl\](;K::inner_\[pl\]|;K::plus_\[pl\]|;main::compare_\[pl\])?( |;)'
told perl s "K::outer:7_[pl];"
told perl m "K::inner [fake.pm]_[pl]"
for how in WITHOUT_THREADS="Perl 5.36.99 [pl]" SHORT_CONTEXTS="Perl 5.30.99 [pl]"; do
	process honest "${honest[@]}"
	run "perl_${how%%=*}" perl "${how#*=}" -pthread "-D${how%%=*}"
done
mapfile -t all < <(perl '' '' '' '')
process honest "${all[@]}"
run future_perl perl "Perl 5.99.99 [pl], without support" -pthread -DUNKNOWN_RELEASE

longest=300
# JavaScript. Functions are in place of their frames. A frame of no function has none. A function that cannot be read is a frame
# without a name, or a function without one, if it was believed before its name was looked at.
nameless='\[unknown\](_\[js\])?'
# node NAME...: a stack for each name.
node() { printf "main;run_next;%s;native_middle;\[unknown\];$inside\n" "$@"; }
builtins=('\(anonymous\)_\[js\]' '<fake.js>_\[js\]' 'builtin_\[js\]')
names_js=('sliced_\[js\]' 'K.inferred_\[js\]' 'wid€_\[js\]' "${builtins[@]}")
mapfile -t all < <(node 'plain_\[js\]' "${names_js[@]}")
process honest "${all[@]}"
mapfile -t all < <(node "$nameless" "${names_js[@]}")
process thin "${all[@]}"
process moved "${all[@]}"
mapfile -t all < <(node "$nameless")
process wild "${all[@]}"
process types "${all[@]}"
mapfile -t all < <(node 'plain_\[js\]' "${names_js[@]}")
process text "${all[@]}"
mapfile -t all < <(node "$nameless" 'plain_\[js\]' "${builtins[@]}")
process locals "${all[@]}"
mapfile -t all < <(node "plain${escaped}_\[js\]" "${names_js[@]}")
process escape "${all[@]}"
mapfile -t all < <(node "plain${long}_\[js\]" "builtin${long}_\[js\]" 'sliced_\[js\]' 'wid€_\[js\]' "${long}_\[js\]")
process huge "${all[@]}"
run node node "V8 11.3.77 [js]"
frames_alone node js '^[^;]*;(plain|wid€|sliced|K.inferred|\(anonymous\)|<fake.js>|builtin)_\[js\];'
told node m "plain [fake.js]_[js]" "builtin [internal]_[js]"
told node s "wid€:2_[js];" "sliced:3_[js];" "K.inferred:4_[js];" "<fake.js>:1_[js];" "plain_[js];"
mapfile -t all < <(node '\[unknown\]')
process honest "${all[@]}"
run future_node node "V8 99.3.77 [js], without support" -DUNKNOWN_RELEASE

# Java. Methods are in place of their frames, and a stub calls the outermost one. Version 8 has one heap and other fields.
stub='main;StubRoutines \(1\)_\[j\];' longest=1200
methods="${stub}K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];$inside"
process honest "$methods"
process map "^[^;]*;\[unknown\](_\[j\])?;$inside"
process frame "^[^;]*;\[unknown\](_\[j\])?;$inside"
process still "^[^;]*;\[unknown\](_\[j\])?;$inside"
process endless "$methods"
process heap "^[^;]*;\[unknown\](_\[j\])?;$inside"
process method "$stub\[unknown\]_\[j\];\[unknown\]_\[j\];\[unknown\]_\[j\];$inside"
process huge "${stub}K$long.outer${long}_\[java\];K$long.middle${long}_\[java\];K$long.leaf${long}_\[java\];$inside"
process escape "${stub}K$escaped.outer${escaped}_\[java\];K$escaped.middle${escaped}_\[java\];K$escaped.leaf${escaped}_\[java\];$inside"
process version "^[^;]*;\[unknown\];$inside"
run java java "HotSpot 17.0.99 [java]"
frames_alone java java 'K.outer_\[java\];K.middle_\[java\];K.leaf_\[java\];'
told java m "K.leaf [K]_[java]"
process honest "$methods"
run java_8 java "HotSpot 1.8.0_999 [java]" '-DRELEASE="1.8.0_999"' -DEIGHT
for release in 1.7.0_999 18.0.2 99.0.1; do
	process honest "^[^;]*;\[unknown\];$inside"
	run "java_$release" java "HotSpot $release [java], without support" "-DRELEASE=\"$release\""
done
plan_end
