#!/usr/bin/env bash
# Names from real ELF files: a compiled program, stripped, split, moved; recordings of it are made,
# its addresses taken from nm. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
for tool in gcc g++ nm objcopy readelf strip; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
cd "$dir" || exit 1

cat > prog.cc <<'CC'
namespace space {
struct thing { __attribute__((noinline)) int method(int x); };
int thing::method(int x) { asm volatile("nop;nop;nop;nop"); return x + 1; }
}
extern "C" __attribute__((noinline)) int plain(int x) { space::thing t; return t.method(x) + 2; }
int main(int argc, char **) { return plain(argc); }
CC

# build_id FILE
build_id() { readelf -n "$1" | sed -n 's/.*Build ID: //p'; }

# make_recording BINARY PATH ID: frames in the middle of method, plain and main, the binary mapped
# as the kernel does, recorded at PATH with ID.
make_recording()
{
	local binary=$1 path=$2 id=$3
	# offset, vaddr and size of the executable segment
	read -r off vaddr size < <(readelf -lW "$binary" | awk '$1 == "LOAD" && /R E/ {print $2, $3, $6; exit}')
	local page=$((off & ~0xfff)) frames="" name address
	for name in _ZN5space5thing6methodEi plain main; do
		address=$(nm "$binary" | awk -v n="$name" '$3 == n {print $1; exit}')
		frames="$frames p:$((0x$address - vaddr + off + 5))"
	done
	"$BUILD/tests/prof_make" <<-TEXT
		object p file $path $id
		process p 7 1
		map p p 0x555500000000 $(((size + off - page + 4095) & ~4095)) $page
		count p prog 1 user$frames
	TEXT
}

want="prog;main;plain;space::thing::method(int) 1"
unknown="prog;[unknown];[unknown];[unknown] 1"
# dso FILE.prof [OPTION...]: where "profrep files" says that the program's symbols came from.
dso() { "$profrep" files "$@" | awk 'NR == 2 {for (i = 9; i <= NF; i++) printf "%s%s", $i, i < NF ? " " : "\n"}'; }

for linker in bfd gold lld; do
	if ! g++ -g -O1 -Wl,--build-id -fuse-ld=$linker -o prog.$linker prog.cc 2> /dev/null; then
		skip "$linker: names" "no linker $linker"
		continue
	fi
	make_recording prog.$linker "$dir/prog.$linker" "$(build_id prog.$linker)" > p.prof
	check "$linker: names from .symtab" same "$("$profrep" -f p.prof)" "$want"
	check "$linker: offsets" same "$("$profrep" -f -s p.prof)" \
		"prog;main+0x5;plain+0x5;space::thing::method(int)+0x5 1"
	objcopy --only-keep-debug prog.$linker prog.$linker.debug
	id=$(build_id prog.$linker)
	mkdir -p debug/.build-id/"${id:0:2}"
	cp prog.$linker.debug debug/.build-id/"${id:0:2}/${id:2}.debug"
	make_recording prog.$linker /nonexistent/prog "$id" > gone.prof
	check "$linker: no file" same "$("$profrep" -f gone.prof)" "$unknown"
	check "$linker: no file, said why" same "$(dso gone.prof)" "file not found"
	check "$linker: a debug file without its binary" same "$("$profrep" -f --symfs debug gone.prof)" "$want"
	mv prog.$linker full
	strip -o prog.$linker full
	check "$linker: stripped" contains "$("$profrep" -f p.prof)" "prog;"
	check "$linker: stripped, with its debug file" same "$("$profrep" -f --symfs debug p.prof)" "$want"
	objcopy --add-gnu-debuglink=prog.$linker.debug prog.$linker
	check "$linker: stripped, with a debug link" same "$("$profrep" -f p.prof)" "$want"
	check "$linker: both files are named" same "$(dso p.prof)" \
		"$dir/prog.$linker.debug (debug information), $dir/prog.$linker (.dynsym)"
	rm prog.$linker.debug
	mv full prog.$linker
done

if command -v eu-strip > /dev/null && [ -e prog.bfd ]; then
	eu-strip -f eu.debug -o eu.stripped prog.bfd
	id=$(build_id prog.bfd)
	mkdir -p eu/.build-id/"${id:0:2}"
	cp eu.debug eu/.build-id/"${id:0:2}/${id:2}.debug"
	make_recording prog.bfd /nonexistent/prog "$id" > gone.prof
	check "eu-strip: a debug file without its binary" same "$("$profrep" -f --symfs eu gone.prof)" "$want"
else
	skip "eu-strip: a debug file without its binary" "no eu-strip"
fi

g++ -g -O1 -Wl,--build-id=none -o noid prog.cc
make_recording noid "$dir/noid" - > noid.prof
check "no build-id: the file at the recorded path" same "$("$profrep" -f noid.prof)" "$want"
make_recording noid "$dir/noid" 00112233445566778899 > other.prof
check "another build-id: not used" same "$("$profrep" -f other.prof)" "$unknown"
check "another build-id: said why" same "$(dso other.prof)" "file has another build-id"
g++ -g -O1 -Wl,--build-id -o noid prog.cc
check "no build-id recorded, but the file has one: not used" same "$("$profrep" -f noid.prof)" "$unknown"
sed -i '1!d' prog.cc
make_recording prog.bfd "$dir/prog.cc" "$(build_id prog.bfd)" > text.prof
check "no ELF file" same "$(dso text.prof)" "file not readable"
rm -f fifo && mkfifo fifo
make_recording prog.bfd "$dir/fifo" "$(build_id prog.bfd)" > fifo.prof
check "a FIFO" same "$(timeout 100 "$profrep" -f fifo.prof)" "$unknown"

mkdir -p root/usr/bin
cp prog.bfd root/usr/bin/prog
make_recording prog.bfd /bin/prog-by-link "$(build_id prog.bfd)" > link.prof
ln -s usr/bin root/bin
ln -s /usr/bin/prog root/usr/bin/prog-by-link
check "--symfs: links are taken within the directory" same "$("$profrep" -f --symfs root link.prof)" "$want"
mkdir empty
make_recording prog.bfd /../prog.bfd "$(build_id prog.bfd)" > up.prof
check "--symfs: .. stays within the directory" same "$("$profrep" -f --symfs empty up.prof)" "$unknown"
check "--symfs: .. at the top is the top" same "$(cp prog.bfd empty; "$profrep" -f --symfs empty up.prof)" "$want"

if command -v rustc > /dev/null; then
	cat > r.rs <<-'RS'
		mod inner { #[inline(never)] pub fn work(x: u64) -> u64 { unsafe { std::ptr::read_volatile(&x) + 1 } } }
		fn main() { std::process::exit(inner::work(std::env::args().count() as u64) as i32) }
	RS
	for mangling in legacy v0; do
		option="-C symbol-mangling-version=v0"
		[ $mangling = legacy ] && option=
		# shellcheck disable=SC2086 # words are meant
		if ! rustc -C opt-level=1 $option -C link-arg=-Wl,--build-id -o r.$mangling r.rs 2> r.err; then
			skip "Rust, $mangling" "rustc: $(head -n 1 r.err)"
			continue
		fi
		address=$(nm r.$mangling | awk '/inner.*work/ {print $1; exit}')
		read -r off vaddr < <(readelf -lW r.$mangling | awk '$1 == "LOAD" && /R E/ {print $2, $3; exit}')
		"$BUILD/tests/prof_make" > r.prof <<-TEXT
			object p file $dir/r.$mangling $(build_id r.$mangling)
			process p 7 1
			map p p 0x555500000000 0x100000 0
			count p r 1 user p:$((0x$address - vaddr + off))
		TEXT
		check "Rust, $mangling" same "$("$profrep" -f r.prof)" "r;r::inner::work 1"
	done
else
	skip "Rust" "no rustc"
fi
plan_end
