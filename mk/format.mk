# SPDX-License-Identifier: GPL-2.0-or-later
# The layout of C sources. Versions of clang-format disagree in details, so one version decides.

CLANG_FORMAT ?= clang-format-14
FORMATTED    := $(wildcard bench/*.c bpf/*.[ch] bpf/*/*.[ch] common/*.[ch] elf/*.[ch] format/*.[ch] record/*.[ch] record/*/*.[ch] record/*/*/*.[ch] \
	report/*.[ch] report/*/*.[ch] $(addprefix tests/,fuzz/*.[ch] programs/*.[ch] tools/*.[ch] tools/*/*.c unit/*.[ch] workloads/*.c))

format: ## lay out all C sources by .clang-format (needs clang-format-14)
	$(CLANG_FORMAT) -i $(FORMATTED)

formatted: # prints the list, for tests/rules/format
	@echo $(FORMATTED)

.PHONY: format formatted
