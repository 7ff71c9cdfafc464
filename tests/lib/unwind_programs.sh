# shellcheck shell=bash
# Programs whose stacks need different ways of unwinding, for tests/system/unwind*.sh and bench/unwind. Source it, with
# $dir a directory; call unwind_build. Programs run until somebody ends them, or over and over.
: "${dir:?a directory}"
cc=${CC:-cc}
export CCACHE_DISABLE=1 # it hashes files by code that no table covers

# A repository of a hundred commits, each of which changes ten files.
unwind_history()
{
	command -v git > /dev/null && git init -q "$dir/repository" || return 0
	awk 'BEGIN {
		for (c = 1; c <= 100; c++) {
			printf "commit refs/heads/work\ncommitter A <a@example.org> %d +0000\ndata 2\n%2d\n", 1e9 + c, c % 100
			for (f = 0; f < 10; f++) {
				text = ""
				for (i = 0; i < 200; i++)
					text = text (i * f % 17) " " (i % 23 == c % 23 ? c : i) "\n"
				printf "M 644 inline file%d\ndata %d\n%s\n", f, length(text), text
			}
		}
	}' | git -C "$dir/repository" fast-import --quiet
	git -C "$dir/repository" symbolic-ref HEAD refs/heads/work
}

# unwind_build: makes the tree's own programs, and the inputs of the others.
unwind_build()
{
	local programs=tests/programs
	"$cc" -O2 -o "$dir/frames" $programs/frames.c -ldl -pthread
	# The program again, unoptimised, with aligned stacks and control-flow protection. Its library has a second PLT.
	"$cc" -O0 -mstackrealign -fcf-protection -o "$dir/frames-O0" $programs/frames.c -ldl -pthread
	"$cc" -O2 -fPIC -shared -Wl,-z,lazy -o "$dir/lazy.so" $programs/lazy.c
	"$cc" -O1 -fPIC -shared -fcf-protection -Wl,-z,lazy -Wl,-z,ibtplt -o "$dir/lazy-ibt.so" $programs/lazy.c
	! command -v clang > /dev/null || clang -O2 -w -o "$dir/frames-clang" $programs/frames.c -ldl -pthread
	! command -v g++ > /dev/null || g++ -O2 -o "$dir/throw" $programs/throw.cc
	! command -v rustc > /dev/null || rustc -O -o "$dir/panics" $programs/panics.rs 2> /dev/null

	cat > "$dir/work.py" <<-'END'
		import json, re
		while True:
		    text = json.dumps([{"a": i, "b": [str(j) for j in range(20)]} for i in range(100)])
		    sorted(json.loads(text), key=lambda x: re.sub("[0-9]+", "", str(x["a"])) + str(-x["a"]))
	END
	cat > "$dir/work.pl" <<-'END'
		sub walk { my $n = shift; $n ? walk($n - 1) . $n : join ",", map { $_ * 2 } 1 .. 50 }
		while (1) { my %h; $h{$_ % 97} .= walk(5) for 1 .. 300; my @k = sort { $h{$a} cmp $h{$b} } keys %h }
	END
	cat > "$dir/work.js" <<-'END'
		class A {
			constructor(x) { this.x = x; }
			walk(n) { return n ? this.walk(n - 1) + JSON.stringify(this).length : this.x % 7; }
		}
		for (;;) {
			const a = Array.from({length: 200}, (_, i) => new A(i));
			a.sort((p, q) => q.walk(3) - p.walk(3));
			a.forEach(v => String(v.x).replace(/[1-5]/g, m => m + m));
		}
	END
	unwind_history
}

# In the order of reports.
# shellcheck disable=SC2034 # for who sources this
unwind_names="calls calls-O0 calls-clang arrays arrays-O0 realign realign-O0 signals signals-O0 contexts threads vfork \
lazy lazy-ibt throw panics python3 perl gcc sha256 rsa2048 aes sqlite3 git node"

# Programs whose instructions are worth going through one by one.
# shellcheck disable=SC2034
unwind_step_names="calls calls-O0 calls-clang arrays realign realign-O0 signals vfork lazy lazy-ibt"

# The functions where programs and threads begin, in folded lines with modules. They are _start, which has no name in
# stripped files, its callee in libc, and the dynamic loader. Functions that two functions of libc have called count,
# too. A thread that the kernel has not let run yet has clone3 alone, which has no name in a libc without symbols.
# shellcheck disable=SC2034
unwind_roots='^[^;]*;(_start \[|[^;]* \[ld-linux|[^;]*;(__libc_start_main|start_thread)[^;]* \[|[^;]*;[^;]*;in_thread \['\
'|(clone3|\[unknown\]) \[libc[^;]*$)'

# record_victims NAME [PID]: programs of root and of a user begin while profrec records, after the process has run.
record_victims()
{
	begin_recording -F 199 --unwind=dwarf -i 1 -o "$dir/$1.prof"
	[ -z "${2:-}" ] || run_for 1 "$2"
	for _ in 1 2 3 4; do
		"$dir/frames" calls 1000
		as 65533 "$dir/frames" calls 1000
	done
	end_recording
	"${profrep:?from tests/lib/tap.sh}" -f -U -m "$dir/$1.prof" > "$dir/$1.folded"
}

# unwind_missing NAME: prints why a program cannot run here, or nothing.
unwind_missing()
{
	case $1 in
	*-clang) [ -x "$dir/frames-clang" ] || echo "clang is not installed" ;;
	throw) [ -x "$dir/throw" ] || echo "g++ is not installed" ;;
	panics) [ -x "$dir/panics" ] || echo "rustc is not there or has no toolchain" ;;
	python3 | perl | gcc | sqlite3 | git | node) command -v "$1" > /dev/null || echo "$1 is not installed" ;;
	sha256 | rsa2048 | aes) command -v openssl > /dev/null || echo "openssl is not installed" ;;
	esac
}

# unwind_program NAME RUN...: runs RUN with the program's command after it.
unwind_program()
{
	local name=$1
	shift
	case $name in
	# Calls are bound each time, so that samples meet the binding however fast it is.
	lazy) "$@" env LD_BIND_NOT=1 LAZY="$dir/lazy.so" "$dir/frames" lazy 600000 ;;
	lazy-ibt) "$@" env LD_BIND_NOT=1 LAZY="$dir/lazy-ibt.so" "$dir/frames" lazy 600000 ;;
	*-O0) "$@" "$dir/frames-O0" "${name%-O0}" 600000 ;;
	*-clang) "$@" "$dir/frames-clang" "${name%-clang}" 600000 ;;
	throw | panics) "$@" "$dir/$name" 600000 ;;
	# This must be the program, not a script of a version manager that starts it.
	python3) "$@" "$(python3 -c 'import sys; print(sys.executable)')" "$dir/work.py" ;;
	perl) "$@" perl "$dir/work.pl" ;;
	node) "$@" node "$dir/work.js" ;;
	gcc) "$@" gcc -O2 -c -o "$dir/x.o" tests/programs/frames.c ;;
	sha256 | rsa2048) "$@" openssl speed -seconds 20 "$name" ;;
	aes) "$@" openssl speed -seconds 20 -evp aes-128-gcm ;;
	sqlite3)
		"$@" sqlite3 :memory: \
			'with recursive c(x) as (select 1 union all select x + 1 from c) select max(hex(x) || x) from c' ;;
	git) "$@" git --no-pager -C "$dir/repository" log -p ;;
	*) "$@" "$dir/frames" "$name" 600000 ;;
	esac
}
