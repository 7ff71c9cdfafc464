# SPDX-License-Identifier: GPL-2.0-or-later
# README.md's two commands where nothing was prepared for them.

FRESH ?= bookworm trixie testing

check-fresh: $(B)/tests/contain $(if $(LIMITS),$(B)/tests/plain_container) ## README's commands in minimal roots of Debian (FRESH=trixie: of that alone; LIMITS=container), as root
	BUILD=$(abspath $(B)) LIMITS="$(LIMITS)" tests/fresh/run $(FRESH)

.PHONY: check-fresh
