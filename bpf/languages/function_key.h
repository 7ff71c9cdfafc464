/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Names a function of an interpreted language in one process (bpf/languages/languages.h). */
#ifndef BPF_LANGUAGES_FUNCTION_KEY_H
#define BPF_LANGUAGES_FUNCTION_KEY_H

#include <linux/types.h>

/* Key of the map of functions whose names were handed over. */
struct seen_function {
	__u64 space_id; /* as in struct unwind_space */
	__u64 word;
};

#endif
