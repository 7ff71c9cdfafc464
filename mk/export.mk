# SPDX-License-Identifier: GPL-2.0-or-later
# pprof's messages for profrep export, made by protoc-c from their descriptions.

PPROF_MESSAGES := $(B)/report/export/pprof.pb-c

$(PPROF_MESSAGES).c $(PPROF_MESSAGES).h &: report/export/pprof.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(B) $<

$(PPROF_MESSAGES).o: $(PPROF_MESSAGES).c
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(call obj,$(REPORT_SRC)): | $(PPROF_MESSAGES).h
