/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The way to write to a name: in place, or by a new file that takes the name in the end. */
#ifndef REPORT_OUTPUT_OUTPUT_TARGET_H
#define REPORT_OUTPUT_OUTPUT_TARGET_H

/*
 * Follows the links of @name. Sets *@path, which the caller frees, to the name of the regular file
 * or of a file that is not there yet. NULL stands for a device, a FIFO or a descriptor of this
 * process: it is written in place. Returns 0 or a negative errno, -EACCES for a file that the user
 * may not write.
 */
int output_target_find(const char *name, char **path);

#endif
