// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Simulates a recording of a program, as text for prof_make:
 *
 *	prof_simulate PROGRAM SEED SAMPLES HZ NOISE PERCENT SHARE NR > recording.txt
 *
 * PROGRAM is the number of a program: callers, functions and their shares. SEED is that of the
 * recording. Each function's share differs from one recording to the next by NOISE percent. NR of
 * the functions, the same ones in all recordings of a program, take PERCENT percent more or less
 * than they would. With NR 1, and SHARE above 0, that function has SHARE percent of the samples.
 * The names of the changed functions end with "_planted".
 */
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define NR_FUNCTIONS 300
#define NR_CALLERS   30

/* The planted functions are among the larger ones. */
#define NR_LARGE 100

/* Bytes from one function to the next in the program's file. */
#define SPACING 16

#define NR_ARGUMENTS 9

struct program {
	double weights[NR_FUNCTIONS];
	int callers[NR_FUNCTIONS];
	bool is_planted[NR_FUNCTIONS];
};

static void make_program(struct program *program, gsl_rng *rng, double share, int nr_planted)
{
	double sum = 0;

	for (int i = 0; i < NR_FUNCTIONS; i++) {
		program->weights[i] = 1 / pow(i + 3, 1.1);
		program->callers[i] = gsl_rng_uniform_int(rng, NR_CALLERS);
		sum += program->weights[i];
	}
	for (int planted = 0; planted < nr_planted;) {
		int i = gsl_rng_uniform_int(rng, NR_LARGE);

		planted += !program->is_planted[i];
		program->is_planted[i] = true;
		if (share > 0)
			program->weights[i] = share / (1 - share) * (sum - program->weights[i]);
	}
}

static void print_program(const struct program *program, double hz, double samples)
{
	printf("meta event cpu-clock\nmeta freq_hz %.0f\nmeta nr_cpus 2\n", hz);
	printf("object f file /nonexistent/simulated -\nsym f 0 %d main\n", SPACING);
	for (int i = 0; i < NR_CALLERS; i++)
		printf("sym f %d %d caller_%d\n", SPACING * (1 + i), SPACING, i);
	for (int i = 0; i < NR_FUNCTIONS; i++)
		printf("sym f %d %d function_%d%s\n", SPACING * (1 + NR_CALLERS + i), SPACING, i,
		       program->is_planted[i] ? "_planted" : "");
	printf("process p 1 1\nmap p f 0x1000 0x100000 0\n");
	printf("end duration_ns %.0f\n", samples / hz * 1e9);
}

static void print_counts(const struct program *program, const unsigned int *counts)
{
	for (int i = 0; i < NR_FUNCTIONS; i++)
		if (counts[i])
			printf("count p simulated %u user f:%d f:%d f:1\n", counts[i],
			       SPACING * (1 + NR_CALLERS + i) + 1,
			       SPACING * (1 + program->callers[i]) + 1);
}

int main(int argc, char **argv)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double weights[NR_FUNCTIONS], samples, noise, factor;
	unsigned int counts[NR_FUNCTIONS];
	struct program program = {0};

	if (argc != NR_ARGUMENTS) {
		fprintf(stderr, "prof_simulate: needs %d arguments\n", NR_ARGUMENTS - 1);
		return EXIT_FAILURE;
	}
	samples = atof(argv[3]);
	noise = atof(argv[5]) / 100;
	factor = 1 + atof(argv[6]) / 100;
	gsl_rng_set(rng, strtoul(argv[1], NULL, 10));
	make_program(&program, rng, atof(argv[7]) / 100, atoi(argv[8]));
	gsl_rng_set(rng, 1000003 + strtoul(argv[2], NULL, 10));
	for (int i = 0; i < NR_FUNCTIONS; i++)
		weights[i] = program.weights[i] * exp(gsl_ran_gaussian(rng, noise)) *
			     (program.is_planted[i] ? factor : 1);
	gsl_ran_multinomial(rng, NR_FUNCTIONS, samples, weights, counts);
	print_program(&program, atof(argv[4]), samples);
	print_counts(&program, counts);
	gsl_rng_free(rng);
	return EXIT_SUCCESS;
}
