#!/usr/bin/env bash
# profrep pack adds names to a recording, for machines without its files. TAP.
# shellcheck source=tests/tap.sh
. tests/tap.sh
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
"$profrec" -q -F 499 --no-names -o "$dir/bare.prof" -- timeout 1 "$dir/app" > /dev/null 2>&1
check "a recording is packed" "$profrep" pack --debug-dir "$dir/debug" -o "$dir/named.prof" "$dir/bare.prof"
mv "$dir/debug" "$dir/gone"
rm "$dir/app"

mostly_of() { "$profrep" -f "$1" > "$dir/folded" && mostly "$dir/folded" app "$2"; }
check "before, no name is known without the files" mostly_of "$dir/bare.prof" '\[unknown\]'
check "packed, all names are" mostly_of "$dir/named.prof" ';main;busy_caller;busy_leaf ' 90
check "the counts are what they were" same "$("$profrep" -f "$dir/named.prof" | sum_samples)" \
	"$("$profrep" -f "$dir/bare.prof" | sum_samples)"
check "the recording is whole" is_complete "$dir/named.prof"
check "its samples are accounted for" is_accounted "$dir/named.prof"
check "it says that names were added" contains "$(info "$dir/named.prof" recorder)" "names added by profrep"
check "packed again, it keeps its names" "$profrep" pack -o "$dir/again.prof" "$dir/named.prof"
check "and has no others" same "$("$profrep" -f "$dir/again.prof")" "$("$profrep" -f "$dir/named.prof")"

# The end record is the last part of the file.
head -c -8 "$dir/bare.prof" > "$dir/cut.prof"
check "a recording that was cut short is packed" fails 3 "$profrep" pack -o "$dir/packed.prof" "$dir/cut.prof"
check "and stays one" fails 3 "$profrep" info "$dir/packed.prof"

check "without -o" says 2 "command pack: needs -o" "$profrep" pack "$dir/bare.prof"
check "onto itself" says 1 "-o names the recording itself" "$profrep" pack -o "$dir/bare.prof" "$dir/bare.prof"
check "and nothing is lost" is_complete "$dir/bare.prof"
check "from a pipe" says 2 "it cannot be '-'" "$profrep" pack -o "$dir/x.prof" -
check "onto a full disk" says 1 "No space left on device" "$profrep" pack -o /dev/full "$dir/bare.prof"
plan_end
