# shellcheck shell=bash
# A library whose unwind table takes long to make. Source it after tests/lib/tap.sh.
: "${dir:?a directory}" "${cc:?from tests/lib/tap.sh}"

# slow_library: code whose unwind information is 100 MB, packed to 250 KB: four million functions, in none of the code.
slow_library()
{
	printf '\x14\0\0\0\0\0\0\0\0\0\0\0\0\x7f\0\0\x01\0\0\0\0\0\0\0' > "$dir/functions"
	for _ in {1..22}; do
		cat "$dir/functions" "$dir/functions" > "$dir/twice"
		mv "$dir/twice" "$dir/functions"
	done
	{
		printf '\x0d\0\0\0\xff\xff\xff\xff\x01\0\x01\x78\x10\x0c\x07\x08\0'
		cat "$dir/functions"
	} > "$dir/frames.raw"
	printf '%s\n' '.globl slow' '.type slow, @function' 'slow:' "mov \$2000, %ecx" '1: dec %ecx' 'jnz 1b' 'ret' \
		'.size slow, .-slow' '.section .debug_frame,"",@progbits' ".incbin \"$dir/frames.raw\"" \
		'.section .note.GNU-stack,"",@progbits' > "$dir/slow.s"
	"$cc" -shared -nostdlib -Wl,--build-id,--no-ld-generated-unwind-info,--compress-debug-sections=zlib \
		-o "$dir/slow.so" "$dir/slow.s"
	rm "$dir/functions" "$dir/frames.raw"
}
