# SPDX-License-Identifier: GPL-2.0-or-later
# Parts that only read stored and made recordings, by programs with sanitizers, and the unit tests.

SANITIZED := system/golden system/differences system/export system/json system/merge system/search \
	system/select system/symbols system/tables system/top system/wrong_uses

check-sanitized: ## run the tests of reports by programs with address and undefined sanitizers (TESTS='PART ...': other parts)
	+@$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc)) B=$(B)/sanitized SAN=address,undefined \
		sanitized-programs
	BUILD=$(abspath $(B))/sanitized TESTS="$(or $(TESTS),$(SANITIZED))" tests/run

sanitized-programs: all $(TOOL_BIN) $(LOAD_BIN)

# They build in half the time with -O1. tests/parts.tsv says which of them take too long.
SANITIZED_UNIT = unit/* $(shell awk -F '\t' '$$1 ~ /^unit/ && $$3 ~ /plain/ {print "!" $$1}' tests/parts.tsv)

check-sanitized-unit: ## run the unit tests with address and undefined sanitizers (TESTS='PART ...': of them)
	+@$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc)) B=$(B)/sanitized SAN=address,undefined \
		OPT="-O1 -g1" sanitized-unit
	BUILD=$(abspath $(B))/sanitized TESTS="$(or $(TESTS),$(SANITIZED_UNIT))" tests/run

sanitized-unit: $(UNIT_BIN) $(B)/tests/contain

.PHONY: check-sanitized sanitized-programs check-sanitized-unit sanitized-unit
