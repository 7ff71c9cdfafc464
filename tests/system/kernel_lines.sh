#!/usr/bin/env bash
# Inlined functions and lines of the kernel and of its modules, from vmlinux and .ko with debug information, wherever
# the kernel of the recorded host was (KASLR). TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/tap.sh
. ./tap.sh
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
check "as Debian puts them, in another root" same "$(names --symfs root k.prof)" "$all"

place vmlinux debug/lib/modules/$release/vmlinux
place my-mod.ko debug/lib/modules/$release/extra/my-mod.ko.debug
check "in a directory of debug files" same "$(names --debug-dir debug k.prof)" "$all"

place vmlinux built/lib/modules/$release/build/vmlinux
place my-mod.ko built/lib/modules/$release/kernel/my-mod.ko
check "as they were built, in another root" same "$(names --symfs built k.prof)" "$all"

for file in vmlinux my-mod.ko; do
	id=$(build_id $file)
	place $file "ids/.build-id/${id:0:2}/${id:2}.debug"
	objcopy --only-keep-debug $file "debug-$file"
	place "debug-$file" "apart/.build-id/${id:0:2}/${id:2}.debug"
done
check "by their build-ids" same "$(names --debug-dir ids k.prof)" "$all"
check "debug information apart from the code" same "$(names --debug-dir apart k.prof)" "$all"
check "packed into the recording" same "$("$profrep" pack -i --lines --debug-dir ids -o packed.prof k.prof && names packed.prof)" "$all"

## Files that do not fit.
mkdir -p other/boot
gcc "${kernel[@]}" -nostdlib -static -no-pie -Wl,--build-id=0x1234 -Wl,-Ttext=$linked -o other/boot/vmlinux-$release src/kernel.c 2> build.log
check "another build-id is another kernel" same "$(names --symfs other k.prof)" "$none"
record moved.prof $((after + 64))
check "a module that the kernel laid out otherwise keeps its names alone" same "$(names --debug-dir ids moved.prof)" \
	"outer src/kernel.c:10_[k];inner src/kernel.c:5_[k] 1 first_[k] 2 later_[k] 3 "
plan_end
