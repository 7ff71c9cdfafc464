# shellcheck shell=bash
# Sourced by what runs in a minimal root of Debian's $suite, which is given its own root in $root. It counts what passed,
# failed and was skipped. Files are in $at.
suite=$1 results=$2
: "${BUILD:?the build directory}"
at=$BUILD/fresh/$suite
root=$at/root
debs=$at/debs
what=${what:-fresh}
passed=0 failed=0 skipped=0

ok() { passed=$((passed + 1)); }
not_ok() { failed=$((failed + 1)); echo "FAIL $what/$suite: $1"; }
# finish: says how many there were.
finish()
{
	echo "$passed $failed $skipped" >> "$results"
	echo "$what/$suite: $passed passed, $failed failed, $skipped skipped"
	exit 0
}
skip_all()
{
	echo "SKIP $what/$suite: $1"
	skipped=1
	finish
}
# last_lines LOG
last_lines() { tail -n 20 "$1" | cut -c 1-200 | sed 's/^/     | /'; }

# configuration: how apt reaches its archives here, in the words of its configuration files.
configuration()
{
	apt-config dump --format '%F "%v";%n' | grep -iE '^Acquire::(Check-(Valid-Until|Date)|Retries|https?::Proxy.*) '
}

# make_root: the minimal root. A package is fetched once for all runs.
make_root()
{
	local mirror proxy
	mirror=$(tests/fresh/mirror)
	proxy=$(apt-config shell proxy Acquire::http::Proxy | sed "s/^proxy='\(.*\)'$/\1/")
	rm -rf --one-file-system "$root"
	mkdir -p "$debs"
	# shellcheck disable=SC2086 # no mirror is no argument
	env ${proxy:+http_proxy="$proxy"} debootstrap --variant=minbase --cache-dir="$debs" "$suite" "$root" $mirror \
		> "$at/debootstrap.log" 2>&1 || return
	configuration > "$root/etc/apt/apt.conf.d/90outside"
	cp /etc/hosts "$root/etc/hosts"
	rm -f "$root"/var/cache/apt/archives/*.deb
	cp -l "$debs"/*.deb "$root/var/cache/apt/archives/"
}

# need_root: a new root, or the end.
need_root()
{
	mkdir -p "$at"
	make_root && return
	! grep -q 'Failed getting release' "$at/debootstrap.log" || skip_all "there is no archive of it that can be reached"
	not_ok "debootstrap"
	last_lines "$at/debootstrap.log"
	finish
}

# keep_packages: those that were fetched, for the next run.
keep_packages()
{
	rm -f "$debs"/*.deb
	cp -l "$root"/var/cache/apt/archives/*.deb "$debs/"
}

[ "$(id -u)" -eq 0 ] || skip_all "only root can make a root"
command -v debootstrap > /dev/null || skip_all "debootstrap is not installed"
unshare --mount --propagation private true 2> /dev/null || skip_all "mount namespaces are refused"
