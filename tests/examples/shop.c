// SPDX-License-Identifier: GPL-2.0-or-later
/* shop SECONDS: computes prices and waits for an answer, over and over. With NEW a discount takes longer. */
#include <stdint.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#ifdef NEW
#define DISCOUNTS 80000
#else
#define DISCOUNTS 50000
#endif

static volatile uint64_t sink;

static uint64_t mix(uint64_t x)
{
	return (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
}

static uint64_t total_price(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++) {
		sum += mix(i ^ sink) % 97;
		if (sum & 1)
			sum ^= i * 3;
	}
	return sum;
}

static uint64_t discount(uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t i = 0; i < n; i++)
		sum += i % 7 ^ sink;
	return sum;
}

static void wait_for_answer(void)
{
	usleep(300);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? atoi(argv[1]) : 1);

	while (time(NULL) < end) {
		sink += total_price(100000);
		sink += discount(DISCOUNTS);
		wait_for_answer();
	}
	return 0;
}
