# SPDX-License-Identifier: GPL-2.0-or-later
# The sources of the last commit as an archive, and packages made of it.

VERSION	:= $(shell sed -n 's/.*PROFREC_VERSION "\(.*\)"/\1/p' common/options.h)
DIST	:= $(B)/profrec-$(VERSION).tar.gz

# The same bytes for everybody: git takes times from the commit, and gzip -n writes none.
dist: ## make an archive of the last commit's sources: build/profrec-VERSION.tar.gz
	@mkdir -p $(B)
	git -c tar.umask=0022 archive --format=tar --prefix=profrec-$(VERSION)/ HEAD | gzip -n -9 > $(DIST)

deb: dist ## make Debian packages of the last commit: build/deb/*.deb (packages of debian/control's Build-Depends)
	rm -rf $(B)/deb
	mkdir -p $(B)/deb
	tar -xf $(DIST) -C $(B)/deb
	cd $(B)/deb/profrec-$(VERSION) && dpkg-buildpackage -us -uc -b
	@ls $(B)/deb/*.deb

# The spec has Fedora's names of packages, which Debian's rpm does not know.
rpm: dist ## make RPM packages of the last commit: build/rpm/RPMS/*/*.rpm
	rm -rf $(B)/rpm
	rpmbuild -bb $(if $(wildcard /etc/debian_version),--nodeps) --define "_topdir $(abspath $(B))/rpm" \
		--define "_sourcedir $(abspath $(B))" packaging/rpm/profrec.spec
	@ls $(B)/rpm/RPMS/*/*.rpm

check-packages: $(B)/tests/contain ## build, install, use, upgrade and purge the packages in minimal roots of Debian (FRESH=trixie: of that alone), as root
	BUILD=$(abspath $(B)) GOAL=packages tests/fresh/run $(FRESH)

.PHONY: dist deb rpm check-packages

RELEASE	:= profrec-$(VERSION)-linux-$(patsubst x86_64,amd64,$(patsubst aarch64,arm64,$(ARCH)))
COMMIT_TIME = $(shell git log -1 --format=%ct)

# In a directory of its own, with paths that do not depend on where the sources are.
release: ## make an archive of static programs for any distribution: build/profrec-VERSION-linux-ARCH.tar.zst (SIGN=KEY: of gpg)
	rm -rf $(B)/$(RELEASE)
	$(MAKE) B=$(B)/release STATIC=1 OPT="-O2 -g -ffile-prefix-map=$(CURDIR)=." PREFIX=/usr/local \
		DESTDIR=$(B)/release/root install
	mv $(B)/release/root/usr/local $(B)/$(RELEASE)
	strip $(B)/$(RELEASE)/bin/*
	cp packaging/install.sh packaging/container/* LICENSE CHANGELOG.md $(B)/$(RELEASE)
	packaging/sbom $(VERSION) $(COMMIT_TIME) > $(B)/$(RELEASE)/sbom.spdx
	tar --sort=name --mtime=@$(COMMIT_TIME) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C $(B) -cf - $(RELEASE) | \
		zstd -19 -q -f -o $(B)/$(RELEASE).tar.zst
	cd $(B) && sha256sum $(RELEASE).tar.zst > $(RELEASE).tar.zst.sha256
	$(if $(SIGN),gpg --batch --yes --local-user "$(SIGN)" --armor --detach-sign $(B)/$(RELEASE).tar.zst)

.PHONY: release
