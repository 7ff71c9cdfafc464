# SPDX-License-Identifier: GPL-2.0-or-later
# README.md's two commands where nothing was prepared for them.

FRESH ?= bookworm trixie testing

check-fresh: $(B)/tests/contain ## README's commands in minimal roots of Debian (FRESH=trixie: of that alone), as root
	BUILD=$(abspath $(B)) tests/fresh/run $(FRESH)

.PHONY: check-fresh
