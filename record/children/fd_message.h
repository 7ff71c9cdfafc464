/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Messages between processes, each with at most one file descriptor (SCM_RIGHTS). */
#ifndef RECORD_CHILDREN_FD_MESSAGE_H
#define RECORD_CHILDREN_FD_MESSAGE_H

#include <stddef.h>

/*
 * Sends @len bytes, and the descriptor @fd unless it is negative. @fd stays the caller's. Returns 0
 * or a negative errno: -EPIPE or -ECONNRESET when nobody is there to receive it.
 */
int fd_message_send(int sock, const void *buf, size_t len, int fd);

/*
 * Receives a message of exactly @len bytes; *@fd is the caller's, close-on-exec, or -1. Returns 0,
 * -EAGAIN, -ENOTCONN when the other side has closed, -EBADMSG for a message of a different size, or
 * the errno of the receiving.
 */
int fd_message_receive(int sock, void *buf, size_t len, int *fd);

/* As fd_message_receive, but never waits. Returns -EAGAIN when there is no message. */
int fd_message_receive_now(int sock, void *buf, size_t len, int *fd);

/* As fd_message_receive, but the message may be shorter than *@len, which becomes its length. */
int fd_message_receive_some(int sock, void *buf, size_t *len, int *fd);

#endif
