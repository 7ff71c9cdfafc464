// SPDX-License-Identifier: GPL-2.0-or-later
/* A library whose calls to its own functions go through its PLT, for programs/frames.c. */
#define FOUR(x)    ONE(x##0) ONE(x##1) ONE(x##2) ONE(x##3)
#define SIXTEEN(x) FOUR(x##0) FOUR(x##1) FOUR(x##2) FOUR(x##3)
#define ALL        SIXTEEN(0) SIXTEEN(1) SIXTEEN(2) SIXTEEN(3)

void lazy_calls(void);
extern volatile unsigned int lazy_sink;
volatile unsigned int lazy_sink;

#define ONE(x)                                                                                     \
	unsigned int lazy_##x(unsigned int y);                                                     \
	unsigned int lazy_##x(unsigned int y)                                                      \
	{                                                                                          \
		return y * 1664525 + lazy_sink;                                                    \
	}
ALL
#undef ONE

	void
	lazy_calls(void)
{
	unsigned int y = lazy_sink;

#define ONE(x) y += lazy_##x(y);
	ALL lazy_sink = y;
}
