# SPDX-License-Identifier: GPL-2.0-or-later
# What is installed, and where.

SHARE	:= $(PREFIX)/share
SYSTEMD := packaging/systemd
# Beside the unit that a host needs, and its options.
UNITS	:= $(filter-out profrep-collect profrec.service profrec.default,$(notdir $(wildcard $(SYSTEMD)/*)))
# This system's own directories get completions where it uses them. A package has them all.
BASH	:= $(if $(DESTDIR)$(wildcard /usr/share/bash-completion),bash-completion/completions)
# zsh itself looks into site-functions, which Debian keeps for /usr/local.
ZSH	:= $(if $(DESTDIR)$(wildcard /usr/share/zsh),zsh/$(if $(filter /usr,$(PREFIX)),vendor-completions,site-functions))
FISH	:= $(if $(DESTDIR)$(wildcard /usr/share/fish),fish/vendor_completions.d)

PAGES	:= $(MAN) $(wildcard doc/*.[1-8])

# Below PREFIX.
INSTALLED := $(addprefix bin/,profrec profrep) libexec/profrep-collect \
	$(addprefix share/man/,$(foreach p,$(notdir $(PAGES)),man$(subst .,,$(suffix $p))/$p)) \
	$(if $(BASH),$(addprefix share/$(BASH)/,profrec profrep)) \
	$(if $(ZSH),$(addprefix share/$(ZSH)/,_profrec _profrep)) \
	$(if $(FISH),$(addprefix share/$(FISH)/,profrec.fish profrep.fish)) \
	$(addprefix share/doc/profrec/,profrec.default profrec.service $(addprefix units/,$(UNITS)))

install: all man completion ## install programs, man pages and completions under DESTDIR/PREFIX
	install -d $(DESTDIR)$(PREFIX)/bin $(DESTDIR)$(PREFIX)/libexec $(DESTDIR)$(SHARE)/doc/profrec/units
	install -m 755 $(PROFREC) $(PROFREP) $(DESTDIR)$(PREFIX)/bin
	install -m 755 $(SYSTEMD)/profrep-collect $(DESTDIR)$(PREFIX)/libexec
	$(foreach n,1 5 7,install -D -m 644 -t $(DESTDIR)$(SHARE)/man/man$n $(filter %.$n,$(PAGES)) &&) :
	$(if $(BASH),install -d $(DESTDIR)$(SHARE)/$(BASH))
	$(if $(BASH),install -m 644 $(B)/completions/profrec $(B)/completions/profrep $(DESTDIR)$(SHARE)/$(BASH))
	$(if $(ZSH),install -d $(DESTDIR)$(SHARE)/$(ZSH))
	$(if $(ZSH),install -m 644 $(B)/completions/_profrec $(B)/completions/_profrep $(DESTDIR)$(SHARE)/$(ZSH))
	$(if $(FISH),install -d $(DESTDIR)$(SHARE)/$(FISH))
	$(if $(FISH),install -m 644 $(B)/completions/profrec.fish $(B)/completions/profrep.fish $(DESTDIR)$(SHARE)/$(FISH))
	install -m 644 $(SYSTEMD)/profrec.default $(DESTDIR)$(SHARE)/doc/profrec
	install -m 644 $(addprefix $(SYSTEMD)/,$(filter-out %.service,$(UNITS))) $(DESTDIR)$(SHARE)/doc/profrec/units
	for unit in profrec.service $(addprefix units/,$(filter %.service,$(UNITS))); do \
		sed 's,/usr/\(bin/prof\|libexec/\),$(PREFIX)/\1,' $(SYSTEMD)/$${unit##*/} > $(DESTDIR)$(SHARE)/doc/profrec/$$unit || exit 1; \
	done

uninstall: ## remove what make install has put under DESTDIR/PREFIX
	rm -f $(addprefix $(DESTDIR)$(PREFIX)/,$(INSTALLED))
	[ ! -d $(DESTDIR)$(SHARE)/doc/profrec ] || rmdir $(DESTDIR)$(SHARE)/doc/profrec/units $(DESTDIR)$(SHARE)/doc/profrec

.PHONY: install uninstall
