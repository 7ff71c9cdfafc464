# SPDX-License-Identifier: GPL-2.0-or-later
# The messages of pprof, OTLP and Pyroscope's Push API, made by protoc-c from their descriptions.

MESSAGES := $(patsubst %.proto,$(B)/%.pb-c,$(wildcard report/*/*.proto))

$(MESSAGES:=.c): $(B)/%.pb-c.c: %.proto
	@mkdir -p $(@D)
	$(call msg,GEN)
	$(Q)protoc-c --c_out=$(B) $<

$(MESSAGES:=.h): %.h: %.c ;

$(MESSAGES:=.o): %.o: %.c
	$(call msg,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

$(call obj,$(REPORT_SRC)): | $(MESSAGES:=.h)
