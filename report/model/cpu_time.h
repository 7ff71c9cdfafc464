/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU time that samples stand for. Shares of samples say nothing about how busy a host was: an idle
 * one and a busy one look alike. CPU seconds per second tell them apart, and the recorder counts
 * idle and filtered samples where it leaves them out.
 */
#ifndef REPORT_MODEL_CPU_TIME_H
#define REPORT_MODEL_CPU_TIME_H

#include "report/model/recording.h"

/* Returns the seconds that @rec, or the part of it that was chosen, lasted. */
double recording_seconds(const struct recording *rec);

/* Returns the seconds of CPU time between two samples of @event; 0: they are no CPU time. */
double event_sample_seconds(const struct prof_meta *meta, uint32_t event);

/*
 * Returns the seconds of CPU time that a count of @event stands for, 0 if it stands for something
 * else.
 */
double event_cpu_seconds(const struct prof_meta *meta, uint32_t event);

/*
 * Sets *@seconds to the CPU time that all tasks of the sampled CPUs used, also those that a filter
 * of the recorder left out. @is_filtered says that the report left out rows. Returns false if the
 * recording does not tell.
 */
bool recording_busy_seconds(const struct recording *rec, uint32_t event, bool is_filtered,
			    double *seconds);

#endif
