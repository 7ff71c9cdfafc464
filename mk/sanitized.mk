# SPDX-License-Identifier: GPL-2.0-or-later
# Parts that only read stored and made recordings, by programs with sanitizers.

SANITIZED := system/golden system/differences system/export system/json system/merge system/search \
	system/select system/symbols system/tables system/top system/wrong_uses

check-sanitized: ## run the tests of reports by programs with address and undefined sanitizers (TESTS='PART ...': other parts)
	+@$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc)) B=$(B)/sanitized SAN=address,undefined \
		sanitized-programs
	BUILD=$(abspath $(B))/sanitized TESTS="$(or $(TESTS),$(SANITIZED))" tests/run

sanitized-programs: all $(TOOL_BIN) $(LOAD_BIN)

.PHONY: check-sanitized sanitized-programs
