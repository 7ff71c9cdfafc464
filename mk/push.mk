# SPDX-License-Identifier: GPL-2.0-or-later
# The messages of Pyroscope's Push API for profrep push, made by protoc-c from their descriptions.

PUSH_MESSAGES := $(B)/report/push/push.pb-c

$(PUSH_MESSAGES).c $(PUSH_MESSAGES).h &: report/push/push.proto
	@mkdir -p $(@D)
	protoc-c --c_out=$(B) $<

$(PUSH_MESSAGES).o: $(PUSH_MESSAGES).c
	$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(call obj,$(REPORT_SRC)): | $(PUSH_MESSAGES).h
