#!/usr/bin/env bash
# Frames find their files and functions, also of processes and files that were short-lived, exec'ed, unloaded, deleted
# or moved. Programs take known numbers of page faults, each of which is a sample.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_bpf
TEST_CFLAGS="${TEST_CFLAGS:-} -DBURN_FAULTS"

# record NAME OPTION...: each page fault, to NAME.prof, and folded to NAME.folded.
record()
{
	"$profrec" -q -U -e page-faults -o "$dir/$1.prof" "${@:2}"
	fold "$1"
}
fold() { "$profrep" -f -P "${@:2}" "$dir/$1.prof" > "$dir/$1.folded"; }
# samples NAME REGEX: how many of the samples match. Of a process that has begun just now, callers may be missing.
samples() { sum_samples "$2" < "$dir/$1.folded"; }

## Processes that live for a moment.
build "$dir/short" short.c
record short -- bash -c "for i in \$(seq 50); do $dir/short 10; done"
check "fifty brief processes: they have names and functions" same "$(samples short '^short;(.*;)?burn_shortly ')" 500
check "fifty brief processes: all of them are there" same \
	"$("$profrep" "$dir/short.prof" | grep -o 'short ([0-9]*)' | sort -u | wc -l)" 50

## The same process id, before and after an exec.
build "$dir/reexec" reexec.c
record exec -- "$dir/reexec" "$dir/short" 300
check "an exec: the image before it" same "$(samples exec '^reexec;(.*;)?before_exec ')" 300
check "an exec: the image after it" same "$(samples exec '^short;(.*;)?burn_shortly ')" 300

## Libraries that come and go at the same addresses.
for name in plug_one plug_two plug_big; do
	build "$dir/lib$name.so" plugin.c -shared -fPIC -DPLUGIN=$name
done
build "$dir/libplug_big.so" plugin.c -shared -fPIC -DPLUGIN=plug_big -DPADDING
build "$dir/loader" loader.c -ldl
record dl -- "$dir/loader" "$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two"
# Those of one size are at one address, and share the samples by time.
check "dlopen, dlclose: two libraries of one size" same "$(samples dl ';plug_(one|two) ')" 600
record dl -- "$dir/loader" "$dir/libplug_one.so:plug_one" "$dir/libplug_big.so:plug_big"
check "dlopen, dlclose: of another size, the first" same "$(samples dl ';plug_one ')" 300
check "dlopen, dlclose: of another size" same "$(samples dl ';plug_big ')" 300

## A binary that is deleted while it runs: by the time of the report only a copy elsewhere is left.
mkdir -p "$dir/gone" "$dir/symfs$dir/gone"
cp "$dir/short" "$dir/gone/vanished"
cp "$dir/short" "$dir/symfs$dir/gone/vanished"
begin_recording -U --no-names -e page-faults --follow -p $$ -o "$dir/gone.prof"
"$dir/gone/vanished" 1000000000 &
begun $! vanished
rm "$dir/gone/vanished"
run_for 5 $!
kill $!
end_recording
fold gone
check "deleted: its samples are there" above "$(samples gone '^vanished;')" 0
check "deleted: without the file, unknown" same "$(samples gone '^vanished;.*burn_shortly')" 0
check "deleted: files says why" contains "$("$profrep" files "$dir/gone.prof" | grep vanished)" "file not found"
fold gone --symfs "$dir/symfs"
check "deleted: a file of the same build-id under --symfs does" above "$(samples gone '^vanished;(.*;)?burn_shortly ')" 0
# It was running, and deleted, before the recording began.
cp "$dir/short" "$dir/gone/vanished"
"$dir/gone/vanished" 1000000000 &
pid=$!
begun $pid vanished
rm "$dir/gone/vanished"
record_while 5 $pid -U --no-names -e page-faults -p $pid -o "$dir/gone.prof"
kill $pid
fold gone --symfs "$dir/symfs"
check "deleted before the recording: a file of the same build-id under --symfs does" above \
	"$(samples gone '^vanished;.*;main;burn_shortly ')" 0

## Another file of the same name is not used.
mkdir -p "$dir/other$dir/gone"
build "$dir/other$dir/gone/vanished" short.c -DOTHER -g
check "a file of another build-id is not used, and that is said" contains \
	"$("$profrep" files --symfs "$dir/other" "$dir/gone.prof" | grep vanished)" "build-id"

## A compiler driver: four programs, each started ten times.
if command -v gcc > /dev/null && command -v as > /dev/null; then
	echo 'int f(int x) { return x * 2; }' > "$dir/x.c"
	record gcc -- bash -c "for i in \$(seq 10); do gcc -c -o $dir/x.o $dir/x.c; done"
	# The leaf is where the CPU was: if its mapping is not known, a mapping is missing. These programs have no frame
	# pointers, so the frame above a leaf often is no code at all.
	unmapped=$("$profrep" -U -f -m "$dir/gcc.prof" | awk '/^(gcc|cc1|as|ld|collect2);/ {
		n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); t += n; if (f[k] == "[unknown]") m += n
	} END {printf "%d", t ? 1000 * m / t : 1000}')
	check "gcc ten times: below 2 % of the samples lack their mapping (per mille: $unmapped)" \
		at_most "$unmapped" 19
else
	skip "gcc ten times" "gcc is not installed"
fi

## A machine that has none of the host's files.
if has_root "away"; then
	root=$dir/chroot
	mkdir -p "$root/own"
	cp "$profrep" "$dir/short.prof" "$root/own/"
	ldd "$profrep" | grep -o '/[^ ]*' | xargs -I{} cp {} "$root/own/"
	loader=$(basename "$(ldd "$profrep" | grep -o '/[^ ]*ld-linux[^ ]*')")
	"$profrec" -q --no-names -e page-faults -o "$root/own/host.prof" -- dd if=/dev/zero of=/dev/null bs=256k count=1 status=none
	away() { chroot "$root" "/own/$loader" --library-path /own /own/profrep "$@"; }
	away -f /own/host.prof > "$dir/away.folded"
	"$profrep" -f "$root/own/host.prof" > "$dir/here.folded"
	check "away: kernel frames resolve as here" same \
		"$(away -K -f /own/host.prof | sort | cksum)" "$("$profrep" -K -f "$root/own/host.prof" | sort | cksum)"
	if [ "$(info "$root/own/host.prof" "kernel")" ] && grep -q 'entry_SYSCALL_64' "$dir/here.folded"; then
		check "away: the kernel's entry is named" contains "$(cat "$dir/away.folded")" "entry_SYSCALL_64_after_hwframe"
	fi
	check "away: user frames say why they do not resolve" contains "$(away files /own/host.prof)" "file not found"
	libc=$(away files /own/host.prof | grep -o '/[^ ]*libc\.so\.6' | head -n 1)
	mkdir -p "$root/symfs$(dirname "$libc")"
	cp "$libc" "$root/symfs$libc"
	check "away: user frames resolve with --symfs" contains "$(away -f --symfs /symfs /own/host.prof)" "read"
fi

## Names that mean harm.
hostile=$dir/$'p\033[2J;\nath'
mkdir -p "$hostile"
build "$hostile/hostile" hostile.c
# No assembler takes such a symbol. So the test writes it over a harmless symbol of equal length.
perl -pi -e 's/symbol_of_byte/bad\x1b[31m;sym\n\xff/g' "$hostile/hostile"
record hostile -- "$hostile/hostile"
for mode in "" -f "-f -m" -v files info; do
	# shellcheck disable=SC2086
	"$profrep" $mode "$dir/hostile.prof" > "$dir/hostile.out"
	check "hostile names, profrep $mode: nothing raw gets out" \
		fails 1 grep -aqP '[\x00-\x08\x0b-\x1f\x7f\xff]' "$dir/hostile.out"
done
check "hostile names: a folded line stays one stack" same "$(grep -vcE '^[^;]+(;[^;]+)* [0-9]+$' "$dir/hostile.folded")" 0
check "hostile names: the symbol is escaped" contains "$(cat "$dir/hostile.folded")" 'bad\x1b[31m\x3bsym\x0a\xff'
check "hostile names: the thread's name is escaped" contains "$(cat "$dir/hostile.folded")" \
	'co\x1b]0\x3bx\x07\x0am\x3b\xff;'
plan_end
