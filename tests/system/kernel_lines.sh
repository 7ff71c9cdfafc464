#!/usr/bin/env bash
# Inlined functions and lines of the kernel and of its modules, from vmlinux and .ko with debug information, wherever
# the kernel of the recorded host was (KASLR). TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
for tool in gcc ld nm objcopy readelf; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
cd "$dir" || exit 1
release=6.1.0-test
linked=0xffffffff81000000
placed=0xffffffff9a400000
loaded=0xffffffffc0a3d000

mkdir src
cat > src/kernel.c <<'C'
#define TEXT(name) #name
#define LABEL(name) ".globl " TEXT(name) "\n" TEXT(name) ":"
static inline __attribute__((always_inline)) int inner(int x)
{
	__asm__ volatile(LABEL(HERE) "nop; nop; nop; nop");
	return x + 1;
}
__attribute__((noinline)) int OUTER(int x)
{
	return inner(x) * 2;
}
C
kernel=(-O2 -g -fno-pic -mcmodel=kernel -fcf-protection=none -DHERE=here -DOUTER=outer)
gcc "${kernel[@]}" -nostdlib -static -no-pie -Wl,--build-id,-e,outer,-z,norelro -Wl,-Ttext=$linked,--defsym=_stext=$linked \
	-o vmlinux src/kernel.c 2> build.log || skip_all "no kernel can be linked: $(head -n 1 build.log)"

# A module has code in several sections, and some that goes away after the start.
# part FUNCTION SECTION
part()
{
	gcc "${kernel[@]}" -ffunction-sections -UHERE -UOUTER "-DHERE=$1_here" "-DOUTER=$1" -c -o "$1.o" src/kernel.c &&
		objcopy --rename-section ".text.$1=$2" "$1.o" && objcopy --set-section-alignment "$2=32" "$1.o"
}
part start .init.text && part first .text.first && part later .text.unlikely || exit 1
ld -r --build-id -o my-mod.ko start.o first.o later.o || exit 1

build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
address() { nm "$1" | awk -v name="$2" '$3 == name {print "0x" $1}'; }
# The kernel puts the section of "later" directly after that of "first", at the next address of its alignment.
size=$((0x$(readelf -SW my-mod.ko | sed 's/\[ */[/' | awk '$2 == ".text.first" {print $6}')))
after=$(((size + 31) / 32 * 32))

# record RECORDING LATER: frames in the kernel and in both sections of the module; "later" is LATER bytes after the load address.
record()
{
	local outer here first first_here later_here
	outer=$(($(address vmlinux outer) - linked))
	here=$(($(address vmlinux here) + 1 - linked))
	first=$(($(address my-mod.ko first)))
	first_here=$(($(address my-mod.ko first_here) + 1))
	later_here=$(($(address my-mod.ko later_here) - $(address my-mod.ko later) + 1 + $2))
	{
		echo "meta kernel_release $release"
		echo "object k kernel [kernel] $(build_id vmlinux)"
		echo "object m module [my_mod] $(build_id my-mod.ko)"
		echo "process p 7 1"
		echo "map kernel k $placed 0 0"
		echo "map kernel m $loaded 0x3000 0"
		echo "sym k $outer 32 outer"
		echo "sym m $first 32 first"
		echo "sym m $2 32 later"
		echo "count p prog 1 kernel k:$here"
		echo "count p prog 2 kernel m:$first_here"
		echo "count p prog 3 kernel m:$later_here"
	} | "$BUILD/tests/prof_make" > "$1"
}
record k.prof $after

names() { "$profrep" -f -a -i --lines "$@" | sed -E 's/^prog;//' | tr '\n' ' '; }
all="outer src/kernel.c:10_[k];inner src/kernel.c:5_[k] 1 first src/kernel.c:10_[k];inner src/kernel.c:5_[k] 2 later src/kernel.c:10_[k];inner src/kernel.c:5_[k] 3 "
none="outer_[k] 1 first_[k] 2 later_[k] 3 "
check "without files there are the names of the recording" same "$(names k.prof)" "$none"

# place FILE PATH
place() { mkdir -p "$(dirname "$2")" && cp "$1" "$2"; }
place vmlinux root/usr/lib/debug/boot/vmlinux-$release
place my-mod.ko root/usr/lib/debug/lib/modules/$release/kernel/drivers/my-mod.ko
check "files as Debian puts them, in another root" same "$(names --symfs root k.prof)" "$all"

place vmlinux debug/lib/modules/$release/vmlinux
place my-mod.ko debug/lib/modules/$release/extra/my-mod.ko.debug
check "files in a directory of debug files" same "$(names --debug-dir debug k.prof)" "$all"

place vmlinux built/lib/modules/$release/build/vmlinux
place my-mod.ko built/lib/modules/$release/kernel/my-mod.ko
check "files as they were built, in another root" same "$(names --symfs built k.prof)" "$all"

for file in vmlinux my-mod.ko; do
	id=$(build_id $file)
	place $file "ids/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --only-keep-debug $file "debug-$file"
	place "debug-$file" "apart/.build-id/${id:0:2}/${id:2}.debug"
done
check "files by their build-ids" same "$(names --debug-dir ids k.prof)" "$all"
check "debug information apart from the code" same "$(names --debug-dir apart k.prof)" "$all"
check "lines packed into the recording" same "$("$profrep" pack -i --lines --debug-dir ids -o packed.prof k.prof && names packed.prof)" "$all"

## What a script should fetch.
ids=$(build_id vmlinux):$(build_id my-mod.ko)
missing() { "$profrep" missing "$@" k.prof | tr '\t\n' '  '; }
check "missing: names of the kernel are in the recording" same "$(missing)" ""
check "missing: files with lines" same "$(missing -i)" \
	"${ids#*:} /usr/lib/debug/lib/modules/$release/my_mod.ko ${ids%:*} /usr/lib/debug/boot/vmlinux-$release "
check "missing: no files that are there" same "$(missing --lines --debug-dir ids)" ""

## Compressed modules, as distributions have them.
image=$("$profrep" -f -a -i --lines --debug-dir ids k.prof | head -n 1 | sed 's/^prog;//')
for kind in xz zst gz; do
	case $kind in
		xz) pack=(xz -c) ;;
		zst) pack=(zstd -q -c) ;;
		gz) pack=(gzip -c) ;;
	esac
	if ! command -v "${pack[0]}" > /dev/null; then
		skip "a module packed by ${pack[0]}" "no ${pack[0]}"
		continue
	fi
	at=packed-$kind/lib/modules/$release/kernel
	mkdir -p "$at" && cp vmlinux "packed-$kind/lib/modules/$release/vmlinux" && "${pack[@]}" my-mod.ko > "$at/my-mod.ko.$kind"
	check "a module packed by ${pack[0]}" same "$(names --symfs "packed-$kind" k.prof)" "$all"
	{
		head -c 1000 my-mod.ko | "${pack[@]}"
		tail -c +1001 my-mod.ko | "${pack[@]}"
	} > "$at/my-mod.ko.$kind"
	check "two streams of ${pack[0]}" same "$(names --symfs "packed-$kind" k.prof)" "$all"
	head -c -20 "$at/my-mod.ko.$kind" > short && mv short "$at/my-mod.ko.$kind"
	check "a packed module that is cut short: ${pack[0]}" \
		same "$(names --symfs "packed-$kind" k.prof)" "$image first_[k] 2 later_[k] 3 "
	[ $kind = xz ] && continue # packs 600 MB too slowly
	# Zeros after the ELF file do not change it, but it is too large.
	{
		cat my-mod.ko
		head -c 600M /dev/zero
	} | "${pack[@]}" -1 > "$at/my-mod.ko.$kind"
	check "a packed module that is a bomb: ${pack[0]}" \
		same "$(names --symfs "packed-$kind" k.prof)" "$image first_[k] 2 later_[k] 3 "
done
mkdir -p plain/lib/modules/$release && cp my-mod.ko plain/lib/modules/$release/my-mod.ko.xz
check "a name that lies" same "$(names --symfs plain k.prof)" "$none"

## From servers, by build-id.
unset http_proxy HTTP_PROXY https_proxy all_proxy ALL_PROXY
export HOME=$PWD XDG_CACHE_HOME=$PWD/xdg DEBUGINFOD_CACHE_PATH=$PWD/cache
has_file() { python3 -c "import urllib.request as r; r.urlopen('$DEBUGINFOD_URLS/buildid/$1')"; }
has_files() { has_file "${ids%:*}/debuginfo" && has_file "${ids#*:}/debuginfo"; }
if ! command -v debuginfod > /dev/null || ! command -v debuginfod-find > /dev/null || ! command -v python3 > /dev/null; then
	skip "the kernel's files from debuginfod" "no debuginfod"
else
	mkdir served && cp vmlinux my-mod.ko served
	port=$(free_port)
	# A server asks the servers of its environment for what it has not.
	env -u DEBUGINFOD_URLS debuginfod -p "$port" -d :memory: -F served > server.log 2>&1 &
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	check "Debian's server has the kernel's files" wait_for has_files
	check "Debian's server is not asked without --debuginfod" same "$(names k.prof)" "$none"
	check "the kernel's files from debuginfod" same "$(names --debuginfod k.prof)" "$all"
	check "missing: with the server" same "$(missing -i --debuginfod)" ""
	check "packed from debuginfod" "$profrep" pack -i --debuginfod -o fetched.prof k.prof
	check "packed from debuginfod: the lines" same "$(names fetched.prof)" "$all"
	check "packed from debuginfod: files says so" contains "$("$profrep" files fetched.prof)" \
		"in the recording (from $PWD/cache/${ids%:*}/debuginfo by debuginfod: debug information)"
fi

## Files that do not fit.
mkdir -p other/boot
gcc "${kernel[@]}" -nostdlib -static -no-pie -Wl,--build-id=0x1234 -Wl,-Ttext=$linked -o other/boot/vmlinux-$release src/kernel.c 2> build.log
check "another build-id is another kernel" same "$(names --symfs other k.prof)" "$none"
record moved.prof $((after + 64))
check "a module that the kernel laid out otherwise keeps its names alone" same "$(names --debug-dir ids moved.prof)" \
	"outer src/kernel.c:10_[k];inner src/kernel.c:5_[k] 1 first_[k] 2 later_[k] 3 "
plan_end
