# SPDX-License-Identifier: GPL-2.0-or-later
# The quick parts of the tests where profrec and the tests have few rights.

check-limited: tests-build ## run the quick tests with a container's limits and as nobody (as root; LIMITS=nobody: that alone)
	BUILD=$(abspath $(B)) LIMITS="$(LIMITS)" tests/limited

.PHONY: check-limited
