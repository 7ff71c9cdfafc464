/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The recording file (.prof) as data: a recorder hands it to the writer, and the reader hands it
 * out. doc/prof-format.md is the normative description of the bytes.
 *
 * A recording is a description (struct prof_meta), any number of epochs, and an end record. An
 * epoch is a stretch of time that stands for itself. It has its own strings, objects, processes,
 * stacks, counts and symbols, and its ids mean nothing outside it. So a recording that was cut
 * short is readable up to its last whole epoch, and a reader can select or merge epochs freely.
 */
#ifndef FORMAT_PROF_H
#define FORMAT_PROF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "common/name_parts.h"

/* Version of the format. A reader refuses any other major version. */
#define PROF_VERSION_MAJOR 1
#define PROF_VERSION_MINOR 9

/* Limits. The writer keeps them, and the reader refuses larger numbers before it allocates. */
#define PROF_MAX_SECTION_BYTES (16u << 20) /* decoded payload of one section */
#define PROF_MAX_STRING_BYTES  65535u
#define PROF_MAX_BUILD_ID      64u
#define PROF_MAX_STACK_FRAMES  2048u      /* frames of one stack */
#define PROF_MAX_TABLE         (1u << 20) /* strings, objects, ..., counts of one epoch, each */
#define PROF_MAX_EPOCH_FRAMES  (1u << 22) /* stack frames of one epoch, prefixes expanded */
#define PROF_MAX_CPUS          8192u
#define PROF_MAX_PIDS          (1u << 20) /* processes or threads asked for */
#define PROF_MAX_EVENTS        255u
#define PROF_MAX_LABELS        64u              /* pairs of a label set */
#define PROF_MAX_SLICES        65536u           /* of time in one epoch */
#define PROF_MAX_SLICE_NS      3600000000000ull /* length of a slice */

/* The kind of an object. Addresses are relative to an object: a file or another source of code. */
enum prof_object_kind {
	PROF_OBJECT_NONE = 0,   /* no mapping covers the address; offset is the raw address */
	PROF_OBJECT_FILE = 1,   /* a mapped file; offset is the file offset */
	PROF_OBJECT_ANON = 2,   /* memory without a file (JIT code); offset from mapping start */
	PROF_OBJECT_VDSO = 3,   /* offset from mapping start */
	PROF_OBJECT_KERNEL = 4, /* the kernel image; offset from _stext, modulo 2^64 */
	PROF_OBJECT_MODULE = 5, /* a kernel module; offset from its load address */
	PROF_OBJECT_BPF = 6,    /* JIT-compiled BPF programs; offset from _stext, modulo 2^64 */
	PROF_OBJECT_JIT = 7,    /* code that one process made for itself; offset is the address */
	PROF_NR_OBJECT_KINDS,
};

#define PROF_OBJECT_DELETED 1u /* flag: the file was deleted while it was mapped */

struct prof_object {
	uint8_t kind;
	uint8_t flags;
	uint8_t build_id_size; /* bytes; 0: none known */
	uint8_t build_id[PROF_MAX_BUILD_ID];
	uint32_t path; /* string: path as the process saw it; module name; "[kernel]" ... */
	/*
	 * A process may map a file twice, each time at a different distance from its file offsets.
	 * But (process, object) must give one distance. So the second mapping and later ones are
	 * objects of their own, which differ in this number alone. It is 0 nearly always.
	 * PROF_OBJECT_JIT: the low half of the process's generation, since no two processes may
	 * share such an object.
	 */
	uint32_t instance;
};

/*
 * Facts about the file of an object, taken when it was mapped. They tell files without a build-id
 * apart, and tell whether the file at the path is still that file. At most one for each object,
 * ascending by object, none for object 0.
 */
struct prof_file_info {
	uint32_t object;
	uint64_t inode;
	uint64_t size;              /* bytes */
	int64_t mtime_ns, ctime_ns; /* since 1970 */
};

/* The part that an object plays for a language whose code an interpreter runs. */
enum prof_language_role {
	PROF_LANGUAGE_SOURCE = 0,      /* a file of source code; its frames are functions */
	PROF_LANGUAGE_INTERPRETER = 1, /* the interpreter */
	PROF_LANGUAGE_UNSUPPORTED = 2, /* an interpreter of a version that nobody could walk */
	PROF_NR_LANGUAGE_ROLES,
};

/*
 * The language of an object: at most one for each object, ascending by object, none for object 0. A
 * source is of PROF_OBJECT_ANON, nobody maps it, and its path is that of the file. The offset of a
 * frame in a source says where its function is defined: PROF_SOURCE_OFFSET.
 */
struct prof_language {
	uint32_t object;
	uint8_t role;     /* enum prof_language_role */
	uint32_t name;    /* string: a short name of the language, "py" */
	uint32_t version; /* string: name and version of an interpreter, "CPython 3.11.2" */
};

/*
 * Functions that are defined in one line differ in @id, which has 31 bits. The offset is odd, so
 * that a symbol of 2 bytes also has the byte before it.
 */
#define PROF_SOURCE_OFFSET(line, id) ((uint64_t)(line) << 32 | (uint64_t)(id) << 1 | 1)
#define PROF_SOURCE_LINE(offset)     ((uint32_t)((offset) >> 32))

/* Frames of the source without a path stand for no certain function. */
enum prof_note {
	PROF_NOTE_UNNAMED = 0,    /* a function whose name is not known */
	PROF_NOTE_DISPLACED = 1,  /* the functions after it have no place among the native frames */
	PROF_NOTE_UNREADABLE = 2, /* further functions could not be read */
	PROF_NR_NOTES,
};

#define PROF_SOURCE_NOTE(note) PROF_SOURCE_OFFSET(0, note)

/*
 * The instance of the object of PROF_OBJECT_ANON without a path whose one frame stands between two
 * frames of a stack where the walk may have passed over callers.
 */
#define PROF_GAP_INSTANCE (UINT32_MAX - 255)

/* [start, start + size) of a process's address space shows the object from file offset pgoff. */
struct prof_mapping {
	uint32_t object;
	uint64_t start;
	uint64_t size;
	uint64_t pgoff;
};

/* An address space: a process between two execs. */
struct prof_process {
	uint32_t pid; /* thread group id in the recorder's pid namespace */
	/* Tells apart the address spaces that had this pid; unique with pid in the recording. */
	uint64_t generation;
	uint32_t first_mapping; /* in the epoch's mappings; sorted by start */
	uint32_t nr_mappings;
};

#define PROF_UID_UNKNOWN UINT32_MAX /* also the kernel's number for no user */

/* Facts about a process beyond its mappings. At most one for each process, not for 0. */
struct prof_process_info {
	uint32_t process;
	uint32_t ns_pid; /* its id in its own pid namespace; 0: not known */
	uint32_t uid;    /* effective user, or PROF_UID_UNKNOWN */
	uint32_t name;   /* string: name of the main thread, "" if not known */
	uint32_t exe;    /* string: path of the executable */
	uint32_t cgroup; /* string: path of the cgroup */
};

/* Attributes by names of OpenTelemetry's conventions. Readers pass over others. */
enum prof_attribute {
	PROF_ATTRIBUTE_SERVICE = 0,
	PROF_ATTRIBUTE_NAMESPACE,
	PROF_ATTRIBUTE_VERSION,
	PROF_ATTRIBUTE_INSTANCE,
	PROF_ATTRIBUTE_ENVIRONMENT,
	PROF_NR_OWN_ATTRIBUTES, /* processes say those before; the host says the others */
	PROF_ATTRIBUTE_CONTAINER = PROF_NR_OWN_ATTRIBUTES,
	PROF_ATTRIBUTE_K8S_CONTAINER,
	PROF_ATTRIBUTE_K8S_POD,
	PROF_ATTRIBUTE_K8S_NAMESPACE,
	PROF_NR_ATTRIBUTES,
};

/* Their keys: service.name and so on. */
extern const char *const prof_attribute_keys[PROF_NR_ATTRIBUTES];

/* The attribute of the key of @len bytes; PROF_NR_ATTRIBUTES: none of them. */
enum prof_attribute prof_attribute_find(const char *key, size_t len);

/*
 * What a process says of itself, or its host of it. Several of one process, but none of process 0.
 */
struct prof_process_attribute {
	uint32_t process;
	uint32_t key;   /* string */
	uint32_t value; /* string */
};

/* A label of the request that a thread worked for. */
struct prof_label {
	uint32_t key;   /* string */
	uint32_t value; /* string */
};

/* The keys of the ids of trace and span, whose values are hexadecimal digits. */
#define PROF_LABEL_TRACE_ID "trace_id"
#define PROF_LABEL_SPAN_ID  "span_id"

/* Label set 0 of every epoch says that there is no request. */
struct prof_label_set {
	uint32_t first_label; /* in the epoch's labels */
	uint32_t nr_labels;   /* set 0: 0; others: 0 if they found no room in the recorder */
};

/*
 * A frame is an address, relative so that address space randomisation does not multiply stacks. The
 * address is offset + (mapping.start - mapping.pgoff), by any mapping of the object in the process.
 * Process 0 has the mappings of kernel objects. With PROF_OBJECT_NONE the address is the offset.
 */
struct prof_frame {
	uint32_t object;
	uint64_t offset;
};

/* The end of a stack. */
enum prof_stack_end {
	PROF_STACK_UNKNOWN = 0,      /* frame pointers ran out, at the root or before it */
	PROF_STACK_COMPLETE = 1,     /* reached its root */
	PROF_STACK_CUT = 2,          /* stopped at the depth limit */
	PROF_STACK_MISSED_FULL = 3,  /* not stored: stack storage was full; no frames */
	PROF_STACK_MISSED_ERROR = 4, /* not stored: the kernel refused it; no frames */
	PROF_STACK_STRAYED =
		5, /* led to an address that is no code: its last frame stands for that */
	/* Unwind tables did not lead to the root, because: */
	PROF_STACK_NO_TABLE =
		6, /* for the last frame; or for the leaf, whose caller may be missing */
	PROF_STACK_BAD_RULE = 7,   /* the rule for the last frame is not supported */
	PROF_STACK_UNREADABLE = 8, /* memory could not be read */
	PROF_STACK_EARLY = 9,      /* mappings or tables were not there yet */
	PROF_NR_STACK_ENDS,
};

/* Stack 0 of every epoch is empty: the sample had no such stack. */
struct prof_stack {
	uint32_t first_frame; /* in the epoch's stack_frames, leaf first */
	uint16_t nr_frames;
	uint8_t end; /* enum prof_stack_end */
};

struct prof_count {
	uint32_t process;
	uint32_t comm; /* string: name of the thread */
	uint32_t user_stack;
	uint32_t kernel_stack;
	uint64_t count; /* samples, or the sum in the unit of the event; never 0 */
	uint32_t event; /* in the events of the recording; 0 in a recording without such a table */
	/* Time off the CPU: the stacks of the task that ended it; 0: not taken. */
	uint32_t waker_user_stack, waker_kernel_stack;
	uint32_t tid; /* of the thread, as pids are; 0: not known, or an idle task */
	uint32_t label_set;
};

/* The part of a count that belongs to a slice of time. Slices are numbered in each epoch. */
struct prof_slice {
	uint32_t row;   /* in counts */
	uint32_t slice; /* from 0, below PROF_MAX_SLICES */
	uint64_t count; /* never 0 */
};

/* [offset, offset + size) of an object is called name. Only symbols that samples hit. */
struct prof_symbol {
	uint32_t object;
	uint32_t name;
	uint64_t offset;
	uint64_t size;
};

/* A function at an address as the source has it. */
struct prof_source_frame {
	uint32_t name;   /* string, as the linker or the source has it; "": not known */
	uint32_t file;   /* string: the path; "": not known */
	uint32_t line;   /* where the program was in the function; 0: not known */
	bool is_inlined; /* into the function that follows */
};

/*
 * The functions of the source at an address that samples hit, from debug information. For a frame
 * that is no leaf and not exact, the address is one byte before the frame's. Lines ascend by object
 * and offset, each address once.
 */
struct prof_line {
	uint32_t object;
	uint64_t offset;
	uint32_t first_frame; /* in the epoch's source_frames, innermost function first */
	uint32_t nr_frames;   /* not 0 */
};

/* The way on which the names of an object came into the recording. */
enum prof_name_origin {
	PROF_NAMES_RECORDED = 0, /* the recorder read the object's file */
	PROF_NAMES_ADDED = 1,    /* they were added later, from a file */
	PROF_NAMES_FETCHED = 2,  /* they were added later, from a file of a debuginfod server */
	PROF_NR_NAME_ORIGINS,
};

/* A file from which symbols and lines of an object came. Rows ascend by object, none is of 0. */
struct prof_name_source {
	uint32_t object;
	uint8_t origin; /* enum prof_name_origin */
	uint8_t parts;  /* of the file: bits of enum name_part; not 0 */
	uint32_t file;  /* string: path by which the file was opened; "": the object's own */
};

struct prof_string {
	const char *s; /* NUL-terminated for convenience; may hold any byte but NUL */
	uint32_t len;  /* bytes */
};

/*
 * The tables of one epoch. String 0 is "", object 0 is PROF_OBJECT_NONE with path 0, stack 0 is
 * empty. Process 0 is the kernel, with pid 0 and generation 0. Its mappings place the kernel's
 * objects, and the idle tasks' counts belong to it. Every id is below the size of its table.
 */
struct prof_epoch {
	uint64_t begin_ns, end_ns; /* since the start of the recording */
	const struct prof_string *strings;
	const struct prof_object *objects;
	const struct prof_process *processes;
	const struct prof_mapping *mappings;
	const struct prof_frame *frames;
	const struct prof_stack *stacks;
	const uint32_t *stack_frames; /* ids into frames */
	const struct prof_count *counts;
	const struct prof_symbol *symbols;
	const struct prof_line *lines;
	const struct prof_source_frame *source_frames;
	const struct prof_name_source *name_sources;
	const struct prof_process_info *process_infos;
	const struct prof_process_attribute *process_attributes;
	const struct prof_label *labels;
	const struct prof_label_set *label_sets; /* none, or set 0 and others */
	const struct prof_file_info *file_infos;
	const struct prof_language *languages;
	/*
	 * Frames that are no leaves, but whose address is that of the next instruction to run. A
	 * signal interrupted such a frame, or a handler returns to it. Other frames that are no
	 * leaves have return addresses, which follow a call. Each frame at most once.
	 */
	const uint32_t *exact_frames;
	/*
	 * The counts by slices of time; none, or those of all rows. They ascend by row and slice,
	 * and those of a row add up to its count. Slice 0 begins slice_phase_ns before the epoch,
	 * and no slice begins after the epoch's end.
	 */
	const struct prof_slice *slices;
	uint64_t slice_ns;       /* length of a slice; 0: there are none */
	uint64_t slice_phase_ns; /* below slice_ns */
	uint32_t nr_strings, nr_objects, nr_processes, nr_mappings, nr_frames, nr_stacks;
	uint32_t nr_stack_frames, nr_counts, nr_symbols, nr_process_infos, nr_file_infos;
	uint32_t nr_exact_frames, nr_languages, nr_lines, nr_source_frames, nr_slices;
	uint32_t nr_name_sources, nr_process_attributes, nr_labels, nr_label_sets;
};

/* The sides of stacks that were taken. */
enum prof_stack_sides {
	PROF_SIDES_BOTH = 0,
	PROF_SIDES_USER = 1,
	PROF_SIDES_KERNEL = 2,
};

/* The way of walking stacks of user space. */
enum prof_unwinding {
	PROF_UNWINDING_UNKNOWN = 0,
	PROF_UNWINDING_FP = 1,     /* along frame pointers */
	PROF_UNWINDING_TABLES = 2, /* by tables from call frame information */
};

/* Who took the samples. */
enum prof_backend {
	PROF_BACKEND_BPF = 0, /* BPF programs, or older than this member */
	PROF_BACKEND_PERF = 1,
	PROF_BACKEND_PTRACE = 2,
};

/* prof_meta.zone of UTC. */
#define PROF_ZONE_UTC 1440u

/* The things that a row of the recording counts. */
enum prof_event_kind {
	PROF_EVENT_SAMPLES = 0,      /* samples of a perf event */
	PROF_EVENT_KERNEL_CALLS = 1, /* calls of functions of the kernel */
	PROF_EVENT_USER_CALLS = 2,   /* calls of functions of user space */
	PROF_EVENT_TRACEPOINT = 3,   /* hits of tracepoints */
	PROF_EVENT_USDT = 4,         /* hits of static probes of user space */
	PROF_EVENT_OFF_CPU = 5,      /* time off the CPU */
	PROF_NR_EVENT_KINDS,
};

/* The unit of the counts of an event. */
enum prof_event_unit {
	PROF_UNIT_EVENTS = 0,
	PROF_UNIT_NS = 1,
	PROF_UNIT_BYTES = 2,
	PROF_UNIT_NUMBER = 3, /* a number without a unit */
	PROF_NR_EVENT_UNITS,
};

/*
 * One event of a recording that holds more than samples of one perf event. One pattern of the user
 * is one event, however many functions it matches.
 */
struct prof_event {
	uint8_t kind;       /* enum prof_event_kind */
	uint8_t unit;       /* enum prof_event_unit */
	const char *name;   /* as the user typed it: "c:malloc", "t:sched:sched_switch" */
	const char *weight; /* "": hits are counted; else the field or argument that is summed up */
	uint64_t nr_probes; /* functions or tracepoints that were found; 0: not known */
	uint64_t period;    /* samples: events from one to the next; 0: by frequency */
};

/* The machine. All 0 or "" when not known. */
struct prof_host {
	const char *boot_id;    /* /proc/sys/kernel/random/boot_id */
	const char *cpu_model;  /* name that the processor gives itself */
	const char *hypervisor; /* name that the hypervisor gives itself, "" on bare metal */
	uint32_t nr_cpus_online, nr_cpus_possible;
	uint64_t memory_bytes;
};

/* Load averages over 1, 5 and 15 minutes, in hundredths. */
#define PROF_NR_LOADS 3

/* Facts that are known when a recording starts. Strings are NUL-terminated, "" when not known. */
struct prof_meta {
	const char *hostname;
	const char *kernel_release;
	const char *kernel_version;  /* uname -v */
	const char *arch;            /* uname -m */
	const char *recorder;        /* name and version of the program that wrote the file */
	const char *command_line;    /* of the recorder, arguments joined by spaces */
	const char *event;           /* perf's name of the event: "cycles", "cpu-clock" */
	const char *cpus;            /* sampled CPUs as a list: "0-3,7" */
	const char *command;         /* the command that was started, "" if none */
	const char *filters;         /* further filters, for people; "" if none */
	uint32_t event_type;         /* perf_event_attr.type */
	uint64_t event_config;       /* perf_event_attr.config */
	uint64_t freq_hz;            /* 0 when a period was set */
	uint64_t period;             /* in events; 0 when a frequency was set */
	uint64_t start_realtime_ns;  /* CLOCK_REALTIME of the first moment */
	uint64_t start_monotonic_ns; /* CLOCK_MONOTONIC of the same moment */
	uint64_t duration_ns;        /* requested; 0: until stopped */
	uint64_t stack_storage;      /* --stack-storage-size, in stacks */
	uint64_t hash_storage;       /* --hash-storage-size, in counts */
	uint32_t nr_cpus;            /* number of sampled CPUs */
	uint32_t only_cpu;           /* CPU + 1 when exactly one was asked for, else 0 */
	uint8_t sides;               /* enum prof_stack_sides */
	uint8_t include_idle;        /* bool */
	const uint32_t *pids;        /* processes that were asked for; none: all */
	uint32_t nr_pids;
	const uint32_t *tids; /* threads that were asked for; none: all */
	uint32_t nr_tids;
	uint64_t interval_ns; /* epochs do not cross its multiples; 0: no intervals */
	uint32_t zone; /* the host's local time: minutes east of UTC + PROF_ZONE_UTC; 0: unknown */
	uint32_t max_stack_depth; /* frames that a stack can have; 0: not known */
	uint8_t unwinding;        /* enum prof_unwinding */
	uint8_t backend;          /* enum prof_backend */
	struct prof_host host;
	uint64_t loads[PROF_NR_LOADS]; /* when it started */
	uint32_t nr_recordings;        /* that were merged into this one; 0: it is none of these */
	/*
	 * Without events, all rows are samples of the event that event_type and event_config say.
	 */
	const struct prof_event *events;
	uint32_t nr_events;
};

/* The reason for which samples or stacks are missing. */
enum prof_loss {
	PROF_LOSS_STORAGE_FULL = 0, /* no room in the map */
	PROF_LOSS_REFUSED = 1,      /* the kernel refused the update (lock contention, NMI) */
	PROF_LOSS_WALK_FAILED = 2,  /* the stack could not be walked */
	PROF_NR_LOSSES,
};

/* The reason for which the recording ended. */
enum prof_end_reason {
	PROF_END_DURATION = 0,
	PROF_END_SIGNAL = 1,
	PROF_END_COMMAND = 2, /* without a command, the processes that were chosen by their ids */
	PROF_END_ERROR = 3,
	PROF_END_ROTATED = 4, /* the next recording goes on from there */
	PROF_NR_END_REASONS,
};

/*
 * The fate of one event. A hit is counted when its weight is in a count of the file. sum is the sum
 * of the counts of the event in the file.
 */
struct prof_event_end {
	uint64_t taken;      /* hits that passed the filters, of those that were to be counted */
	uint64_t counted;    /* hits */
	uint64_t sum;        /* in the unit of the event */
	uint64_t overflows;  /* hits that were left out, since a sum would exceed 64 bits */
	uint64_t every_nth;  /* 1 hit in this many was to be counted; 0 is 1 */
	uint64_t blocked;    /* the part of sum of threads that were blocked when it ended */
	uint64_t unattached; /* probes that matched the pattern, but could not be attached */
	/*
	 * The recorder may count one of several hits, chosen at random. It stands for all of them:
	 * the counts have its weight as often. This is the largest number; 0 and 1: none.
	 */
	uint64_t shed_gap;
};

/*
 * The end record. taken = counted + the sum of lost + the overflows of all events, exactly. In a
 * recording without events, counted is the sum of all counts in the file. A sample with a missed
 * stack is counted, too.
 */
/* What users share in the recorder, and what may lack room or time. */
enum prof_lack_kind {
	PROF_LACK_PROCESSES,
	PROF_LACK_MAPPINGS,
	PROF_LACK_TABLES,
	PROF_LACK_INTERPRETERS,
	PROF_LACK_MACHINES,
	PROF_LACK_JIT_MAPS,
	PROF_LACK_NAMES,
	PROF_LACK_JIT_READS,
	PROF_LACK_COPIES,
	PROF_LACK_FUNCTIONS,
	PROF_LACK_LOOKS,
	PROF_NR_LACK_KINDS
};

/* The words for a kind. */
struct prof_lack_words {
	const char *things;  /* which lack something */
	const char *message; /* of one of them, and what follows from it */
};

extern const struct prof_lack_words prof_lack_words[PROF_NR_LACK_KINDS];

/* How often something of a user lacked room or time. */
struct prof_lack {
	uint32_t kind; /* enum prof_lack_kind */
	uint32_t uid;  /* PROF_UID_UNKNOWN: all other users */
	uint64_t nr;
};

/* Users of one kind who are told apart, and the numbers of all kinds. */
#define PROF_MAX_LACK_USERS 8
#define PROF_MAX_LACKS      (PROF_NR_LACK_KINDS * (PROF_MAX_LACK_USERS + 1))

struct prof_end {
	uint64_t duration_ns; /* actual */
	uint64_t taken;       /* samples that passed the filters */
	uint64_t counted;
	uint64_t lost[PROF_NR_LOSSES];          /* samples without a count */
	uint64_t missed_user[PROF_NR_LOSSES];   /* samples counted without their user stack */
	uint64_t missed_kernel[PROF_NR_LOSSES]; /* samples counted without their kernel stack */
	uint64_t idle;                          /* samples of the idle task that were left out */
	uint64_t filtered;                      /* samples that a filter left out */
	uint64_t lost_records;                  /* address space records that the kernel dropped */
	uint64_t unfollowed;       /* children that could not be followed, nor their descendants */
	uint8_t reason;            /* enum prof_end_reason */
	const uint64_t *cpu_taken; /* samples taken on each sampled CPU, in the order of cpus */
	uint32_t nr_cpu_taken;
	uint32_t nr_cpus_changed; /* that went offline or came online: not sampled all the time */
	/* The recorder left these out because they would have cost too much memory or CPU time. */
	uint64_t maps_left_out;     /* times that the map of a process's own code was not read */
	uint64_t mappings_left_out; /* that were not kept */
	uint64_t looks_left_out;    /* at the mappings of a process: put off, or not to the end */
	uint64_t infos_left_out;    /* processes that were not described when they began */
	uint64_t names_left_out;    /* times that names of a file were not looked up */
	uint64_t copies_left_out;   /* stacks that had to be walked later, and had no room */
	struct prof_lack lacks[PROF_MAX_LACKS]; /* in ascending order of kind and user */
	uint32_t nr_lacks;
	uint64_t skipped; /* hits that the kernel kept from the recorder, before all filters */
	/* Of a hardware event, summed over CPUs: the time that it was to be counted, and was. */
	uint64_t wanted_ns, running_ns;      /* 0 and 0: not known */
	uint64_t loads[PROF_NR_LOADS];       /* when it ended */
	const struct prof_event_end *events; /* one for each event of the recording */
	uint32_t nr_events;                  /* that of prof_meta */
};

/*
 * Adds @lack to those of @end. When there are many users of its kind already, it is one of the
 * others: add those with most first. Sums stay below 2^64.
 */
void prof_end_add_lack(struct prof_end *end, const struct prof_lack *lack);

/*
 * For how many hundredths of the time the event was counted: others may have had the counters of
 * the CPUs. 100 if that is not known.
 */
uint32_t prof_end_counted_percent(const struct prof_end *end);

#endif
