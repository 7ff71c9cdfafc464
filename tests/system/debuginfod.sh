#!/usr/bin/env bash
# Debug files from debuginfod servers on loopback: Debian's, and some that hang, dawdle, lie, or send too much. TAP.
set -u
cd "$(dirname "$0")/.." || exit 1
# shellcheck source=tests/lib/tap.sh
. lib/tap.sh
for tool in debuginfod-find gcc nm objcopy readelf strip python3; do
	command -v "$tool" > /dev/null || skip_all "no $tool"
done
cd "$dir" || exit 1
unset http_proxy HTTP_PROXY https_proxy all_proxy ALL_PROXY
unset DEBUGINFOD_URLS DEBUGINFOD_TIMEOUT DEBUGINFOD_MAXSIZE DEBUGINFOD_MAXTIME DEBUGINFOD_PROGRESS DEBUGINFOD_VERBOSE
export HOME=$PWD XDG_CACHE_HOME=$PWD/xdg DEBUGINFOD_CACHE_PATH=$PWD/cache

cat > prog.c <<'C'
__attribute__((noinline)) static int hidden(int x) { __asm__ volatile("nop;nop;nop;nop"); return x + 1; }
int main(int argc, char **argv) { (void)argv; return hidden(argc) * 2; }
C
gcc -g -O1 -Wl,--build-id -o full prog.c || exit 1
id=$(readelf -n full | sed -n 's/.*Build ID: //p')
mkdir served bin
objcopy --only-keep-debug full served/prog.debug
strip -o bin/prog full

# A recording of the functions at bin/prog.
{
	read -r off vaddr size < <(readelf -lW full | awk '$1 == "LOAD" && /R E/ {print $2, $3, $6; exit}')
	echo "object p file $PWD/bin/prog $id"
	echo "object o file /nonexistent/other 00112233445566778899"
	echo "process p 7 1"
	echo "map p p 0x555500000000 $(((size + 4095) & ~4095)) $((off))"
	echo "map p o 0x556600000000 0x1000 0"
	echo "count p prog 1 user p:$((0x$(nm full | awk '$3 == "hidden" {print $1}') + 2 - vaddr + off))"
	echo "count p prog 2 user p:$((0x$(nm full | awk '$3 == "main" {print $1}') + 2 - vaddr + off))"
	echo "count p prog 3 user o:0x1"
} | "$BUILD/tests/prof_make" > p.prof

names() { "$profrep" -f --unnamed module "$@" p.prof 2> err | sed -E 's/^prog;//; s/ [0-9]+$//' | tr '\n' ' '; }
nothing="[prog] [prog] [other] "
all="hidden main [other] "

check "without DEBUGINFOD_URLS" fails 1 "$profrep" --debuginfod p.prof
check "without DEBUGINFOD_URLS: said" contains "$("$profrep" --debuginfod p.prof 2>&1)" "DEBUGINFOD_URLS names no server"
export DEBUGINFOD_URLS=http://127.0.0.1:1
check "without debuginfod-find" env PATH=/nonexistent:bin "$BASH" -c '! "$1" --debuginfod p.prof 2> err' - "$profrep"
check "without debuginfod-find: said" same "$(cat err)" "\
profrep: option --debuginfod: no directory of PATH has 'debuginfod-find'
profrep: hint: Debian has it in the package debuginfod, Fedora in elfutils-debuginfod-client"
check "nobody listens" same "$(names --debuginfod)" "$nothing"

# has_file PORT: the server has indexed the file.
has_file() { python3 -c "import urllib.request as r; r.urlopen('http://127.0.0.1:$1/buildid/$id/debuginfo')"; }

if command -v debuginfod > /dev/null; then
	port=$(free_port)
	debuginfod -p "$port" -d :memory: -F served > server.log 2>&1 &
	check "Debian's server runs" wait_for has_file "$port"
	export DEBUGINFOD_URLS=http://127.0.0.1:$port
	check "Debian's server is not asked without --debuginfod" same "$(names)" "$nothing"
	check "fetched" same "$(names --debuginfod)" "$all"
	check "fetched: files says where" contains "$("$profrep" files --debuginfod p.prof)" "$PWD/cache/$id/debuginfo"
	check "fetched: no warning" same "$(cat err)" ""
	if [ -x "$BUILD/static/profrep" ]; then
		check "fetched by a static profrep" same "$(profrep=$BUILD/static/profrep; rm -r cache; names --debuginfod)" "$all"
	else
		skip "fetched by a static profrep" "there are no static programs (sanitizers need libraries)"
	fi
	check "the binary is not needed" same "$(mv bin/prog bin/p; names --debuginfod; mv bin/p bin/prog)" "$all"
	check "missing: without the server" contains "$("$profrep" missing p.prof)" "$id"
	check "missing: with the server" same "$("$profrep" missing --debuginfod p.prof | cut -f 1)" 00112233445566778899
	export DEBUGINFOD_URLS=http://127.0.0.1:1
	check "names from the cache" same "$(names --debuginfod)" "$all"
	check "packed" "$profrep" pack --debuginfod -o packed.prof p.prof
	check "packed: files says where" contains "$(mv bin/prog bin/p; mv cache c; "$profrep" files packed.prof; mv c cache; mv bin/p bin/prog)" \
		"in the recording (from $PWD/cache/$id/debuginfo by debuginfod: .symtab)"
	check "intervals" contains "$("$profrep" -f -T --debuginfod p.prof)" ";hidden 1"
else
	skip "Debian's server" "no debuginfod"
fi

# A server that hangs, sends a wrong file, announces a file of 10 GB, sends without end and without a size (much at a
# time, or a byte each second), sends a file of a known size slowly, or takes 1.5 s for a small one.
cat > server.py <<'PY'
import http.server, sys, threading

class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        kind = sys.argv[1]
        open("asked", "a").write(self.path + "\n")
        if kind == "hangs":
            threading.Event().wait()
        data = open("liar", "rb").read()
        self.send_response(200)
        self.send_header("Content-Type", "application/octet-stream")
        if kind in ("endless", "trickles"):
            self.send_header("Transfer-Encoding", "chunked")
        else:
            self.send_header("Content-Length", str({"large": 10**10, "drips": 10**9}.get(kind, len(data))))
        self.end_headers()
        try:
            while kind == "endless":
                self.wfile.write(b"10000\r\n" + bytes(65536) + b"\r\n")
            while kind == "trickles":
                self.wfile.write(b"1\r\n\0\r\n")
                threading.Event().wait(1)
            while kind == "drips":
                self.wfile.write(b"\0" * 64)
                threading.Event().wait(0.1)
            if kind == "late":
                self.wfile.write(data[:1])
                threading.Event().wait(1.5)
                data = data[1:]
            self.wfile.write(data)
            while kind == "large":
                self.wfile.write(bytes(65536))
        except OSError:
            open("gone", "w").close()

    def log_message(self, *args):
        pass

server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
server.daemon_threads = True
print(server.server_address[1], flush=True)
server.serve_forever()
PY
gcc -g -O0 -Wl,--build-id -o liar prog.c

# serve KIND: starts the server in place of the last, with an empty cache.
server=
serve()
{
	[ -z "$server" ] || { kill -KILL "$server"; wait "$server"; } 2> server.err
	rm -rf cache asked gone port
	python3 server.py "$1" > port 2> server.err &
	server=$!
	wait_for test -s port
	DEBUGINFOD_URLS=http://127.0.0.1:$(cat port)
}

serve lies
check "a server that lies" same "$(names --debuginfod)" "$nothing"
check "a server that lies: files says so" contains "$("$profrep" files --debuginfod p.prof)" "file has no symbols"
serve large
check "a file that is too large" same "$(names --debuginfod)" "$nothing"
check "a file that is too large: said" contains "$(cat err)" "too large to fetch"
serve endless
check "a server without an end" same "$(DEBUGINFOD_MAXSIZE=1000000 names --debuginfod)" "$nothing"
check "a server without an end: said" contains "$(cat err)" "too large to fetch"
check "a server without an end: the connection is closed" wait_for test -e gone
check "a server without an end: nothing is kept" same "$(find cache xdg -size +100k 2> /dev/null)" ""
serve trickles
check "a server without an end that sends little" same "$(DEBUGINFOD_TIMEOUT=6 names --debuginfod)" "$nothing"
check "a server without an end that sends little: said" contains "$(cat err)" "sent less than 10 KiB a second"
check "a server without an end that sends little: nothing is kept" same "$(find cache xdg -name 'debuginfo.*' 2> /dev/null)" ""
serve drips
check "a server that sends too slowly" same "$(DEBUGINFOD_TIMEOUT=10 names --debuginfod)" "$nothing"
check "a server that sends too slowly: said" contains "$(cat err)" \
	"sent less than 10 KiB a second (DEBUGINFOD_TIMEOUT): 2 files were not fetched"
check "a server that sends too slowly is asked for no other file" same "$(sort -u asked | wc -l)" 1

# The time is one sum, of both servers and of all files.
serve late
{
	echo "process p 7 1"
	for i in {1..8}; do
		echo "object $i file /nonexistent/$i 001122334455667$i"
		echo "map p $i 0x5555${i}0000000 0x1000 0"
		echo "count p prog 1 user $i:0x1"
	done
} | "$BUILD/tests/prof_make" > late.prof
DEBUGINFOD_URLS="$DEBUGINFOD_URLS $DEBUGINFOD_URLS/second"
check "many files of slow servers" same "$(DEBUGINFOD_MAXTIME=5 "$profrep" -f --unnamed module --debuginfod late.prof 2> err | wc -l)" 8
wait_for test -s asked # a server that is late notes it all the same
check "many files of slow servers: few are asked for" between "$(grep -o 'buildid/[0-9]*' asked | sort -u | wc -l)" 1 4
check "many files of slow servers: said" at_least \
	"$(sed -n 's/.*took too long (DEBUGINFOD_MAXTIME): \([0-9]*\) files were not fetched.*/\1/p' err)" 4
serve hangs
check "a server that hangs" same "$(DEBUGINFOD_TIMEOUT=5 names --debuginfod)" "$nothing"
check "a server that hangs: said" contains "$(cat err)" "did not answer in time"
wait_for test -s asked
# By itself the client tries twice more, from elfutils 0.190 on.
check "a server that hangs is asked for one file once" same "$(sort -u asked | wc -l)" 1
serve hangs
"$profrep" -f --unnamed module --debuginfod p.prof > out 2> err &
pid=$!
check "before Ctrl-C the server is asked" wait_for test -s asked
kill -INT "$pid"
wait "$pid"
check "Ctrl-C: the report is printed" same "$(grep -c '^prog;' out)" 3
check "Ctrl-C: said" contains "$(cat err)" "fetching was interrupted"

## A terminal shows that the search takes long. The report has nothing of that.
if command -v script > /dev/null; then
	rm -rf cache asked
	cat > run <<- SH
		echo \$\$ > pid
		exec "$profrep" -f --unnamed module --debuginfod p.prof > out
	SH
	script -qefc "sh run" screen < /dev/null > /dev/null &
	pid=$!
	check "a slow search shows its progress" wait_for grep -q "looking up names, 0 of 3 addresses" screen
	kill -INT "$(cat pid)"
	wait "$pid"
	check "the progress is cleared" same "$(tr '\r' '\n' < screen | sed -n '/looking up/,$p' | sed '/looking up/d' | head -c 3)" $'\033[K'
	check "the report has only its lines" same "$(grep -c '^prog;' out) $(wc -l < out)" "3 3"
else
	skip "a slow search on a terminal" "script is not installed"
fi
plan_end
