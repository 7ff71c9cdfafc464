#!/usr/bin/env bash
# The files whose functions are probed: libraries that come, go and hide, names that are elsewhere, and functions that
# are hard to probe.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
# shellcheck source=tests/lib/targets.sh
. tests/lib/targets.sh
own_mounts "$@"
need_bpf

build "$dir/calls" calls.c -ldl
mkdir "$dir/lib" && build "$dir/lib/libplugin.so" calls.c -shared -fPIC

## Libraries and programs that come and go.
record loaded -e "$dir/lib/libplugin.so:plugged" -- "$dir/calls" load 700 "$dir/lib/libplugin.so"
check "a library that is loaded after the start" same "$(hits loaded ';plugged ')" 700
cp "$dir/calls" "$dir/gone"
target "$dir/gone" 400
rm "$dir/gone"
trace gone -e gone:own_function
finish
check "a program that was deleted" same "$(info "$dir/gone.prof" "hits counted")" 2400

## A program in a mount namespace where its path means another file.
if [ -n "$has_mounts" ]; then
	mkdir "$dir/place" && cp /bin/true "$dir/place/inside"
	target unshare --mount bash -c 'mount -t tmpfs none "$1" && cp "$2" "$1/inside" && exec "$1/inside" "$3" "$4"' \
		inside "$dir/place" "$dir/calls" 300
	trace inside -e "inside:own_function" -e "$dir/place/inside:three"
	finish
	check "a program in another mount namespace, by its name" same "$(info "$dir/inside.prof" "hits counted")" 2700
	check "a program in another mount namespace, by its path there" \
		same "$("$profrep" info "$dir/inside.prof" | grep -c "hits: *900 taken, 900 counted")" 1
	refused "a program in another mount namespace: its path means another file here" \
		"no function matches in '$dir/place/inside'" -e "$dir/place/inside:three"
else
	skip "a program in another mount namespace" "no mount namespace can be made here"
fi

## Names that the file itself lacks.
strip -o "$dir/stripped" "$dir/calls"
refused "a stripped program has no name for its function" "without debug symbols" -e "$dir/stripped:own_function"
id=$(readelf -n "$dir/calls" | sed -n 's/.*Build ID: //p')
if [ -n "$has_mounts" ] && [ -n "$id" ]; then
	mkdir -p /usr/lib/debug && mount -t tmpfs none /usr/lib/debug
	mkdir -p "/usr/lib/debug/.build-id/${id:0:2}"
	objcopy --only-keep-debug "$dir/calls" "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	begin debug "$dir/stripped" 200 -e "$dir/stripped:own_function"
	finish
	check "names of a debug file, by its build-id" same "$(info "$dir/debug.prof" "hits counted")" 1200
	build "$dir/other" calls.c -ldl -DWITH_OTHER_BUILD_ID -Wl,--build-id=0x1122334455
	objcopy --only-keep-debug "$dir/other" "/usr/lib/debug/.build-id/${id:0:2}/${id:2}.debug"
	refused "a debug file of another build-id is not used" "without debug symbols" -e "$dir/stripped:own_function"
	umount /usr/lib/debug
else
	skip "names of a debug file" "no mount namespace can be made here, or the compiler leaves no build-id"
fi
if command -v xz > /dev/null; then
	# As distributions make it: an ELF file with symbols and no code, packed.
	objcopy --only-keep-debug "$dir/calls" "$dir/full" && objcopy -S --remove-section .comment \
		--keep-symbol own_function "$dir/full" "$dir/mini" && xz --stdout "$dir/mini" > "$dir/mini.xz"
	objcopy --add-section .gnu_debugdata="$dir/mini.xz" "$dir/stripped" "$dir/packed"
	begin packed "$dir/packed" 200 -e "$dir/packed:own_f*"
	finish
	check "names of MiniDebugInfo" same "$(info "$dir/packed.prof" "hits counted")" 1200
	head -c 100 "$dir/mini.xz" > "$dir/cut.xz"
	objcopy --add-section .gnu_debugdata="$dir/cut.xz" "$dir/stripped" "$dir/cut"
	refused "MiniDebugInfo that is cut short" "without debug symbols" -e "$dir/cut:own_function"
	{ cat "$dir/mini"; head -c 100M /dev/zero; } | xz --stdout -1 > "$dir/bomb.xz"
	objcopy --add-section .gnu_debugdata="$dir/bomb.xz" "$dir/stripped" "$dir/bomb"
	refused "MiniDebugInfo that unpacks to too much" "without debug symbols" -e "$dir/bomb:own_function"
else
	skip "names of MiniDebugInfo" "no xz"
fi

## More functions than the kernel should be asked for.
awk 'BEGIN {for (i = 0; i < 100000; i++) printf ".globl many_%d\n.type many_%d, @function\nmany_%d: ret\n", i, i, i}' > "$dir/many.s"
"$cc" -shared -nostdlib -o "$dir/libmany.so" "$dir/many.s"
refused "a pattern of 100,000 matches" \
	"failed to attach to '$dir/libmany.so:many_*': it matches 100000 functions, and 65536 are allowed" -e "$dir/libmany.so:many_*"
check "a pattern of 100,000 matches: what to do is said" contains "$(cat "$dir/err")" "hint: choose a narrower pattern"

## Functions whose code the loader chooses, and functions at which no probe may be.
if build "$dir/lib/libpicks.so" choosy.c -DLIBRARY -shared -fPIC 2> /dev/null; then
	build "$dir/choosy" choosy.c -L"$dir/lib" -lpicks -Wl,-rpath,"$dir/lib" -Wl,-z,now
	refused "a function that is chosen at the start: nobody has it" \
		"the code of 'chosen' is chosen when a program starts (IFUNC), and no process that runs tells which" \
		-e "$dir/lib/libpicks.so:chosen"
	begin choosy "$dir/choosy" 100 -e picks:chosen -e picks:chosen_within -e picks:guarded -e "picks:chosen*"
	finish
	check "the program counted right" wait "$target"
	check "a function that is chosen at the start, as its caller has it" same "$(hits choosy ';main;chosen_plus ' 1)" 100
	check "a function that is chosen at the start, as the library has it" same \
		"$(hits choosy ';main;call_within;chosen_within_plus ' 2)" 200
	check "functions that are chosen at the start, by a wildcard" same "$(hits choosy 'chosen_(within_)?plus ' 4)" 300
	if grep -qw avx /proc/cpuinfo; then
		check "a function whose first instruction takes no probe, at its endbr64" same "$(hits choosy ';main;guarded ' 3)" 300
	fi
	target "$dir/choosy" 10
	"$profrec" -o "$dir/host.prof" -e "$dir/lib/libpicks.so:chosen" 2> "$dir/host.err" &
	recorder=$!
	wait_for has_text "Ctrl-C" "$dir/host.err"
	finish
	check "a function that is chosen at the start: without -p, any process tells" same "$(hits host ';main;chosen_plus ')" 10
	refused "a function that takes no probe" \
		"failed to attach to '$dir/lib/libpicks.so:bare': the kernel would execute its first instruction wrongly at a probe" \
		-e "$dir/lib/libpicks.so:bare"
	check "the other functions of a pattern are there" contains \
		"$(record most -e "$dir/lib/libpicks.so:*" 1; "$profrep" info "$dir/most.prof")" "not attached"
else
	skip "functions whose code the loader chooses" "the compiler makes none"
fi
plan_end
