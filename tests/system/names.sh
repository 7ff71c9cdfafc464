#!/usr/bin/env bash
# Names where a file has no symbol: stubs of the PLT, the bounds of functions in stripped files, and symbols that the
# recording carries. Programs are compiled here; objdump and nm say what is right. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
for tool in gcc nm objdump readelf strip; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
cd "$dir" || exit 1

cat > prog.c <<'C'
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int compare(const void *a, const void *b) { return memcmp(a, b, 1); }

__attribute__((noinline)) int first(char *s) { qsort(s, strlen(s), 1, compare); return s[0]; }
__attribute__((noinline)) int second(char *s) { return puts(s) + first(s) + (int)fmod(s[0], 3); }

int main(int argc, char **argv)
{
	void (*volatile p)(void *) = free; /* its address is taken, and it is called */
	char *s = malloc(100);

	if (!s || argc < 1)
		abort();
	strcpy(s, argv[0]);
	second(s);
	free(s);
	p(NULL);
	return 0;
}
C

build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

# record_at FILE: a recording of leaves. Each line of standard input has an address of FILE, and the bytes from there to
# the leaf. Line N has N samples, which keeps the order.
record_at()
{
	local file=$1 id off vaddr rest address distance n=0
	id=$(build_id "$file")
	read -r off vaddr rest < <(readelf -lW "$file" | awk '$1 == "LOAD" && /R E/ {print $2, $3, $6; exit}')
	{
		echo "object p file $PWD/$file ${id:--}"
		echo "process p 7 1"
		echo "map p p 0x555500000000 0x10000000 0"
		while read -r address distance; do
			n=$((n + 1))
			echo "count p prog $n user p:$((0x$address + distance - vaddr + off))"
		done
	} | "$BUILD/tests/prof_make"
}

# names RECORDING [OPTION...]: the names of the leaves. Rows are printed by their counts, which are 1, 2, 3 and so on.
names() { "$profrep" -f "$@" | sed -E 's/^prog;//; s/ [0-9]+$//'; }

# offset FILE NAME: the file offset of a function, from the symbols of FILE.full.
offset()
{
	local off vaddr address
	read -r off vaddr < <(readelf -lW "$1.full" | awk '$1 == "LOAD" && /R E/ {print $2, $3; exit}')
	address=$(nm "$1.full" | awk -v n="$2" '$3 == n {print $1; exit}')
	printf '0x%x\n' $((0x$address - vaddr + off))
}

# stubs FILE: address and name of each stub, as objdump finds them. Names of objdump may have a version.
stubs()
{
	objdump -d -j .plt -j .plt.sec -j .plt.got "$1" 2> /dev/null |
		sed -nE 's/^0*([0-9a-f]+) <(.*@plt)>:$/\1 \2/p' | sed -E 's/@[A-Za-z]+_[0-9.]+@plt/@plt/'
}

# has_stubs NAME FLAG...: each stub has its name, whether the file is stripped or not.
has_stubs()
{
	local name=$1 want
	shift
	if ! gcc -O1 -fno-builtin -o prog prog.c "$@" -Wl,--build-id -lm 2> cc.err; then
		skip "$name: stubs" "$(head -n 1 cc.err)"
		return
	fi
	stubs prog > stubs
	# Within the stub, and at its end.
	{ awk '{print $1, 0}' stubs; awk '{print $1, 5}' stubs; } > addresses
	record_at prog < addresses > p.prof
	want=$(cut -d ' ' -f 2 stubs; cut -d ' ' -f 2 stubs)
	check "$name: stubs" same "$(names p.prof)" "$want"
	check "$name: some stubs" at_least "$(wc -l < stubs)" 1
	strip prog
	check "$name: stubs of a stripped file" same "$(names p.prof)" "$want"
}

has_stubs "lazy" -Wl,-z,lazy -fcf-protection=none
has_stubs "now" -Wl,-z,now -fcf-protection=none
has_stubs "no PLT of its own" -Wl,-z,now -fno-plt
has_stubs "branch tracking" -Wl,-z,lazy -fcf-protection=full -Wl,-z,ibtplt
has_stubs "branch tracking, now" -Wl,-z,now -fcf-protection=full -Wl,-z,ibtplt
has_stubs "lld" -fuse-ld=lld
has_stubs "gold" -fuse-ld=gold

# Stubs of a static file have no symbols, only the addresses of functions that pick a function.
if gcc -O1 -static -no-pie -o prog prog.c -Wl,--build-id -lm 2> cc.err; then
	readelf -SW prog | sed -nE 's/^ *\[ *[0-9]+\] \.plt +PROGBITS +([0-9a-f]+) .*/\1 0/p' | record_at prog > p.prof
	readelf -rW prog | sed -nE 's/.*R_X86_64_IRELATIVE +([0-9a-f]+)$/*ABS*+0x\1@plt/p' > picks
	check "static: a stub" at_least "$(grep -cxF "$(names p.prof)" picks)" 1
else
	skip "static: a stub" "$(head -n 1 cc.err)"
fi

## Stripped code.
# has_bounds NAME FLAG...: in a stripped file, functions are known by their starts.
has_bounds()
{
	local name=$1 want="" f
	shift
	if ! gcc -O1 -o s.full prog.c "$@" -Wl,--build-id -lm 2> cc.err; then
		skip "$name: functions" "$(head -n 1 cc.err)"
		return
	fi
	strip -o s s.full
	true > addresses
	for f in main first second compare; do
		nm s.full | awk -v n=$f '$3 == n {print $1, 0; print $1, 7}' >> addresses
		want+="[s+$(offset s $f)]"$'\n'"[s+$(offset s $f)]"$'\n'
	done
	record_at s < addresses > s.prof
	check "$name: functions" same "$(names s.prof)" "${want%$'\n'}"
}

has_bounds "lld, stripped" -fuse-ld=lld
has_bounds "without .eh_frame_hdr" -Wl,--no-eh-frame-hdr
has_bounds "stripped"
main=$(offset s main)
check "a layout of text: unknown" same "$("$profrep" s.prof | grep -c '    \[unknown\]')" 8
check "a layout of text: by function" same "$("$profrep" --unnamed function s.prof | grep -cF "    [s+$main]")" 2
check "folded: unknown" same "$(names s.prof --unnamed unknown | sort -u)" "[unknown]"
check "folded: by module" same "$(names s.prof --unnamed module | sort -u)" "[s]"
check "names with module and offset" same "$(names s.prof -s -m | head -n 2 | tail -n 1)" "[s+$main]+0x7 [s]"
check "another kind of unnamed is refused" fails 2 "$profrep" --unnamed no s.prof
check "a diff finds the functions" same "$("$profrep" diff -f s.prof s.prof | grep -cF "[s+$main] 3 3")" 1
# counts FILE: the shares of frames with names, with bounds, of all others.
counts() { "$profrep" files "$1" | awk 'NR == 2 {print $3, $4, $5}'; }
check "files: by bounds" same "$(counts s.prof)" "0.0% 100.0% 0.0%"
cp s.full s
check "files: by names" same "$(counts s.prof)" "100.0% 0.0% 0.0%"
check "names with symbols" same "$(names s.prof | uniq | tr '\n' ' ')" "main first second compare "

## Symbols that the recording carries.
strip s
{
	echo "object s file $PWD/s $(build_id s)"
	echo "process p 7 1"
	echo "map p s 0x555500000000 0x10000000 0"
	echo "sym s $main 4 from_recording"
	echo "sym s $((main + 4)) 4 inner"
	echo "sym s $(offset s first) 8 first_recorded"
	echo "sym s $(offset s second) 8 \"\""
	echo "count p prog 1 user s:$((main + 1))"
	echo "count p prog 2 user s:$((main + 5))"
	echo "count p prog 3 user s:$(($(offset s first) + 2))"
	echo "count p prog 4 user s:$(($(offset s second) + 2))"
} > carried.txt
"$BUILD/tests/prof_make" < carried.txt > carried.prof
check "carried: a name is better than bounds" same "$(names carried.prof | tr '\n' ' ')" \
	"from_recording inner first_recorded [s+$(offset s second)] "
check "carried: files says what the recording has" \
	same "$("$profrep" files carried.prof | awk 'NR == 2 {print $3, $4, $5, $9, $10, $11}')" \
	"60.0% 40.0% 0.0% in the recording"
cp s.full s
check "carried: the file knows more" same "$(names carried.prof | tr '\n' ' ')" "main inner first second "
check "carried: files says both" contains "$("$profrep" files carried.prof)" "$PWD/s (.symtab), in the recording"
rm s
check "carried: no file" same "$(names carried.prof | tr '\n' ' ')" \
	"from_recording inner first_recorded [s+$(offset s second)] "

## Go, stripped of its symbols.
go=$(command -v go || ls /usr/lib/go-*/bin/go 2> /dev/null | tail -n 1)
# has_go NAME FLAG...: functions of a stripped program have the names that the same program has with symbols.
has_go()
{
	local name=$1
	shift
	if ! "$go" build "$@" -o g.full main.go 2> go.err || ! "$go" build -ldflags "-s -w" "$@" -o g main.go 2> go.err; then
		skip "$name" "$(head -n 1 go.err)"
		return
	fi
	nm g.full | awk '$2 ~ /[tT]/ && $3 ~ /^(main|sort)[.]/ {print $1, 0}' | head -n 100 > addresses
	record_at g < addresses > g.prof
	names g.prof > from_table
	cp g g.stripped
	cp g.full g
	names g.prof > from_symbols
	check "$name: some functions" grep -qF 'main.(*thing).work' from_table
	check "$name: names" cmp from_table from_symbols
	cp g.stripped g
	drop_sections g
	names g.prof > from_segments
	check "$name: names without section headers" cmp from_segments from_symbols
}
if [ -n "$go" ]; then
	cat > main.go <<-'GO'
		package main

		import "sort"

		type thing struct{ v []int }

		//go:noinline
		func (t *thing) work() int { sort.Ints(t.v); return t.v[0] }

		func main() { println((&thing{[]int{2, 1}}).work()) }
	GO
	export HOME=$PWD GOCACHE=$PWD/go-cache GOFLAGS=-modcacherw
	has_go "Go"
	has_go "Go, position-independent" -buildmode=pie
else
	skip "Go" "no go"
fi
plan_end
