#!/usr/bin/env bash
# Inlined functions and source lines, from debug information as compilers, linkers and packagers leave it; and what
# other tools say of the same addresses. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
for tool in gcc g++ nm objcopy readelf; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
top=$PWD/..
cd "$dir" || exit 1
mkdir src

cat > src/prog.cc <<'C'
namespace app {
struct box { int v;
	inline __attribute__((always_inline)) int inner(int x) const
	{ __asm__ volatile(".globl here\nhere: nop; nop; nop; nop"); return v * x; } };
static inline __attribute__((always_inline)) int middle(const box *b, int x) { return b->inner(x + 1) + 2; }
__attribute__((noinline)) int outer(const box *b)
{
	return middle(b, b->v) + 3;
}
}
int main(int argc, char **argv) { app::box b = {argc}; (void)argv; return app::outer(&b) == 7; }
C

# record_of PROGRAM: a recording of two nops in inner(): the second as a leaf, the first as a return address after it.
record_of()
{
	local off vaddr size address id
	read -r off vaddr size < <(readelf -lW "$1" | awk '$1 == "LOAD" && /R E/ {print $2, $3, $6; exit}')
	id=$(readelf -n "$1" | sed -n 's/.*Build ID: //p')
	address=$(nm "$1" | awk '$3 == "here" {print $1; exit}')
	{
		echo "object p file $PWD/$1 $id"
		echo "process p 7 1"
		echo "map p p 0x555500000000 $(((size + 4095) & ~4095)) $((off))"
		echo "count p prog 1 user p:$((0x$address + 1 - vaddr + off)) p:$((0x$address + 1 - vaddr + off))"
	} | "$BUILD/tests/prof_make"
}

# build NAME COMPILER OPTIONS...: the program NAME, and its recording NAME.prof.
build()
{
	local name=$1
	shift
	"$@" -O2 -Wl,--build-id -o "$name" src/prog.cc && record_of "$name" > "$name.prof"
}

chain='app::outer(app::box const*) src/prog.cc:8;app::middle src/prog.cc:5_[i];app::box::inner(int) const src/prog.cc:4_[i]'
full="prog;$chain;$chain 1"

# shows_all NAME: the whole stack, without a warning.
shows_all()
{
	local text
	text=$("$profrep" -i -a -f --lines "$1.prof" 2>&1 | sed 's/app::middle(app::box const\*, int)/app::middle/g')
	same "$text" "$full"
}

try()
{
	if build "$@" 2> build.log; then check "$1" shows_all "$1"; else skip "$1" "cannot be built"; fi
}

for version in 2 3 4 5; do try "gcc-$version" g++ -g -gdwarf-$version; done
try gcc-64 g++ -g -gdwarf-5 -gdwarf64
try gcc-packed g++ -g -gz
try gcc-lto g++ -g -flto
try gcc-aranges g++ -g -gno-pubnames -ffunction-sections
for version in 4 5; do try "clang-$version" clang++ -g -gdwarf-$version; done
try clang-lto clang++ -g -flto -fuse-ld=lld
try clang-gc clang++ -g -ffunction-sections -Wl,--gc-sections -fuse-ld=lld
try gcc-split g++ -g -gsplit-dwarf
try clang-split clang++ -g -gsplit-dwarf -gdwarf-4

build plain g++ -g || exit 1
objcopy --compress-debug-sections=zlib-gnu plain gnu-packed && record_of gnu-packed > gnu-packed.prof
check "sections of GNU's older compression" shows_all gnu-packed
if objcopy --compress-debug-sections=zstd plain zstd-packed 2> build.log; then
	record_of zstd-packed > zstd-packed.prof
	check "sections of zstd" shows_all zstd-packed
else
	skip "sections of zstd" "objcopy cannot"
fi

## Short names of inlined functions, of which compilers give local ones no name for the linker.
cat > src/short.cc <<'C'
namespace app {
template <typename T> static inline __attribute__((always_inline)) T inner(T x)
{ __asm__ volatile(".globl here\nhere: nop; nop; nop; nop"); return x * 3; }
__attribute__((noinline)) long outer(long x) { return inner<long>(x) + 1; }
}
int main(int argc, char **argv) { (void)argv; return app::outer(argc) == 7; }
C
g++ -g -O2 -Wl,--build-id -o short src/short.cc && record_of short > short.prof
check "short names" same "$("$profrep" -f -i --demangle short short.prof)" "prog;app::outer;app::inner;app::outer;app::inner 1"

## What other options show.
shown() { same "$("$profrep" "${@:2}" plain.prof 2>&1 | sed -n '/^ *[a-z]/p')" "$1"; }
check "lines without inlined functions are those of the calls" shown "prog;${chain%%;*};${chain%%;*} 1" -f --lines
check "top counts lines separately" contains "$("$profrep" top -i --lines plain.prof | tail -n +4)" "src/prog.cc:8"
check "whole paths" contains "$("$profrep" -f --lines --full-paths plain.prof)" "$PWD/src/prog.cc:8"
check "inlined functions without lines" contains "$("$profrep" -f -i plain.prof)" \
	';app::outer(app::box const*);app::middle;app::box::inner(int) const;app::outer'
check "an address stands before each of its functions" same \
	"$("$profrep" -i -v plain.prof | awk '/app::/ {print $1}' | sort | uniq -c | awk '{print $1}' | tr '\n' ' ')" "6 "
check "nothing changes without debug information" same "$(objcopy -g plain bare && record_of bare > bare.prof &&
	"$profrep" -f -i --lines bare.prof)" "prog;app::outer(app::box const*);app::outer(app::box const*) 1"

## Pages and exports.
if command -v node > /dev/null; then
	"$profrep" html -i --lines -o plain.html plain.prof
	"$profrep" -f -P -i --lines --demangle short plain.prof > plain.folded
	tap_of node "$top/tests/html/check_page.js" plain.html plain.folded
	functions=$(node "$top/tests/html/list_functions.js" plain.html)
	check "a page knows inlined functions and their lines" contains "$functions" "|inlined|plain|$PWD/src/prog.cc:4"
	check "a page knows functions that are not inlined" \
		contains "$functions" "app::outer src/prog.cc:8|user|plain|$PWD/src/prog.cc:8"
else
	skip "a page with lines" "node is not installed"
fi
check "an export has inlined functions" same "$("$profrep" export folded -i plain.prof)" "$("$profrep" -f -i plain.prof)"

## The debug file is preferred over a binary that has symbols alone.
build found g++ -g || exit 1
id=$(readelf -n found | sed -n 's/.*Build ID: //p')
mkdir -p "debug/.build-id/${id:0:2}"
objcopy --only-keep-debug found "debug/.build-id/${id:0:2}/${id:2}.debug"
objcopy -g found
check "a debug file is looked for although the binary has symbols" same \
	"$("$profrep" -i -a -f --lines --debug-dir debug found.prof)" "$full"

## Split units and shared files.
if [ -e gcc-split.prof ]; then
	mkdir away
	mv ./*.dwo away
	check "a missing file of a split unit is named" contains "$("$profrep" -i -f gcc-split.prof 2>&1)" \
		"WARNING: 1 files of split or shared debug information are missing, such as 'gcc-split-prog.dwo'"
fi

# has_package VERSION TOOL COMPILER OPTIONS...: TOOL packs the units of the program into one file. binutils' dwp 2.44 does
# not know DWARF 5: it succeeds and writes no file.
has_package()
{
	local version=$1 tool=$2 name=$3-$1-$2
	shift 2
	if ! command -v "$tool" > /dev/null; then skip "$name" "no $tool"; return; fi
	if ! build "$name" "$@" -g -gsplit-dwarf "-gdwarf-$version" 2> build.log ||
		! timeout 60 "$tool" -e "$name" -o "$name.dwp" 2> build.log || [ ! -e "$name.dwp" ]; then
		skip "$name" "cannot be built"
		return
	fi
	rm -f ./*.dwo
	check "$name" shows_all "$name"
	id=$(readelf -n "$name" | sed -n 's/.*Build ID: //p')
	mkdir -p "debug/.build-id/${id:0:2}"
	mv "$name.dwp" "debug/.build-id/${id:0:2}/${id:2}.dwp"
	check "$name, found by its build-id" same "$("$profrep" -i -a -f --lines --debug-dir debug "$name.prof" | wc -l)" 1
	check "$name, found by its build-id, names all" contains \
		"$("$profrep" -i -a -f --lines --debug-dir debug "$name.prof" 2>&1)" 'src/prog.cc:4_[i] 1'
	objcopy --only-keep-debug "$name" "$name.debug"
	objcopy -g --add-gnu-debuglink="$name.debug" "$name"
	mv "debug/.build-id/${id:0:2}/${id:2}.dwp" "$name.dwp"
	check "$name, beside a debug file" shows_all "$name"
	: > "$name.dwp"
	check "$name, damaged, is as good as missing" contains "$("$profrep" -i -f "$name.prof" 2>&1)" \
		"WARNING: 1 files of split or shared debug information are missing"
}
has_package 4 dwp g++
has_package 5 dwp g++
has_package 4 llvm-dwp clang++
has_package 5 llvm-dwp clang++
if command -v dwz > /dev/null; then
	build one g++ -g && build two g++ -g -DTWO || exit 1
	if dwz -m shared.debug one two 2> build.log && [ -e shared.debug ]; then
		for name in one two; do check "$name, which shares a file" shows_all $name; done
		rm shared.debug
		check "without the shared file a warning names it" contains "$("$profrep" -i -f --lines one.prof 2>&1)" \
			"WARNING: 1 files of split or shared debug information are missing, such as 'shared.debug'"
	else
		skip "a shared file" "dwz found nothing to share"
	fi
else
	skip "a shared file" "no dwz"
fi

## Others look the same addresses up.
# frames_of COMMAND...: function and line of all frames of the addresses in the file addresses.
frames_of() { "$@" < addresses | sed -E 's/:([0-9]+):[0-9]+$/:\1/; s,/\./,/,g'; }
agrees()
{
	frames_of "$BUILD/tests/dwarf_look" "$1" > ours
	frames_of llvm-symbolizer --inlines --no-demangle --functions=linkage --obj="$1" > theirs
	# llvm-symbolizer takes names of symbol tables for the outermost function, and leaves out namespaces.
	paste -d '|' ours theirs | awk -F '|' '
		/^\|$/ {blocks++; next}
		$1 ~ /:[0-9?]+$/ {lines++; if ($1 != $2 && $1 != "??:0") {print; bad++}}
		END {print blocks " addresses, " lines " lines, " bad + 0 " differ"; exit bad > 0 || blocks < 100}'
}
if command -v llvm-symbolizer > /dev/null; then
	for file in plain gcc-4 gcc-64 gcc-lto clang-5; do
		[ -e $file ] || continue
		nm $file | awk '$2 ~ /[tT]/ && $3 ~ /app|main/ {print $1}' | while read -r start; do
			for ((i = 0; i < 64; i++)); do printf '0x%x\n' $((0x$start + i)); done
		done > addresses
		check "$file: as llvm-symbolizer says" agrees $file
	done
else
	skip "lines are as llvm-symbolizer says" "no llvm-symbolizer"
fi
plan_end
