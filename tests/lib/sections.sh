# shellcheck shell=bash
# Changes where an ELF file of 64 bits says that its section headers are (<elf.h>, Elf64_Ehdr and Elf64_Shdr).

# put FILE OFFSET SIZE NUMBER: writes a little-endian number into the file.
put()
{
	local at bytes=
	for ((at = 0; at < $3; at++)); do printf -v bytes '%s\\x%02x' "$bytes" $((($4 >> (8 * at)) & 255)); done
	printf '%b' "$bytes" | dd of="$1" bs=1 seek="$2" conv=notrunc status=none
}

# get FILE OFFSET SIZE: a number of the file.
get() { od -An -v -j "$2" -N "$3" -t "u$3" "$1" | tr -d ' '; }

# segments FILE: type, offset, address, bytes in the file and flags of each segment, as decimal numbers.
segments()
{
	local type off addr size flags _
	while read -r type off addr _ size _ flags; do
		[[ $off == 0x* ]] && echo "$type $((off)) $((addr)) $((size)) ${flags// 0x*/}"
	done < <(readelf -lW "$1" 2> /dev/null)
}

# drop_sections FILE: takes the section headers away, and what is behind the last segment, as sstrip does.
drop_sections()
{
	put "$1" 40 8 0 # e_shoff
	put "$1" 60 4 0 # e_shnum, e_shstrndx
	truncate -s "$(segments "$1" | awk '$2 + $4 > end {end = $2 + $4} END {print end}')" "$1"
}

# count_apart FILE: the file has the numbers in section 0, as if they were too large for its header.
count_apart()
{
	local first nr names
	first=$(get "$1" 40 8) nr=$(get "$1" 60 2) names=$(get "$1" 62 2)
	put "$1" $((first + 32)) 8 "$nr" # sh_size
	put "$1" $((first + 40)) 4 "$names" # sh_link
	put "$1" 60 2 0
	put "$1" 62 2 65535 # SHN_XINDEX
}
