// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The variable by which a thread publishes its request (OpenTelemetry's OTEP 4947), for
 * tests/programs/says_route.c: in the program itself, or in a library that is linked or loaded.
 */
__attribute__((visibility("default"))) __thread void *otel_thread_ctx_v1;

/* The address of the calling thread's. */
void **thread_record(void);

__attribute__((visibility("default"))) void **thread_record(void)
{
	return &otel_thread_ctx_v1;
}
