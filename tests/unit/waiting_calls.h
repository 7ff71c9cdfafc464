/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls that wait. Each is made by a child, and ends when the test wants it to. What they
 * wait for is made before the child begins, and is kept in memory that both share.
 */
#ifndef TESTS_WAITING_CALLS_H
#define TESTS_WAITING_CALLS_H

#include <errno.h>
#include <fcntl.h>
#include <linux/aio_abi.h>
#include <linux/futex.h>
#include <linux/io_uring.h>
#include <mqueue.h>
#include <poll.h>
#include <semaphore.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/ipc.h>
#include <sys/msg.h>
#include <sys/prctl.h>
#include <sys/select.h>
#include <sys/sem.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "tests/unit/waiting_streams.h"

struct call {
	const char *name;
	void (*prepare)(struct scene *s); /* or NULL */
	void (*begin)(struct scene *s);   /* in the child, before the call; or NULL */
	long (*call)(struct scene *s);
	void (*finish)(struct scene *s); /* lets it end; NULL: nothing does */
	void (*remove)(struct scene *s); /* what would be left; or NULL */
	/* It has done a part when it is interrupted, and returns that. */
	bool is_divisible;
};
static void make_epoll(struct scene *s)
{
	struct epoll_event event = {.events = EPOLLIN};

	make_pipe(s);
	s->fd[2] = epoll_create1(0);
	ck_assert_int_eq(epoll_ctl(s->fd[2], EPOLL_CTL_ADD, s->fd[0], &event), 0);
}

static long call_epoll_wait(struct scene *s)
{
	struct epoll_event event;

	return epoll_wait(s->fd[2], &event, 1, HOUR_S * 1000);
}

static long call_epoll_pwait(struct scene *s)
{
	struct epoll_event event;
	sigset_t none;

	sigemptyset(&none);
	return epoll_pwait(s->fd[2], &event, 1, -1, &none);
}

#ifdef SYS_epoll_pwait2
static long call_epoll_pwait2(struct scene *s)
{
	struct epoll_event event;

	return syscall(SYS_epoll_pwait2, s->fd[2], &event, 1, &hour, NULL, 0);
}
#endif

static long call_poll(struct scene *s)
{
	struct pollfd on = {s->fd[0], POLLIN, 0};

	return poll(&on, 1, HOUR_S * 1000);
}

static long call_ppoll(struct scene *s)
{
	struct pollfd on = {s->fd[0], POLLIN, 0};

	return ppoll(&on, 1, &hour, NULL);
}

static long call_select(struct scene *s)
{
	struct timeval limit = {.tv_sec = HOUR_S};
	fd_set set;

	FD_ZERO(&set);
	FD_SET(s->fd[0], &set);
	return select(s->fd[0] + 1, &set, NULL, NULL, &limit);
}

static long call_pselect(struct scene *s)
{
	sigset_t none;
	fd_set set;

	sigemptyset(&none);
	FD_ZERO(&set);
	FD_SET(s->fd[0], &set);
	return pselect(s->fd[0] + 1, &set, NULL, NULL, &hour, &none);
}

static long call_nanosleep(struct scene *s)
{
	(void)s;
	return nanosleep(&hour, NULL);
}

static long call_usleep(struct scene *s)
{
	(void)s;
	return usleep(HOUR_S * 1000000u);
}

/* Returns the number of the error. */
static long clock_sleep(int flags, const struct timespec *at)
{
	errno = clock_nanosleep(CLOCK_MONOTONIC, flags, at, NULL);
	return errno ? -1 : 0;
}

static long call_clock_nanosleep(struct scene *s)
{
	(void)s;
	return clock_sleep(0, &hour);
}

static long sleep_until(struct scene *s)
{
	struct timespec at;

	(void)s;
	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += HOUR_S;
	return clock_sleep(TIMER_ABSTIME, &at);
}

static long futex(struct scene *s, int operation, uint32_t value, const struct timespec *limit)
{
	return syscall(SYS_futex, &s->word, operation, value, limit, NULL, FUTEX_BITSET_MATCH_ANY);
}

static long call_futex(struct scene *s)
{
	return futex(s, FUTEX_WAIT, 0, NULL);
}

static long futex_for(struct scene *s)
{
	return futex(s, FUTEX_WAIT, 0, &hour);
}

static long futex_until(struct scene *s)
{
	struct timespec at;

	clock_gettime(CLOCK_MONOTONIC, &at);
	at.tv_sec += HOUR_S;
	return futex(s, FUTEX_WAIT_BITSET, 0, &at);
}

static void wake(struct scene *s)
{
	s->word = 1;
	ck_assert_int_eq(futex(s, FUTEX_WAKE, 1, NULL), 1);
}

static void make_sem(struct scene *s)
{
	ck_assert_int_eq(sem_init(&s->sem, 1, 0), 0);
}

static long call_sem_wait(struct scene *s)
{
	return sem_wait(&s->sem);
}

static long call_sem_timedwait(struct scene *s)
{
	struct timespec at;

	clock_gettime(CLOCK_REALTIME, &at);
	at.tv_sec += HOUR_S;
	return sem_timedwait(&s->sem, &at);
}

static void post_sem(struct scene *s)
{
	ck_assert_int_eq(sem_post(&s->sem), 0);
}

static void make_semaphore(struct scene *s)
{
	s->id = semget(IPC_PRIVATE, 1, 0600);
}

static long call_semop(struct scene *s)
{
	struct sembuf take = {.sem_op = -1};

	return semop(s->id, &take, 1);
}

static long call_semtimedop(struct scene *s)
{
	struct sembuf take = {.sem_op = -1};

	return semtimedop(s->id, &take, 1, &hour);
}

static void remove_semaphore(struct scene *s)
{
	semctl(s->id, 0, IPC_RMID);
}

static void raise_semaphore(struct scene *s)
{
	struct sembuf give = {.sem_op = 1};

	ck_assert_int_eq(semop(s->id, &give, 1), 0);
}

struct letter {
	long type;
	char text[1024];
};

static void make_queue(struct scene *s)
{
	s->id = msgget(IPC_PRIVATE, 0600);
}

static void make_full_queue(struct scene *s)
{
	const struct letter letter = {.type = 1};

	make_queue(s);
	while (!msgsnd(s->id, &letter, sizeof(letter.text), IPC_NOWAIT))
		;
}

static void remove_queue(struct scene *s)
{
	msgctl(s->id, IPC_RMID, NULL);
}

static long call_msgrcv(struct scene *s)
{
	struct letter letter;

	return msgrcv(s->id, &letter, sizeof(letter.text), 0, 0);
}

static long call_msgsnd(struct scene *s)
{
	const struct letter letter = {.type = 1};

	return msgsnd(s->id, &letter, sizeof(letter.text), 0);
}

static void send_letter(struct scene *s)
{
	ck_assert_int_eq(call_msgsnd(s), 0);
}

static void receive_letter(struct scene *s)
{
	ck_assert_int_eq(call_msgrcv(s), sizeof(((struct letter *)NULL)->text));
}

static void make_mail(struct scene *s)
{
	struct mq_attr attr = {.mq_maxmsg = 1, .mq_msgsize = 8};
	char name[32];

	snprintf(name, sizeof(name), "/profrec-test-%d", getpid());
	s->id = mq_open(name, O_RDWR | O_CREAT | O_EXCL, 0600, &attr);
	mq_unlink(name);
}

static long call_mq_send(struct scene *s)
{
	return mq_send(s->id, "x", 1, 0);
}

static long call_mq_receive(struct scene *s)
{
	char text[8];

	return mq_receive(s->id, text, sizeof(text), NULL);
}

static void send_mail(struct scene *s)
{
	ck_assert_int_eq(call_mq_send(s), 0);
}

static void make_full_mail(struct scene *s)
{
	make_mail(s);
	send_mail(s);
}

static void receive_mail(struct scene *s)
{
	ck_assert_int_eq(call_mq_receive(s), 1);
}

static void block_signal(struct scene *s)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	sigprocmask(SIG_BLOCK, &set, NULL);
	s->fd[0] = signalfd(-1, &set, 0);
}

static long wait_for_signal(const struct timespec *limit)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGRTMIN);
	return sigtimedwait(&set, NULL, limit);
}

static long call_sigwaitinfo(struct scene *s)
{
	(void)s;
	return wait_for_signal(NULL);
}

static long call_sigtimedwait(struct scene *s)
{
	(void)s;
	return wait_for_signal(&hour);
}

static long read_signal(struct scene *s)
{
	struct signalfd_siginfo info;

	return read(s->fd[0], &info, sizeof(info));
}

static void send_signal(struct scene *s)
{
	ck_assert_int_eq(kill(s->pid, SIGRTMIN), 0);
}

static long call_sigsuspend(struct scene *s)
{
	sigset_t none;

	(void)s;
	sigemptyset(&none);
	return sigsuspend(&none);
}

static long call_pause(struct scene *s)
{
	(void)s;
	return pause();
}

static void begin_grandchild(struct scene *s)
{
	pid_t pid = fork();

	if (pid) {
		s->grandchild = pid;
		return;
	}
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		pause();
}

static long call_wait4(struct scene *s)
{
	return wait4(s->grandchild, NULL, 0, NULL) < 0 ? -1 : 0;
}

static long call_waitid(struct scene *s)
{
	siginfo_t info;

	return waitid(P_PID, s->grandchild, &info, WEXITED);
}

static void end_grandchild(struct scene *s)
{
	ck_assert_int_eq(kill(s->grandchild, SIGUSR2), 0);
}

static void make_flock(struct scene *s)
{
	s->fd[1] = open("lock", O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(flock(s->fd[1], LOCK_EX), 0);
}

static void open_lock(struct scene *s)
{
	s->fd[0] = open("lock", O_RDWR);
}

static long call_flock(struct scene *s)
{
	return flock(s->fd[0], LOCK_EX);
}

static void end_flock(struct scene *s)
{
	ck_assert_int_eq(flock(s->fd[1], LOCK_UN), 0);
}

static void make_lock(struct scene *s)
{
	struct flock lock = {.l_type = F_WRLCK};

	s->fd[1] = open("lock", O_RDWR | O_CREAT, 0600);
	ck_assert_int_eq(fcntl(s->fd[1], F_SETLK, &lock), 0);
}

static long call_setlkw(struct scene *s)
{
	struct flock lock = {.l_type = F_WRLCK};

	return fcntl(s->fd[0], F_SETLKW, &lock);
}

static long call_ofd_setlkw(struct scene *s)
{
	struct flock lock = {.l_type = F_WRLCK};

	return fcntl(s->fd[0], F_OFD_SETLKW, &lock);
}

static void end_lock(struct scene *s)
{
	struct flock lock = {.l_type = F_UNLCK};

	ck_assert_int_eq(fcntl(s->fd[1], F_SETLK, &lock), 0);
}

/* An event that comes when the pipe has something to read. */
static void begin_aio(struct scene *s)
{
	struct iocb poll = {
		.aio_lio_opcode = IOCB_CMD_POLL, .aio_fildes = s->fd[0], .aio_buf = POLLIN};
	struct iocb *const polls[] = {&poll};

	s->aio = 0;
	if (syscall(SYS_io_setup, 1, &s->aio) || syscall(SYS_io_submit, s->aio, 1, polls) != 1)
		_exit(1);
}

static long call_io_getevents(struct scene *s)
{
	struct io_event event;

	return syscall(SYS_io_getevents, s->aio, 1, 1, &event, &hour);
}

static long call_io_pgetevents(struct scene *s)
{
	struct io_event event;

	return syscall(SYS_io_pgetevents, s->aio, 1, 1, &event, NULL, NULL);
}

static long call_io_uring_enter(struct scene *s)
{
	struct io_uring_params params = {0};
	int fd = syscall(SYS_io_uring_setup, 1, &params);

	(void)s;
	return fd < 0 ? -1 : syscall(SYS_io_uring_enter, fd, 0, 1, IORING_ENTER_GETEVENTS, NULL, 0);
}

static void make_terminal(struct scene *s)
{
	s->fd[1] = posix_openpt(O_RDWR | O_NOCTTY);
	if (s->fd[1] < 0)
		return; /* no devpts is mounted */
	ck_assert_int_eq(grantpt(s->fd[1]), 0);
	ck_assert_int_eq(unlockpt(s->fd[1]), 0);
	s->fd[0] = open(ptsname(s->fd[1]), O_RDWR | O_NOCTTY);
}

static void make_fifo(struct scene *s)
{
	(void)s;
	remove("fifo");
	ck_assert_int_eq(mkfifo("fifo", 0600), 0);
}

static long open_fifo(struct scene *s)
{
	(void)s;
	return open("fifo", O_RDONLY) < 0 ? -1 : 0;
}

static void end_fifo(struct scene *s)
{
	s->fd[0] = open("fifo", O_WRONLY | O_NONBLOCK);
	ck_assert_int_ge(s->fd[0], 0);
}

static void make_inotify(struct scene *s)
{
	s->fd[0] = inotify_init();
	ck_assert_int_ge(inotify_add_watch(s->fd[0], ".", IN_CREATE), 0);
}

static long read_inotify(struct scene *s)
{
	char text[512];

	return read(s->fd[0], text, sizeof(text));
}

static void create_file(struct scene *s)
{
	remove("new");
	s->fd[1] = open("new", O_RDWR | O_CREAT, 0600);
}

static void make_timer(struct scene *s)
{
	s->fd[0] = timerfd_create(CLOCK_MONOTONIC, 0);
}

static void end_timer(struct scene *s)
{
	const struct itimerspec now = {.it_value.tv_nsec = 1};

	ck_assert_int_eq(timerfd_settime(s->fd[0], 0, &now, NULL), 0);
}

static void make_event(struct scene *s)
{
	s->fd[0] = eventfd(0, 0);
}

static void end_event(struct scene *s)
{
	ck_assert_int_eq(eventfd_write(s->fd[0], 1), 0);
}

static const struct call calls[] = {
	{"read pipe", .call = call_read, .prepare = make_pipe, .finish = write_byte},
	{"read terminal", .call = call_read, .prepare = make_terminal, .finish = write_byte},
	{"read inotify", .call = read_inotify, .prepare = make_inotify, .finish = create_file},
	{"read timerfd", .call = call_read, .prepare = make_timer, .finish = end_timer},
	{"read eventfd", .call = call_read, .prepare = make_event, .finish = end_event},
	{"read signalfd", .call = read_signal, .begin = block_signal, .finish = send_signal},
	{"read socket", .call = call_read, .prepare = make_limited_sockets, .finish = write_byte},
	{"readv socket", .call = call_readv, .prepare = make_limited_sockets, .finish = write_byte},
	{"splice", .call = call_splice, .prepare = make_pipe, .finish = write_byte},
	{"open fifo", .call = open_fifo, .prepare = make_fifo, .finish = end_fifo},
	{"write pipe", .call = call_write, .prepare = make_full_pipe, .finish = drain},
	{"write much", .call = write_much, .prepare = make_pipe_back, .finish = drain,
	 .is_divisible = true},
	{"write socket", .call = call_write, .prepare = make_full_limited_sockets, .finish = drain},
	{"writev socket", .call = call_writev, .prepare = make_full_limited_sockets,
	 .finish = drain},
	{"recv", .call = call_recv, .prepare = make_sockets, .finish = write_byte},
	{"recv timeout", .call = call_recv, .prepare = make_limited_sockets, .finish = write_byte},
	{"recv all", .call = recv_all, .prepare = make_sockets, .begin = begin_recv_all,
	 .finish = fill_more, .is_divisible = true},
	{"recvmsg timeout", .call = call_recvmsg, .prepare = make_limited_sockets,
	 .finish = write_byte},
	{"recvmmsg", .call = call_recvmmsg, .prepare = make_datagrams, .finish = write_byte},
	{"recvmmsg two", .call = recv_two, .prepare = make_datagrams, .begin = write_byte,
	 .finish = write_byte, .is_divisible = true},
	{"send", .call = call_send, .prepare = make_full_sockets, .finish = drain},
	{"send timeout", .call = call_send, .prepare = make_full_limited_sockets, .finish = drain},
	{"send much", .call = send_much, .prepare = make_sockets_back, .finish = drain,
	 .is_divisible = true},
	{"sendmsg timeout", .call = call_sendmsg, .prepare = make_full_limited_sockets,
	 .finish = drain},
	{"sendmmsg timeout", .call = call_sendmmsg, .prepare = make_full_limited_sockets,
	 .finish = drain},
	{"accept", .call = call_accept, .prepare = make_listener, .finish = connect_now},
	{"accept timeout", .call = call_accept, .prepare = make_limited_listener,
	 .finish = connect_now},
	{"accept4 timeout", .call = call_accept4, .prepare = make_limited_listener,
	 .finish = connect_now},
	{"connect", .call = call_connect, .prepare = make_full_listener, .finish = accept_now},
	{"connect timeout", .call = call_connect, .prepare = make_full_limited_listener,
	 .finish = accept_now},
	{"epoll_wait", .call = call_epoll_wait, .prepare = make_epoll, .finish = write_byte},
	{"epoll_pwait", .call = call_epoll_pwait, .prepare = make_epoll, .finish = write_byte},
#ifdef SYS_epoll_pwait2
	{"epoll_pwait2", .call = call_epoll_pwait2, .prepare = make_epoll, .finish = write_byte},
#endif
	{"poll", .call = call_poll, .prepare = make_pipe, .finish = write_byte},
	{"ppoll", .call = call_ppoll, .prepare = make_pipe, .finish = write_byte},
	{"select", .call = call_select, .prepare = make_pipe, .finish = write_byte},
	{"pselect", .call = call_pselect, .prepare = make_pipe, .finish = write_byte},
	{"nanosleep", .call = call_nanosleep},
	{"usleep", .call = call_usleep},
	{"clock_nanosleep", .call = call_clock_nanosleep},
	{"clock_nanosleep until", .call = sleep_until},
	{"futex", .call = call_futex, .finish = wake},
	{"futex for", .call = futex_for, .finish = wake},
	{"futex until", .call = futex_until, .finish = wake},
	{"sem_wait", .call = call_sem_wait, .prepare = make_sem, .finish = post_sem},
	{"sem_timedwait", .call = call_sem_timedwait, .prepare = make_sem, .finish = post_sem},
	{"semop", .call = call_semop, .prepare = make_semaphore, .finish = raise_semaphore,
	 .remove = remove_semaphore},
	{"semtimedop", .call = call_semtimedop, .prepare = make_semaphore,
	 .finish = raise_semaphore, .remove = remove_semaphore},
	{"msgrcv", .call = call_msgrcv, .prepare = make_queue, .finish = send_letter,
	 .remove = remove_queue},
	{"msgsnd", .call = call_msgsnd, .prepare = make_full_queue, .finish = receive_letter,
	 .remove = remove_queue},
	{"mq_receive", .call = call_mq_receive, .prepare = make_mail, .finish = send_mail},
	{"mq_send", .call = call_mq_send, .prepare = make_full_mail, .finish = receive_mail},
	{"sigwaitinfo", .call = call_sigwaitinfo, .begin = block_signal, .finish = send_signal},
	{"sigtimedwait", .call = call_sigtimedwait, .begin = block_signal, .finish = send_signal},
	{"sigsuspend", .call = call_sigsuspend},
	{"pause", .call = call_pause},
	{"wait4", .call = call_wait4, .begin = begin_grandchild, .finish = end_grandchild},
	{"waitid", .call = call_waitid, .begin = begin_grandchild, .finish = end_grandchild},
	{"flock", .call = call_flock, .prepare = make_flock, .begin = open_lock,
	 .finish = end_flock},
	{"F_SETLKW", .call = call_setlkw, .prepare = make_lock, .begin = open_lock,
	 .finish = end_lock},
	{"F_OFD_SETLKW", .call = call_ofd_setlkw, .prepare = make_lock, .begin = open_lock,
	 .finish = end_lock},
	{"io_getevents", .call = call_io_getevents, .prepare = make_pipe, .begin = begin_aio,
	 .finish = write_byte},
	{"io_pgetevents", .call = call_io_pgetevents, .prepare = make_pipe, .begin = begin_aio,
	 .finish = write_byte},
	{"io_uring_enter", .call = call_io_uring_enter},
};

#endif
