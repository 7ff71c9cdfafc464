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
rpm: dist ## make RPM packages of the last commit: build/rpm/RPMS/*/*.rpm; rpmlint looks at them where it is installed
	rm -rf $(B)/rpm
	rpmbuild -bb $(if $(wildcard /etc/debian_version),--nodeps) --define "_topdir $(abspath $(B))/rpm" \
		--define "_sourcedir $(abspath $(B))" packaging/rpm/profrec.spec
	! command -v rpmlint > /dev/null || \
		rpmlint -c packaging/rpm/rpmlint.toml packaging/rpm/profrec.spec $(B)/rpm/RPMS/*/*.rpm
	@ls $(B)/rpm/RPMS/*/*.rpm

check-packages: $(B)/tests/contain ## build, install, use, upgrade and purge the packages in minimal roots of Debian (FRESH=trixie: of that alone), as root
	BUILD=$(abspath $(B)) GOAL=packages tests/fresh/run $(FRESH)

.PHONY: dist deb rpm check-packages

# The archives are side by side in build.
RELEASES := $(patsubst %/$(DEB_ARCH),%,$(B))
RELEASE	:= profrec-$(VERSION)-linux-$(DEB_ARCH)
TREE	:= $(RELEASES)/$(RELEASE)
ARCHIVE	:= $(TREE).tar.zst
COMMIT_TIME = $(shell git log -1 --format=%ct)

ifeq ($(ASKED_ARCH),)
release: ## make archives of static programs for any distribution: build/profrec-VERSION-linux-{amd64,arm64}.tar.zst (SIGN=KEY: of gpg; ARCH=arm64: that alone)
	$(MAKE) ARCH=$(HOST_ARCH) release
	$(MAKE) ARCH=$(filter-out $(HOST_ARCH),x86_64 aarch64) release
else
# In a directory of its own, with paths that do not depend on where the sources are.
release: | $(SYSROOT:=/packages)
	@command -v $(firstword $(CC)) > /dev/null || { echo "this needs the compiler of the package gcc-$(subst _,-,$(ARCH))-linux-gnu;" \
		"make release ARCH=$(call deb_arch,$(HOST_ARCH)) needs none" >&2; exit 1; }
	rm -rf $(TREE) $(RELEASES)/release/$(DEB_ARCH)/root
	$(MAKE) B=$(RELEASES)/release/$(DEB_ARCH) SYSROOT=$(SYSROOT) OWN=$(RELEASES)/release/$(call deb_arch,$(HOST_ARCH)) \
		STATIC=1 OPT="-O2 -g -ffile-prefix-map=$(CURDIR)=." PREFIX=/usr/local DESTDIR=$(RELEASES)/release/$(DEB_ARCH)/root install
	mv $(RELEASES)/release/$(DEB_ARCH)/root/usr/local $(TREE)
	$(STRIP) $(TREE)/bin/*
	cp packaging/install.sh packaging/container/* LICENSE CHANGELOG.md $(TREE)
	packaging/sbom $(VERSION) $(COMMIT_TIME) $(DEB_ARCH) $(SYSROOT) > $(TREE)/sbom.spdx
	tar --sort=name --mtime=@$(COMMIT_TIME) --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX -C $(RELEASES) -cf - $(RELEASE) | \
		zstd -19 -q -f -o $(ARCHIVE)
	cd $(RELEASES) && sha256sum $(RELEASE).tar.zst > $(RELEASE).tar.zst.sha256
	$(if $(SIGN),gpg --batch --yes --local-user "$(SIGN)" --armor --detach-sign $(ARCHIVE))
endif

.PHONY: release
