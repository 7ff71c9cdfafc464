#!/usr/bin/env bash
# Stacks of OpenJDK against a second opinion: threads that stay where they are have the methods that jstack prints of them.
# JAVA is the machine, java unless set; with JAVA_ROOT it is in that root of another system. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/languages.sh
. tests/lib/languages.sh
: "${JAVA_SECONDS:=10}" "${JAVA:=java}" "${JAVA_ROOT:=}"
enter=()
classes=$dir
if [ -n "$JAVA_ROOT" ]; then
	enter=(tests/fresh/enter "$JAVA_ROOT")
	classes=$(mktemp -d -p "$JAVA_ROOT/tmp")
	cleanup_extra() { rm -rf "$classes"; }
fi
command -v javac > /dev/null || skip_all "javac is not installed"
"${enter[@]}" "$JAVA" -version > "$dir/version" 2>&1 || skip_all "there is no $JAVA"
echo "# $(tail -n 1 "$dir/version")"
home=$("${enter[@]}" "$JAVA" -XshowSettings:properties -version 2>&1 | sed -n 's/^ *java.home = //p')
# Version 8 has a home within that of jstack.
jstack=${home%/jre}/bin/jstack
[ -x "$JAVA_ROOT$jstack" ] || skip_all "there is no jstack beside $JAVA"
need_tables
javac --release 8 -Xlint:-options -d "$classes" tests/programs/SteadyStacks.java

# compare_steady NAME FLAG...: with what jstack prints before and after the recording.
compare_steady()
{
	local name=$1 pid same others
	mkfifo "$dir/$name.running"
	"${enter[@]}" "$JAVA" "${@:2}" -cp "${classes#"$JAVA_ROOT"}" SteadyStacks > "$dir/$name.running" &
	pid=$!
	read -r _ < "$dir/$name.running"
	"${enter[@]}" "$jstack" $pid > "$dir/$name.before"
	"$profrec" -q -F 499 -p $pid -o "$dir/$name.prof" "$JAVA_SECONDS" 2> "$dir/$name.err"
	"${enter[@]}" "$jstack" $pid > "$dir/$name.after"
	kill -KILL $pid
	wait $pid 2> /dev/null
	"$profrep" -Ufa --demangle none "$dir/$name.prof" > "$dir/$name.folded"
	awk -f tests/judges/steady_stacks.awk "$dir/$name.before" "$dir/$name.after" "$dir/$name.folded" > "$dir/$name.truth" 2> "$dir/$name.wrong"
	same=$(truth "$name" same)
	others=$(($(truth "$name" short) + $(truth "$name" cut) + $(truth "$name" absent)))
	check "$name: jstack prints the same stacks before and after" same "$(truth "$name" threads) $(truth "$name" not_steady)" "49 0"
	check "$name: no stack differs from that of jstack" same "$(truth "$name" differ; cut -c1-2000 "$dir/$name.wrong")" 0
	check "$name: all threads have the methods of jstack" same "$(truth "$name" agreed)" 49
	# HotSpot may have given up the code of a caller. The address to return to is another one then, which has no inlined methods.
	check "$name: 19 of 20 stacks have all inlined methods of callers" at_most $(($(truth "$name" less) * 20)) $((same + others))
	check "$name: 99 of 100 stacks are as long as those of jstack" at_most $((others * 100)) $((same + others))
	echo "# $name: $(tr '\n' ' ' < "$dir/$name.truth")$(info "$dir/$name.prof" "user stacks")"
}

compare_steady tiered -XX:+TieredCompilation
check "tiered: there are inlined methods" above "$(truth tiered inlined)" 50
compare_steady interpreted -Xint
compare_steady c1 -XX:TieredStopAtLevel=1
compare_steady c2 -XX:-TieredCompilation
compare_steady parallel -XX:+UseParallelGC
plan_end
