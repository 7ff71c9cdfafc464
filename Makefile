# SPDX-License-Identifier: GPL-2.0-or-later
# make help lists the targets.

# ARCH=arm64 cross-builds with Debian's compiler, and with the libraries that make sysroot gets.
# A variable of the environment may be meant for the kernel's build.
ifneq ($(origin ARCH),command line)
ARCH	   :=
endif
# As Debian calls it.
deb_arch    = $(patsubst x86_64,amd64,$(patsubst aarch64,arm64,$(1)))
HOST_ARCH  := $(shell uname -m)
override ARCH := $(patsubst amd64,x86_64,$(patsubst arm64,aarch64,$(ARCH)))
ASKED_ARCH := $(ARCH)
STRIP	   := strip
AR	   := ar
ifneq ($(filter-out $(HOST_ARCH),$(ARCH)),)
B	   ?= build/$(call deb_arch,$(ARCH))
SYSROOT	   ?= $(abspath $(B))/sysroot
CC	   := $(ARCH)-linux-gnu-gcc --sysroot=$(SYSROOT)
STRIP	   := $(ARCH)-linux-gnu-strip
AR	   := $(ARCH)-linux-gnu-ar
# What runs here writes the man pages and the completions.
OWN	   ?= build
endif

B	 ?= build
OWN	 ?= $(B)
CC	 ?= cc
CLANG	 ?= clang
BPFTOOL	 ?= $(firstword $(wildcard /usr/sbin/bpftool) bpftool)
PREFIX	 ?= /usr/local
SAN	 ?=
OPT	 ?= -O2 -g
WARN	 := -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wwrite-strings -Wvla
CPPFLAGS += -I. -I$(B) -D_GNU_SOURCE -D_FILE_OFFSET_BITS=64
CFLAGS	 += -std=gnu17 $(OPT) $(WARN) -Werror=implicit -fno-strict-aliasing
ifneq ($(SAN),)
CFLAGS	 += -fsanitize=$(SAN) -fno-omit-frame-pointer -fno-sanitize-recover=all
LDFLAGS	 += -fsanitize=$(SAN)
endif

# make prints a line for each file that it makes, make V=1 the commands, and make -s nothing but warnings.
Q	   := $(if $(filter 1,$(V)),,@)
msg	    = $(if $(Q),$(if $(findstring s,$(firstword -$(MAKEFLAGS))),,@printf '  %-5s %s\n' '$(1)' '$(@:$(B)/%=%)'))

COMMON_SRC := $(wildcard common/*.c)
ELF_SRC    := $(wildcard elf/*.c)
FORMAT_SRC := $(wildcard format/*.c)
# A file whose name ends in _ARCH is for hosts of that architecture alone.
# In make deps demo on a new machine there is no compiler yet.
ifeq ($(ARCH),)
override ARCH := $(firstword $(subst -, ,$(shell $(CC) -dumpmachine 2> /dev/null || uname -m)))
endif
OTHER_ARCHES := $(filter-out $(ARCH),x86_64 aarch64)
DEB_ARCH   := $(call deb_arch,$(ARCH))
# As libbpf calls it.
BPF_ARCH   := $(patsubst x86_64,x86,$(patsubst aarch64,arm64,$(ARCH)))
RECORD_SRC := $(filter-out $(addsuffix .c,$(addprefix %_,$(OTHER_ARCHES))),$(wildcard record/*.c record/*/*.c record/*/*/*.c))
REPORT_SRC := $(wildcard report/*.c report/*/*.c)
UNIT_SRC   := $(filter-out $(addsuffix .c,$(addprefix %_,$(OTHER_ARCHES))),$(wildcard tests/unit/test_*.c))
TOOL_SRC   := $(wildcard tests/tools/*.c)
# What compares with libdw is left out where that is not installed; its test is skipped then.
ifeq ($(wildcard $(SYSROOT)/usr/include/elfutils/libdwfl.h),)
TOOL_SRC   := $(filter-out tests/tools/unwind_compare.c,$(TOOL_SRC))
endif
# Without libseccomp nothing runs with the limits of a container.
ifeq ($(wildcard $(SYSROOT)/usr/include/seccomp.h),)
TOOL_SRC   := $(filter-out tests/tools/plain_container.c,$(TOOL_SRC))
endif
LOAD_SRC   := $(wildcard tests/workloads/*.c)

obj = $(patsubst %.c,$(B)/%.o,$(1))
# For static programs.
STATIC_OBJ := $(B)/record/static_libelf.o $(addprefix $(B)/report/push/,curl_library_static.o http_connection.o http_exchange.o)
# Programs are linked with archives, of which each takes the objects that it uses.
BASE_LIB   := $(B)/libbase.a
RECORD_LIB := $(B)/librecord.a
REPORT_LIB := $(B)/libreport.a

RECORD_LIBS := -lbpf -lelf -lz -lzstd -llzma -lnettle
# libz comes before libelf, too: both have a crc32 in Debian testing's static libraries, and that of libz belongs to the rest of it.
REPORT_LIBS := -lz -lelf -lz -lzstd -llzma -liberty -lprotobuf-c -lgsl -lgslcblas -lm -pthread

# A compiler's word on it would be about a file.
ifneq ($(wildcard $(B)),)
ifneq ($(shell test -w $(B) && echo yes),yes)
$(warning this user cannot write to $(B): nothing is built there; B=DIR builds in another directory)
endif
endif

.DELETE_ON_ERROR:
.SECONDARY:

# STATIC=1 takes the programs that need no library in place of the usual ones.
PROFREC := $(B)/$(if $(STATIC),static/)profrec
PROFREP := $(B)/$(if $(STATIC),static/)profrep
MAN	:= $(patsubst doc/%.in,$(B)/%,$(wildcard doc/prof*.[1-8].in))

# The pages and the completions come from the programs themselves, and with ARCH=... from those of this machine.
all: profrec profrep $(if $(SYSROOT),,man completion)
profrec: $(PROFREC) ## the recorder (needs clang, bpftool, libbpf); STATIC=1: build/static/profrec, for any distribution
profrep: $(PROFREP) ## the reporter (needs neither clang nor libbpf); STATIC=1: build/static/profrep, for any distribution
man: $(MAN)
completion: $(foreach p,profrec profrep,$(addprefix $(B)/completions/,$p _$p $p.fish))

$(BASE_LIB): $(call obj,$(COMMON_SRC) $(ELF_SRC) $(FORMAT_SRC))
$(RECORD_LIB): $(filter-out $(B)/record/main.o $(STATIC_OBJ),$(call obj,$(RECORD_SRC)))
$(REPORT_LIB): $(filter-out $(B)/report/main.o $(STATIC_OBJ),$(call obj,$(REPORT_SRC))) \
	$(patsubst %.proto,$(B)/%.pb-c.o,$(wildcard report/*/*.proto))
# They are lists of the objects, not copies (T). An archive that is there would keep objects whose sources have gone.
$(BASE_LIB) $(RECORD_LIB) $(REPORT_LIB):
	$(call msg,AR)
	@rm -f $@
	$(Q)$(AR) rcsT $@ $^

$(B)/profrec: $(B)/record/main.o $(RECORD_LIB) $(BASE_LIB)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(RECORD_LIBS)

$(B)/static/profrec: $(B)/record/main.o $(B)/record/static_libelf.o $(RECORD_LIB) $(BASE_LIB)
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -static -Wl,--gc-sections -o $@ $^ $(RECORD_LIBS)

$(B)/profrep: $(B)/report/main.o $(REPORT_LIB) $(BASE_LIB)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(REPORT_LIBS)

# ld warns of functions that may load libraries: OpenSSL's engines and sources of hosts' addresses, of which none is used.
$(B)/static/profrep: $(B)/report/main.o $(STATIC_OBJ) $(REPORT_LIB) $(BASE_LIB)
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -static -Wl,--gc-sections \
		$(addprefix -Wl$(comma),$(findstring --no-warnings,$(shell $(CC) $(LDFLAGS) -Wl,--help))) -o $@ $^ -lssl -lcrypto $(REPORT_LIBS)

# The commit that --version names, " (COMMIT)": git writes it to mk/commit in the archive that make dist makes. Who builds need
# not own the checkout.
$(B)/commit.h: FORCE
	@mkdir -p $(@D)
	@commit=$$(sed -n 's/^\([0-9a-f]\{9\}\).*/\1/p' mk/commit); \
	[ "$$commit" ] || commit=$$(git -c safe.directory='*' describe --always --dirty --abbrev=9 2> /dev/null) || commit=; \
	line="#define PROFREC_COMMIT \"$${commit:+ ($$commit)}\""; \
	[ "$$(cat $@ 2> /dev/null)" = "$$line" ] || echo "$$line" > $@

$(B)/common/command_line.o: $(B)/commit.h

$(B)/%.o: %.c
	@mkdir -p $(@D)
	$(call msg,CC)
	$(Q)$(CC) $(CPPFLAGS) $(CFLAGS) -MMD -MP -c -o $@ $<

# BPF: object, then skeleton. -g makes the BTF that CO-RE needs, which names the sources; -mcpu=v3 is Linux 5.12 and later.
$(B)/profrec.bpf.o: bpf/profrec.bpf.c $(wildcard bpf/*.h bpf/*/*.h)
	@mkdir -p $(@D)
	$(call msg,BPF)
	$(Q)$(CLANG) -target bpf -D__TARGET_ARCH_$(BPF_ARCH) -mcpu=v3 -O2 -g -Wall -Wextra -Wno-unused-parameter -I. \
		-ffile-prefix-map=$(CURDIR)=. -idirafter $(SYSROOT)/usr/include/$(shell $(CC) -print-multiarch) -c -o $@.full $<
	$(Q)$(BPFTOOL) gen object $@ $@.full
	@rm $@.full

$(B)/profrec.skel.h: $(B)/profrec.bpf.o
	$(call msg,GEN)
	$(Q)$(BPFTOOL) gen skeleton $< name profrec_bpf > $@

# The maps and settings of the programs, for the recorder's own copy of them (record/sampling/program/).
$(B)/program_maps.h: $(B)/profrec.skel.h
	$(call msg,GEN)
	$(Q)awk '/^\t\} maps;/ { exit } /struct bpf_map \*/ { sub(/;/, ""); sub(/\*/, "", $$3); \
		if ($$3 !~ /^(rodata|bss|data)/) print "PROGRAM_MAP(" $$3 ")" }' $< > $@

$(B)/program_settings.h: $(B)/profrec.skel.h
	$(call msg,GEN)
	$(Q)awk '/struct profrec_bpf__rodata \{/ { on = 1; next } /\} \*rodata;/ { exit } \
		on { sub(/;/, ""); sub(/\[.*/, "", $$NF); if ($$NF !~ /^__pad/) print "PROGRAM_SETTING(" $$NF ")" }' $< > $@

$(call obj,$(RECORD_SRC)) $(B)/tests/unit/test_bpf_stack.o: | $(B)/profrec.skel.h

# The programs read words at any address, as they may in the kernel.
$(B)/record/sampling/program/program.o: CFLAGS += $(if $(SAN),-fno-sanitize=alignment)
$(B)/record/sampling/program/program.o: | $(B)/program_maps.h $(B)/program_settings.h

# The option lists of the man pages come from the programs' option tables: @OPTIONS@ stands for those of a program,
# @OPTIONS COMMAND@ for those of a command. @LANGUAGES@ stands for the recorder's table of languages.
$(filter $(B)/profrec%,$(MAN)): $(OWN)/profrec
$(filter $(B)/profrep%,$(MAN)): $(OWN)/profrep
$(MAN): $(B)/%: doc/%.in
	@mkdir -p $(@D)
	$(call msg,GEN)
	$(Q)awk -v program=$(OWN)/$(firstword $(subst -, ,$(basename $*))) '/^@OPTIONS.*@$$/ { gsub(/@OPTIONS|@/, ""); fflush(); \
		if (system(program " " $$0 " --help-man")) exit 1; next } \
		/^@LANGUAGES@$$/ { fflush(); if (system(program " --languages help-man")) exit 1; next } \
		{ print }' $< > $@

$(B)/completions/%: $(OWN)/%
	@mkdir -p $(@D)
	$(call msg,GEN)
	$(Q)$< --help-completion > $@

$(B)/completions/_%: $(OWN)/%
	@mkdir -p $(@D)
	$(call msg,GEN)
	$(Q)$< --help-zsh > $@

$(B)/completions/%.fish: $(OWN)/%
	@mkdir -p $(@D)
	$(call msg,GEN)
	$(Q)$< --help-fish > $@

# Unit tests: one program for each tests/unit/test_*.c.
UNIT_BIN := $(patsubst tests/unit/%.c,$(B)/tests/%,$(UNIT_SRC))
TOOL_BIN := $(patsubst tests/tools/%.c,$(B)/tests/%,$(TOOL_SRC))
LOAD_BIN := $(patsubst tests/workloads/%.c,$(B)/workloads/%,$(LOAD_SRC))

# What it compares with; without it the test says so.
$(B)/tests/test_cfi_libdw: UNIT_LIBS := $(if $(wildcard $(SYSROOT)/usr/include/elfutils/libdw.h),-ldw)

# It names the addresses itself, and is a receiver of TLS.
$(B)/tests/test_http_connection: UNIT_LIBS = $(call wraps,freeaddrinfo getaddrinfo) -lssl -lcrypto

# It answers requests itself.
$(B)/tests/test_watcher: UNIT_LIBS := -Wl,--wrap=http_client_post -Wl,--wrap=http_client_limit

# They play the threads that are sampled, and say what /proc and the kernel tell of them (tests/unit/played_source.h).
comma := ,
wraps = $(patsubst %,-Wl$(comma)--wrap=%,$(1))
PLAYED := cpus_possible proc_tgid proc_parent proc_tracer proc_add_threads random targets_faults targets_read_comm \
	targets_read_process thread_times_has_ended thread_times_read thread_times_runs program_lose_samples program_needs_stop \
	program_take_sample
$(B)/tests/test_ptrace_source $(B)/tests/test_stop_times $(B)/tests/test_thread_ends: UNIT_LIBS := $(call wraps,$(PLAYED) access nanosleep timerfd_settime)
$(B)/tests/test_perf_events $(B)/tests/test_perf_source $(B)/tests/test_perf_stops: UNIT_LIBS := $(call wraps,$(PLAYED) ioctl mmap64 syscall)
$(B)/tests/test_drain: UNIT_LIBS := $(call wraps,sampler_count_waiting sampler_drain sampler_visit_waiting)
$(B)/tests/test_backend: UNIT_LIBS := $(call wraps,access bpf_map_create privilege_event_level privilege_explain_none privilege_has \
	privilege_in_user_namespace ptrace syscall uname)
$(B)/tests/test_coroutines: UNIT_LIBS := $(call wraps,fcontext_find_begin)
$(B)/tests/test_cgroup_paths: UNIT_LIBS := $(call wraps,looker_ask)
$(B)/tests/test_child: UNIT_LIBS := $(call wraps,waitpid)
$(B)/tests/test_chosen_events: UNIT_LIBS := $(call wraps,attach_can_user_multi cgroup_members probes_add probes_add_event)
$(B)/tests/test_descendants: UNIT_LIBS := $(call wraps,proc_list proc_parent syscall)
$(B)/tests/test_description: UNIT_LIBS := $(call wraps,events_times sampler_early_refused sampler_skipped_hits sampler_take_totals \
	sampler_unfollowed session_tell_lacks sideband_lost)
$(B)/tests/test_epoch_names: UNIT_LIBS := $(call wraps,container_names_find jit_begin_reading jit_end_reading jit_find_owner jit_note_unread \
	jit_open_map new_processes_find new_processes_look perf_map_lookup perf_map_name)
$(B)/tests/test_epoch_questions: UNIT_LIBS := $(call wraps,file_names_ask file_names_find file_names_note_unserved file_names_note_written \
	file_names_payer file_names_state file_names_work)
$(B)/tests/test_events: UNIT_LIBS := $(call wraps,event_name_find_id ioctl privilege_explain_event syscall)
$(B)/tests/test_method_names: UNIT_LIBS := $(call wraps,clock_gettime)
$(B)/tests/test_privilege: UNIT_LIBS := $(call wraps,fopen64 prctl syscall)
$(B)/tests/test_registered_code: UNIT_LIBS := $(call wraps,clock_gettime look_is_long)
$(B)/tests/test_registered_spaces: UNIT_LIBS := $(call wraps,file_tables_request registered_code_ask registered_code_describe)
$(B)/tests/test_repeat: UNIT_LIBS := $(call wraps,clock_gettime recorder_run sigtimedwait)
$(B)/tests/test_memory_watch: UNIT_LIBS := $(call wraps,bpf_link__destroy bpf_map__fd bpf_prog_load bpf_program__attach_perf_event \
	bpf_program__attach_trace bpf_program__autoload bpf_program__set_autoload btf__find_by_name_kind btf__free \
	btf__load_vmlinux_btf event_name_find_id libbpf_probe_bpf_helper ring_buffer__consume ring_buffer__free ring_buffer__new sideband_add sideband_set_unsent syscall \
	tracefs_open)
$(B)/tests/test_off_cpu: UNIT_LIBS := $(call wraps,bpf_map_lookup_batch)
$(B)/tests/test_rescans: UNIT_LIBS := $(call wraps,proc_owner proc_scan_process)
$(B)/tests/test_sampler_load: UNIT_LIBS := $(call wraps,bpf_map__reuse_fd libbpf_probe_bpf_helper program_begin stat64)
$(B)/tests/test_session_notes: UNIT_LIBS := $(call wraps,cpus_online events_times file_names_unserved looker_most_given_up looker_nr_given_up \
	looker_nr_stopped progress_note sampler_taken source_lacks unwinder_pool)
$(B)/tests/test_tracefs: UNIT_LIBS := $(call wraps,access)
$(B)/tests/test_entry_programs: UNIT_LIBS := $(call wraps,bpf_prog_load bpf_program__insn_cnt bpf_program__insns \
	libbpf_register_prog_handler libbpf_unregister_prog_handler)
$(B)/tests/test_worker_line: UNIT_LIBS := $(call wraps,child_state clock_gettime read_file timerfd_create timerfd_settime)
$(B)/tests/test_exported_variable: UNIT_LIBS := $(call wraps,proc_maps_read resident_memory_read)
$(B)/tests/test_copied_text: UNIT_LIBS := $(call wraps,proc_query_file)
$(B)/tests/test_found_threads $(B)/tests/test_java_stretch: UNIT_LIBS := $(call wraps,looker_ask)
$(B)/tests/test_process_machine: UNIT_LIBS := $(call wraps,clock_gettime machines_put)
$(B)/tests/test_sample_source: UNIT_LIBS := $(call wraps,perf_source_add perf_source_create perf_source_destroy perf_source_event perf_source_fds \
	perf_source_has_changed perf_source_has_kernel perf_source_lacks perf_source_nr_lost perf_source_start perf_source_stop perf_source_take \
	ptrace_source_add ptrace_source_create ptrace_source_destroy ptrace_source_fds ptrace_source_lacks ptrace_source_start ptrace_source_stop \
	ptrace_source_take)
$(B)/tests/test_space_machines: UNIT_LIBS := $(call wraps,clock_gettime interpreter_maps_sampled machines_remove proc_is_gone process_machine_look \
	process_machine_look_again thread_context_find)
$(B)/tests/test_early_java: UNIT_LIBS := $(call wraps,java_stretch_walk machines_find method_names_want_unnamed space_maps_machine)
$(B)/tests/test_task_memory: UNIT_LIBS := $(call wraps,looker_ask proc_is_gone proc_looker)
$(B)/tests/test_thread_times: UNIT_LIBS := $(call wraps,proc_stat_read)
$(B)/tests/test_kept_tables $(B)/tests/test_table_requests $(B)/tests/test_table_wait: UNIT_LIBS := $(call wraps,clock_gettime file_send looker_blame map_delete map_update poll proc_is_gone proc_owner \
	registered_code_send table_builder_charge_wait table_builder_line table_builder_next table_builder_request table_builder_start table_cache_get \
	table_cache_get_hash table_cache_put table_maps_add table_maps_are_tight table_maps_remove worker_line_destroy worker_line_expect worker_line_ran_ns worker_line_sock \
	worker_line_wants_processor)
$(B)/tests/test_table_builder: UNIT_LIBS := $(call wraps,close fstat64 pread64)
UNWINDER := clock_gettime early_java_expect early_samples_add \
	early_samples_take early_samples_walk file_names_hold file_tables_begin file_tables_finish file_tables_know file_tables_request \
	function_names_add look_budget_begin look_budget_charge look_budget_end look_budget_haste look_budget_leave_out \
	look_budget_must_wait method_names_ask method_names_want proc_is_gone proc_owner proc_scan_mapping_at proc_scan_mappings \
	program_records_read rings_add rings_consume rings_create rings_destroy rings_fd space_maps_differ space_maps_find space_maps_hide \
	space_maps_mistake space_maps_put space_maps_remove table_builder_deinit table_builder_start table_wait table_wait_asking
$(B)/tests/test_unwinder $(B)/tests/test_unwinder_samples: UNIT_LIBS := $(call wraps,$(UNWINDER))
$(B)/tests/test_unwinder_work: UNIT_LIBS := $(call wraps,$(UNWINDER) interpreter_maps_is_short mapped_files_deinit mapped_files_want_sweep \
	space_contexts_look space_maps_exited space_maps_expect_context space_maps_interpreter_renumbered space_maps_look_for_machines \
	space_maps_lookup space_maps_machine_lost space_maps_sampled space_maps_settle space_maps_sweep space_maps_table_changed \
	space_room_is_short)
$(B)/tests/test_session: UNIT_LIBS := $(call wraps,address_spaces_forget backend_choose cgroup_paths_have_ids chosen_events_find command_close command_go command_start cpus_choose \
	descendants_follow events_close events_disable events_open file_names_create file_names_destroy file_names_work filters_close \
	filters_open found_threads_add jit_forget jit_watch_all ksyms_begin looker_destroy looker_start memory_watch_end memory_watch_read new_processes_forget \
	new_processes_read privilege_has probes_attach probes_deinit probes_detach probes_map_files probes_unmap_files proc_scan progress_note \
	rings_add rings_consume rings_create rings_destroy sampler_attach sampler_attach_follower sampler_attach_off_cpu sampler_can_unwind \
	sampler_create sampler_destroy sampler_detach sampler_find_waiting sampler_follow sampler_told_processes sampler_unwind_maps \
	sampler_watch_memory sideband_buffer_bytes sideband_collect sideband_create sideband_has_begun sideband_destroy sideband_limit sideband_nr_waiting \
	sideband_preview sideband_read source_event source_has_changed source_has_kernel source_start source_stop stack_depth_choose stack_depth_limit \
	unwinder_begin unwinder_create unwinder_destroy unwinder_early unwinder_has_makers unwinder_may_keep unwinder_request_own \
	unwinder_request_popular unwinder_wait_own unwinder_wait_popular unwinder_walk_known unwinder_work vdso_load without_bpf_begin without_bpf_end without_bpf_take)
$(B)/tests/test_recorder: UNIT_LIBS := $(call wraps,clock_gettime command_exit_status command_reap confine_recorder description_begin \
	description_deinit description_end epoch_begin_recording epoch_end_recording epoch_overflows exits_are_over exits_deinit exits_init \
	file_names_fd file_names_is_waiting file_names_work ksyms_load_slice open_files_raise overhead_begin_recording pipeline_ask_names \
	pipeline_begin_slices pipeline_deinit pipeline_end_epoch pipeline_fill_epoch pipeline_init pipeline_nr_stacks pipeline_take_set \
	pipeline_take_waiting pipeline_wants_drain progress_begin progress_clear progress_end progress_error progress_has_status progress_init \
	progress_note progress_status recordings_begin recordings_bytes recordings_close recordings_end recordings_is_full recordings_name \
	recordings_open recordings_open_next recordings_remove_old rings_fd sampler_end_at sampler_other_labels sampler_other_traces \
	sampler_taken sampler_wakeup_fd session_apply_records session_attach session_collect_records session_deinit \
	session_has_many_records session_init session_note_omissions session_prepare session_start session_stop session_take_samples \
	session_unwind session_watch_cpus session_watch_overhead sideband_fds unwinder_fds wakeups_block_signals wakeups_deinit wakeups_init \
	wakeups_wait wakeups_wait_for wakeups_watch wakeups_watch_watermark)
$(B)/tests/test_outfile: UNIT_LIBS := $(call wraps,geteuid)
$(B)/tests/test_pipeline: UNIT_LIBS := $(call wraps,address_spaces_distrust clock_gettime drain_add_next drain_count_waiting drain_create \
	drain_destroy drain_keep_waiting drain_take drain_tell_samples epoch_ask_names epoch_begin_slices epoch_create epoch_destroy \
	epoch_finish epoch_nr_counts epoch_owes_names epoch_reset file_names_is_waiting file_names_settle function_names_age \
	function_names_settle jit_forget ksyms_load_rest ksyms_refresh recordings_write_epoch sampler_begin_slices \
	sampler_clear_wakeups sampler_set_at_rest sampler_swap session_apply_records session_forget session_labels \
	session_take_samples session_watch_cpus sideband_count_lost sideband_lost unwinder_early unwinder_functions \
	unwinder_has_many_names unwinder_interpreters unwinder_lacks_room unwinder_settle unwinder_sweep unwinder_take_early \
	unwinder_walk_early unwinder_wants_drain)
$(B)/tests/test_without_bpf: UNIT_LIBS := $(call wraps,apply_record backend_fall_back descendants_follow look_budget_begin look_budget_end look_budget_must_wait \
	proc_owner proc_scan_mappings sideband_set_unsent source_add source_create source_destroy source_has_kernel source_nr_lost \
	source_take)
$(B)/tests/test_attach: UNIT_LIBS := $(call wraps,access bpf_link_create bpf_prog_load read_file syscall tracepoint_field_find)
$(B)/tests/test_probes: UNIT_LIBS := $(call wraps,attach_check_entry attach_entry attach_kernel attach_kernel_multi attach_tracepoint \
	attach_user attach_user_multi hit_weight_find_field indirect_functions_resolve kernel_entries_find kernel_functions_find \
	kernel_way_choose library_exists library_open privilege_explain privilege_hides_kallsyms meant_by_function sampler_copy_entry \
	sampler_hit_program similar_name_in_file tracefs_refuse tracepoints_find tracepoints_have_category usdt_find user_functions_find)
$(B)/tests/test_indirect_functions: UNIT_LIBS := $(call wraps,mapped_code_open mapped_code_read readdir64 resident_memory_read)
$(B)/tests/test_library: UNIT_LIBS := $(call wraps,mapped_code_open mapped_code_read read_file safe_open)
$(B)/tests/test_jit_maps: UNIT_LIBS := $(call wraps,look_touch perf_map_open proc_identity_read safe_open_in_root sendfile64)
$(B)/tests/test_kernel_functions: UNIT_LIBS := $(call wraps,fopen64)
$(B)/tests/test_kernel_entries: UNIT_LIBS := $(call wraps,btf__free btf__load_vmlinux_btf kernel_functions_names)
$(B)/tests/test_go_labels: UNIT_LIBS := $(call wraps,executable_headers resident_memory_read)
$(B)/tests/test_resident_memory_played: UNIT_LIBS := $(call wraps,open64 pread64 proc_living_thread proc_maps_read proc_query_readable \
	process_vm_readv read_file)
$(B)/tests/test_process_context: UNIT_LIBS := $(call wraps,proc_maps_read proc_query_memory resident_memory_read)
$(B)/tests/test_thread_context: UNIT_LIBS := $(call wraps,exported_variable_find go_labels_find process_context_fetch process_context_keys)
$(B)/tests/test_names_worker: UNIT_LIBS := $(call wraps,_exit build_id_from_fd child_begin clock_gettime fd_message_receive fd_message_send \
	file_identity_is_of_fd getpriority names_answer_make sandbox_enter setitimer setpriority setrlimit64 syscall)
$(B)/tests/test_sideband_rings: UNIT_LIBS := $(call wraps,mmap64 privilege_explain_event syscall)
$(B)/tests/test_new_processes: UNIT_LIBS := $(call wraps,process_context_read process_environment_read)
$(B)/tests/test_program_records_played: UNIT_LIBS := $(call wraps,sideband_show_begun)
$(B)/tests/test_proc_info $(B)/tests/test_proc_scan: UNIT_LIBS := $(call wraps,looker_ask)
$(B)/tests/test_proc_task: UNIT_LIBS := $(call wraps,look_touch looker_ask read_file stat64)
$(B)/tests/test_debug_symbols: UNIT_LIBS := $(call wraps,build_id_from_fd safe_open unpack_xz)
$(B)/tests/test_looker_times: UNIT_LIBS := $(call wraps,clock_gettime open64 pread64)
$(B)/tests/test_mapped_code: UNIT_LIBS := $(call wraps,proc_map_file_open)
$(B)/tests/test_sandbox: UNIT_LIBS := $(call wraps,child_die_with geteuid getrandom prctl privilege_drop privilege_has setgroups setresgid \
	setresuid setrlimit64)
$(B)/tests/test_memory_sharers: UNIT_LIBS := $(call wraps,syscall)
$(B)/tests/test_user_mount: UNIT_LIBS := $(call wraps,fstatfs64)
$(B)/tests/test_names_budget: UNIT_LIBS := $(call wraps,clock_gettime)
$(B)/tests/test_file_names $(B)/tests/test_held_files: UNIT_LIBS := $(call wraps,fd_message_send file_send looker_blame names_budget_charge names_budget_is_thrifty \
	names_budget_limit worker_line_destroy worker_line_fd worker_line_next worker_line_nr_workers worker_line_request worker_line_sock \
	worker_line_start)

# lld links them in half the time, where it is installed.
UNIT_LD := $(if $(SYSROOT),,$(if $(shell command -v ld.lld),-fuse-ld=lld))
$(B)/tests/test_%: $(B)/tests/unit/test_%.o $(RECORD_LIB) $(REPORT_LIB) $(BASE_LIB)
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(UNIT_LD) $(LDFLAGS) -o $@ $^ $(RECORD_LIBS) $(REPORT_LIBS) $(UNIT_LIBS) -lcheck -lsubunit -lm -lrt -lpthread

$(B)/tests/table_make $(B)/tests/carried_names: $(B)/tests/%: $(B)/tests/tools/%.o $(RECORD_LIB) $(BASE_LIB)
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(RECORD_LIBS)

# The programs that they compile in read the memory of samples.
IMAGE_WRAPS := -Wl,--wrap=bpf_probe_read_user,--wrap=bpf_probe_read_user_str
$(B)/tests/image_%: $(B)/tests/tools/image_%.o $(RECORD_LIB) $(BASE_LIB)
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) $(IMAGE_WRAPS) -o $@ $^ $(RECORD_LIBS)

$(B)/tests/contain: $(B)/tests/tools/contain.o
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^

$(B)/tests/plain_container: $(B)/tests/tools/plain_container.o
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ -lseccomp

$(B)/tests/%: $(B)/tests/tools/%.o $(REPORT_LIB) $(BASE_LIB)
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(REPORT_LIBS)

$(B)/tests/unwind_compare: $(B)/tests/tools/unwind_compare.o $(RECORD_LIB) $(BASE_LIB)
	@mkdir -p $(@D)
	$(call msg,LD)
	$(Q)$(CC) $(LDFLAGS) -o $@ $^ $(RECORD_LIBS) -ldw

# Workloads keep frame pointers and their call structure: their shape is what tests compare with.
# Optimised, gcc makes no frame for a leaf such as func_a whatever the flags, and main would be skipped.
LOAD_OPT = -O2
$(B)/workloads/func_ab: LOAD_OPT = -O0
$(B)/workloads/%: tests/workloads/%.c
	@mkdir -p $(@D)
	$(call msg,CC)
	$(Q)$(CC) $(LOAD_OPT) -g -fno-omit-frame-pointer -fno-optimize-sibling-calls -fno-inline -o $@ $<

# Sanitizers cannot be linked statically.
STATIC_BIN := $(if $(SAN),,$(B)/static/profrec $(B)/static/profrep)

# What is installed decides what is built. In make deps-check check, make read this file before the first goal installed
# it, so it reads anew. deps-check and check must follow each other, so -j is for this make alone. It builds by all
# processors, unless make was told of another number.
BUILD_ALL = +@$(MAKE) --no-print-directory $(if $(filter -j% --jobserver%,$(MAKEFLAGS)),,-j$(shell nproc))

tests-build:
	$(BUILD_ALL) tests-programs

tests-programs: all $(UNIT_BIN) $(TOOL_BIN) $(LOAD_BIN) $(STATIC_BIN)

RUN = BUILD=$(abspath $(B)) tests/run

check: tests-build ## run the gate, whose outcome rests on the programs alone (TESTS='PART ...': other parts; CASE=TEST, KEEP=1)
	$(RUN)

check-sampling: tests-build ## run the tests that rest on which samples the kernel takes; a failure is tried twice more (MINUTES=N)
	CLASS=sampling $(RUN)

# Needs no root, no way to record, and no kernel but this one.
QUICK := architectures includes format sizes references options shell unit/* fuzz/* system/golden system/images

check-quick: tests-build ## run the rules, the unit tests, the stored outputs and the inputs of fuzzing: half a minute
	TESTS="$(or $(TESTS),$(QUICK))" $(RUN)

check-kernels: KERNELS ?= 6.1 6.12
check-kernels: tests-build ## boot Debian's kernels under emulation and record there (KERNELS='6.1 6.12')
	KERNELS="$(KERNELS)" TESTS=system/kernels $(RUN)

check-all: ## run everything: check, check-sampling, check-kernels, check-limited, check-sanitized, check-sanitized-unit, check-fresh, check-long
	+@failed=; for goal in check check-sampling check-kernels check-limited check-sanitized check-sanitized-unit check-fresh check-long; do \
		$(MAKE) --no-print-directory $$goal || failed="$$failed $$goal"; done; \
	[ -z "$$failed" ] || { echo "failed:$$failed" >&2; exit 1; }

include $(wildcard mk/*.mk)

bench: tests-build ## measure against perf from linux-perf; prints ratios
	BUILD=$(abspath $(B)) bench/run
	BUILD=$(abspath $(B)) CC="$(CC)" bench/events
	BUILD=$(abspath $(B)) CC="$(CC)" bench/languages
	BUILD=$(abspath $(B)) CC="$(CC)" bench/backends
	BUILD=$(abspath $(B)) bench/slices
	BUILD=$(abspath $(B)) bench/lines
	BUILD=$(abspath $(B)) bench/growth

DEB_PACKAGES := build-essential clang bpftool libbpf-dev libelf-dev zlib1g-dev libzstd-dev nettle-dev \
	liblzma-dev libxxhash-dev libiberty-dev libgsl-dev \
	protobuf-c-compiler libprotobuf-c-dev libcurl4-openssl-dev libssl-dev

deps: ## install what is needed to build and to run the demo, on Debian 12 or later, as root
deps-check: ## install what the build and make check need, as root
deps-sampling: ## install what make check-sampling needs besides, as root

# Those of the tests are installed only where the distribution has them: Debian 13 has no clang-format-14.
deps: PACKAGES :=
deps-check: PACKAGES := check $(shell sed -n 's/^gate: //p' tests/packages)
deps-sampling: PACKAGES := $(shell sed -n 's/^sampling: //p' tests/packages)
deps deps-check deps-sampling:
	@[ "$$(id -u)" -eq 0 ] || { echo "make $@ installs packages, which takes root; the other targets do not" >&2; exit 1; }
	apt-get update -q
	DEBIAN_FRONTEND=noninteractive apt-get install -q -y --no-install-recommends $(DEB_PACKAGES) \
		$$(for p in $(PACKAGES); do apt-cache show $$p > /dev/null 2>&1 && echo $$p; done)

demo: ## record a bundled workload for a few seconds and print the report
	$(BUILD_ALL) all $(LOAD_BIN)
	BUILD=$(abspath $(B)) tests/demo

examples: $(B)/profrep $(B)/tests/prof_make ## write the outputs of doc/examples.md anew, from recordings in tests/examples
	BUILD=$(abspath $(B)) tests/examples/write > $(B)/examples.md
	cp $(B)/examples.md doc/examples.md

clean: ## remove the build directory
	rm -rf $(B)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/  \1\t\2/p' $(MAKEFILE_LIST) | expand -t 16

.PHONY: FORCE all profrec profrep man completion tests-build tests-programs check check-sampling check-quick check-kernels check-all \
	bench deps deps-check deps-sampling demo examples clean help

# Roots of check-fresh and trees of packages have directories of such names.
-include $(shell find $(B) \( -path $(B)/fresh -o -path $(B)/deb -o -name sysroot \) -prune -o -type f -name '*.d' -print 2>/dev/null)
