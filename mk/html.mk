# SPDX-License-Identifier: GPL-2.0-or-later
# The viewer of profrep html, as a C header. Its scripts share one scope; a script stands after those that it extends.

HTML_SCRIPTS := $(addprefix report/html/,bytes.js profile.js tree.js sources.js parts.js stacks.js search.js raster.js colors.js link.js choice.js flame.js \
	heat.js table.js table_rows.js details.js image.js source_lines.js state.js pane.js actions.js viewer.js)

$(B)/report/html/page_text.h: report/html/embed report/html/page.html report/html/viewer.css report/html/loader.js $(HTML_SCRIPTS)
	@mkdir -p $(@D)
	$(call msg,GEN)
	$(Q)$^ > $@

$(B)/report/html/page.o: $(B)/report/html/page_text.h

html-scripts: # prints the list, for tests
	@echo $(HTML_SCRIPTS)

.PHONY: html-scripts
