#!/usr/bin/env bash
# Files with names: MiniDebugInfo, several directories of debug files, and the best of several files. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
for tool in gcc nm objcopy readelf strip xz; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
cd "$dir" || exit 1

cat > prog.c <<'C'
__attribute__((noinline)) static int hidden(int x) { __asm__ volatile("nop;nop;nop;nop"); return x + 1; }
__attribute__((noinline)) int shown(int x) { __asm__ volatile("nop;nop;nop;nop"); return hidden(x) * 2; }
int main(int argc, char **argv) { (void)argv; return shown(argc); }
C
gcc -O1 -rdynamic -Wl,--build-id -o full prog.c || exit 1
strip -o stripped full
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
by_id=.build-id/${id:0:2}/${id:2}.debug

# A recording of the middles of three functions at PATH.
record_at()
{
	local off vaddr size name address n=0
	read -r off vaddr size < <(readelf -lW full | awk '$1 == "LOAD" && /R E/ {print $2, $3, $6; exit}')
	{
		echo "object p file $1 $id"
		echo "process p 7 1"
		echo "map p p 0x555500000000 $(((size + 4095) & ~4095)) $((off))"
		for name in hidden shown main; do
			n=$((n + 1))
			address=$(nm full | awk -v n=$name '$3 == n {print $1; exit}')
			echo "count p prog $n user p:$((0x$address + 2 - vaddr + off))"
		done
	} | "$BUILD/tests/prof_make"
}

names() { "$profrep" -f --unnamed module "$@" | sed -E 's/^prog;//; s/ [0-9]+$//' | tr '\n' ' '; }

record_at "$PWD/bin/prog" > p.prof
mkdir bin

## MiniDebugInfo, as distributions make it: the functions that .dynsym lacks.
objcopy --only-keep-debug full full.debug
nm -D --defined-only full | awk '{print $3}' | sort > dynamic
nm full --defined-only | awk '$2 ~ /[tT]/ {print $3}' | sort > functions
comm -13 dynamic functions > keep
objcopy -S --remove-section .gdb_index --remove-section .comment --keep-symbols=keep full.debug mini
xz --keep mini
# pack FILE: bin/prog with FILE as its .gnu_debugdata.
pack() { objcopy --add-section .gnu_debugdata="$1" stripped bin/prog; }
cp stripped bin/prog
check "stripped: exported functions only" same "$(names p.prof)" "[prog] shown main "
pack mini.xz
check "MiniDebugInfo" same "$(names p.prof)" "hidden shown main "
check "MiniDebugInfo: files says where" contains "$("$profrep" files p.prof)" " $PWD/bin/prog"
head -c $(($(stat -c %s mini.xz) / 2)) mini.xz > cut.xz
pack cut.xz
check "MiniDebugInfo that is cut short" same "$(names p.prof)" "[prog] shown main "
echo "no xz" > text
pack text
check "MiniDebugInfo that is none" same "$(names p.prof)" "[prog] shown main "
xz --stdout text > text.xz
pack text.xz
check "MiniDebugInfo without an ELF file" same "$(names p.prof)" "[prog] shown main "
{ cat mini; head -c 400M /dev/zero; } | xz --stdout -1 > bomb.xz
pack bomb.xz
# Room for the program and for a part of what would be unpacked. Sanitizers need more.
limit=250000
(ulimit -v $limit; "$profrep" --version) > /dev/null 2>&1 || limit=unlimited
check "MiniDebugInfo that is a bomb" same "$(ulimit -v $limit && names p.prof)" "[prog] shown main "
rm bin/prog

## The files that would help.
other=00112233445566778899
{
	echo "object p file $PWD/bin/prog $id"
	echo "object o file /nonexistent/a\\nb $other"
	echo "object n file /nonexistent/none -"
	echo "process p 7 1"
	echo "map p p 0x555500000000 0x10000 0"
	echo "map p o 0x556600000000 0x10000 0"
	echo "map p n 0x557700000000 0x10000 0"
	echo "count p prog 5 user p:0x1 o:0x1 o:0x2"
	echo "count p prog 3 user o:0x3"
	echo "count p prog 4 user n:0x3"
} | "$BUILD/tests/prof_make" > m.prof
cp stripped bin/prog
missing=$(printf '%s\t%s\n' "$other" '/nonexistent/a\x0ab' "$id" "$PWD/bin/prog" - /nonexistent/none)
check "missing: most samples first, each counted once" same "$("$profrep" missing m.prof)" "$missing"
cp full bin/prog
check "missing: no file that has its symbols" same "$("$profrep" missing m.prof | grep -c "$id")" 0
pack mini.xz
check "missing: a better file than MiniDebugInfo" same "$("$profrep" missing m.prof | grep -c "$id")" 1
rm bin/prog

## Several directories of debug files.
mkdir -p one/"$(dirname "$by_id")" two/"$(dirname "$by_id")"
check "no file" same "$(names p.prof)" "[prog] [prog] [prog] "
objcopy --strip-all full.debug one/"$by_id"
cp full.debug two/"$by_id"
cp stripped bin/prog
check "--debug-dir" same "$(names --debug-dir two p.prof)" "hidden shown main "
check "--debug-dir: the better of two files, last" same "$(names --debug-dir one --debug-dir two p.prof)" "hidden shown main "
check "--debug-dir: the better of two files, first" same "$(names --debug-dir two --debug-dir one p.prof)" "hidden shown main "
check "--debug-dir: without the binary" same "$(rm bin/prog; names --debug-dir one --debug-dir two p.prof)" "hidden shown main "
check "--debug-dir: files says which" contains "$("$profrep" files --debug-dir one --debug-dir two p.prof)" "$PWD/two/$by_id"
check "--debug-dir that is not there" fails 1 "$profrep" --debug-dir nosuch p.prof
many=()
for ((i = 0; i < 17; i++)); do many+=(--debug-dir one); done
check "--debug-dir 17 times" fails 2 "$profrep" "${many[@]}" p.prof
# By the debug link, in the directory of the binary's name.
objcopy --add-gnu-debuglink=full.debug stripped bin/prog
mkdir -p "three$PWD/bin"
mv full.debug "three$PWD/bin"
check "--debug-dir: by the debug link" same "$(names --debug-dir three p.prof)" "hidden shown main "

## The better of two binaries.
mkdir -p "root$PWD/bin"
cp stripped "root$PWD/bin/prog"
cp full bin/prog
check "the binary under --symfs is stripped, another is not" same "$(names --symfs root p.prof)" "hidden shown main "
mv "root$PWD/bin/prog" bin/stripped && mv bin/prog "root$PWD/bin/prog" && mv bin/stripped bin/prog
check "the binary at its path is stripped, another is not" same "$(names --symfs root p.prof)" "hidden shown main "
plan_end
