// starts N processes a second (argv[1]) for S seconds (argv[2]), each a fork and an exec; prints
// how many there were
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>
#include <sys/wait.h>
static double now(void)
{
	struct timespec t;
	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec + t.tv_nsec / 1e9;
}
volatile unsigned long sink;
int main(int c, char **v)
{
	if (c < 3) {
		for (int i = 0; i < 20000; i++)
			sink += i;
		return 0;
	}
	double rate = atof(v[1]), begin = now(), end = begin + atof(v[2]);
	long started = 0;
	while (now() < end) {
		while (started < (now() - begin) * rate && now() < end) {
			pid_t p = vfork();
			if (!p) {
				execl("/proc/self/exe", "short-lived", (char *)0);
				_exit(127);
			}
			if (p > 0)
				started++;
			while (waitpid(-1, 0, WNOHANG) > 0)
				;
		}
		while (waitpid(-1, 0, WNOHANG) > 0)
			;
		usleep(500);
	}
	while (wait(0) > 0)
		;
	printf("%ld\n", started);
}
