/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The places in stacks at which a frame is looked up: they lead to different addresses. */
#ifndef REPORT_SYMBOLS_FRAME_PLACE_H
#define REPORT_SYMBOLS_FRAME_PLACE_H

enum frame_place {
	FRAME_LEAF = 0,
	FRAME_CALLER = 1,
	NR_FRAME_PLACES,
};

#endif
