# SPDX-License-Identifier: GPL-2.0-or-later
# What make ARCH=arm64 needs: the compiler gcc-aarch64-linux-gnu, and this.

# busybox, sys/sdt.h and libdw are for tests of arm64 (tests/long).
SYSROOT_PACKAGES := libc6-dev libbpf-dev libelf-dev zlib1g-dev libzstd-dev nettle-dev liblzma-dev libiberty-dev libgsl-dev \
	libprotobuf-c-dev libcurl4-openssl-dev libssl-dev libxxhash-dev check libsubunit-dev busybox-static \
	systemtap-sdt-dev libdw-dev

sysroot: ## unpack the libraries for make ARCH=arm64 under build/arm64, from where apt gets Debian
	@[ "$(SYSROOT)" ] || { echo "say for which other architecture: make sysroot ARCH=arm64" >&2; exit 1; }
	mk/sysroot $(SYSROOT) $(DEB_ARCH) $(SYSROOT_PACKAGES)

ifneq ($(filter-out $(B),$(OWN)),)
$(SYSROOT)/packages:
	mk/sysroot $(SYSROOT) $(DEB_ARCH) $(SYSROOT_PACKAGES)

# Both at once, because one make builds them.
$(OWN)/profrec $(OWN)/profrep &: FORCE
	$(MAKE) ARCH=$(HOST_ARCH) SYSROOT= B=$(OWN) STATIC= profrec profrep
endif

.PHONY: sysroot
