# SPDX-License-Identifier: GPL-2.0-or-later
# Samples of all versions of interpreters that have support, for system/images.

check-versions: tests-build ## save samples of all versions of interpreters anew, in kept roots, and compare (VERSIONS="py-3.12 ..."), as root
	BUILD=$(abspath $(B)) tests/images/make $(VERSIONS)
	BUILD=$(abspath $(B)) TESTS=system/images tests/run

.PHONY: check-versions
