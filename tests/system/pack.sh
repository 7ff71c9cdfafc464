#!/usr/bin/env bash
# profrep pack adds names to a recording, for machines without its files. TAP.
# shellcheck source=tests/lib/tap.sh
. tests/lib/tap.sh
need_recording

# A program that keeps its symbols in a debug file alone.
cat > "$dir/app.c" <<'C'
static volatile unsigned long sum;
__attribute__((noinline)) void busy_leaf(void) { for (unsigned i = 0; i < 100000; i++) sum += i; }
__attribute__((noinline)) void busy_caller(void) { for (;;) busy_leaf(); }
int main(void) { busy_caller(); }
C
mkdir -p "$dir/debug/.build-id/0c"
"$cc" -O1 -g -fno-optimize-sibling-calls -Wl,--build-id=0x0c000000000000000000000000000000000000aa -o "$dir/app" "$dir/app.c" &&
	objcopy --only-keep-debug "$dir/app" "$dir/debug/.build-id/0c/000000000000000000000000000000000000aa.debug" &&
	strip "$dir/app" || exit 1
"$profrec" -q -F 499 --no-names -o "$dir/bare.prof" -- "${cpu_second[@]}" "$dir/app" > /dev/null 2>&1
check "a recording is packed" "$profrep" pack --debug-dir "$dir/debug" -o "$dir/named.prof" "$dir/bare.prof"
mv "$dir/debug" "$dir/gone"
rm "$dir/app"

mostly_of() { "$profrep" -f "$1" > "$dir/folded" && mostly "$dir/folded" app "$2"; }
check "a recording that is not packed has no names without the files" mostly_of "$dir/bare.prof" '\[unknown\]'
check "a packed recording has all names" mostly_of "$dir/named.prof" ';main;busy_caller;busy_leaf ' 90
check "a packed recording has the same counts" same "$("$profrep" -f "$dir/named.prof" | sum_samples)" \
	"$("$profrep" -f "$dir/bare.prof" | sum_samples)"
check "a packed recording is whole" is_complete "$dir/named.prof"
check "a packed recording: its samples are accounted for" is_accounted "$dir/named.prof"
check "a packed recording says that names were added" contains "$(info "$dir/named.prof" recorder)" "names added by profrep"
check "packed again, a recording keeps its names" "$profrep" pack -o "$dir/again.prof" "$dir/named.prof"
check "packed again, a recording has no other names" \
	same "$("$profrep" -f "$dir/again.prof")" "$("$profrep" -f "$dir/named.prof")"

# The end record is the last part of the file.
head -c -8 "$dir/bare.prof" > "$dir/cut.prof"
check "a recording that was cut short is packed" fails 3 "$profrep" pack -o "$dir/packed.prof" "$dir/cut.prof"
check "a packed recording that was cut short stays one" fails 3 "$profrep" info "$dir/packed.prof"

# Functions and lines of the source travel, too.
cat > "$dir/inl.c" <<'C'
static volatile unsigned long sum;
static inline __attribute__((always_inline)) void inner(void) { for (unsigned i = 0; i < 100000; i++) sum += i; }
static inline __attribute__((always_inline)) void outer(void) { inner(); }
__attribute__((noinline)) void work(void) { outer(); }
int main(void) { for (;;) work(); }
C
mkdir -p "$dir/lines/.build-id/0d"
id=0d000000000000000000000000000000000000bb
"$cc" -O1 -g -fno-optimize-sibling-calls -Wl,--build-id=0x$id -o "$dir/inl" "$dir/inl.c" &&
	objcopy --only-keep-debug "$dir/inl" "$dir/lines/.build-id/0d/${id:2}.debug" &&
	strip "$dir/inl" || exit 1
"$profrec" -q -F 499 -i 1 -o "$dir/inl.prof" -- bash -c 'ulimit -c 0 && ulimit -t 2 && exec "$0"' "$dir/inl" > /dev/null 2>&1
"$profrep" -i --lines -a --debug-dir "$dir/lines" "$dir/inl.prof" > "$dir/wanted"
check "lines are packed" "$profrep" pack -i --lines --debug-dir "$dir/lines" -o "$dir/lined.prof" "$dir/inl.prof"
check "files says where lines are from" contains "$("$profrep" files "$dir/lined.prof")" \
	"from $dir/lines/.build-id/0d/${id:2}.debug: .symtab, debug information)"
check "info counts the file of packed lines" \
	contains "$("$profrep" info "$dir/lined.prof" | grep "^names from")" "read by profrep pack"
check "names are packed without lines" "$profrep" pack --debug-dir "$dir/lines" -o "$dir/unlined.prof" "$dir/inl.prof"
mv "$dir/lines" "$dir/gone/lines"
rm "$dir/inl"
check "the report has inlined functions and lines" contains "$(cat "$dir/wanted")" "inl.c:2_[i]"
check "without any file the report is equal, byte for byte" cmp <("$profrep" -i --lines -a "$dir/lined.prof") "$dir/wanted"
"$profrep" -i --lines -a "$dir/unlined.prof" > "$dir/shown"
check "without --lines no lines are packed" fails 1 grep -q "inl.c:" "$dir/shown"
check "packed again, lines stay" "$profrep" pack -o "$dir/again.prof" "$dir/lined.prof"
check "packed again, sources of lines stay" \
	same "$("$profrep" files "$dir/again.prof")" "$("$profrep" files "$dir/lined.prof")"
check "packed again, the report with lines is equal" cmp <("$profrep" -i --lines -a "$dir/again.prof") "$dir/wanted"
"$profrep" -i --lines -f --from 1 "$dir/lined.prof" > "$dir/shown"
check "a later part of the recording has lines" contains "$(cat "$dir/shown")" "inl.c:2"
"$profrep" merge -o "$dir/merged.prof" "$dir/lined.prof" "$dir/lined.prof"
check "a merged recording has lines" diff <("$profrep" -i --lines -f "$dir/lined.prof" "$dir/lined.prof" | sort) \
	<("$profrep" -i --lines -f "$dir/merged.prof" | sort)

check "pack without -o" says 2 "command pack: needs -o" "$profrep" pack "$dir/bare.prof"
check "pack onto the input" says 1 "failed to write '$dir/bare.prof': it is the input" "$profrep" pack -o "$dir/bare.prof" "$dir/bare.prof"
check "pack onto the input: nothing is lost" is_complete "$dir/bare.prof"
check "pack from a list" says 1 "only one recording fits here; 'profrep merge -o all.prof @$dir/list' makes one of a list" \
	"$profrep" pack -o "$dir/x.prof" "@$dir/list"
check "pack from a pipe" says 2 "it cannot be '-'" "$profrep" pack -o "$dir/x.prof" -
check "pack onto a full disk" says 1 "No space left on device" "$profrep" pack -o /dev/full "$dir/bare.prof"
plan_end
