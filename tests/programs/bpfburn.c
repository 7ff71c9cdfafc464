// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * bpfburn MS [FILE]: spends about MS milliseconds of CPU time in its own BPF program, which is
 * named burner. Makes FILE when the kernel has verified the program.
 */
#include <fcntl.h>
#include <linux/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define ROUNDS 4000 /* of the program's loop: few enough for the verifier to follow */

static const struct bpf_insn burner[] = {
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_1, .imm = ROUNDS},
	{.code = BPF_ALU64 | BPF_MOV | BPF_K, .dst_reg = BPF_REG_0, .imm = 0},
	{.code = BPF_ALU64 | BPF_XOR | BPF_X, .dst_reg = BPF_REG_0, .src_reg = BPF_REG_1},
	{.code = BPF_ALU64 | BPF_ADD | BPF_K, .dst_reg = BPF_REG_1, .imm = -1},
	{.code = BPF_JMP | BPF_JNE | BPF_K, .dst_reg = BPF_REG_1, .off = -3},
	{.code = BPF_JMP | BPF_EXIT},
};

static long cpu_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static int load(void)
{
	union bpf_attr attr = {
		.prog_type = BPF_PROG_TYPE_SOCKET_FILTER,
		.insns = (uintptr_t)burner,
		.insn_cnt = sizeof(burner) / sizeof(*burner),
		.license = (uintptr_t) "GPL",
		.prog_name = "burner",
	};

	return syscall(SYS_bpf, BPF_PROG_LOAD, &attr, sizeof(attr));
}

static int run(int fd)
{
	char packet[64] = "";
	union bpf_attr attr = {
		.test =
			{
				.prog_fd = fd,
				.data_in = (uintptr_t)packet,
				.data_size_in = sizeof(packet),
				.repeat = 1000,
			},
	};

	return syscall(SYS_bpf, BPF_PROG_TEST_RUN, &attr, sizeof(attr));
}

int main(int argc, char **argv)
{
	int fd = load();
	long end = cpu_ms() + (argc > 1 ? atoi(argv[1]) : 100); /* without the time of verifying */

	if (fd < 0) {
		perror("bpfburn: BPF_PROG_LOAD");
		return 1;
	}
	if (argc > 2 && creat(argv[2], 0600) < 0) {
		perror(argv[2]);
		return 1;
	}
	do {
		if (run(fd)) {
			perror("bpfburn: BPF_PROG_TEST_RUN");
			return 1;
		}
	} while (cpu_ms() < end);
	return 0;
}
