#!/usr/bin/env bash
# Frames find their files and functions, also of processes and files that were short-lived, exec'ed, unloaded, deleted
# or moved.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

## Processes that live for ten milliseconds.
build "$dir/short" short.c
"$profrec" -q -U -F 999 -o "$dir/short.prof" -- bash -c "for i in \$(seq 50); do $dir/short 10; done"
"$profrep" -f "$dir/short.prof" > "$dir/short.folded"
check "fifty processes of 10 ms: they have names and functions" mostly "$dir/short.folded" short ';burn_shortly'
check "fifty processes of 10 ms: half of them are there" at_least \
	"$("$profrep" "$dir/short.prof" | grep -o 'short ([0-9]*)' | sort -u | wc -l)" 25

## The same process id, before and after an exec.
build "$dir/reexec" reexec.c
"$profrec" -q -U -F 999 -o "$dir/exec.prof" -- "$dir/reexec" "$dir/short" 300
"$profrep" -f "$dir/exec.prof" > "$dir/exec.folded"
check "an exec: the image before it" mostly "$dir/exec.folded" reexec ';before_exec'
check "an exec: the image after it" mostly "$dir/exec.folded" short ';burn_shortly'

## Libraries that come and go at the same addresses.
for name in plug_one plug_two plug_big; do
	build "$dir/lib$name.so" plugin.c -shared -fPIC -DPLUGIN=$name
done
build "$dir/libplug_big.so" plugin.c -shared -fPIC -DPLUGIN=plug_big -DPADDING
build "$dir/loader" loader.c -ldl
"$profrec" -q -U -F 999 -o "$dir/dl.prof" -- "$dir/loader" "$dir/libplug_one.so:plug_one" "$dir/libplug_two.so:plug_two"
"$profrep" -f "$dir/dl.prof" > "$dir/dl.folded"
check "dlopen, dlclose: the first library" mostly "$dir/dl.folded" loader ';plug_one[ ;]' 25
check "dlopen, dlclose: the second library, of the same size" mostly "$dir/dl.folded" loader ';plug_two[ ;]' 25
"$profrec" -q -U -F 999 -o "$dir/dl.prof" -- "$dir/loader" "$dir/libplug_one.so:plug_one" "$dir/libplug_big.so:plug_big"
"$profrep" -f "$dir/dl.prof" > "$dir/dl.folded"
check "dlopen, dlclose: of another size" mostly "$dir/dl.folded" loader ';plug_big[ ;]' 25
check "dlopen, dlclose: of another size, the first" mostly "$dir/dl.folded" loader ';plug_one[ ;]' 25

## A binary that is deleted while it runs: by the time of the report only a copy elsewhere is left.
mkdir -p "$dir/gone" "$dir/symfs$dir/gone"
cp "$dir/short" "$dir/gone/vanished"
cp "$dir/short" "$dir/symfs$dir/gone/vanished"
"$profrec" -q -U --no-names -F 999 -o "$dir/gone.prof" -- bash -c "$dir/gone/vanished 300 &
	for i in \$(seq 1000); do grep -q vanished /proc/\$!/maps && break; sleep 0.01; done; rm $dir/gone/vanished; wait"
"$profrep" -f "$dir/gone.prof" > "$dir/gone.folded"
check "deleted: without the file, unknown" same "$(sum_samples '^vanished;.*burn_shortly' < "$dir/gone.folded")" 0
check "deleted: files says why" contains "$("$profrep" files "$dir/gone.prof" | grep vanished)" "file not found"
"$profrep" -f --symfs "$dir/symfs" "$dir/gone.prof" > "$dir/gone.folded"
check "deleted: a file of the same build-id under --symfs does" mostly "$dir/gone.folded" vanished ';burn_shortly'
# It was running, and deleted, before the recording began.
cp "$dir/short" "$dir/gone/vanished"
"$dir/gone/vanished" 600000 &
wait_for has_text vanished "/proc/$!/maps"
rm "$dir/gone/vanished"
"$profrec" -q -U --no-names -F 999 -p $! -o "$dir/gone.prof" 1
kill $!
"$profrep" -f --symfs "$dir/symfs" "$dir/gone.prof" > "$dir/gone.folded"
check "deleted before the recording: a file of the same build-id under --symfs does" \
	mostly "$dir/gone.folded" vanished ';burn_shortly'

## Another file of the same name is not used.
mkdir -p "$dir/other$dir/gone"
build "$dir/other$dir/gone/vanished" short.c -DOTHER -g
check "a file of another build-id is not used, and that is said" contains \
	"$("$profrep" files --symfs "$dir/other" "$dir/gone.prof" | grep vanished)" "build-id"

## A compiler driver: four programs, each started four hundred times.
if command -v gcc > /dev/null && command -v as > /dev/null; then
	echo 'int f(int x) { return x * 2; }' > "$dir/x.c"
	"$profrec" -q -F 999 -o "$dir/gcc.prof" -- \
		bash -c "for i in \$(seq 400); do gcc -c -o $dir/x.o $dir/x.c; done"
	"$profrep" -v "$dir/gcc.prof" > "$dir/gcc.txt"
	# The leaf is where the CPU was: if its mapping is not known, a mapping is missing. These programs have no frame
	# pointers, so the frame above a leaf often is no code at all.
	unmapped=$("$profrep" -U -f -m "$dir/gcc.prof" | awk '/^(gcc|cc1|as|ld|collect2);/ {
		n = $NF; sub(/ [0-9]+$/, ""); k = split($0, f, ";"); t += n; if (f[k] == "[unknown]") m += n
	} END {printf "%d", t ? 1000 * m / t : 1000}')
	check "gcc 400 times: below 2 % of the samples lack their mapping (per mille: $unmapped)" \
		at_most "$unmapped" 19
else
	skip "gcc 400 times" "gcc is not installed"
fi

## A machine that has none of the host's files.
if has_root "away"; then
	root=$dir/chroot
	mkdir -p "$root/own"
	cp "$profrep" "$dir/short.prof" "$root/own/"
	ldd "$profrep" | grep -o '/[^ ]*' | xargs -I{} cp {} "$root/own/"
	loader=$(basename "$(ldd "$profrep" | grep -o '/[^ ]*ld-linux[^ ]*')")
	"$workloads/func_ab" &
	"$profrec" -q --no-names -F 999 -o "$root/own/host.prof" -- timeout 1 dd if=/dev/zero of=/dev/null bs=64k 2> /dev/null
	kill $!
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
"$profrec" -q -U -F 999 -o "$dir/hostile.prof" -- "$hostile/hostile"
for mode in "" -f "-f -m" -v files info; do
	# shellcheck disable=SC2086
	"$profrep" $mode "$dir/hostile.prof" > "$dir/hostile.out"
	check "hostile names, profrep $mode: nothing raw gets out" \
		fails 1 grep -aqP '[\x00-\x08\x0b-\x1f\x7f\xff]' "$dir/hostile.out"
done
"$profrep" -f "$dir/hostile.prof" > "$dir/hostile.out"
check "hostile names: a folded line stays one stack" same "$(grep -vcE '^[^;]+(;[^;]+)* [0-9]+$' "$dir/hostile.out")" 0
check "hostile names: the symbol is escaped" contains "$(cat "$dir/hostile.out")" 'bad\x1b[31m\x3bsym\x0a\xff'
check "hostile names: the thread's name is escaped" contains "$(cat "$dir/hostile.out")" 'co\x1b]0\x3bx\x07\x0am\x3b\xff;'
plan_end
