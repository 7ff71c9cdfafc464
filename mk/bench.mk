# SPDX-License-Identifier: GPL-2.0-or-later
# The rival of our own that bench/run measures: the pair of bpf_get_stackid.

$(B)/bench/%.bpf.o: bench/%.bpf.c
	@mkdir -p $(@D)
	$(call msg,BPF)
	$(Q)$(CLANG) -target bpf -mcpu=v3 -O2 -g -Wall -Wextra \
		-idirafter /usr/include/$(shell $(CC) -print-multiarch) -c -o $@ $<

$(B)/bench/%.skel.h: $(B)/bench/%.bpf.o
	$(call msg,GEN)
	$(Q)$(BPFTOOL) gen skeleton $< name $*_bpf > $@

$(B)/bench/stackid: bench/stackid.c $(B)/bench/stackid.skel.h
	$(call msg,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -o $@ $< -lbpf -lelf -lz

bench: $(B)/bench/stackid
