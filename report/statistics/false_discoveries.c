// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/statistics/false_discoveries.h"

#include <stdlib.h>

#include "common/compare.h"

static int by_value(const void *a, const void *b)
{
	const double *x = a, *y = b;

	COMPARE(*x, *y);
	return 0;
}

double discoveries_level(double *p_values, size_t nr, double q, size_t *nr_found)
{
	size_t found = 0;

	*nr_found = 0;
	if (!nr)
		return q;
	qsort(p_values, nr, sizeof(*p_values), by_value);
	for (size_t i = 0; i < nr; i++)
		if (p_values[i] <= q * (i + 1) / nr)
			found = i + 1;
	*nr_found = found;
	return q * (found < nr ? found + 1 : nr) / nr;
}
